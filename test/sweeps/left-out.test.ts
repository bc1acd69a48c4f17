import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leaveOut } from '../support/left-out.ts'

test('what npm run test:cluster leaves out exists', () => {
  assert.deepEqual(leaveOut(['test/setup/cli.test.ts', 'test/sweeps/auth.test.ts']).kept, ['test/sweeps/auth.test.ts'])
})
