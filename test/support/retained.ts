import { newId } from '../../server/kit/id.ts'
import type { Db } from '../../server/kit/postgres/pool.ts'
import { type Sql, sql } from '../../server/kit/postgres/sql.ts'

export interface Filled {
  workspace: string
  webhook_id: string
  rows: number
  /** From when on they were made, in even steps. */
  from_ms: number
  until_ms: number
}

const times = ({ rows, from_ms, until_ms }: Filled): Sql =>
  sql`from generate_series(1, ${rows}::integer) as n
    cross join lateral (select ${from_ms}::bigint + n * (${until_ms}::bigint - ${from_ms}::bigint) / ${rows}::integer as ms) as made`

/** As `newId` would have made it then. */
const id_then = sql`(lpad(to_hex(ms), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid`
const then = sql`to_timestamp(ms / 1000.0)`

/** Deliveries as they are when all went well, and their count, without their events. */
export async function fillDeliveries(db: Db, filled: Filled): Promise<void> {
  const { workspace, webhook_id, rows } = filled
  const attempts = JSON.stringify([{ url: 'https://hooks.shop.example/', status: 200, duration_ms: 5, answer: 'ok' }])
  await db.run(
    sql`insert into webhook_deliveries (workspace_id, webhook_id, id, type, status, attempt, attempts, created_at)
      select ${workspace}, ${webhook_id}, ${id_then}, 'contact.created', 'succeeded', 1, ${attempts}::jsonb, ${then}
      ${times(filled)}`,
  )
  await db.run(
    sql`insert into webhook_delivery_counts (workspace_id, webhook_id, id, total)
      values (${workspace}, ${webhook_id}, ${newId()}, ${rows})`,
  )
}

export const fillEvents = (db: Db, filled: Filled): Promise<number> =>
  db.run(
    sql`insert into events (workspace_id, id, type, resource_id, data, created_at, position)
      select ${filled.workspace}, ${id_then}, 'contact.created', ${filled.webhook_id}, '{}', ${then}, n ${times(filled)}`,
  )

export const fillMessages = (db: Db, integration_id: string, filled: Filled): Promise<number> =>
  db.run(
    sql`insert into integration_messages (workspace_id, integration_id, webhook_id, receipt_id, received_at)
      select ${filled.workspace}, ${integration_id}, n::text, ${id_then}, ${then} ${times(filled)}`,
  )

export const fillKeys = (db: Db, filled: Filled): Promise<number> =>
  db.run(
    sql`insert into idempotency_keys (workspace_id, key, fingerprint, expires_at)
      select ${filled.workspace}, n::text, '', ${then} ${times(filled)}`,
  )

/** The same handle, which also notes each statement that goes through it. */
export function noting<Handle extends Db>(db: Handle, noted: Sql[]): Handle {
  const note =
    <Out>(send: (statement: Sql) => Promise<Out>) =>
    (statement: Sql) => {
      noted.push(statement)
      return send(statement)
    }
  const tx: Db['tx'] = (work, options) => db.tx((inner) => work(noting(inner, noted)), options)
  return { ...db, tx, many: note(db.many), maybe: note(db.maybe), one: note(db.one), run: note(db.run) }
}

export const planOf = async (db: Db, statement: Sql): Promise<string> =>
  (await db.many<{ 'QUERY PLAN': string }>(sql`explain ${statement}`)).map((line) => line['QUERY PLAN']).join('\n')
