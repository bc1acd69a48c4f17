import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after } from 'node:test'
import * as clock from '../../server/kit/clock.ts'
import { baseFolder } from '../../server/kit/postgres/embedded/embedded.ts'
import type { Db, Pool } from '../../server/kit/postgres/pool.ts'
import { raw, sql } from '../../server/kit/postgres/sql.ts'
import { listTables } from '../../server/kit/postgres/tables.ts'
import { product } from '../../server/product.ts'
import { createDatabase, openServer, testPool } from './harness.ts'
import { command } from './process.ts'
import { addRecordedCall, one_word, untilRendered } from './recorded-calls.ts'
import { makers, newContact, newProvider } from './samples.ts'

export const key = 'the key of this installation, 32 characters'
export const own_state = ['schema_migrations', 'process_leases']
export const odd_text = 'a\tb\nc\\N \\. "d" \u{1f642} \\'

export const run = (words: string[], settings: Record<string, string>) => command(words, settings).ended

export async function restore(file: string, settings: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await run(['restore', file], settings)
  assert.equal(code, 0, stderr)
  return stdout
}

/** Asserts that a command fails with one line of error, the last one. */
export async function refused(words: string[], settings: Record<string, string>, expected: RegExp): Promise<void> {
  const { code, stdout, stderr } = await run(words, settings)
  const lines = stderr.trimEnd().split('\n')
  assert.deepEqual([code, stdout], [1, ''], stderr)
  assert.match(lines.at(-1) ?? '', expected)
  assert.ok(lines.length <= 2, stderr)
}

/** A hash and the number of the rows of each table. */
export async function readTables(db: Db): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {}
  for (const { name } of await listTables(db)) {
    if (own_state.includes(name)) continue
    const { hash, rows } = await db.one<{ hash: string | null; rows: string }>(
      sql`select md5(string_agg(one::text, '' order by one::text)) as hash, count(*)::text as rows from ${raw(name)} as one`,
    )
    hashes[name] = `${rows} ${hash}`
  }
  return hashes
}

/** A database of the test file with one of everything, each in a workspace of its own, and a call with a recording. */
export async function openFilled(name: string) {
  const opened = await openDatabases(name)
  return { ...opened, filled: await fill(opened.source.url, opened.source_dir) }
}

/** A database of the test file, and what makes others of backups. */
export async function openDatabases(name: string) {
  // PostgreSQL may run as another user, who must be able to enter this folder.
  const checkout = path.resolve(import.meta.dirname, '../..')
  const base = path.join(baseFolder(checkout, product.short_name), '.cache', `${name}-${process.pid}`)
  fs.mkdirSync(base, { recursive: true, mode: 0o755 })
  after(() => fs.rmSync(base, { recursive: true, force: true }))
  const source = await createDatabase(name)
  const source_dir = path.join(base, 'source')
  const source_settings = { DATABASE_URL: source.url, DATA_DIR: source_dir, SECRETS_KEY: key }

  let count = 0
  const newFile = (): string => {
    count += 1
    return path.join(base, `${count}.backup`)
  }

  async function backUp(settings: Record<string, string>, file = newFile()): Promise<string> {
    const { code, stderr } = await run(['backup', file], settings)
    assert.equal(code, 0, stderr)
    return file
  }

  /** Runs `work` with a new database without tables. */
  async function withDatabase(work: (url: string, pool: Pool) => Promise<void>): Promise<void> {
    const name = `restored_${process.pid}_${count}_${Math.trunc(clock.ticks())}`
    await source.pool.script(`create database ${name}`)
    const url = source.url.replace(/\/[^/]*$/, `/${name}`)
    const pool = testPool(url)
    try {
      await work(url, pool)
    } finally {
      await pool.close()
      await source.pool.script(`drop database ${name} with (force)`)
    }
  }

  return { base, source, source_dir, source_settings, newFile, backUp, withDatabase }
}

async function fill(url: string, data_dir: string) {
  const server = await openServer(testPool(url), { secrets_key: key, data_dir })
  try {
    for (const make of Object.values(makers)) await make(await server.workspace())
    const tenant = await server.workspace()
    const contact = await tenant.call('POST', '/contacts', newContact({ notes: odd_text, tags: ['a,b', '"'] }))
    assert.equal(contact.status, 201, contact.text)
    await tenant.call('POST', '/providers', newProvider({ api_key: 'sk-test-of-this-installation' }))
    const call_id = await addRecordedCall(server.pool, tenant, one_word)
    const recording = await untilRendered(() => tenant.call('GET', `/calls/${call_id}/recording`))
    assert.equal(recording.status, 200)
    return { id: tenant.id, key: tenant.key, call_id, recording: recording.text }
  } finally {
    await server.close()
  }
}
