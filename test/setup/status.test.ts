import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import * as channels from '../../server/channels/store.ts'
import { runCommand } from '../../server/cli/parley.ts'
import { due_kinds } from '../../server/due-kinds.ts'
import { newId } from '../../server/kit/id.ts'
import { type Sql, sql } from '../../server/kit/postgres/sql.ts'
import { noteAllDue } from '../../server/kit/work/due.ts'
import { all_workspaces } from '../../server/workspaces/store.ts'
import { withNewDatabase } from '../support/database.ts'
import { createDatabase, openServer, type Tenant, testPool } from '../support/harness.ts'
import { command } from '../support/process.ts'
import { newContact } from '../support/samples.ts'

/** Closed before the database is dropped. */
const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
/** It is about all workspaces: so the database has none of other tests. */
const { pool, url } = await createDatabase('status')
const server = await openServer(testPool(url))
open.defer(server.close)

const no_worker = 'No process does background work: start parley serve.'

async function status(environment: Record<string, string> = {}) {
  const { code, stdout, stderr } = await command(['status', '--json'], { DATABASE_URL: url, ...environment }).ended
  return { code, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) }
}

/** Ends what other tests have left, and runs background work as far as can be seen: in tests no process does by itself. */
const makeWell = () =>
  pool.script(`
    update webhook_deliveries set due_at = null, status = 'succeeded';
    update webhooks set failing_since = null;
    update channels set status = 'active', error = null;
    delete from recording_files;
    update calls set due_at = null;
    update test_runs set due_at = null;
    update conversations set due_at = null;
    insert into process_leases (name, lease_token, lease_until)
      values ('periodic_tasks', gen_random_uuid(), now() + interval '1 hour') on conflict do nothing`)

const engineOf = ({ engines }: { engines: { kind: string }[] }, kind: string) =>
  engines.find((engine) => engine.kind === kind)

/** Adds a webhook and this many deliveries to it, all due for so long. */
async function addDeliveries({ id, call }: Tenant, { count, seconds }: { count: number; seconds: number }) {
  const { body } = await call('POST', '/webhooks', { url: 'https://example.com/hook', events: ['contact.created'] })
  for (let nth = 0; nth < count; nth += 1) await call('POST', '/contacts', newContact())
  await pool.run(
    sql`update webhook_deliveries set due_at = now() - make_interval(secs => ${seconds}) where workspace_id = ${id}`,
  )
  await noteAllDue(pool, { kinds: due_kinds, workspaces: all_workspaces })
  return body.data.id as string
}

test('a new installation without a process needs one, and else nothing', async () => {
  const stopped = await status()
  assert.deepEqual([stopped.code, stopped.attention], [1, [no_worker]])
  await makeWell()
  const { code, stderr, version, database, engines, disk, ...rest } = await status()
  assert.equal(code, 0, stderr)
  assert.match(version, /^\d+\.\d+\.\d+/)
  assert.match(database, /^the database \S+ at [^@]+$/)
  assert.ok(disk.free_bytes > 0)
  assert.deepEqual(rest, { nodes: [], calls_live: 0, webhooks_failing: 0, channels_failing: 0, attention: [] })
  const idle = due_kinds
    .map(({ kind }) => ({ kind, due: 0, lag_seconds: 0 }))
    .filter(({ kind }) => kind !== 'test_clocks')
  assert.deepEqual(engines, idle)
})

test('work that is late in a live workspace needs attention', async () => {
  await makeWell()
  const tenant = await server.workspace()
  await addDeliveries(tenant, { count: 3, seconds: 20 })
  const soon = await status()
  assert.deepEqual([soon.code, soon.attention], [0, []])
  const { due, lag_seconds } = Object(engineOf(soon, 'deliveries'))
  assert.equal(due, 3)
  assert.ok(lag_seconds >= 20 && lag_seconds < 60, String(lag_seconds))
  await addDeliveries(tenant, { count: 1, seconds: 245 })
  const late = await status()
  assert.deepEqual([late.code, late.attention], [1, ['Webhook deliveries are 4 minutes late.']])
})

test('work of test workspaces, and what a process works on, does not wait', async () => {
  await makeWell()
  const tester = await server.workspace(Date.now())
  await addDeliveries(tester, { count: 2, seconds: 500 })
  const tenant = await server.workspace()
  for (const lease of [sql`now() + interval '10 seconds'`, sql`now() - interval '10 seconds'`])
    await addFileToRemove(tenant.id, lease)
  await noteAllDue(pool, { kinds: due_kinds, workspaces: all_workspaces })
  const { engines, attention } = await status()
  assert.equal(Object(engineOf({ engines }, 'deliveries')).due, 0)
  assert.equal(Object(engineOf({ engines }, 'recording_files')).due, 1)
  assert.deepEqual(attention, ['Files of recordings are 4 hours late.'])
})

/** The smallest row of work that has leases. */
const addFileToRemove = (workspace: string, lease_until: Sql) =>
  pool.run(
    sql`insert into recording_files (workspace_id, id, blob_key, due_at, lease_until)
      values (${workspace}, ${newId()}, 'a file', now() - interval '4 hours 5 minutes', ${lease_until})`,
  )

test('items are counted up to 10,000, and the age of the oldest is right beyond it', async () => {
  await makeWell()
  const [many, one] = [await server.workspace(), await server.workspace()]
  const addFiles = ({ id }: Tenant, { count, minutes }: { count: number; minutes: number }) =>
    pool.run(
      sql`insert into recording_files (workspace_id, id, blob_key, due_at)
        select ${id}, gen_random_uuid(), 'a file', now() - make_interval(mins => ${minutes})
        from generate_series(1, ${count}::integer)`,
    )
  await addFiles(many, { count: 9_998, minutes: 2 })
  await addFiles(one, { count: 1, minutes: 7 })
  await noteAllDue(pool, { kinds: due_kinds, workspaces: all_workspaces })
  const below = await status()
  assert.equal(Object(engineOf(below, 'recording_files')).due, 9_999)
  assert.deepEqual(below.attention, ['Files of recordings are 7 minutes late.'])
  await addFiles(many, { count: 50, minutes: 5 })
  const above = await status()
  const { due, lag_seconds } = Object(engineOf(above, 'recording_files'))
  assert.equal(due, 10_000)
  assert.ok(lag_seconds >= 420 && lag_seconds < 480, String(lag_seconds))
  assert.deepEqual(above.attention, [
    'Files of recordings are 7 minutes late.',
    '10,000 or more wait: files of recordings.',
  ])
  const { stdout } = await command(['status'], { DATABASE_URL: url }).ended
  assert.match(stdout, /\nFiles of recordings +recording_files +10,000\+ +4\d\d s\n/)
})

test('calls, failing channels and failing webhooks of live workspaces are counted', async () => {
  await makeWell()
  const [tenant, tester] = [await server.workspace(), await server.workspace(Date.now())]
  for (const each of [tenant, tester]) {
    const { id } = await each.addChannel()
    await channels.setFailing(server.at(each.id), { id, error: 'No.' })
    const webhook = await addDeliveries(each, { count: 1, seconds: 500 })
    await pool.run(sql`update webhooks set failing_since = now() where id = ${webhook}`)
  }
  await tenant.addCall()
  const { id } = await tenant.addCall({ is_ringing: true })
  // The other one is simulated.
  await pool.run(sql`update calls set line = 'browser' where id = ${id}`)
  const { code, calls_live, webhooks_failing, channels_failing, attention, engines } = await status()
  assert.deepEqual([code, calls_live, webhooks_failing, channels_failing], [1, 1, 1, 1])
  // They wait for the endpoint, not for the service.
  assert.equal(Object(engineOf({ engines }, 'deliveries')).due, 0)
  assert.deepEqual(attention, [
    '1 channel is failing: the carrier refuses to send or call.',
    "1 webhook is failing: the endpoint doesn't accept deliveries.",
  ])
  const { stdout } = await command(['status'], { DATABASE_URL: url }).ended
  assert.match(stdout, /^Parley \d[^\n]+\n\nWORK +KIND +DUE +OLDEST\n/)
  assert.match(stdout, /\nWebhook deliveries +deliveries +0 +-\n/)
  assert.match(stdout, /\nFailing channels +1\n/)
  assert.match(stdout, /\nNeeds attention:\n- 1 channel is failing: [^\n]+\n- 1 webhook is failing: [^\n]+\n$/)
})

test('a migration that is missing is named, and not applied', async () => {
  await makeWell()
  const last = sql`select name from schema_migrations order by name desc limit 1`
  await pool.script('create table kept as select * from schema_migrations')
  await pool.run(sql`delete from schema_migrations where name in (${last})`)
  const attention = [(await status()).attention, (await status()).attention]
  await pool.script('truncate schema_migrations; insert into schema_migrations select * from kept; drop table kept')
  const expected = ['1 migration is not applied: run parley migrate.']
  assert.deepEqual(attention, [expected, expected])
  assert.deepEqual((await status()).attention, [])
})

test('a disk that is nearly full needs attention', async () => {
  await makeWell()
  // File systems that have no free space: of processes on Linux, of devices on macOS.
  const DATA_DIR = process.platform === 'linux' ? '/proc' : '/dev'
  const { code, disk, attention } = await status({ DATA_DIR })
  assert.deepEqual([code, disk, attention], [1, { free_bytes: 0 }, ['Less than 1 GB is free in DATA_DIR.']])
})

test('the nodes of a sharded database are listed, and one that is down needs attention', async () => {
  await makeWell()
  await addDeliveries(await server.workspace(), { count: 2, seconds: 20 })
  // As the extension citus has them.
  await pool.script(`
    create table pg_dist_node (groupid integer, nodename text, nodeport integer, noderole text, isactive boolean);
    insert into pg_dist_node values (2, 'worker-2', 5432, 'primary', true), (0, 'coordinator', 5432, 'primary', true),
      (1, 'worker-1', 5432, 'primary', true), (1, 'standby-1', 5432, 'secondary', true);
    create function citus_check_connection_to_node(name text, port integer) returns boolean
      language sql return name <> 'worker-2';
    create function citus_truncate_trigger() returns trigger language plpgsql as 'begin return null; end';
    create trigger truncated after truncate on tenants execute function citus_truncate_trigger()`)
  const { code, nodes, attention, engines } = await status()
  await pool.script(`drop function citus_check_connection_to_node; drop table pg_dist_node;
    drop trigger truncated on tenants; drop function citus_truncate_trigger`)
  const up = (name: string, is_up: boolean) => ({ name, is_up })
  assert.deepEqual(nodes, [up('coordinator:5432', true), up('worker-1:5432', true), up('worker-2:5432', false)])
  assert.deepEqual([code, attention], [1, ["The database's node worker-2:5432 is down."]])
  assert.equal(Object(engineOf({ engines }, 'deliveries')).due, 2)
})

test('what can not be read is said, and the rest is shown', async () => {
  await makeWell()
  await pool.script('alter table channels rename to away')
  const { code, channels_failing, webhooks_failing, attention } = await status()
  await pool.script('alter table away rename to channels')
  assert.deepEqual([code, channels_failing, webhooks_failing], [1, null, 0])
  assert.deepEqual(attention, ['Channels could not be read: relation "channels" does not exist.'])
})

test('a database that is not there, or empty, is not reachable', async () => {
  const away = await status({ DATABASE_URL: 'postgres://nobody:secret@127.0.0.1:1/none' })
  assert.equal(away.code, 2)
  const { error } = JSON.parse(away.stderr.trim().split('\n').at(-1) ?? '')
  assert.equal(error.code, 'SETUP_ERROR')
  assert.doesNotMatch(away.stderr, /secret/)
  await withNewDatabase(process.env.TEST_DATABASE_URL ?? '', async (empty) => {
    const own = testPool(empty)
    await own.script('drop table schema_migrations')
    await own.close()
    const { code, stderr } = await status({ DATABASE_URL: empty })
    assert.equal(code, 2)
    assert.match(stderr, /is empty/)
  })
})

test('only a terminal gets colors', async () => {
  await makeWell()
  const print = async (isTTY: boolean, env: Record<string, string> = {}) => {
    const stdout = Object.assign(new PassThrough(), { isTTY })
    const shell = { env: { DATABASE_URL: url, ...env }, stdin: Readable.from([]), stdout, stderr: new PassThrough() }
    await runCommand(['status'], { ...shell, exit: () => assert.fail(), on: () => {} })
    // What else is on the disk changes.
    return (await text(stdout.end())).replace(/[\d.]+ GB/, 'some GB')
  }
  const plain = await print(false)
  assert.match(plain, /\nAll is well\.\n$/)
  assert.ok(!plain.includes('\x1b'))
  const colored = await print(true)
  assert.ok(colored.includes('\x1b[32mAll is well.\x1b'))
  assert.equal(stripVTControlCharacters(colored), plain)
  assert.equal(await print(true, { NO_COLOR: '1' }), plain)
})
