import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { isCurrent, listNames, listUnknown, migrate } from '../../server/kit/postgres/migrate.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { waitUntil } from '../faults/client.ts'
import { withNewDatabase } from '../support/database.ts'
import { createDatabase, migrations, testPool } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { command } from '../support/process.ts'

interface World {
  url: string
  pool: Pool
  folder: string
  write: (name: string, text: string) => void
  /** The names of the applied migrations. */
  applied: () => Promise<string[]>
}

/** Runs `work` with a database to which the folder's only migration, `1.sql`, is applied. */
async function inWorld(work: (world: World) => Promise<void>): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'migrations-'))
  const write: World['write'] = (name, text) => fs.writeFileSync(path.join(folder, name), text)
  write('1.sql', 'create table one (id integer);\n')
  const withPool = async (url: string) => {
    const pool = testPool(url)
    const applied = async () =>
      (await pool.many<{ name: string }>(sql`select name from schema_migrations order by name`)).map(({ name }) => name)
    try {
      await work({ url, pool, folder, write, applied })
    } finally {
      await pool.close()
    }
  }
  try {
    await withNewDatabase(process.env.TEST_DATABASE_URL ?? '', withPool, folder)
  } finally {
    fs.rmSync(folder, { recursive: true })
  }
}

const isValid = async ({ pool }: World, index: string): Promise<boolean | undefined> =>
  (
    await pool.maybe<{ indisvalid: boolean }>(
      sql`select indisvalid from pg_index where indexrelid = to_regclass(${index})`,
    )
  )?.indisvalid

test('a version is current when its own migrations are applied, whatever newer ones there are', () =>
  inWorld(async ({ pool, folder, write }) => {
    const older = listNames(folder)
    write('2.sql', 'create table two (id integer)')
    const newer = listNames(folder)
    assert.deepEqual([await isCurrent(pool, older), await isCurrent(pool, newer)], [true, false])
    assert.deepEqual(await migrate(pool, folder), ['2.sql'])
    assert.deepEqual([await isCurrent(pool, older), await isCurrent(pool, newer)], [true, true])
    fs.rmSync(path.join(folder, '2.sql'))
    assert.deepEqual(await migrate(pool, folder), [])
    assert.deepEqual(await listUnknown(pool, folder), ['2.sql'])
  }))

test('a migration that fails leaves those before it applied, and nothing of itself', () =>
  inWorld(async ({ pool, folder, write, applied }) => {
    write('2.sql', 'create table two (id integer)')
    write('3.sql', 'create table three (id integer); select 1 / 0')
    write('4.sql', 'create table four (id integer)')
    await assert.rejects(migrate(pool, folder), /^Error: the migration 3\.sql has failed: division by zero$/)
    assert.deepEqual(await applied(), ['1.sql', '2.sql'])
    const { three } = await pool.one<{ three: string | null }>(sql`select to_regclass('three')::text as three`)
    assert.equal(three, null)
    write('3.sql', 'create table three (id integer)')
    assert.deepEqual(await migrate(pool, folder), ['3.sql', '4.sql'])
  }))

test('a changed migration is refused by name, but other line ends are not a change', () =>
  inWorld(async ({ pool, folder, write, applied }) => {
    write('1.sql', 'create table one (id integer);\r\n')
    assert.deepEqual(await migrate(pool, folder), [])
    write('1.sql', 'create table one (id bigint);\n')
    write('2.sql', 'create table two (id integer)')
    await assert.rejects(migrate(pool, folder), /^Error: the migration 1\.sql has changed since [^\n]+$/)
    assert.deepEqual(await applied(), ['1.sql'])
  }))

const concurrent_index = `-- without a transaction
-- The index of an interrupted run is invalid.
drop index concurrently if exists one_id;
create unique index concurrently one_id on one (id);
select * from later;
`

test('a migration without a transaction runs again when it has failed halfway', () =>
  inWorld(async (world) => {
    const { pool, folder, write, applied } = world
    write('2.sql', concurrent_index)
    await assert.rejects(migrate(pool, folder), /2\.sql has failed: relation "later" does not exist/)
    assert.deepEqual([await applied(), await isValid(world, 'one_id')], [['1.sql'], true])
    await pool.script('drop index one_id; insert into one values (1), (1); create table later ()')
    await assert.rejects(migrate(pool, folder), /2\.sql has failed: could not create unique index/)
    assert.deepEqual([await applied(), await isValid(world, 'one_id')], [['1.sql'], false])
    await pool.script('truncate one')
    assert.deepEqual(await migrate(pool, folder), ['2.sql'])
    assert.equal(await isValid(world, 'one_id'), true)
  }))

test('a statement of a migration without a transaction ends outside of its quotes', () =>
  inWorld(async ({ pool, folder, write }) => {
    write(
      '2.sql',
      '-- without a transaction\ndo $$\nbegin\n  insert into one values (1);\n  insert into one values (2);\nend $$;\ninsert into one values (3);\n',
    )
    assert.deepEqual(await migrate(pool, folder), ['2.sql'])
    assert.equal((await pool.many(sql`select id from one`)).length, 3)
  }))

test('of processes that start together one migrates and the others wait', () =>
  inWorld(async ({ url, folder, write }) => {
    for (let number = 2; number < 6; number += 1) {
      const text = `create table t${number} (id integer)`
      const is_concurrent = number % 2 === 0
      write(`${number}.sql`, is_concurrent ? `-- without a transaction\n${text};\nselect pg_sleep(0.1);\n` : text)
    }
    const pools = Array.from({ length: 4 }, () => testPool(url))
    const names = await Promise.all(pools.map((pool) => migrate(pool, folder)))
    await Promise.all(pools.map((pool) => pool.close()))
    assert.deepEqual(names.flat().sort(), ['2.sql', '3.sql', '4.sql', '5.sql'])
  }))

test('a migration that waits for a table lets requests to it pass', () =>
  inWorld(async ({ pool, folder, write }) => {
    write('2.sql', 'alter table one add column note text')
    await using reader = await holdTransaction(pool, (db) => db.many(sql`select id from one`))
    const migrating = migrate(pool, folder)
    const waiting = sql`select from pg_locks
      where relation = 'one'::regclass and mode = 'AccessExclusiveLock' and not granted`
    for (let round = 0; round < 2; round += 1) {
      await waitUntil('the migration waits', async () => (await pool.many(waiting)).length > 0)
      // Its lock timeout is shorter than that of a request, which would fail here.
      await pool.many(sql`select id from one`)
    }
    await reader.end()
    assert.deepEqual(await migrating, ['2.sql'])
  }))

test('a concurrent index of a released migration is dropped first, because a killed build leaves an invalid one', () => {
  const offending = listNames(migrations).filter((name) => {
    const text = fs.readFileSync(path.join(migrations, name), 'utf8')
    const created = text.matchAll(/^create (?:unique )?index concurrently (?:if not exists )?(\w+)/gm)
    return Array.from(created).some(([, index]) => !text.includes(`drop index concurrently if exists ${index};`))
  })
  assert.deepEqual(offending, [])
})

test('a changed migration ends the start with one line that names it', async () => {
  const { url: DATABASE_URL, pool } = await createDatabase('changed_migration')
  const name = '0001_init.sql'
  await pool.run(sql`update schema_migrations set checksum = ${'0'.repeat(64)} where name = ${name}`)
  const settings = { DATABASE_URL, SECRETS_KEY: 'a'.repeat(32), LOG_LEVEL: 'error' }
  const { code, stderr } = await command(['serve'], settings).ended
  assert.equal(code, 1)
  assert.match(stderr, /^parley: the migration 0001_init\.sql has changed since [^\n]+\n$/)
})

for (const [made, last, expected] of [
  ['by the last migrations', '0066_opt_out_question_indexes.sql', 'the commit that you ran until now'],
  ['by fewer', '0042_companies_in_texts.sql', 'the commit 892232ba, because the one before ended at 0042_.+'],
] as const)
  test(`a database from before the first release, made ${made}, ends the start with what to do`, async () => {
    const { url: DATABASE_URL, pool } = await createDatabase(`from_before_${last.slice(0, 4)}`)
    await pool.run(sql`update schema_migrations set name = '0001_contract.sql'`)
    await pool.run(sql`insert into schema_migrations (name, checksum) values (${last}, '')`)
    const settings = { DATABASE_URL, SECRETS_KEY: 'a'.repeat(32), LOG_LEVEL: 'error' }
    for (const words of [['serve'], ['migrate']]) {
      const { code, stderr } = await command(words, settings).ended
      assert.equal(code, 1)
      const then = `let ${expected} run for an hour, and run parley secrets reseal and parley backup FILE with it, then parley restore .+`
      assert.match(stderr, new RegExp(`^parley: the database .+ is from before the first release: ${then}\n$`))
    }
  })
