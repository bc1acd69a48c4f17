import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFile } from '../support/process.ts'

test('npm test refuses an option that it does not know, and runs nothing', async () => {
  const { code, stdout, stderr } = await startFile(['test/run.ts', '--tmies', 'kit'], {}).ended
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, /^There is no option --tmies\.\n\nUsage: npm test/)
})
