import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { selectRows } from '../kit/postgres/citus/tenants.ts'
import * as page from '../kit/postgres/page.ts'
import { rowsFrom, sql } from '../kit/postgres/sql.ts'
import type { ToolStatus } from '../talk/state.ts'
import { insertRows, type Row } from './rows.ts'
import type { Turn } from './schema.ts'
import { insertTurns, type TurnOf } from './turns.ts'

export interface RunToSave {
  conversation_id: string
  id: string
  name: string
  arguments: unknown
  result: unknown
  status: Turn['tools'][number]['status']
  duration_ms: number | null
  /** The number of the turn that the run belongs to, when that is written. */
  seq?: number | null
}

/** Writes runs. A run has its row before the tool is called, and its result with the turn. */
export async function saveRuns(at: At, runs: RunToSave[]): Promise<void> {
  if (runs.length === 0) return
  // Only the last state of each is written, because one statement can't write a row twice.
  const rows = [...new Map(runs.map((run) => [run.id, run])).values()]
  const selected = selectRows(at, {
    columns: sql`conversation_id, id, seq, name, arguments, result, status, duration_ms, ${clock.iso(at.now)}`,
    from: rowsFrom(
      rows,
      `conversation_id uuid, id uuid, seq integer, name text, arguments jsonb, result jsonb, status text,
        duration_ms integer`,
    ),
  })
  await at.db.run(
    sql`insert into tool_runs as run (workspace_id, conversation_id, id, seq, name, arguments, result, status,
        duration_ms, created_at)
      ${selected}
      on conflict (workspace_id, conversation_id, id) do update
      set seq = excluded.seq, result = excluded.result, status = excluded.status, duration_ms = excluded.duration_ms`,
  )
}

/** Finds those of these runs that have a result. */
export async function findEndedRuns(
  { db, workspace }: At,
  { conversation_id, ids }: { conversation_id: string; ids: string[] },
): Promise<Map<string, Ended>> {
  const ended = await db.many<{ id: string } & Ended>(
    sql`select id, status, result from tool_runs
      where workspace_id = ${workspace} and conversation_id = ${conversation_id} and id = any(${ids}::uuid[])
        and status <> 'running'`,
  )
  return new Map(ended.map(({ id, status, result }) => [id, { status, result }]))
}

interface Ended {
  status: ToolStatus
  result: unknown
}

/** Counts the runs of one tool that have succeeded in a conversation. */
export const countRuns = (
  { db, workspace }: At,
  { conversation_id, name }: { conversation_id: string; name: string },
): Promise<number> =>
  page.count(
    db,
    sql`select from tool_runs where workspace_id = ${workspace} and conversation_id = ${conversation_id}
      and name = ${name} and status = 'succeeded'`,
  )

/** A conversation that nobody real has had: an agent was tested. It is a trial, and closed. */
export interface PlayedConversation {
  conversation: Row
  turns: TurnOf[]
  runs: RunToSave[]
}

/** Keeps conversations of tests as trials are kept. They are counted nowhere, and nobody is told of them. */
export async function insertPlayed(at: At, played: PlayedConversation[]): Promise<void> {
  if (played.length === 0) return
  await Promise.all([
    insertRows(
      at,
      played.map(({ conversation }) => conversation),
    ),
    insertTurns(
      at,
      played.flatMap(({ turns }) => turns),
    ),
    saveRuns(
      at,
      played.flatMap(({ runs }) => runs),
    ),
  ])
}
