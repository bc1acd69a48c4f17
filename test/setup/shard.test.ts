import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase } from '../support/harness.ts'
import { command } from '../support/process.ts'

/* What needs no cluster. The rest is in test/cluster/shard.test.ts. */

const { url } = await createDatabase('shard')

test('the embedded database is not sharded', async () => {
  const { code, stderr } = await command(['shard', '--dry-run']).ended
  assert.deepEqual([code, stderr], [1, 'parley: DATABASE_URL is required: the embedded PostgreSQL has no Citus\n'])
})

test('a database without Citus is not sharded', async () => {
  const { code, stdout, stderr } = await command(['shard', '--json', '--yes'], { DATABASE_URL: url }).ended
  assert.deepEqual([code, stdout], [1, ''])
  const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
  assert.deepEqual(error.code, 'SETUP_ERROR')
  assert.match(error.message, /^The database has no extension citus/)
})

for (const shards of ['0', '1025', '8.5', 'x']) {
  test(`${shards} is no number of shards`, async () => {
    const { code, stderr } = await command(['shard', '--shards', shards], { DATABASE_URL: url }).ended
    assert.equal(code, 1)
    assert.match(stderr, /Use a whole number from 1 to 1024/)
  })
}
