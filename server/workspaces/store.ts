import type { At, InWorkspace, Unscoped } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'

export interface Workspace {
  id: string
  name: string
  created_at: string
}

/** The name of the workspace that the first start creates. */
export const default_name = 'Default'

/** Returns undefined if another workspace has the name. */
export function create({ db, now }: Unscoped, name: string): Promise<Workspace | undefined> {
  return db.maybe<Workspace>(
    sql`insert into workspaces (id, name, created_at) values (${newId()}, ${name}, ${clock.iso(now)})
      on conflict (name) do nothing returning id, name, created_at`,
  )
}

/** Fails with a unique violation if another workspace has the name. */
export const rename = ({ db, workspace }: At, name: string): Promise<Workspace> =>
  db.one<Workspace>(sql`update workspaces set name = ${name} where id = ${workspace} returning id, name, created_at`)

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
  db.maybe<Workspace>(sql`select id, name, created_at from workspaces where name = ${name}`)

export const list = ({ db }: Pick<Unscoped, 'db'>): Promise<Workspace[]> =>
  db.many<Workspace>(sql`select id, name, created_at from workspaces order by created_at, id`)

/** A join for other rooms, by a column with the workspace's id. Its columns are `workspace.id`, `.name` and `.created_at`. */
export const joinWorkspace = (workspace_id: Sql): Sql =>
  sql`join workspaces as workspace on workspace.id = ${workspace_id}`
