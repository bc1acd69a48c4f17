import fs from 'node:fs'
import path from 'node:path'
import { build, type InlineConfig } from 'vite'

/** `node voice/build.ts FOLDER` builds the page of web voice, the module that makes calls and its worklet. */
const [folder] = process.argv.slice(2)
if (!folder) throw new Error('Usage: node voice/build.ts FOLDER')

const common: InlineConfig = {
  configFile: false,
  root: import.meta.dirname,
  // Relative to the page, so that it can be served below any path.
  base: './',
  logLevel: 'error',
}
const output = { outDir: path.resolve(folder), target: 'es2022' }

await build({
  ...common,
  build: {
    ...output,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ['index.html', 'unavailable.html'].map((name) => path.join(import.meta.dirname, name)) },
  },
})
// Other pages import these two by their names.
for (const name of ['voice', 'worklet'])
  await build({
    ...common,
    publicDir: false,
    build: {
      ...output,
      emptyOutDir: false,
      minify: true,
      lib: {
        entry: path.join(import.meta.dirname, `src/${name}.ts`),
        formats: ['es'],
        fileName: () => `assets/${name}.js`,
      },
    },
  })
fs.copyFileSync(path.join(import.meta.dirname, 'src/types.ts'), path.join(folder, 'assets/voice.d.ts'))
