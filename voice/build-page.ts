import path from 'node:path'
import { build, type InlineConfig, type LibraryOptions } from 'vite'

/** Builds a page without a framework, into a new folder. */
export interface PageBuild {
  /** The page, and the one that is shown instead of it when nobody can be reached. */
  buildPage: () => Promise<unknown>
  /** A script that other pages load by its name: `assets/NAME.js`. */
  buildScript: (name: string, format: Pick<LibraryOptions, 'formats' | 'name'>) => Promise<unknown>
}

export function newPageBuild(root: string, folder: string): PageBuild {
  const common: InlineConfig = {
    configFile: false,
    root,
    // Addresses are relative to the page, so that it can be served below any path.
    base: './',
    logLevel: 'error',
  }
  const output = { outDir: path.resolve(folder), emptyOutDir: false, target: 'es2022' }
  return {
    buildPage: () =>
      build({
        ...common,
        build: {
          ...output,
          assetsInlineLimit: 0,
          modulePreload: { polyfill: false },
          rolldownOptions: { input: ['index.html', 'unavailable.html'].map((name) => path.join(root, name)) },
        },
      }),
    buildScript: (name, format) =>
      build({
        ...common,
        publicDir: false,
        build: {
          ...output,
          minify: true,
          lib: { ...format, entry: path.join(root, `src/${name}.ts`), fileName: () => `assets/${name}.js` },
        },
      }),
  }
}
