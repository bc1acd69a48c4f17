import { type At, type InWorkspace, inTransaction } from '../../at.ts'
import { inParallel } from '../../limits/in-parallel.ts'
import { isUnavailable } from '../errors.ts'
import type { Db } from '../pool.ts'
import { join, raw, type Sql, sql } from '../sql.ts'

/*
 * The form of statements and transactions about one or several workspaces, in a sharded database and in others. The
 * table `tenants` has one row for each workspace, on the workspace's node beside all its other rows, where it can be
 * locked and joined.
 */

/** This many workspaces are asked at the same time while a node is down. */
const asked_at_once = 4
/** `selectFromEach` asks a sharded database about at most this many workspaces. */
const selected_max = 200

export const addTenant = ({ db, workspace }: InWorkspace): Promise<number> =>
  db.run(sql`insert into tenants (workspace_id) values (${workspace})`)

/** Adds the rows of workspaces that have none. `workspaces` selects the `workspace_id` of all. */
export const addTenants = (db: Db, workspaces: Sql): Promise<number> =>
  db.run(sql`insert into tenants (workspace_id) ${workspaces} on conflict (workspace_id) do nothing`)

/** The part of a statement after `from` that selects the workspace's row. */
export const tenantOf = (workspace: string): Sql => sql`tenants where workspace_id = ${workspace}`

interface Selected {
  /** The columns after `workspace_id`. */
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

/**
 * Workspaces with the same key share a statement. In a sharded database each has its own, so that those of a node that is down fail
 * alone.
 */
export const statementKey = (db: Db, workspace: string): string => (db.isSharded() ? workspace : '')

/**
 * Selects from each of these workspaces with one statement, in which `select` gets a column. A sharded database takes no statement that
 * looks into each workspace of a list, so it gets one for each of the first 200.
 */
export const selectFromEach = (db: Db, workspaces: string[], select: (workspace: string | Sql) => Sql): Sql[] =>
  db.isSharded()
    ? workspaces.slice(0, selected_max).map(select)
    : [
        sql`select each_workspace.* from unnest(${workspaces}::uuid[]) as one (workspace_id)
          cross join lateral (${select(raw('one.workspace_id'))}) as each_workspace`,
      ]

/** Sends statements with the same columns as one, unless they are about different nodes. */
export const unionAll = (db: Db, statements: Sql[]): Sql[] =>
  db.isSharded() || statements.length === 0 ? statements : [join(statements, ' union all ')]

/**
 * A value of the workspace, for a statement about a table that has no workspace's rows. A sharded database doesn't join such a table with
 * others, so the value is read before.
 */
export async function valueFor(db: Db, select: Sql, type: string): Promise<Sql> {
  if (!db.isSharded()) return sql`(${select})`
  const { value } = await db.one<{ value: unknown }>(sql`select value from (${select}) as selected (value)`)
  return sql`${value}::${raw(type)}`
}

/**
 * Asks about all workspaces at once. A sharded database is asked in a transaction, because a node then commits once, and else once for
 * each of its shards. When it fails, as while a node is down, `onNodeDown` gets the error, and nothing is returned: the caller then asks
 * each workspace.
 */
export const askAllNodes = <Out>(
  db: Db,
  ask: (db: Db) => Promise<Out>,
  onNodeDown: (error: unknown) => void = () => {},
): Promise<Out | undefined> =>
  db.isSharded()
    ? db.tx(ask).catch((error: unknown) => {
        onNodeDown(error)
        return undefined
      })
    : ask(db)

interface ForAll<Found> {
  /** Selects the `workspace_id` of all workspaces. */
  workspaces: Sql
  /** Does the work with statements that a sharded database refuses. */
  together: () => Promise<unknown>
  /** Asks all nodes. `withFound` then does the work with what was found. */
  find: (db: Db) => Promise<Found>
  withFound: (found: Found) => Promise<unknown>
  /** Does the work for one workspace, while a node is down. */
  alone: (workspace: string) => Promise<unknown>
  onNodeDown: ((error: unknown) => void) | undefined
}

/** Does something for all workspaces, so that idle ones cost little, and only those fail whose node is down. */
export async function forAllWorkspaces<Found>(db: Db, options: ForAll<Found>): Promise<unknown> {
  const { workspaces, together, find, withFound, alone, onNodeDown } = options
  if (!db.isSharded()) return together()
  const found = await askAllNodes(db, find, onNodeDown)
  if (found !== undefined) return withFound(found)
  const all = await db.many<{ workspace_id: string }>(workspaces)
  return inParallel(all, { at_once: asked_at_once }, ({ workspace_id }) => alone(workspace_id))
}

/**
 * Runs `change` in a transaction, and in the same one `write`, which writes into several workspaces. In a sharded
 * database `write` runs after the commit, so that the change doesn't fail with the node of one of the workspaces.
 */
export async function changeThenWrite<T>(
  at: At,
  change: (at: At) => Promise<T>,
  write: (at: At, changed: T) => Promise<void>,
): Promise<T> {
  if (!at.db.isSharded())
    return inTransaction(at, async (inside) => {
      const changed = await change(inside)
      await write(inside, changed)
      return changed
    })
  const changed = await inTransaction(at, change)
  await write(at, changed)
  return changed
}

/**
 * Writes the same into several workspaces. A sharded database gets it for each, and workspaces whose node is down are
 * left out.
 */
export async function writeInEach(
  db: Db,
  workspaces: string[],
  write: (workspaces: string[]) => Promise<void>,
): Promise<void> {
  if (!db.isSharded()) return write(workspaces)
  for (const workspace of workspaces) {
    await write([workspace]).catch((error: unknown) => {
      if (!isUnavailable(error)) throw error
    })
  }
}
