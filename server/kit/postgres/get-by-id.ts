import { batchedPerDb } from './batched-per-db.ts'
import { statementKey } from './citus/tenants.ts'
import type { Db } from './pool.ts'
import { raw, type Sql, type StatementFor, sql, toArrayLiteral } from './sql.ts'

/** A statement for many rows costs little more than for one, so a second one is sent only when many calls wait. */
const limits = { size_max: 100, in_flight_max: 3, concurrent_size_min: 24 }

interface RowKey {
  workspace: string
  id: string
}

/**
 * Returns a getter that batches concurrent gets by id on one `db` into one statement, across workspaces. Each id is
 * looked up in the workspace of its own call. `joinTo` is called with the workspace's value, or the column that has it.
 * A sharded database gets a statement for each workspace, so that those of a node that is down fail alone.
 */
export function batchedGetById<Row>(
  columns: StatementFor<Row>,
  table: Sql,
  joinTo: (workspace: Sql) => Sql = () => raw(''),
): (db: Db, workspace: string, id: string) => Promise<Row | undefined> {
  /** Most batches have one workspace. An index scan with a list of ids is then cheaper than a join. */
  async function getFromOneWorkspace(db: Db, workspace: string, keys: RowKey[]): Promise<(Row | undefined)[]> {
    const rows = await db.many<Row & { id: string }>(
      sql`select ${columns} from ${table} ${joinTo(sql`${workspace}`)}
        where workspace_id = ${workspace} and id = any(${toArrayLiteral(keys.map(({ id }) => id))}::uuid[]) order by id`,
    )
    const by_id = new Map(rows.map((row) => [row.id, row]))
    return keys.map(({ id }) => by_id.get(id))
  }

  async function getAll(db: Db, keys: RowKey[]): Promise<(Row | undefined)[]> {
    const [first] = keys
    if (first && keys.every(({ workspace }) => workspace === first.workspace)) {
      return getFromOneWorkspace(db, first.workspace, keys)
    }
    const rows = await db.many<Row & { workspace_id: string; id: string }>(
      sql`select workspace_id, ${columns}
        from unnest(${toArrayLiteral(keys.map(({ workspace }) => workspace))}::uuid[],
          ${toArrayLiteral(keys.map(({ id }) => id))}::uuid[]) as wanted (workspace_id, id)
        join ${table} using (workspace_id, id) ${joinTo(raw('wanted.workspace_id'))}`,
    )
    const by_key = new Map(rows.map((row) => [row.workspace_id + row.id, row]))
    return keys.map(({ workspace, id }) => by_key.get(workspace + id))
  }

  const get = batchedPerDb(limits, getAll)
  return (db, workspace, id) => get(db, statementKey(db, workspace), { workspace, id })
}
