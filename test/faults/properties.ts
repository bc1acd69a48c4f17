import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { run as runTests } from 'node:test'
import { withDatabase } from '../support/database.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import { checkout } from './service.ts'

export const scenario: Scenario = {
  name: 'properties',
  about: 'the properties of npm test hold for thousands of random inputs',
  run,
}

const runs_per_round = 30
/** As many as in `npm test`: some properties count what they have met. */
const runs_min = 100
const runs_short = 300
const concurrency = 2

async function run({ is_long, rounds, seed, print }: RunOptions): Promise<void> {
  const property_runs = is_long ? Math.max(runs_min, runs_per_round * rounds) : runs_short
  const files = fs.globSync('test/**/*.test.ts', { cwd: checkout }).filter(hasProperties)
  assert.ok(files.length > 0)
  await withDatabase('.cache/scenarios', async (url) => {
    const settings = { TEST_DATABASE_URL: url, PROPERTY_RUNS: String(property_runs), PROPERTY_SEED: String(seed) }
    // Nobody closes the servers that files share.
    const execArgv = ['--test-force-exit']
    const tests = runTests({ files, concurrency, cwd: checkout, execArgv, env: { ...process.env, ...settings } })
    let passed = 0
    const failures: string[] = []
    tests.on('test:pass', () => {
      passed += 1
    })
    tests.on('test:fail', ({ name, file, details: { error } }) => {
      failures.push(`${file}: ${name}: ${Object(error.cause).message ?? error.message}`)
    })
    for await (const _ of tests);
    assert.deepEqual(failures, [])
    print(`${passed} tests in ${files.length} files, with ${property_runs} runs of each property that is quick`)
  })
}

const hasProperties = (file: string): boolean =>
  fs.readFileSync(path.join(checkout, file), 'utf8').includes('/property-runs.ts')
