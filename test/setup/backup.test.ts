import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import zlib from 'node:zlib'
import { migrations } from '../../server/database.ts'
import * as clock from '../../server/kit/clock.ts'
import { listCreated } from '../../server/kit/postgres/migrate.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { listTables } from '../../server/kit/postgres/tables.ts'
import { waitUntil } from '../faults/client.ts'
import { checkout } from '../faults/service.ts'
import { key, openFilled, readTables, refused, restore, run } from '../support/backups.ts'
import { command } from '../support/process.ts'

const { base, source, source_dir, source_settings, newFile, backUp, withDatabase } = await openFilled('backup')

test('the tables of the migrations are those of the database', async () => {
  const tables = (await listTables(source.pool)).map(({ name }) => name)
  assert.deepEqual(tables.toSorted(), [...listCreated(migrations), 'schema_migrations'].toSorted())
})

test('tables have nothing that a backup would have to carry besides rows', async () => {
  const { count } = await source.pool.one<{ count: number }>(
    sql`select (select count(*) from pg_sequences where schemaname = 'public')
      + (select count(*) from pg_attribute where attgenerated <> '' or attidentity <> '')
      + (select count(*) from pg_trigger where not tgisinternal)
      + (select count(*) from pg_constraint where contype = 'f' and (conrelid = confrelid or condeferrable))
      + (select count(*) from pg_class where relnamespace = 'public'::regnamespace and relpersistence <> 'p')::integer as count`,
  )
  assert.equal(Number(count), 0)
})

test('a backup needs the key of the service', async () => {
  const [file, settings] = [newFile(), { DATABASE_URL: source.url, DATA_DIR: source_dir }]
  await refused(['backup', file], settings, /SECRETS_KEY is required/)
  const other = { ...settings, SECRETS_KEY: `other ${key}` }
  await refused(['backup', file], other, /SECRETS_KEY can't open the stored secrets: set it as for the server$/)
  assert.ok(!fs.existsSync(file))
  await backUp({ ...other, SECRETS_KEY_PREVIOUS: key }, file)
})

test('a backup needs the key of two-factor secrets, also if no workspace has secrets', async () => {
  await withDatabase(async (url, pool) => {
    const settings = { DATABASE_URL: url, DATA_DIR: path.join(base, 'two-factor'), SECRETS_KEY: key }
    await run(['migrate'], settings)
    await pool.script(`with person as (
        insert into people (id, email, name, password_hash, created_at)
        values (gen_random_uuid(), 'ada@example.com', 'Ada', 'none', now()) returning id)
      insert into two_factor_secrets (person_id, secret, created_at) select id, 'sealed with another key', now() from person`)
    await refused(['backup', newFile()], settings, /SECRETS_KEY can't open the stored secrets/)
  })
})

test('tables of others are left out, and the backup says so', async () => {
  const file = newFile()
  await source.pool.script('create table of_others (id integer); insert into of_others values (1)')
  const { stdout } = await run(['backup', file], source_settings)
  await source.pool.script('drop table of_others')
  assert.match(stdout, /1 table of others in the same schema is not part of it: of_others\./)
  await withDatabase(async (url, pool) => {
    await restore(file, { DATABASE_URL: url, DATA_DIR: path.join(base, 'own-tables'), SECRETS_KEY: key })
    assert.deepEqual(await readTables(pool), await readTables(source.pool))
  })
})

test('a file that can not be written whole is removed', async () => {
  const file = newFile()
  // A limit of the size needs no small disk, and so no root.
  const limited = 'ulimit -f 16; exec "$0" "$@"'
  const words = [process.execPath, path.join(checkout, 'server/cli/parley.ts'), 'backup', file]
  const child = spawnSync('/bin/sh', ['-c', limited, ...words], { env: source_settings, encoding: 'utf8' })
  assert.deepEqual([child.status, child.stdout], [1, ''], child.stderr)
  assert.match(child.stderr, /the file can't be written: EFBIG/)
  assert.ok(!fs.existsSync(file) && !fs.existsSync(`${file}.part`))
})

test('a file that appears while the backup is made is not replaced', async () => {
  const file = newFile()
  const running = await source.pool.tx(async (db) => {
    await db.script('lock table contacts in access exclusive mode')
    const running = command(['backup', file], source_settings)
    await waitUntil('the backup has begun', () => fs.existsSync(`${file}.part`))
    fs.writeFileSync(file, 'mine')
    return running
  })
  const { code, stderr } = await running.ended
  assert.equal(code, 1)
  assert.match(stderr, /exists: name another, or add --force\n$/)
  assert.equal(fs.readFileSync(file, 'utf8'), 'mine')
  assert.ok(!fs.existsSync(`${file}.part`))
})

test('a backup during which shards are moved is refused', async () => {
  const file = newFile()
  await source.pool.script(
    `create table pg_dist_partition (); create table pg_dist_placement (shardid bigint, groupid integer);
    insert into pg_dist_placement values (1, 1)`,
  )
  const running = await source.pool.tx(async (db) => {
    await db.script('lock table contacts in access exclusive mode')
    const running = command(['backup', file], source_settings)
    await waitUntil('the backup waits', async () => {
      const waiting = sql`select from pg_locks where not granted and relation = 'contacts'::regclass`
      return (await source.pool.many(waiting)).length > 0
    })
    await source.pool.script('update pg_dist_placement set groupid = 2')
    return running
  })
  const { code, stderr } = await running.ended
  await source.pool.script('drop table pg_dist_partition, pg_dist_placement')
  assert.equal(code, 1)
  assert.match(stderr, /shards were moved meanwhile: back up again when that is done\n$/)
  assert.ok(!fs.existsSync(file))
})

test('an existing file is replaced only with --force', async () => {
  const file = newFile()
  fs.writeFileSync(file, 'mine')
  await refused(['backup', file], source_settings, /exists: name another, or add --force$/)
  assert.equal(fs.readFileSync(file, 'utf8'), 'mine')
  const { code, stderr } = await run(['backup', file, '--force'], source_settings)
  assert.equal(code, 0, stderr)
  assert.ok(fs.statSync(file).size > 1000)
  assert.equal(fs.statSync(file).mode & 0o777, 0o600)
  const link = newFile()
  fs.symlinkSync(file, link)
  await refused(['backup', link, '--force'], source_settings, /is not a regular file: name another$/)
  fs.writeFileSync(`${file}.part`, '')
  await refused(['backup', file, '--force'], source_settings, /\.part exists: another backup is running, or was killed/)
  await refused(['backup', path.join(base, 'no', 'folder')], source_settings, /the file can't be written: ENOENT/)
})

test('Ctrl-C ends a backup and leaves nothing behind', async () => {
  const file = newFile()
  // The backup waits for the lock, so that it can't end before.
  const running = await source.pool.tx(async (db) => {
    await db.script('lock table contacts in access exclusive mode')
    const running = command(['backup', file], source_settings)
    await waitUntil('the backup has begun', () => fs.existsSync(`${file}.part`))
    running.signal('SIGINT')
    return running
  })
  const { code, stderr } = await running.ended
  assert.equal(code, 130)
  assert.match(stderr, /Stopped: no backup was made\.\n$/)
  assert.deepEqual(
    fs.readdirSync(base).filter((name) => name.startsWith(path.basename(file))),
    [],
  )
})

test('temporary files, and those of calls that the backup does not know, are left out', async () => {
  const folder = path.join(source_dir, 'recordings')
  const later = path.join(folder, 'later.wav')
  const temporary = path.join(folder, '.temporary', 'work')
  for (const file of [later, temporary]) fs.writeFileSync(file, 'sound')
  const an_hour_later_s = clock.wall() / 1000 + 3600
  fs.utimesSync(later, an_hour_later_s, an_hour_later_s)
  const { stdout } = await run(['backup', newFile(), '--json'], source_settings)
  assert.equal(JSON.parse(stdout).backup.recordings, 1)
  for (const file of [later, temporary]) fs.rmSync(file)
})

test('recordings in a bucket are left out, and the commands say so', async () => {
  const settings = { ...source_settings, BLOB_URL: 's3://KEY:SECRET@127.0.0.1:1/bucket?region=us-east-1&tls=off' }
  const file = newFile()
  const made = await run(['backup', file], settings)
  assert.match(made.stdout, /The recordings are in the bucket and not part of the backup\./)
  await withDatabase(async (url) => {
    const text = await restore(file, { ...settings, DATABASE_URL: url, DATA_DIR: path.join(base, 'bucket') })
    assert.match(text, /The recordings are in the bucket of the old service: set BLOB_URL to it\./)
  })
})

test('a backup is a tar archive that others can read', async () => {
  const file = await backUp(source_settings)
  const tar = newFile()
  fs.writeFileSync(tar, zlib.zstdDecompressSync(fs.readFileSync(file)))
  const names = execFileSync('tar', ['-tf', tar], { encoding: 'utf8' }).trimEnd().split('\n')
  assert.deepEqual([names[0], names.at(-1)], ['manifest.json', 'contents.json'])
  assert.ok(names.some((name) => /^tables\/contacts\/\d{8}\.copy$/.test(name)))
  const manifest = JSON.parse(execFileSync('tar', ['-xOf', tar, 'manifest.json'], { encoding: 'utf8' }))
  assert.equal(manifest.recordings, 'files')
})
