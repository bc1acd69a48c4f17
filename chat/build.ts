import path from 'node:path'
import { build, type InlineConfig } from 'vite'

/** `node chat/build.ts FOLDER` builds the page of web chats and the script that puts it on other pages. */
const [folder] = process.argv.slice(2)
if (!folder) throw new Error('Usage: node chat/build.ts FOLDER')

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
await build({
  ...common,
  publicDir: false,
  build: {
    ...output,
    emptyOutDir: false,
    lib: {
      entry: path.join(import.meta.dirname, 'src/widget.ts'),
      // Other pages load it: it adds no names to theirs.
      formats: ['iife'],
      name: 'chat_widget',
      fileName: () => 'assets/widget.js',
    },
  },
})
