import { type InWorkspace, newHook } from '../kit/at.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import type { Call } from './schema.ts'

/** What is counted of a call. */
export type CountedCall = Pick<
  Call,
  | 'id'
  | 'is_test'
  | 'started_at'
  | 'ended_at'
  | 'agent_id'
  | 'agent_version'
  | 'channel_id'
  | 'campaign_id'
  | 'outcome'
  | 'duration_ms'
  | 'latency'
  | 'cost_micros'
>

/** Runs in the transaction that writes calls which go on or end. A new one has `before` as it was inserted. */
export const written = newHook<{ before: CountedCall; after: CountedCall }[]>('calls.written')

const counted_columns = sql`id, is_test, started_at, ended_at, agent_id, channel_id, campaign_id, outcome, duration_ms, cost_micros,
  jsonb_build_object('id', version_id) as agent_version, jsonb_build_object('turn_p50_ms', turn_p50_ms) as latency`

/** Calls with ids after one and before another, in order. */
export const readCounted = (
  { db, workspace }: InWorkspace,
  { after, before, limit }: { after: string; before: string; limit: number },
): Promise<CountedCall[]> =>
  db.many<CountedCall>(
    sql`select ${counted_columns} from calls
      where workspace_id = ${workspace} and id > ${after} and id < ${before} order by id limit ${limit}`,
  )

/** Those of the calls that still exist. */
export const findCounted = async ({ db, workspace }: InWorkspace, ids: string[]): Promise<CountedCall[]> =>
  ids.length === 0
    ? []
    : db.many<CountedCall>(
        sql`select ${counted_columns} from calls where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[])`,
      )
