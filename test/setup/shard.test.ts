import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkNodes } from '../../server/kit/postgres/citus/checks.ts'
import { createDatabase } from '../support/harness.ts'
import { command } from '../support/process.ts'

/* What needs no cluster. The rest is in test/cluster/shard.test.ts. */

const { url, pool } = await createDatabase('shard')

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

test('nodes on which shards cannot be moved while the service writes get a warning', async () => {
  // As the extension citus has them. One node is this server with another wal_level.
  await pool.script(`
    create table pg_dist_node (nodeid integer, groupid integer, nodename text, nodeport integer, noderole text,
      isactive boolean, shouldhaveshards boolean);
    insert into pg_dist_node values (1, 0, 'first', 5432, 'primary', true, true), (2, 1, 'second', 5432, 'primary', true, true);
    create function run_command_on_all_nodes(command text) returns table (nodeid integer, success boolean, result text)
      language plpgsql as $$
      begin
        execute command into result;
        return query select 1, true, (result::jsonb || '{"wal_level": "logical"}')::text;
        return query select 2, true, (result::jsonb || '{"wal_level": "replica"}')::text;
      end $$`)
  const { warnings } = await checkNodes(pool, { tables: [], shards: 4 })
  await pool.script('drop function run_command_on_all_nodes; drop table pg_dist_node')
  assert.equal(warnings.length, 1)
  assert.match(warnings[0] ?? '', /^wal_level is replica on the node second:5432: set it to logical, and restart it\./)
})
