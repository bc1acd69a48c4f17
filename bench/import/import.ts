import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { sql } from '../../server/kit/postgres/sql.ts'
import { checkout, type Database, openDatabase } from '../database.ts'
import { addTenant } from '../fill.ts'
import { residentMegabytes } from '../memory.ts'
import { type Server, startServer } from '../processes.ts'
import type { Tenant } from '../rows.ts'
import { copy_columns } from '../scale/people.ts'
import { tag_columns, text_columns, writePeople } from './files.ts'

export const rows_by_default = 200_000
const target_ratio = 0.4
const memory_max_megabytes = 300
const poll_every_ms = 100
const seed = 4

export interface Imported {
  rows: number
  copy_per_second: number
  /** Including the tables for search and tags. */
  searchable_copy_per_second: number
  import_per_second: number
  ratio: number
  searchable_ratio: number
  upload_seconds: number
  background_seconds: number
  memory_megabytes: number
}

const method = (
  rows: number,
) => `${rows.toLocaleString('en')} people, on this machine, into empty tables of one database, one after the other.
  COPY    into contacts with its indexes, in one transaction, from a file, on one connection
  search  the same, and COPY into the tables for search and tags with their indexes: together they equal one table of
          contacts with all indexes. The target compares Parley with this
  Parley  POST /contacts/imports of the same people as CSV, until the import is finished: parsed, validated, contacts with
          their search texts, tags, events and counts, and the outcome of each row, in batches
PostgreSQL's durability settings are on.
`

/** Compares an import with COPY of the same rows. */
export async function benchImport(stack: AsyncDisposableStack, signal: AbortSignal, rows: number): Promise<Imported> {
  console.log(method(rows))
  const folder = fs.mkdtempSync(path.join(checkout, '.cache/bench-import-'))
  stack.defer(() => fs.promises.rm(folder, { recursive: true, force: true }))
  const database = await openDatabase(stack)
  const tenant = await addTenant(database.pool, 'Import')
  const files = await writePeople(folder, { count: rows, seed, workspace_id: tenant.workspace_id })

  const copy_seconds = await copy(database, { table: 'contacts', columns: copy_columns, file: files.copy, signal })
  const texts_seconds = await copy(database, {
    table: 'contact_texts',
    columns: text_columns,
    file: files.texts,
    signal,
  })
  const tags_seconds = await copy(database, { table: 'contact_tags', columns: tag_columns, file: files.tags, signal })
  const searchable_seconds = copy_seconds + texts_seconds + tags_seconds
  await database.pool.script('truncate contacts, contact_crm_ids, contact_texts, contact_tags')
  await database.pool.script('checkpoint')

  const server = await startServer(stack, 'bin/parley.mjs', ['serve'], {
    DATABASE_URL: database.url,
    PORT: '0',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_SECOND: '0',
  })
  const measured = await runImport(server, { tenant, file: files.csv, rows, signal })
  const seconds = measured.upload_seconds + measured.background_seconds
  const result: Imported = {
    rows,
    copy_per_second: rows / copy_seconds,
    searchable_copy_per_second: rows / searchable_seconds,
    import_per_second: rows / seconds,
    ratio: copy_seconds / seconds,
    searchable_ratio: searchable_seconds / seconds,
    ...measured,
  }
  await assertComplete(database, rows)
  report(result)
  return result
}

interface Copy {
  table: string
  columns: string[]
  file: string
  signal: AbortSignal
}

async function copy({ url }: Database, { table, columns, file, signal }: Copy): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('checkpoint')
    const begun_at = performance.now()
    const stream = client.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin`))
    await pipeline(fs.createReadStream(file), stream, { signal })
    return secondsSince(begun_at)
  } finally {
    await client.end()
  }
}

interface Upload {
  tenant: Tenant
  file: string
  rows: number
  signal: AbortSignal
}

async function runImport({ port, pid }: Server, { tenant, file, rows, signal }: Upload) {
  const address = `http://127.0.0.1:${port}/api/v1/contacts/imports`
  const headers = { authorization: `Bearer ${tenant.token}` }
  const form = new FormData()
  form.append('file', await fs.openAsBlob(file), 'people.csv')
  const begun_at = performance.now()
  const response = await fetch(address, { method: 'POST', headers, body: form, signal })
  const text = await response.text()
  if (response.status !== 201) throw new Error(text)
  const uploaded_at = performance.now()
  const { id } = JSON.parse(text).data
  for (;;) {
    await sleep(poll_every_ms, undefined, { signal })
    const { data } = JSON.parse(await (await fetch(`${address}/${id}`, { headers })).text())
    if (!['queued', 'running', 'finished'].includes(data.status)) throw new Error(JSON.stringify(data))
    if (data.status !== 'finished') continue
    if (data.created !== rows) throw new Error(`${data.created} of ${rows} were created`)
    return {
      upload_seconds: (uploaded_at - begun_at) / 1000,
      background_seconds: secondsSince(uploaded_at),
      memory_megabytes: residentMegabytes(pid),
    }
  }
}

async function assertComplete({ pool }: Database, rows: number): Promise<void> {
  const found = await pool.one<Record<string, number>>(
    sql`select (select count(*) from contacts) as contacts, (select count(*) from contact_texts) as texts,
      (select count(*) from events where type = 'contact.created') as events, (select sum(total)::bigint from contact_counts) as counted`,
  )
  const wrong = Object.entries(found).find(([, count]) => count !== rows)
  if (wrong) throw new Error(`${wrong.join(': ')} instead of ${rows}`)
}

function report(result: Imported): void {
  const perSecond = (count: number) => `${Math.round(count).toLocaleString('en').padStart(8)} rows a second`
  const verdict = (is_met: boolean) => (is_met ? 'met' : 'missed')
  const { upload_seconds, background_seconds, ratio, searchable_ratio, memory_megabytes } = result
  const parts = `${upload_seconds.toFixed(1)} s to upload, ${background_seconds.toFixed(1)} s in the background`
  console.log(`COPY            ${perSecond(result.copy_per_second)}`)
  console.log(`COPY, search    ${perSecond(result.searchable_copy_per_second)}`)
  console.log(`Parley          ${perSecond(result.import_per_second)}: ${parts}`)
  console.log(`Parley / COPY       ${ratio.toFixed(2)}`)
  console.log(
    `Parley / COPY, search ${searchable_ratio.toFixed(2)} (${target_ratio}: ${verdict(searchable_ratio >= target_ratio)})`,
  )
  const limit = `below ${memory_max_megabytes}: ${verdict(memory_megabytes < memory_max_megabytes)}`
  console.log(`The process used at most ${memory_megabytes} MB of resident memory (${limit}).`)
}

const secondsSince = (begun_at: number): number => (performance.now() - begun_at) / 1000
