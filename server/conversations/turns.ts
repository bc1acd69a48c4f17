import type { At, InWorkspace } from '../kit/at.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import type { Turn } from './schema.ts'

const no_latency = { model_first_ms: null, model_ms: null, tools_ms: null, turn_ms: null }
const no_usage = { input_tokens: 0, output_tokens: 0 }

export const newTurn = (turn: Pick<Turn, 'seq' | 'role' | 'text' | 'created_at'> & Partial<Turn>): Turn => ({
  heard: null,
  is_interrupted: false,
  tools: [],
  latency: no_latency,
  usage: no_usage,
  message: null,
  ...turn,
})

/** The tools of each turn come with it. */
export const turnColumns = (workspace: string): Sql =>
  sql`seq, role, text, heard, is_interrupted, coalesce(latency, ${JSON.stringify(no_latency)}) as latency,
    coalesce(usage, ${JSON.stringify(no_usage)}) as usage, message, created_at,
    case when role = 'agent' then coalesce((
      select jsonb_agg(jsonb_build_object('id', id, 'name', name, 'arguments', arguments, 'result', result, 'status', status,
        'duration_ms', duration_ms) order by created_at, id)
      from tool_runs where tool_runs.workspace_id = ${workspace} and tool_runs.conversation_id = turn.conversation_id
        and tool_runs.seq = turn.seq), '[]') else '[]' end as tools`

/** Closed turns after a number, oldest first. */
export const list = (
  { db, workspace }: InWorkspace,
  { conversation_id, after, limit }: { conversation_id: string; after: number; limit: number },
): Promise<Turn[]> =>
  db.many<Turn>(
    sql`select ${turnColumns(workspace)} from conversation_turns as turn
      where workspace_id = ${workspace} and conversation_id = ${conversation_id} and seq > ${after} and not is_open
      order by seq limit ${limit}`,
  )

export async function insertTurns({ db, workspace }: At, turns: { id: string; turn: Turn }[]): Promise<void> {
  if (turns.length === 0) return
  const lines = turns.map(({ id, turn: { seq, role, text, is_interrupted, latency, usage, created_at } }) =>
    copyLine([
      ...[workspace, id, seq, role, text, is_interrupted],
      ...[JSON.stringify(latency), JSON.stringify(usage), created_at],
    ]),
  )
  await db.copy('conversation_turns', turn_columns, lines.join(''))
}

const turn_columns = [
  ...['workspace_id', 'conversation_id', 'seq', 'role', 'text', 'is_interrupted'],
  ...['latency', 'usage', 'created_at'],
]

export const raw_turns = raw('conversation_turns')
