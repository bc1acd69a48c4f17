import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import type { Db } from '../../server/kit/postgres/pool.ts'
import { raw, type Sql, sql } from '../../server/kit/postgres/sql.ts'
import type { Attempt } from '../../server/webhooks/schema.ts'

/** Rows created at even intervals between two times. */
export interface OldRows {
  workspace: string
  webhook_id: string
  rows: number
  from_ms: number
  until_ms: number
}

const timeSeries = ({ rows, from_ms, until_ms }: OldRows): Sql =>
  sql`from generate_series(1, ${rows}::integer) as n
    cross join lateral (select ${from_ms}::bigint + n * (${until_ms}::bigint - ${from_ms}::bigint) / ${rows}::integer as ms) as created`

/** An id as `newId` would have returned it at that time. */
const old_id = sql`(lpad(to_hex(ms), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid`
const old_time = sql`to_timestamp(ms / 1000.0)`

/** Adds deliveries that succeeded, and their count, without their events. */
export async function fillDeliveries(db: Db, old: OldRows): Promise<void> {
  const { workspace, webhook_id, rows, until_ms } = old
  const attempt: Attempt = {
    url: 'https://hooks.shop.example/',
    created_at: clock.iso(until_ms),
    status: 200,
    duration_ms: 5,
    error: null,
    answer: 'ok',
  }
  const attempts = JSON.stringify([attempt])
  await db.run(
    sql`insert into webhook_deliveries (workspace_id, webhook_id, id, type, status, attempt, attempts, created_at)
      select ${workspace}, ${webhook_id}, ${old_id}, 'contact.created', 'succeeded', 1, ${attempts}::jsonb, ${old_time}
      ${timeSeries(old)}`,
  )
  await db.run(
    sql`insert into webhook_delivery_counts (workspace_id, webhook_id, id, total)
      values (${workspace}, ${webhook_id}, ${newId()}, ${rows})`,
  )
}

export const fillEvents = (db: Db, old: OldRows): Promise<number> =>
  db.run(
    sql`insert into events (workspace_id, id, type, resource_id, data, created_at, position)
      select ${old.workspace}, ${old_id}, 'contact.created', ${old.webhook_id}, '{}', ${old_time}, n ${timeSeries(old)}`,
  )

export const fillMessages = (db: Db, integration_id: string, old: OldRows): Promise<number> =>
  db.run(
    sql`insert into integration_messages (workspace_id, integration_id, webhook_id, receipt_id, received_at)
      select ${old.workspace}, ${integration_id}, n::text, ${old_id}, ${old_time} ${timeSeries(old)}`,
  )

export const fillKeys = (db: Db, old: OldRows): Promise<number> =>
  db.run(
    sql`insert into idempotency_keys (workspace_id, key, fingerprint, expires_at)
      select ${old.workspace}, n::text, '', ${old_time} ${timeSeries(old)}`,
  )

/** Returns the same handle, which also adds each statement to `statements`. */
export function recordStatements<Handle extends Db>(db: Handle, statements: Sql[]): Handle {
  const record =
    <Out>(send: (statement: Sql) => Promise<Out>) =>
    (statement: Sql) => {
      statements.push(statement)
      return send(statement)
    }
  const tx: Db['tx'] = (work, options) => db.tx((inner) => work(recordStatements(inner, statements)), options)
  const script: Db['script'] = (text) => record(() => db.script(text))(raw(text))
  return { ...db, tx, script, many: record(db.many), maybe: record(db.maybe), one: record(db.one), run: record(db.run) }
}

export const explain = async (db: Db, statement: Sql): Promise<string> =>
  (await db.many<{ 'QUERY PLAN': string }>(sql`explain ${statement}`)).map((line) => line['QUERY PLAN']).join('\n')
