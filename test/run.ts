import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import path from 'node:path'
import { SetupError } from '../server/kit/postgres/embedded/embedded.ts'
import { withDatabase } from './support/database.ts'

/**
 * `npm test` checks format, lint and types, then runs every test on a new database. `npm test -- test/contacts.test.ts`
 * runs only the named files.
 */
const checkout = path.resolve(import.meta.dirname, '..')
/** Long enough for any machine: only a test that hangs takes longer. */
const test_timeout_ms = 180_000
const named_files = process.argv.slice(2)
const files =
  named_files.length > 0 ? named_files : spreadBrowserTests(globSync('test/**/*.test.ts', { cwd: checkout }).sort())

/** A browser uses a whole processor, so these files should not run at the same time. */
function spreadBrowserTests(all: string[]): string[] {
  const browser = all.filter((file) => file.includes('/browser/'))
  const others = all.filter((file) => !file.includes('/browser/'))
  const distance = Math.floor(others.length / (browser.length + 1))
  for (const [index, file] of browser.entries()) others.splice((index + 1) * distance + index, 0, file)
  return others
}

function runProgram(program: string, args: string[], environment = {}): void {
  const { status } = spawnSync(program, args, {
    cwd: checkout,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  })
  if (status !== 0) process.exitCode = 1
}

if (named_files.length === 0) {
  runProgram('biome', ['check', '--error-on-warnings', '.'])
  runProgram('oxlint', ['--type-aware'])
  runProgram('tsc', ['--noEmit'])
  runProgram('tsc', ['--noEmit', '-p', 'dashboard'])
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

async function runTests(url: string): Promise<void> {
  runProgram(process.execPath, ['--test', '--test-concurrency=4', `--test-timeout=${test_timeout_ms}`, ...files], {
    TEST_DATABASE_URL: url,
  })
}
