import assert from 'node:assert/strict'
import * as clock from '../../server/kit/clock.ts'
import type { Db } from '../../server/kit/postgres/pool.ts'
import { type Sql, sql } from '../../server/kit/postgres/sql.ts'
import * as removal from '../../server/webhooks/retention.ts'
import type { Server, Tenant } from '../support/harness.ts'
import { explain, fillDeliveries, recordStatements } from '../support/old-rows.ts'
import { newContact, newWebhook } from '../support/samples.ts'
import { summarizeDurations } from './durations.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import { withServers } from './server.ts'

const rows_long = 5_000_000
const rows_short = 20_000
const rows_per_fill = 100_000
const day_ms = 24 * 60 * 60 * 1000
const retention_ms = 30 * day_ms
const batch_max_ms = 1_000

export const scenario: Scenario = {
  name: 'retention',
  about: 'millions of old deliveries, and those of a deleted webhook, are removed in short batches during other work',
  run: (options) => withServers(1, {}, async ([server]) => void (server && (await run(server, options)))),
}

async function run({ workspace, pool, at }: Server, { is_long, print }: RunOptions): Promise<void> {
  const tenant = await workspace()
  const rows = is_long ? rows_long : rows_short
  const [kept_webhook, deleted] = [await webhook(tenant), await webhook(tenant)]
  const now = clock.wall()
  for (const { id } of [kept_webhook, deleted]) await fill(pool, tenant.id, id, rows / 2, now)
  if (is_long) await pool.script('vacuum analyze webhook_deliveries')

  const [removed_ms] = await timed(() => call(tenant, 'DELETE', `/webhooks/${deleted.id}`))
  const total = await totalOf(tenant, kept_webhook.id)
  assert.equal(total, rows / 2)
  const statements: Sql[] = []
  const batches: number[] = []
  const db = recordDurations(recordStatements(pool, statements), batches)
  let is_over = false
  const beside = createUntil(tenant, () => is_over)
  const [all_ms] = await timed(async () => {
    await removal.removeOld({ ...at(tenant.id), db }, now - retention_ms)
    await removal.removeDeleted({ ...at(tenant.id), db })
  })
  is_over = true
  const creates = await beside
  const left = await pool.many<{ webhook_id: string; is_expired: boolean; count: number }>(
    sql`select webhook_id, created_at < ${clock.iso(now - retention_ms)} as is_expired, count(*) from webhook_deliveries
      where workspace_id = ${tenant.id} group by 1, 2`,
  )
  assert.deepEqual(left, [{ webhook_id: kept_webhook.id, is_expired: false, count: rows / 4 + creates.length }])
  assert.equal(await totalOf(tenant, kept_webhook.id), rows / 4 + creates.length)
  const plans = await Promise.all(firstOfEachText(statements).map((one) => explain(pool, one)))
  for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan on webhook_deliveries/)

  const { text, max } = summarizeDurations(batches)
  print(`${rows} deliveries: ${(rows * 3) / 4} removed by ${batches.length} batches in ${(all_ms / 1000).toFixed(1)} s`)
  print(`a batch takes: ${text}`)
  print(`the webhook was deleted in ${removed_ms.toFixed()} ms`)
  print(
    `${creates.length} contacts were created meanwhile, each with its event and delivery: ${summarizeDurations(creates).text}`,
  )
  if (is_long) assert.ok(max < batch_max_ms && removed_ms < batch_max_ms, 'no statement takes longer than a second')
}

const webhook = async (tenant: Tenant): Promise<{ id: string }> => call(tenant, 'POST', '/webhooks', newWebhook())

async function call(tenant: Tenant, method: string, path: string, body?: unknown) {
  const answer = await tenant.call(method, path, body)
  assert.ok(answer.status < 300, answer.text)
  return answer.body.data
}

const totalOf = async (tenant: Tenant, id: string): Promise<number> =>
  (await tenant.call('GET', `/webhooks/${id}/deliveries?limit=1`)).body.pagination.total

/** Spread over 60 days, so that half of them are expired. */
async function fill(db: Db, workspace: string, webhook_id: string, rows: number, now: number): Promise<void> {
  const chunks = Math.ceil(rows / rows_per_fill)
  const step_ms = (2 * retention_ms) / chunks
  // The last of the older half is expired by a millisecond.
  const begin_ms = now - 2 * retention_ms - 1
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    const from_ms = begin_ms + chunk * step_ms
    await fillDeliveries(db, { workspace, webhook_id, rows: rows / chunks, from_ms, until_ms: from_ms + step_ms })
  }
}

/** Returns the duration of each create. */
async function createUntil(tenant: Tenant, isOver: () => boolean): Promise<number[]> {
  const durations: number[] = []
  while (!isOver()) {
    const [took_ms] = await timed(() => call(tenant, 'POST', '/contacts', newContact()))
    durations.push(took_ms)
  }
  return durations
}

async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  const began_ticks = clock.ticks()
  const result = await work()
  return [clock.ticks() - began_ticks, result]
}

/** Returns the same handle, which also records the duration of each transaction. */
function recordDurations<Handle extends Db>(db: Handle, durations: number[]): Handle {
  const tx: Db['tx'] = async (work, options) => {
    const [took_ms, result] = await timed(() => db.tx(work, options))
    durations.push(took_ms)
    return result
  }
  return { ...db, tx }
}

const firstOfEachText = (statements: Sql[]): Sql[] => [
  ...new Map(statements.toReversed().map((one) => [one.text, one])).values(),
]
