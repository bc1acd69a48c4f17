import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

/**
 * `node bin/inter-subset.mjs FOLDER` writes dashboard/src/theme/inter/*.woff2: Inter with the characters, weights and features that
 * most pages show. FOLDER is where subset-font is installed, which only this needs.
 */
const [folder] = process.argv.slice(2)
if (!folder) throw new Error('Usage: node bin/inter-subset.mjs FOLDER')

const root = path.join(import.meta.dirname, '..')
const subsetFont = createRequire(import.meta.url)(path.resolve(folder, 'node_modules/subset-font'))

const charactersBetween = (first, last) =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)).join('')

const subsets = {
  latin: `${charactersBetween(0x00, 0xff)}ıŒœʻʼˆ˚˜\u0304\u0308\u0329${charactersBetween(0x2000, 0x206f)}€™↑↓−∕`,
  'latin-ext': charactersBetween(0x100, 0x17f),
  vietnamese: `ĂăĐđĨĩŨũƠơƯư\u0300\u0301\u0303\u0309\u0323${charactersBetween(0x1ea0, 0x1ef9)}₫`,
  cyrillic: `${charactersBetween(0x400, 0x45f)}ҐґҰұ№`,
  greek: charactersBetween(0x370, 0x3ff),
}

for (const [name, characters] of Object.entries(subsets)) {
  const file = path.join(root, `node_modules/@fontsource-variable/inter/files/inter-${name}-wght-normal.woff2`)
  const font = await subsetFont(fs.readFileSync(file), characters, {
    targetFormat: 'woff2',
    keepFeatures: ['kern', 'tnum', 'ccmp', 'locl', 'mark', 'mkmk'],
    variationAxes: { wght: { min: 400, max: 700, default: 400 } },
  })
  fs.writeFileSync(path.join(root, `dashboard/src/theme/inter/inter-${name}.woff2`), font)
}
