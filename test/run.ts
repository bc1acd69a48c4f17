import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import path from 'node:path'
import { openPool } from '../server/kit/db.ts'
import { home, open, SetupError } from '../server/kit/embedded/embedded.ts'
import { migrate } from '../server/kit/migrate.ts'

/**
 * `npm test`: format, lint, types, then every test on a database of this run's own.
 * `npm test -- test/contacts.test.ts` runs only what is named.
 */
/** Says nothing about speed: what takes so long never ends. */
const hang_ms = 180_000
const checkout = path.resolve(import.meta.dirname, '..')
const named = process.argv.slice(2)
const files = named.length > 0 ? named : globSync('test/**/*.test.ts', { cwd: checkout }).sort()

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
}
if (!process.exitCode) {
  const data_dir = path.join(home(checkout), '.cache/test')
  try {
    const postgres = await open({ checkout, data_dir, as: 'serve', say: console.log })
    try {
      await runTests(postgres.url)
    } finally {
      await postgres.close()
    }
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    console.error(`The tests can't run now: ${error.message}`)
    process.exitCode = 1
  }
}

async function runTests(url: string): Promise<void> {
  const name = `run_${process.pid}`
  const admin = openPool({ url, size: 1, on_error: console.error })
  await admin.script(`create database ${name}`)
  try {
    const own_url = url.replace(/\/[^/]*$/, `/${name}`)
    const pool = openPool({ url: own_url, size: 1, on_error: console.error })
    await migrate(pool, path.join(checkout, 'migrations'))
    await pool.close()
    step(process.execPath, ['--test', '--test-concurrency=4', `--test-timeout=${hang_ms}`, ...files], {
      TEST_DATABASE_URL: own_url,
    })
  } finally {
    await admin.script(`drop database ${name} with (force)`)
    await admin.close()
  }
}
