import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { testsOf } from '../support/changed.ts'
import { startFile } from '../support/process.ts'
import { checkout } from '../support/source-files.ts'

test('npm test refuses an option that it does not know, and runs nothing', async () => {
  const { code, stdout, stderr } = await startFile(['test/run.ts', '--tmies', 'kit'], {}).ended
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, /^There is no option --tmies\.\n\nUsage: npm test/)
})

test('npm test names a file or a folder that does not exist', async () => {
  for (const name of ['test/contacts/gone.test.ts', 'gone']) {
    const { code, stderr } = await startFile(['test/run.ts', name], {}).ended
    assert.deepEqual([code, stderr], [1, `There are no tests in ${name}.\n`])
  }
})

const folders = ['calls', 'contacts', 'browser', 'sweeps', 'webhooks']
const tests = fs.globSync(`test/{${folders.join(',')}}/*.test.ts`, { cwd: checkout })
const foldersOf = (...changed: string[]): string[] =>
  [...new Set(testsOf(changed, tests).map((file) => path.basename(path.dirname(file))))].sort()

test('--changed runs the tests of the rooms that import a changed file, and the sweeps', () => {
  assert.deepEqual(foldersOf('server/webhooks/sending.ts'), ['sweeps', 'webhooks'])
  assert.deepEqual(foldersOf('dashboard/src/kit/request.ts', 'README.md'), ['browser', 'sweeps'])
  const start = 'test/setup/start.test.ts'
  assert.ok(testsOf(['bin/install.mjs'], [start]).includes(start))
})

test('--changed runs a test that has changed, and those that import a changed helper', () => {
  const calls = 'test/calls/calls.test.ts'
  const found = testsOf([calls, 'test/support/dashboard.ts'], tests)
  assert.deepEqual(found.toSorted(), [...tests.filter((file) => file.startsWith('test/browser/')), calls].toSorted())
})

test('--changed runs every test when all of them concern the change', () => {
  for (const file of ['migrations/0001_init.sql', 'package.json', 'server/api.ts'])
    assert.deepEqual(testsOf([file], tests), tests)
})
