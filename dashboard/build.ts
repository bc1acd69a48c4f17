import fs from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

/** `node dashboard/build.ts FOLDER`: the dashboard as files to be served, each that shrinks also compressed. */
const [folder] = process.argv.slice(2)
if (!folder) throw new Error('Usage: node dashboard/build.ts FOLDER')

const compressible = /\.(js|css|html|svg)$/

await build({
  configFile: false,
  root: import.meta.dirname,
  // The page says by <base> where it is served, so that a path before it is no matter.
  base: './',
  // It warns of the script that is to stay as it is.
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
  // The server writes the base into it.
  if (!compressible.test(name) || name === 'index.html') continue
  const file = path.join(folder, name)
  const bytes = fs.readFileSync(file)
  fs.writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }))
  fs.writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}
