import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import path from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { SetupError } from '../server/kit/postgres/embedded/embedded.ts'
import { withDatabase } from './support/database.ts'

/**
 * `npm test` checks format, lint and types, then runs every test on a new database. `npm test -- test/contacts.test.ts`
 * runs only the named files.
 */
const checkout = path.resolve(import.meta.dirname, '..')
/** Long enough for any machine: only a test that hangs takes longer. */
const test_timeout_ms = 180_000
const concurrency = 4
/** These start first, the slowest before the others: at the end they would run alone. */
const slowest = [
  'test/setup/cli.test.ts',
  'test/setup/start.test.ts',
  'test/faults/pressure.test.ts',
  'test/browser/roles.test.ts',
  'test/browser/dashboard.test.ts',
  'test/browser/webhooks-and-integrations.test.ts',
]
const named_files = process.argv.slice(2)
const files = named_files.length > 0 ? named_files : inOrder(globSync('test/**/*.test.ts', { cwd: checkout }))

function inOrder(all: string[]): string[] {
  const rest = all.filter((file) => !slowest.includes(file)).sort()
  return spreadBrowserTests([...slowest.filter((file) => all.includes(file)), ...rest])
}

/** A browser uses a whole processor, so these files should not run at the same time. */
function spreadBrowserTests(all: string[]): string[] {
  const browser = all.filter((file) => file.includes('/browser/'))
  const others = all.filter((file) => !file.includes('/browser/'))
  const first_browser = 3
  // None of them is near the end, because they are long.
  const distance = Math.floor(others.length / (browser.length + 2))
  for (const [index, file] of browser.entries()) others.splice(index * (distance + 1) + first_browser, 0, file)
  return others
}

/** Prints the output of the program when it has ended, because several run at the same time. */
async function check(program: string, args: string[]): Promise<void> {
  const child = spawn(program, args, { cwd: checkout, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  const [code] = await once(child, 'close')
  process.stdout.write(Buffer.concat(output))
  if (code !== 0) process.exitCode = 1
}

if (named_files.length === 0) {
  await Promise.all([
    check('biome', ['check', '--error-on-warnings', '.']),
    check('oxlint', ['--type-aware']),
    check('tsc', ['--noEmit']),
    check('tsc', ['--noEmit', '-p', 'dashboard']),
  ])
}
if (!process.exitCode) {
  try {
    await withDatabase('.cache/test', runTests)
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    console.error(`The tests can't run now: ${error.message}`)
    process.exitCode = 1
  }
}

/** Not with `node --test`, which sorts the files by name. */
async function runTests(url: string): Promise<void> {
  process.env.TEST_DATABASE_URL = url
  // The launcher's options save memory, and would slow the tests down.
  process.execArgv = []
  const tests = run({ files, concurrency, timeout: test_timeout_ms, cwd: checkout })
  tests.on('test:fail', () => {
    process.exitCode = 1
  })
  for await (const text of tests.compose(spec)) process.stdout.write(text)
}
