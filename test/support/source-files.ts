import fs from 'node:fs'
import path from 'node:path'

/** The source files of the checkout with their imports, for tests of its structure and for `npm test -- --changed`. */

export const checkout = path.resolve(import.meta.dirname, '../..')

export interface SourceFile {
  /** The path from the folder that was read. */
  name: string
  /** The first part of the name. */
  folder: string
  text: string
  imports: { target: string; is_type: boolean }[]
}

const imported = /^(?:(?:import|export) (type )?(?:[^'\n]*|\{[^}]*\}) from|import) '([^']+)'|\bimport\(\s*'([^']+)'/gm

export function filesIn(folder: string, pattern = '**/*.{ts,tsx}'): SourceFile[] {
  const base = path.join(checkout, folder)
  return fs.globSync(pattern, { cwd: base, exclude: (name) => name.endsWith('node_modules') }).map((name) => {
    const text = fs.readFileSync(path.join(base, name), 'utf8')
    const imports = Array.from(text.matchAll(imported), ([, type, from = '', at_run_time]) => ({
      target: targetOf(name, at_run_time ?? from),
      is_type: type !== undefined,
    }))
    return { name, folder: name.split('/')[0] ?? '', text, imports }
  })
}

const targetOf = (name: string, specifier: string): string =>
  specifier.startsWith('.') ? path.join(path.dirname(name), specifier) : specifier
