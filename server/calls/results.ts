import type { At } from '../kit/at.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { select } from './rows.ts'

/** What the agent has collected in these calls, by id. */
export async function readResults({ db, workspace }: At, ids: string[]): Promise<Map<string, Record<string, unknown>>> {
  if (ids.length === 0) return new Map()
  const rows = await select(['id', 'results']).many(
    db,
    sql`from calls where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[])`,
  )
  return new Map(rows.map(({ id, results }) => [id, results]))
}
