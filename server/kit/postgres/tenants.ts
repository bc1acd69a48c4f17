import type { InWorkspace } from '../at.ts'
import type { Db } from './pool.ts'
import { raw, type Sql, sql } from './sql.ts'

/*
 * The table `tenants` has one row for each workspace, which stands for it where it is locked. A sharded database has it on the
 * workspace's node, beside all its other rows, and joins it there.
 */

export const addTenant = ({ db, workspace }: InWorkspace): Promise<number> =>
  db.run(sql`insert into tenants (workspace_id) values (${workspace})`)

/** Adds the rows that are missing. `workspaces` selects the `workspace_id` of all. */
export const addTenants = (db: Db, workspaces: Sql): Promise<number> =>
  db.run(sql`insert into tenants (workspace_id) ${workspaces} on conflict (workspace_id) do nothing`)

/** What follows `from` to select the workspace's row. */
export const tenantOf = (workspace: string): Sql => sql`tenants where workspace_id = ${workspace}`

/**
 * Asks a sharded database about all workspaces at once. In a transaction, because a node then commits once, and else once for each
 * of its shards. Returns nothing if it fails, as when a node is down: the caller then asks each workspace.
 */
export const askAllNodes = <Out>(
  db: Db,
  ask: (db: Db) => Promise<Out>,
  onFailure: (error: unknown) => void = () => {},
): Promise<Out | undefined> =>
  db.tx(ask).catch((error: unknown) => {
    onFailure(error)
    return undefined
  })

interface Selected {
  /** Those after `workspace_id`. */
  columns: Sql
  /** Rows that are in no table, such as `unnest(...) as row (id)`. */
  from: Sql
  where?: Sql
}

/**
 * Selects rows for an insert into a table of the workspace. A sharded database runs the insert on one node if it selects from a
 * table of the workspace. Else it moves the rows through its coordinator, counts wrong on a conflict, and hides its error.
 */
export const selectRows = ({ db, workspace }: InWorkspace, { columns, from, where }: Selected): Sql =>
  db.isSharded()
    ? sql`select tenants.workspace_id, ${columns} from tenants cross join ${from}
        where tenants.workspace_id = ${workspace} ${where ? sql`and ${where}` : raw('')}`
    : sql`select ${workspace}, ${columns} from ${from} ${where ? sql`where ${where}` : raw('')}`
