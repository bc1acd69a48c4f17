import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import path from 'node:path'
import { SetupError } from '../server/kit/postgres/embedded/embedded.ts'
import { withDatabase } from './support/database.ts'

/**
 * `npm test`: format, lint, types, then every test on a database of this run's own.
 * `npm test -- test/contacts.test.ts` runs only what is named.
 */
/** Says nothing about speed: what takes so long never ends. */
const hang_ms = 180_000
const checkout = path.resolve(import.meta.dirname, '..')
const named = process.argv.slice(2)
const files = named.length > 0 ? named : spread(globSync('test/**/*.test.ts', { cwd: checkout }).sort())

/** A browser takes a processor of its own: those files are started one after the other, not all at once. */
function spread(all: string[]): string[] {
  const browser = all.filter((file) => file.includes('/browser/'))
  const others = all.filter((file) => !file.includes('/browser/'))
  const apart = Math.floor(others.length / (browser.length + 1))
  for (const [index, file] of browser.entries()) others.splice((index + 1) * apart + index, 0, file)
  return others
}

function step(program: string, words: string[], environment = {}): void {
  const { status } = spawnSync(program, words, {
    cwd: checkout,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  })
  if (status !== 0) process.exitCode = 1
}

if (named.length === 0) {
  step('biome', ['check', '--error-on-warnings', '.'])
  step('oxlint', ['--type-aware'])
  step('tsc', ['--noEmit'])
  step('tsc', ['--noEmit', '-p', 'dashboard'])
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
  step(process.execPath, ['--test', '--test-concurrency=4', `--test-timeout=${hang_ms}`, ...files], {
    TEST_DATABASE_URL: url,
  })
}
