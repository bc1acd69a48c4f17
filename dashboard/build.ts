import fs from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

/** `node dashboard/build.ts FOLDER` builds the dashboard into FOLDER, with .br and .gz of each compressible file. */
const [folder] = process.argv.slice(2)
if (!folder) throw new Error('Usage: node dashboard/build.ts FOLDER')

const compressible = /\.(js|css|html|svg)$/

await build({
  configFile: false,
  root: import.meta.dirname,
  // Relative to the page's <base>, so that the dashboard can be served below any path.
  base: './',
  // Vite warns about color-scheme.js, which is not bundled on purpose.
  logLevel: 'error',
  plugins: [react()],
  build: {
    outDir: path.resolve(folder),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})

for (const name of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  // The server writes <base> into it, so it can't be compressed here.
  if (!compressible.test(name) || name === 'index.html') continue
  const file = path.join(folder, name)
  const bytes = fs.readFileSync(file)
  fs.writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
  fs.writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}
