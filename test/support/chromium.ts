import fs from 'node:fs'
import path from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const checkout = path.resolve(import.meta.dirname, '../..')
const { version } = JSON.parse(
  fs.readFileSync(path.join(checkout, 'node_modules/@sparticuz/chromium/package.json'), 'utf8'),
)
const folder = path.join(checkout, '.cache', `chromium-${version}`)
const args = ['--no-sandbox']

/** The Chromium that npm brought, which is for x64 alone; elsewhere the one that is installed. */
export function openChromium(): Promise<Browser> {
  return process.arch === 'x64' ? openPacked() : chromium.launch({ executablePath: installed(), args })
}

function installed(): string {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  const found = names
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((file) => fs.existsSync(file))
  if (!found)
    throw new Error(`npm brings no Chromium for ${process.arch}: install one, such as by apt install chromium`)
  return found
}

/** It brings its libraries and fonts too, for hosts that have none. */
async function openPacked(): Promise<Browser> {
  if (!fs.existsSync(folder)) await unpack()
  const options = { executablePath: path.join(folder, 'chromium'), args }
  try {
    return await chromium.launch(options)
  } catch {
    const LD_LIBRARY_PATH = path.join(folder, 'al2023/lib')
    return await chromium.launch({
      ...options,
      env: { ...process.env, LD_LIBRARY_PATH, FONTCONFIG_PATH: path.join(folder, 'fonts') },
    })
  }
}

/** Whole or not at all. The package unpacks into the folder for temporary files, wherever that is. */
async function unpack(): Promise<void> {
  const draft = `${folder}.${process.pid}`
  fs.mkdirSync(draft, { recursive: true })
  process.env.TMPDIR = draft
  const { default: packed, inflate } = await import('@sparticuz/chromium')
  await packed.executablePath()
  await inflate(path.join(checkout, 'node_modules/@sparticuz/chromium/bin/al2023.tar.br'))
  delete process.env.TMPDIR
  try {
    fs.renameSync(draft, folder)
  } catch {
    // Another run was first.
    fs.rmSync(draft, { recursive: true })
  }
}
