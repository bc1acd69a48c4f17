import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../../server/kit/clock.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { withScenarioDatabase } from '../support/database.ts'
import { pdfOf } from '../support/documents.ts'
import { parley } from '../support/process.ts'
import { formOf } from '../support/uploads.ts'
import { waitUntil } from './client.ts'
import { between } from './random.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import { childrenOf, newTenant, startService, type Tenant, withPool } from './service.ts'

export const scenario: Scenario = {
  name: 'documents',
  about: 'kill -9 while documents are read: each is read in the end, and nothing of it is lost or there twice',
  run,
}

const kill_after_max_ms = 2_500

/** They take long enough to be killed while they are parsed, and while their passages are written. */
const files: { name: string; file: Buffer; passages: number }[] = [
  { name: 'long.md', file: Buffer.from(sections(1_500)), passages: 1_500 },
  {
    name: 'book.pdf',
    file: pdfOf(Array.from({ length: 200 }, (_, page) => [`# Chapter ${page}`, `Page ${page} says so.`])),
    passages: 200,
  },
  { name: 'short.txt', file: Buffer.from('Open at nine.'), passages: 1 },
]

function sections(count: number): string {
  return Array.from(
    { length: count },
    (_, number) => `## Section ${number}\n\nWord${number} and others. ${'Some more words follow here. '.repeat(10)}\n`,
  ).join('\n')
}

async function run({ is_long, rounds: requested_rounds, random, print }: RunOptions): Promise<void> {
  const rounds = is_long ? Math.ceil(requested_rounds / 2) : 2
  await withScenarioDatabase(async (url) => {
    await using stack = new AsyncDisposableStack()
    const settings = { DATABASE_URL: url, SECRETS_KEY: Buffer.alloc(32, 7).toString('base64') }
    const api = await startService(stack, settings, undefined, 1, ['--only', 'api'])
    let interrupted = 0
    await withPool(url, async (pool) => {
      let worker = startWorker(stack, settings)
      for (let round = 0; round < rounds; round += 1) {
        const tenant = await newTenant(pool)
        await worker.ready
        for (const { name, file } of files) await upload(api.url, tenant, name, file)
        await sleep(between(random, 0, kill_after_max_ms))
        interrupted += (await countReady(pool, tenant)) < files.length ? 1 : 0
        await worker.kill()
        worker = startWorker(stack, settings)
        await endLeases(pool, tenant)
        await waitUntil('all is read', async () => (await countSettled(pool, tenant)) === files.length)
        await check(pool, tenant)
      }
    })
    print(
      `${rounds} kills, ${interrupted} of them before all was read: ${rounds * files.length} documents, 0 lost, 0 doubled`,
    )
  })
}

/** A worker in its own processes. */
function startWorker(stack: AsyncDisposableStack, settings: Record<string, string>) {
  const running = parley(['serve', '--only', 'worker'], { LOG_LEVEL: 'warn', ...settings })
  const { child } = running
  const ready = running.says(/runs background work/)
  stack.defer(async () => {
    // Stopped before, it would have failed to start.
    await ready.catch(() => {})
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await running.ended
  })
  return {
    ready,
    async kill() {
      const pids = childrenOf(child.pid ?? 0)
      for (const pid of pids) process.kill(pid, 'SIGKILL')
      child.kill('SIGKILL')
      await running.ended
    },
  }
}

async function upload(url: string, { key }: Tenant, name: string, file: Buffer): Promise<void> {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${url}/api/v1/documents`, { method: 'POST', headers, body: formOf(file, {}, name) })
  assert.equal(response.status, 201, await response.text())
}

/** So that nobody waits for the leases of the process that was killed. */
const endLeases = (pool: Pool, { workspace }: Tenant): Promise<number> =>
  pool.run(
    sql`update documents set lease_until = ${clock.iso(0)} where workspace_id = ${workspace} and lease_until is not null`,
  )

async function countReady(pool: Pool, { workspace }: Tenant): Promise<number> {
  const { total } = await pool.one<{ total: number }>(
    sql`select count(*) as total from documents where workspace_id = ${workspace} and status = 'ready'`,
  )
  return total
}

/** Those that were read, and of which nothing is left to do. */
async function countSettled(pool: Pool, { workspace }: Tenant): Promise<number> {
  const { total } = await pool.one<{ total: number }>(
    sql`select count(*) as total from documents where workspace_id = ${workspace} and status = 'ready' and due_at is null`,
  )
  return total
}

async function check(pool: Pool, { workspace }: Tenant): Promise<void> {
  const found = await pool.many<{ name: string; passages: number; positions: number; last: number; others: number }>(
    sql`select name, passages,
        (select count(distinct position) from document_passages as passage
          where passage.workspace_id = ${workspace} and passage.document_id = documents.id) as positions,
        (select max(position) + 1 from document_passages as passage
          where passage.workspace_id = ${workspace} and passage.document_id = documents.id) as last,
        (select count(*) from document_passages as passage
          where passage.workspace_id = ${workspace} and passage.document_id = documents.id) - passages
        + (select count(*) from document_words as word
          where word.workspace_id = ${workspace} and word.document_id = documents.id and word.edition_id <> documents.edition_id) as others
      from documents where workspace_id = ${workspace} order by bytes desc`,
  )
  const expected = files
    .toSorted((a, b) => b.file.length - a.file.length)
    .map(({ name, passages }) => ({ name, passages, positions: passages, last: passages, others: 0 }))
  assert.deepEqual(found, expected)
  const { wrong } = await pool.one<{ wrong: number }>(
    sql`select count(*) as wrong from (
        select document_id, word, count(*) as passages from document_passages cross join unnest(tsvector_to_array(words)) as word
        where workspace_id = ${workspace} group by 1, 2) as counted
      full join (select document_id, word, passages from document_words where workspace_id = ${workspace}) as kept
        using (document_id, word)
      where kept.passages is distinct from counted.passages`,
  )
  assert.equal(wrong, 0, 'words that are counted wrongly')
  const events = await pool.many<{ resource_id: string }>(
    sql`select resource_id from events where workspace_id = ${workspace} and type = 'document.ready'`,
  )
  assert.equal(events.length, files.length)
  assert.equal(new Set(events.map(({ resource_id }) => resource_id)).size, files.length)
  const stored = await pool.many(sql`select id from document_files where workspace_id = ${workspace}`)
  assert.equal(stored.length, files.length)
}
