import type { At } from '../kit/at.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'

/** What the agent has collected in these conversations, by id. */
export async function readResults({ db, workspace }: At, ids: string[]): Promise<Map<string, Record<string, unknown>>> {
  if (ids.length === 0) return new Map()
  const rows = await db.many<{ id: string; results: Record<string, unknown> }>(
    sql`select id, results from conversations where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[])`,
  )
  return new Map(rows.map(({ id, results }) => [id, results]))
}
