import path from 'node:path'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

/** `node dashboard/build.ts FOLDER` builds the dashboard into FOLDER. */
const [folder] = process.argv.slice(2)
if (!folder) throw new Error('Usage: node dashboard/build.ts FOLDER')

/** Files of the entry and of pages that have the same module. */
const common_min = 48
/** With what it imports, nearly all that the page of contacts needs. */
const list_parts =
  /dashboard.src.kit.(FilterChip|RelativeTime|Status|Table|Tabs|useSearchText)\.tsx?$|core.esm.components.(Badge|TextInput)./

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
    rolldownOptions: {
      // What most pages share is one file: alone, dozens of small ones had headers of 10 kB. What lists need is another: the
      // first list waited for twenty small ones, six at a time, and its rows for a connection.
      output: {
        codeSplitting: {
          groups: [
            { name: 'common', minShareCount: common_min, priority: 2 },
            { name: 'lists', test: list_parts, priority: 1 },
          ],
        },
      },
    },
  },
})
