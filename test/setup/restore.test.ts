import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import zlib from 'node:zlib'
import { type Part, readBackup, readManifest, writeBackup } from '../../server/cli/backup-file.ts'
import { readTar, type TarEntry, writeTar } from '../../server/cli/tar.ts'
import { readConfig } from '../../server/config.ts'
import { openDatabase } from '../../server/database.ts'
import { openSeal } from '../../server/kit/crypto/seal.ts'
import { openLog } from '../../server/kit/log.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { listTables } from '../../server/kit/postgres/tables.ts'
import { seal_info } from '../../server/product.ts'
import { waitUntil } from '../faults/client.ts'
import { key, odd_text, openFilled, own_state, readTables, refused, restore, run } from '../support/backups.ts'
import { command, serveInProcess } from '../support/process.ts'
import { newContact, newProvider } from '../support/samples.ts'

const { base, source, source_dir, source_settings, filled, newFile, backUp, withDatabase } = await openFilled('restore')

const dataOf = <T>(body: unknown): T => (body as { data: T }).data

const filesIn = (folder: string): string[] => {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)))
}

/** Restores fail meanwhile: it is noticed at the end, when the recordings are there. */
async function losingRows(pool: Pool, work: () => Promise<void>): Promise<void> {
  await pool.script(
    `create function lose() returns trigger language plpgsql as 'begin return null; end';
    create trigger lose before insert on providers for each row execute function lose()`,
  )
  await work()
  await pool.script('drop trigger lose on providers')
}

/** Reads the database of a DATA_DIR that no service uses. */
async function readEmbedded(DATA_DIR: string): Promise<Record<string, string>> {
  const options = { as: 'command', may_create: false, say: () => {}, log: openLog('silent') } as const
  const { pool, close } = await openDatabase(readConfig({ DATA_DIR }), options)
  try {
    return await readTables(pool)
  } finally {
    await close()
  }
}

test('a backup of your own database is restored into an empty DATA_DIR, where the service goes on', async () => {
  const before = await readTables(source.pool)
  const file = newFile()
  const made = await run(['backup', file, '--json'], source_settings)
  assert.equal(made.code, 0, made.stderr)
  const { backup } = JSON.parse(made.stdout)
  assert.deepEqual([backup.recordings, backup.has_secrets_key], [1, false])
  assert.equal(fs.statSync(file).mode & 0o777, 0o600)
  assert.ok(!fs.existsSync(`${file}.part`))
  assert.ok(backup.tables.every(({ name }: { name: string }) => !own_state.includes(name)))

  const DATA_DIR = path.join(base, 'embedded')
  const text = await restore(file, { DATA_DIR, SECRETS_KEY: key })
  assert.match(text, /^Restored [\d,]+ rows of \d+ tables into the database in .+\nRestored 1 recording\.\n/)
  assert.deepEqual(await readEmbedded(DATA_DIR), before)

  await using stack = new AsyncDisposableStack()
  const url = await serveInProcess(stack, { DATA_DIR, SECRETS_KEY: key })
  const headers = { authorization: `Bearer ${filled.key}`, 'content-type': 'application/json' }
  const send = (address: string, init: RequestInit = {}) => fetch(`${url}/api/v1${address}`, { headers, ...init })
  assert.equal(await (await send(`/calls/${filled.call_id}/recording`)).text(), filled.recording)
  const [contact] = dataOf<{ notes: string }[]>(await (await send('/contacts')).json())
  assert.equal(contact?.notes, odd_text)
  const created = await send('/contacts', { method: 'POST', body: JSON.stringify(newContact()) })
  assert.equal(created.status, 201)
})

test('a backup is restored into another database of your own', async () => {
  const file = await backUp(source_settings)
  await withDatabase(async (url, pool) => {
    const DATA_DIR = path.join(base, 'external')
    await restore(file, { DATABASE_URL: url, DATA_DIR, SECRETS_KEY: key })
    assert.deepEqual(await readTables(pool), await readTables(source.pool))
    const { api_key } = await pool.one<{ api_key: string }>(
      sql`select api_key from providers where workspace_id = ${filled.id}`,
    )
    assert.equal(openSeal(key, seal_info).open(api_key), 'sk-test-of-this-installation')
    assert.deepEqual(filesIn(DATA_DIR), filesIn(source_dir))
    assert.match(filesIn(DATA_DIR).join(), new RegExp(`${filled.call_id}.wav$`))
  })
})

test('a backup of the embedded database has its key, and is of one moment while others write', async () => {
  const DATA_DIR = path.join(base, 'first')
  await using stack = new AsyncDisposableStack()
  const running = command(['serve'], { DATA_DIR, PORT: '0', LOG_LEVEL: 'warn', RATE_LIMIT_PER_SECOND: '0' })
  stack.defer(async () => {
    running.signal('SIGTERM')
    await running.ended
  })
  const [, url = ''] = await running.says(/Base address +(\S+)/)
  const [api_key = ''] = await running.says(/pk_[A-Za-z0-9]{43}/)
  const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' }
  const post = async (address: string, body: object) => {
    const answer = await fetch(`${url}${address}`, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.equal(answer.status, 201, await answer.clone().text())
  }
  await post('/providers', newProvider({ api_key: 'sk-test-embedded' }))
  const written = { count: 0, is_done: false }
  const write = async () => {
    for (; !written.is_done; written.count += 1) await post('/contacts', newContact())
  }
  const writing = [write(), write(), write()]
  const file = newFile()
  const made = await run(['backup', file], { DATA_DIR })
  assert.equal(made.code, 0, made.stderr)
  assert.match(made.stdout, /It has the key that encrypts stored secrets/)
  const written_before_end = written.count
  written.is_done = true
  await Promise.all(writing)
  assert.ok(written_before_end > 0)

  const target = path.join(base, 'second')
  await restore(file, { DATA_DIR: target })
  const key_file = path.join(target, 'secrets-key')
  assert.equal(fs.readFileSync(key_file, 'utf8'), fs.readFileSync(path.join(DATA_DIR, 'secrets-key'), 'utf8'))
  assert.equal(fs.statSync(key_file).mode & 0o777, 0o600)

  const embedded_key = fs.readFileSync(key_file, 'utf8')
  await withDatabase(async (database_url, pool) => {
    const settings = { DATABASE_URL: database_url, DATA_DIR: path.join(base, 'third') }
    const missing = /SECRETS_KEY must be the key .+ the backup has it: tar --zstd -xOf .+ secrets-key prints it/
    await refused(['restore', file], settings, missing)
    await refused(['restore', file], { ...settings, SECRETS_KEY: key }, missing)
    assert.deepEqual(await listTables(pool), [])
    await restore(file, { ...settings, SECRETS_KEY: embedded_key })
    const counts = await pool.one<{ contacts: number; counted: number; events: number; api_key: string }>(
      sql`select (select count(*) from contacts)::integer as contacts,
        (select sum(total) from contact_counts)::integer as counted,
        (select count(*) from events where type = 'contact.created')::integer as events,
        (select api_key from providers) as api_key`,
    )
    assert.equal(counts.counted, counts.contacts)
    assert.equal(counts.events, counts.contacts)
    assert.ok(counts.contacts <= written.count)
    assert.equal(openSeal(embedded_key, seal_info).open(counts.api_key), 'sk-test-embedded')
  })
})

test('work that was due is done after a restore, although the process that had it never comes back', async () => {
  // Only the leader finds work that is not noted, and the lease of the old one has not ended.
  await source.pool.script('delete from due_workspaces')
  await source.pool.script(
    "insert into process_leases (name, lease_token, lease_until) values ('periodic_tasks', gen_random_uuid(), now() + interval '1 day')",
  )
  const file = await backUp(source_settings)
  await withDatabase(async (url, pool) => {
    await restore(file, { DATABASE_URL: url, DATA_DIR: path.join(base, 'due'), SECRETS_KEY: key })
    const pending = async () =>
      (
        await pool.one<{ count: number }>(
          sql`select count(*)::integer as count from imports where status in ('queued', 'running')`,
        )
      ).count
    assert.ok((await pending()) > 0)
    await using stack = new AsyncDisposableStack()
    await serveInProcess(stack, { DATABASE_URL: url, DATA_DIR: path.join(base, 'due'), SECRETS_KEY: key })
    await waitUntil('the imports are done', async () => (await pending()) === 0)
  })
})

test('a damaged or incomplete file is refused before anything is written', async () => {
  const file = await backUp(source_settings)
  const bytes = fs.readFileSync(file)
  const archive = zlib.zstdDecompressSync(bytes)
  const changed = (change: (copy: Buffer) => void): Buffer => {
    const copy = Buffer.from(archive)
    change(copy)
    return zlib.zstdCompressSync(copy)
  }
  const flipped = Buffer.from(bytes)
  flipped.writeUInt8(flipped.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1)
  const row = archive.indexOf(filled.id)
  const contents = archive.lastIndexOf('contents.json')
  const damaged: [string, Buffer, RegExp][] = [
    ['cut', bytes.subarray(0, bytes.length - 1), /is damaged: /],
    ['half', bytes.subarray(0, bytes.length >> 1), /is damaged: /],
    ['empty', Buffer.alloc(0), /is damaged: /],
    // A format that is not known is noticed before the damage.
    ['flipped', flipped, /is damaged: |is not a backup|its format is/],
    [
      'manifest',
      changed((copy) => void copy.writeUInt8(0, copy.indexOf('"format"'))),
      /is damaged: it has no valid JSON$/,
    ],
    ['other', Buffer.from('not a backup at all'), /is not a backup of Parley/],
    ['row', changed((copy) => void copy.writeUInt8(copy.readUInt8(row) ^ 1, row)), /is damaged: a checksum is wrong/],
    ['no contents', zlib.zstdCompressSync(archive.subarray(0, contents)), /is damaged: the archive is not complete/],
    [
      'no end',
      zlib.zstdCompressSync(Buffer.concat([archive.subarray(0, contents), Buffer.alloc(1024)])),
      /is damaged: the file is not complete/,
    ],
    ['more', Buffer.concat([bytes, Buffer.from('x')]), /is damaged: it has bytes after its end$/],
    ['zeros', Buffer.concat([bytes, Buffer.alloc(300_000)]), /is damaged: it has bytes after its end$/],
    ['twice', Buffer.concat([bytes, bytes]), /is damaged: it has bytes after its end$/],
    ['more tar', zlib.zstdCompressSync(Buffer.concat([archive, Buffer.alloc(512)])), /is damaged: it has bytes after/],
    ['end', changed((copy) => void copy.writeUInt8(1, copy.length - 1)), /is damaged: its end is damaged$/],
    ['tar', zlib.zstdCompressSync(archive.subarray(512 * 40)), /is damaged|is not a backup/],
  ]
  const DATA_DIR = path.join(base, 'untouched')
  for (const [name, content, expected] of damaged) {
    const broken = path.join(base, `${name}.backup`)
    fs.writeFileSync(broken, content)
    await refused(['restore', broken], { DATA_DIR, SECRETS_KEY: key }, expected)
  }
  await refused(['restore', path.join(base, 'missing')], { DATA_DIR, SECRETS_KEY: key }, /can't be read: ENOENT/)
  await refused(['restore', base], { DATA_DIR, SECRETS_KEY: key }, /can't be read: EISDIR/)
  assert.ok(!fs.existsSync(DATA_DIR))
})

test('a backup of another release is refused', async () => {
  const file = await backUp(source_settings)
  const archive = zlib.zstdDecompressSync(fs.readFileSync(file)).toString('latin1')
  const DATA_DIR = path.join(base, 'untouched')
  // The new texts have the same length, so that the archive stays one.
  for (const [from, to, expected] of [
    ['"version": "0', '"version": "9', /was made by release 9.+: restore it with the release that made it/],
    [/"sha256": "./, '"sha256": "x', /was made by release .+: restore it with the release that made it/],
    ['"format": 1', '"format": 2', /was made by another release: its format is 2/],
  ] as const) {
    const other = newFile()
    fs.writeFileSync(other, zlib.zstdCompressSync(Buffer.from(archive.replace(from, to), 'latin1')))
    await refused(['restore', other], { DATA_DIR, SECRETS_KEY: key }, expected)
  }
  assert.ok(!fs.existsSync(DATA_DIR))
})

/** A copy of the backup, as the last version from before the first release has made it. */
async function asFromBefore(file: string, fills: string): Promise<string> {
  const { tables, ...manifest } = await readManifest(file)
  const parts: Part[] = []
  if (fills !== '') parts.push({ kind: 'rows', table: 'analytics_fills', rows: Buffer.from(fills) })
  await readBackup(file, async (part) => {
    // Workspaces of a version without that table have no row in it.
    if (part.kind === 'rows' && part.table === 'tenants') return
    parts.push(part.kind === 'recording' ? { ...part, content: await Array.fromAsync(part.content) } : part)
  })
  const copy = newFile()
  const handle = await fs.promises.open(copy, 'wx')
  const columns = ['workspace_id', 'kind', 'counted_until', 'live_from']
  const from_before = {
    ...manifest,
    version: '0.0.9',
    migrations: {
      last: '0066_opt_out_question_indexes.sql',
      sha256: '2028108d69db287683a2a911a1704ad646aa77e1dc00eb5bb01adaae8b2561b1',
    },
    tables: [...tables, { name: 'analytics_fills', columns }],
  }
  const { signal } = new AbortController()
  await writeBackup(handle, from_before, Readable.from(parts), { mtime_ms: 0, signal })
  await handle.close()
  return copy
}

test('a backup from before the first release is restored, if all analytics were counted', async () => {
  const file = await backUp(source_settings)
  const settings = { DATA_DIR: path.join(base, 'from-before'), SECRETS_KEY: key }
  const uncounted = await asFromBefore(file, `${filled.id}\tcalls\t${filled.id}\t${filled.id}\n`)
  await refused(
    ['restore', uncounted],
    settings,
    /was made before all analytics were counted: let the service that made it run for an hour, and back up again$/,
  )
  assert.ok(!fs.existsSync(settings.DATA_DIR))
  const counted = await asFromBefore(file, '')
  await withDatabase(async (url, pool) => {
    await restore(counted, { ...settings, DATABASE_URL: url })
    assert.deepEqual(await readTables(pool), await readTables(source.pool))
    assert.deepEqual(filesIn(settings.DATA_DIR), filesIn(source_dir))
  })
})

test('a target that is not empty is refused and stays as it is', async () => {
  const file = await backUp(source_settings)
  const before = await readTables(source.pool)
  const DATA_DIR = path.join(base, 'not-empty')
  await refused(
    ['restore', file],
    { ...source_settings, DATA_DIR },
    /DATABASE_URL can't be used: .+ is not empty: use another$/,
  )
  assert.deepEqual(await readTables(source.pool), before)
  await withDatabase(async (url, pool) => {
    await pool.script('create table of_others (id integer)')
    await refused(['restore', file], { DATABASE_URL: url, DATA_DIR, SECRETS_KEY: key }, /is not empty: use another$/)
    assert.deepEqual(await listTables(pool), [{ name: 'of_others', columns: ['id'] }])
  })
  await withDatabase(async (url, pool) => {
    const settings = { DATABASE_URL: url, DATA_DIR, SECRETS_KEY: key }
    assert.equal((await run(['migrate'], settings)).code, 0)
    await pool.script('alter table webhooks add column newer text')
    await refused(['restore', file], settings, /has other tables than the backup, such as webhooks$/)
    await pool.script('alter table webhooks drop column newer; create table of_others (id integer)')
    await refused(['restore', file], settings, /is not empty: use another$/)
  })
  fs.mkdirSync(DATA_DIR, { recursive: true })
  fs.writeFileSync(path.join(DATA_DIR, 'secrets-key'), 'the key of another installation, long')
  await refused(['restore', file], { DATA_DIR }, /is not empty: it has the secrets-key of another installation$/)
})

test('without the key of the backup nothing is restored', async () => {
  const file = await backUp(source_settings)
  const DATA_DIR = path.join(base, 'untouched')
  const expected = /SECRETS_KEY must be the key that the backup was made with, .+; its id is [\w-]{8}$/
  await refused(['restore', file], { DATA_DIR }, expected)
  await refused(['restore', file], { DATA_DIR, SECRETS_KEY: `other ${key}` }, expected)
  assert.ok(!fs.existsSync(DATA_DIR))
  const rotating = await backUp({ ...source_settings, SECRETS_KEY_PREVIOUS: `previous ${key}` })
  await refused(['restore', rotating], { DATA_DIR, SECRETS_KEY: key }, /SECRETS_KEY_PREVIOUS must be the key/)
})

test('a restore that loses a row is undone, and can be repeated', async () => {
  const file = await backUp(source_settings)
  await withDatabase(async (url, pool) => {
    const settings = { DATABASE_URL: url, DATA_DIR: path.join(base, 'repeated'), SECRETS_KEY: key }
    assert.equal((await run(['migrate'], settings)).code, 0)
    await losingRows(pool, async () => {
      const { code, stderr } = await run(['restore', file], settings)
      assert.equal(code, 1)
      assert.match(stderr, /the table \w+ has 0 rows instead of [1-9]/)
      assert.ok(Object.values(await readTables(pool)).every((rows) => rows.startsWith('0 ')))
      assert.deepEqual(filesIn(settings.DATA_DIR), [])
    })
    await restore(file, settings)
    assert.deepEqual(await readTables(pool), await readTables(source.pool))
  })
})

test('a restore that was killed can be repeated, and keeps what it finds if it fails', async () => {
  const file = await backUp(source_settings)
  const DATA_DIR = path.join(base, 'killed')
  const settings = { DATA_DIR, SECRETS_KEY: key }
  // A kill before the commit leaves recordings and an empty database.
  await withDatabase(async (url) => void (await restore(file, { ...settings, DATABASE_URL: url })))
  const left = filesIn(DATA_DIR)
  assert.equal(left.length, 1)
  await withDatabase(async (url, pool) => {
    assert.equal((await run(['migrate'], { ...settings, DATABASE_URL: url })).code, 0)
    await losingRows(pool, async () => {
      assert.equal((await run(['restore', file], { ...settings, DATABASE_URL: url })).code, 1)
      assert.deepEqual(filesIn(DATA_DIR), left)
    })
    await restore(file, { ...settings, DATABASE_URL: url })
    assert.deepEqual(await readTables(pool), await readTables(source.pool))
    assert.deepEqual(filesIn(DATA_DIR), left)
  })
  const other = path.join(DATA_DIR, 'recordings', 'of-another.wav')
  fs.writeFileSync(other, 'sound')
  const expected = /DATA_DIR is not empty: .+recordings has 1 recording that is not in the backup: make a new backup, /
  await refused(['restore', file], settings, expected)
  assert.equal(fs.readFileSync(other, 'utf8'), 'sound')
})

test('a restore that was killed between two keys can be repeated', async () => {
  const DATA_DIR = path.join(base, 'rotating')
  const keys = { 'secrets-key': `new ${key}`, 'secrets-key-previous': key }
  assert.equal((await run(['migrate'], { DATA_DIR })).code, 0)
  for (const [name, text] of Object.entries(keys)) fs.writeFileSync(path.join(DATA_DIR, name), text)
  const file = await backUp({ DATA_DIR })
  const target = path.join(base, 'one-key')
  fs.mkdirSync(target)
  fs.writeFileSync(path.join(target, 'secrets-key'), keys['secrets-key'])
  await restore(file, { DATA_DIR: target })
  for (const [name, text] of Object.entries(keys)) assert.equal(fs.readFileSync(path.join(target, name), 'utf8'), text)
})

test('a recording whose name leads out of the folder is refused', async () => {
  const archive = zlib.zstdDecompressSync(fs.readFileSync(await backUp(source_settings)))
  const entries: TarEntry[] = []
  for await (const { name, size, content } of readTar(Readable.from([archive], { objectMode: false })))
    entries.push({
      name: name.replace(/^recordings\/[^/]+/, 'recordings/..'),
      size,
      content: await Array.fromAsync(content),
    })
  const file = newFile()
  const bytes = await Array.fromAsync(writeTar(Readable.from(entries), { mtime_ms: 0 }))
  fs.writeFileSync(file, zlib.zstdCompressSync(Buffer.concat(bytes)))
  const DATA_DIR = path.join(base, 'untouched')
  await refused(['restore', file], { DATA_DIR, SECRETS_KEY: key }, /is damaged: a recording has the name \.\.\//)
})
