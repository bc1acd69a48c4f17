import type { At, InWorkspace, Unscoped } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'

/** Never changes. In a test workspace time is that of its test clock. */
export type Kind = 'live' | 'test'

export interface Workspace {
  id: string
  name: string
  kind: Kind
  created_at: string
}

/** The name of the workspace that the first start creates. */
export const default_name = 'Default'

const columns = raw('id, name, kind, created_at')

/** Returns undefined if another workspace has the name. A test workspace also needs a clock, in the same transaction. */
export function create(
  { db, now }: Unscoped,
  { name, kind = 'live' }: { name: string; kind?: Kind | undefined },
): Promise<Workspace | undefined> {
  return db.maybe<Workspace>(
    sql`insert into workspaces (id, name, kind, created_at) values (${newId()}, ${name}, ${kind}, ${clock.iso(now)})
      on conflict (name) do nothing returning ${columns}`,
  )
}

/** Fails with a unique violation if another workspace has the name. */
export const rename = ({ db, workspace }: At, name: string): Promise<Workspace> =>
  db.one<Workspace>(sql`update workspaces set name = ${name} where id = ${workspace} returning ${columns}`)

/** Locks the workspace until the transaction ends, so that a limit on the number of its items can be checked safely. */
export const lock = ({ db, workspace }: At): Promise<number> =>
  db.run(sql`select from workspaces where id = ${workspace} for no key update`)

/**
 * Shares the workspace's row until the transaction ends, unless the condition holds. Sharing waits for nobody, and only
 * `isShared` notices it.
 */
export const shareUnless = ({ db, workspace }: InWorkspace, condition: Sql): Promise<number> =>
  db.run(sql`select from workspaces where id = ${workspace} and not ${condition} for key share`)

/** Whether a transaction that is still open shares the workspace's row. */
export const isShared = async ({ db, workspace }: InWorkspace): Promise<boolean> =>
  (await db.run(sql`select from workspaces where id = ${workspace} for update skip locked`)) === 0

export const find = ({ db }: Pick<Unscoped, 'db'>, name: string): Promise<Workspace | undefined> =>
  db.maybe<Workspace>(sql`select ${columns} from workspaces where name = ${name}`)

export const list = ({ db }: Pick<Unscoped, 'db'>): Promise<Workspace[]> =>
  db.many<Workspace>(sql`select ${columns} from workspaces order by created_at, id`)

/** A join for other rooms, by a column with the workspace's id. Its columns are `workspace.id`, `.name`, `.kind` and `.created_at`. */
export const joinWorkspace = (workspace_id: Sql): Sql =>
  sql`join workspaces as workspace on workspace.id = ${workspace_id}`

/** An SQL expression for other rooms: whether the workspace with this id is a test workspace. */
export const isTest = (workspace_id: Sql): Sql =>
  sql`exists (select from workspaces as workspace where workspace.id = ${workspace_id} and kind = 'test')`
