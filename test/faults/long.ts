import assert from 'node:assert/strict'
import { startFile } from '../support/process.ts'
import type { RunOptions, Scenario } from './scenario.ts'

export const scenario: Scenario = {
  name: 'long',
  about: 'the tests that take too long for npm test, and axe on each state of a page',
  run,
}

async function run({ print }: RunOptions): Promise<void> {
  print(await runTests('long'))
  print(await runTests('browser', { AXE_ON_EACH_STATE: '1' }))
}

/** Runs a folder of tests as `npm test -- FOLDER` does. */
async function runTests(folder: string, environment: Record<string, string> = {}): Promise<string> {
  const { child, ended } = startFile(['test/run.ts', folder], environment)
  const endWithThisProcess = () => void child.kill()
  process.once('exit', endWithThisProcess)
  const { code, stdout, stderr } = await ended
  process.removeListener('exit', endWithThisProcess)
  assert.equal(code, 0, stdout + stderr)
  const [, passed] = /^ℹ pass (\d+)$/m.exec(stdout) ?? []
  assert.ok(Number(passed) > 0, stdout)
  return `${passed} tests in test/${folder} pass`
}
