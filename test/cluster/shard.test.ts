import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { countShards, listMisplaced, listTables } from '../../server/kit/postgres/citus/sharding.ts'
import { migrate } from '../../server/kit/postgres/migrate.ts'
import { openPool, type Pool } from '../../server/kit/postgres/pool.ts'
import { raw, sql } from '../../server/kit/postgres/sql.ts'
import { product } from '../../server/product.ts'
import { table_classes } from '../../server/table-classes.ts'
import { waitUntil } from '../faults/client.ts'
import { addClusterDatabase } from '../support/database.ts'
import { migrations, openServer, testPool } from '../support/harness.ts'
import { command } from '../support/process.ts'
import { newContact } from '../support/samples.ts'

interface World {
  url: string
  pool: Pool
  shard: (words: string[], input?: Parameters<typeof command>[2]) => ReturnType<typeof command>
}

/** Runs `work` with a migrated database of the cluster that is not sharded. */
async function inWorld(work: (world: World) => Promise<void>): Promise<void> {
  const { url, drop } = await addClusterDatabase('shard')
  const pool = testPool(url)
  try {
    assert.equal((await command(['migrate'], { DATABASE_URL: url }).ended).code, 0)
    const shard: World['shard'] = (words, input) =>
      command(['shard', '--shards', '4', ...words], { DATABASE_URL: url }, input)
    await work({ url, pool, shard })
  } finally {
    await pool.close()
    await drop()
  }
}

/** Adds workspaces with rows in many tables. */
async function addRows(url: string): Promise<void> {
  const server = await openServer(testPool(url))
  for (let nth = 0; nth < 3; nth += 1) {
    const { call } = await server.workspace()
    await call('POST', '/webhooks', { url: 'https://example.com/hook', events: ['contact.created'] })
    for (let number = 0; number < 3; number += 1) await call('POST', '/contacts', newContact())
  }
  await server.close()
}

/** The rows of each table, by their hashes. */
async function readRows(pool: Pool): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {}
  for (const { name } of await listTables(pool, table_classes)) {
    const found = await pool.many<{ row: string }>(raw(`select md5(one::text) as row from ${name} as one`))
    rows[name] = found.map(({ row }) => row).sort()
  }
  return rows
}

/** The foreign keys of all tables, as text. */
const readKeys = async (pool: Pool): Promise<string[]> =>
  (
    await pool.many<{ key: string }>(
      sql`select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) as key from pg_constraint
        where contype = 'f' and connamespace = 'public'::regnamespace and not relation_is_a_known_shard(conrelid)
        order by key`,
    )
  ).map(({ key }) => key)

async function assertUnchanged({ pool }: World, rows: Record<string, string[]>): Promise<void> {
  assert.equal(await countShards(pool), 0)
  assert.deepEqual(await readRows(pool), rows)
}

test('every table is distributed by its class, with its rows and keys', () =>
  inWorld(async ({ url, pool, shard }) => {
    await addRows(url)
    const [rows, keys] = [await readRows(pool), await readKeys(pool)]
    assert.ok(Object.values(rows).flat().length > 50 && keys.length > 40)
    const { code, stdout, stderr } = await shard(['--yes', '--json']).ended
    assert.equal(code, 0, stderr)
    assert.deepEqual([JSON.parse(stdout).is_sharded, JSON.parse(stdout).shards], [true, 4])
    assert.match(stderr, /table 1 of \d+, /)
    assert.deepEqual(await listMisplaced(pool, table_classes), [])
    assert.equal(await countShards(pool), 4)
    assert.deepEqual([await readRows(pool), await readKeys(pool)], [rows, keys])
    const groups = await pool.many(sql`select distinct colocationid from pg_dist_partition where partmethod = 'h'`)
    assert.equal(groups.length, 1)
    const kept = await pool.many(
      sql`select logicalrelid from pg_dist_partition where pg_relation_size(logicalrelid) > 0`,
    )
    assert.deepEqual(kept, [], 'rows that stay behind on the coordinator would outlive their deletion')
    const again = await shard(['--shards', '8']).ended
    assert.deepEqual([again.code, again.stdout], [0, 'The database is sharded: 4 shards.\n'])
  }))

test('a dry run, and who does not answer yes, changes nothing', () =>
  inWorld(async (world) => {
    const { url, pool, shard } = world
    await addRows(url)
    const rows = await readRows(pool)
    const dry = await shard(['--dry-run']).ended
    assert.deepEqual([dry.code, dry.stdout], [0, 'Nothing was changed.\n'])
    assert.match(dry.stderr, /will be sharded by workspace, with 4 shards each/)
    const unasked = await shard([]).ended
    assert.equal(unasked.code, 1)
    assert.match(unasked.stderr, /use --yes/)
    const terminal = (answer: string) => Object.assign(new PassThrough().end(`${answer}\n`), { isTTY: true })
    assert.equal((await shard([], terminal('no')).ended).code, 130)
    await assertUnchanged(world, rows)
    assert.equal((await shard([], terminal('yes')).ended).code, 0)
    assert.deepEqual(await readRows(pool), rows)
  }))

test('it is refused while the service is connected', () =>
  inWorld(async ({ url, pool, shard }) => {
    const service = openPool({ url, size: 1, application_name: product.short_name, onError: console.error })
    await service.measureTime()
    const { code, stderr } = await shard(['--yes']).ended
    assert.equal(code, 1)
    assert.match(stderr, /The service is running: stop it first\. Its connections to the database: 1\./)
    assert.equal(await countShards(pool), 0)
    await service.close()
  }))

test('it fails when the service is started meanwhile', () =>
  inWorld(async ({ url, pool, shard }) => {
    const sharding = shard(['--yes'])
    await waitUntil('the first table is done', async () => sharding.stderr().includes('table 2 of'))
    const service = openPool({ url, size: 1, application_name: product.short_name, onError: console.error })
    await service.measureTime()
    const { code, stderr } = await sharding.ended
    await service.close()
    assert.equal(code, 1)
    assert.match(stderr, /The service is running: stop it first/)
    assert.equal(await countShards(pool), 0)
  }))

test('it is refused while the schema is not current', () =>
  inWorld(async ({ pool, shard }) => {
    await pool.script(`delete from schema_migrations where name = '0001_init.sql'`)
    const { code, stderr } = await shard(['--dry-run']).ended
    assert.equal(code, 1)
    assert.match(stderr, /The schema is not current/)
  }))

test('when it is cut off, nothing has changed, and it can be run again', () =>
  inWorld(async (world) => {
    const { url, pool, shard } = world
    await addRows(url)
    const rows = await readRows(pool)
    const cut_off = shard(['--yes'])
    await waitUntil('half of the tables are done', async () => cut_off.stderr().includes('table 30 of'))
    await pool.many(
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = ${`${product.short_name} shard`}`,
    )
    assert.equal((await cut_off.ended).code, 1)
    await assertUnchanged(world, rows)
    assert.equal((await shard(['--yes']).ended).code, 0)
    assert.deepEqual(await readRows(pool), rows)
  }))

test('it finishes what someone has begun by hand', () =>
  inWorld(async ({ url, pool, shard }) => {
    await addRows(url)
    const [rows, keys] = [await readRows(pool), await readKeys(pool)]
    // Citus then also manages the tables with keys to it.
    await pool.script(`select create_reference_table('workspaces')`)
    assert.equal((await shard(['--yes']).ended).code, 0)
    assert.deepEqual(await listMisplaced(pool, table_classes), [])
    assert.deepEqual([await readRows(pool), await readKeys(pool)], [rows, keys])
  }))

const new_tables = `-- Notes; they have two keys.
create table notes (
  workspace_id uuid not null,
  id uuid not null,
  contact_id uuid not null,
  constraint notes_pkey primary key (workspace_id, id),
  constraint notes_workspace_fkey foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint notes_contact_fkey foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade
);

create table note_marks (
  workspace_id uuid not null,
  note_id uuid not null,
  constraint note_marks_pkey primary key (workspace_id, note_id)
);
alter table note_marks add constraint note_marks_note_fkey
  foreign key (workspace_id, note_id) references notes (workspace_id, id);
create index notes_contact on notes (workspace_id, contact_id);

create table note_readers (
  id uuid not null,
  person_id uuid not null,
  workspace_id uuid not null,
  constraint note_readers_pkey primary key (id),
  constraint note_readers_person_fkey foreign key (person_id) references people (id),
  constraint note_readers_workspace_fkey foreign key (workspace_id) references workspaces (id)
);

create table note_directory (
  id uuid not null,
  workspace_id uuid not null,
  constraint note_directory_pkey primary key (id),
  constraint note_directory_workspace_fkey foreign key (workspace_id) references workspaces (id)
);

do $$
begin
  create table note_counts (workspace_id uuid not null, constraint note_counts_pkey primary key (workspace_id));
  insert into notes (workspace_id, id, contact_id) select workspace_id, id, id from contacts;
end $$;
`
const new_index = `-- without a transaction
drop index concurrently if exists contacts_note;
create index concurrently contacts_note on contacts (workspace_id, updated_at, created_at);
`

const classes = {
  ...table_classes,
  reference: [...table_classes.reference, 'note_directory'],
  local: [...table_classes.local, 'note_readers'],
}

test('new tables of a migration are distributed with their keys', () =>
  inWorld(async ({ url, pool, shard }) => {
    await addRows(url)
    assert.equal((await shard(['--yes']).ended).code, 0)
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'migrations-'))
    fs.cpSync(migrations, folder, { recursive: true })
    fs.writeFileSync(path.join(folder, '9001.sql'), new_tables)
    fs.writeFileSync(path.join(folder, '9002.sql'), new_index)
    assert.deepEqual(await migrate(pool, folder, classes), ['9001.sql', '9002.sql'])
    fs.rmSync(folder, { recursive: true })
    assert.deepEqual(await listMisplaced(pool, classes), [])
    const keys = (await readKeys(pool)).filter((key) => key.startsWith('note'))
    assert.equal(keys.length, 6)
    const notes = await pool.many<{ workspace_id: string }>(sql`select workspace_id from notes`)
    assert.equal(notes.length, 9)
    const groups = await pool.many(sql`select distinct colocationid from pg_dist_partition where partmethod = 'h'`)
    assert.equal(groups.length, 1)
    const [note] = notes
    await assert.rejects(
      pool.run(sql`insert into notes values (${note?.workspace_id}, gen_random_uuid(), gen_random_uuid())`),
      /notes_contact_fkey/,
    )
  }))

test('a failed migration leaves a sharded database as it was', () =>
  inWorld(async ({ pool, shard }) => {
    assert.equal((await shard(['--yes']).ended).code, 0)
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'migrations-'))
    fs.cpSync(migrations, folder, { recursive: true })
    fs.writeFileSync(path.join(folder, '9001.sql'), `${new_tables}select 1 / 0;\n`)
    await assert.rejects(migrate(pool, folder, classes), /9001\.sql has failed: division by zero/)
    fs.rmSync(folder, { recursive: true })
    const { notes } = await pool.one<{ notes: string | null }>(sql`select to_regclass('notes') as notes`)
    assert.equal(notes, null)
  }))
