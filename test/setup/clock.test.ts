import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as api_keys from '../../server/api-keys/store.ts'
import { createDatabase } from '../support/harness.ts'
import { command, serveInProcess } from '../support/process.ts'

// The service stops first: the hook of `createDatabase` runs after this one.
const stack = new AsyncDisposableStack()
after(() => stack.disposeAsync())
const { url: DATABASE_URL, pool } = await createDatabase('clock')
const SECRETS_KEY = 'a'.repeat(32)
const url = await serveInProcess(stack, { DATABASE_URL, SECRETS_KEY })
const environment = { DATABASE_URL, SECRETS_KEY, PORT: new URL(url).port }

const run = (...words: string[]) => command(words, environment).ended

test('without a test workspace there is no clock to show', async () => {
  const { code, stderr } = await run('clock', 'show')
  assert.equal(code, 1)
  assert.match(stderr, /\nparley: there is no test workspace: parley workspace create NAME --test\n$/)
})

test('the clock of the only test workspace is shown and advanced', async () => {
  const begin = ['--test', '--seed', '7', '--now', '2027-03-01T09:00:00Z']
  assert.equal((await run('workspace', 'create', 'Trial', ...begin)).code, 0)
  assert.equal((await run('clock', 'show')).stdout, '2027-03-01T09:00:00.000Z (ready, seed 7)\n')
  for (const [duration, now] of [
    ['90s', '2027-03-01T09:01:30.000Z'],
    ['1h30m', '2027-03-01T10:31:30.000Z'],
    ['2d', '2027-03-03T10:31:30.000Z'],
  ] as const) {
    const { code, stdout, stderr } = await run('clock', 'advance', duration)
    assert.equal(code, 0, stderr)
    assert.equal(stdout, `${now} (ready, seed 7)\n`)
  }
  const to = await run('clock', 'advance', '--to', '2027-03-04T00:00:00Z', '--json')
  assert.deepEqual(JSON.parse(to.stdout), {
    test_clock: { now: '2027-03-04T00:00:00.000Z', status: 'ready', target: null, seed: 7, error: null },
  })
  const keys = await api_keys.listAll({ db: pool })
  assert.ok(keys.length > 0 && keys.every(({ name }) => name !== 'parley clock'))
})

test('a wrong duration, two targets or a time in the past are errors', async () => {
  for (const words of [
    ['0s'],
    ['367d'],
    ['5'],
    ['1d1d'],
    ['-1h'],
    ['1m2h'],
    [],
    ['1h', '--to', '2027-03-05T00:00:00Z'],
  ])
    assert.equal((await run('clock', 'advance', ...words)).code, 1, words.join(' '))
  const past = await run('clock', 'advance', '--to', '2027-03-01T00:00:00Z', '--json')
  assert.equal(past.code, 1)
  assert.equal(JSON.parse(past.stderr.trim().split('\n').at(-1) ?? '').error.code, 'VALIDATION_ERROR')
})

test('with several test workspaces one must be named, and a live one has no clock', async () => {
  assert.equal((await run('workspace', 'create', 'Other', '--test', '--now', '2030-01-01T00:00:00Z')).code, 0)
  const several = await run('clock', 'show')
  assert.equal(several.code, 1)
  const message = 'there are 2 test workspaces: "Trial", "Other". Use --workspace.'
  assert.ok(several.stderr.endsWith(`\nparley: ${message} (parley clock show --help)\n`), several.stderr)
  assert.match((await run('clock', 'advance', '1s', '--workspace', 'Other')).stdout, /^2030-01-01T00:00:01\.000Z /)
  const live = await run('clock', 'show', '--workspace', 'Default', '--json')
  assert.equal(live.code, 1)
  assert.equal(JSON.parse(live.stderr.trim().split('\n').at(-1) ?? '').error.code, 'INVALID_STATE')
})
