import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { checkout, filesIn } from './source-files.ts'

/** Which test files a change concerns, by the graph of imports. */

/**
 * These files import the whole service, as the helpers of tests do: through them nearly every test reaches every file.
 */
const composition = /^server\/(api|service|worker|main|metrics|status|retention|due-kinds|table-classes)\.ts$/
/** A change of one of these concerns every test. */
const everything = /^(migrations\/|package(-lock)?\.json$|tsconfig\.json$|test\/run\.ts$)/
const pages = /^(dashboard|chat|voice)\//

/** What differs from the commit, with files that Git doesn't know yet. */
export function changedSince(commit: string): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: checkout, encoding: 'utf8' }).split('\n')
  const differing = git('diff', '--name-only', commit)
  const unknown = git('ls-files', '--others', '--exclude-standard')
  return [...new Set([...differing, ...unknown])].filter((file) => file !== '')
}

/**
 * The tests that reach a changed file without the composition of the service and the helpers of tests, those of the rooms whose files import it,
 * and all sweeps. A test that meets the change only through the API of another room isn't found.
 */
export function testsOf(changed: string[], tests: string[]): string[] {
  if (changed.some((file) => everything.test(file) || composition.test(file))) return tests
  const importers = readImporters()
  const [of_tests, others] = [changed.filter(isTest), changed.filter((file) => !isTest(file))]
  const reaching = new Set([
    ...reach(of_tests, importers, () => false),
    ...reach(others, importers, (file) => composition.test(file) || isTest(file)),
  ])
  const direct = [...others, ...others.flatMap((file) => importers.get(file) ?? [])]
  const folders = new Set(direct.filter((file) => !isTest(file)).map(testFolder))
  if (others.length > 0) folders.add('test/sweeps')
  return tests.filter((file) => reaching.has(file) || folders.has(path.dirname(file)))
}

const isTest = (file: string): boolean => file.startsWith('test/')

function readImporters(): Map<string, string[]> {
  const importers = new Map<string, string[]>()
  for (const { name, imports } of filesIn('', '{server,test,sdk,dashboard,chat,voice,bench}/**/*.{ts,tsx}'))
    for (const { target } of imports) importers.set(target, [...(importers.get(target) ?? []), name])
  return importers
}

/** The files that import these, directly or through others, but not through one at which the walk ends. */
function reach(files: string[], importers: Map<string, string[]>, isEnd: (file: string) => boolean): Set<string> {
  const reached = new Set(files)
  for (const file of reached) if (!isEnd(file)) for (const one of importers.get(file) ?? []) reached.add(one)
  return reached
}

/** What only processes show: their start, their end and their command line. */
const processes = /^(bin|server\/(cli|start|[^/]+$))/

/** The tests of `server/contacts/` lie in `test/contacts/`. */
function testFolder(file: string): string {
  if (pages.test(file)) return 'test/browser'
  if (processes.test(file)) return 'test/setup'
  const [top = '', room = ''] = file.split('/')
  const folder = top === 'server' ? `test/${room}` : `test/${top}`
  return fs.existsSync(path.join(checkout, folder)) ? folder : ''
}
