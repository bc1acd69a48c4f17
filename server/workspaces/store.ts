import type { At, InWorkspace, Unscoped } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { Call } from '../kit/http/operation.ts'
import { newId } from '../kit/id.ts'
import { onUniqueViolation } from '../kit/postgres/errors.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { inUse, preconditionFailed } from '../kit/problem.ts'
import { default_settings, type Settings, type Workspace, type WorkspaceChange } from './schema.ts'

export type ListedWorkspace = Pick<Workspace, 'id' | 'name' | 'kind' | 'created_at'>

/** The name of the workspace that the first start creates. */
export const default_name = 'Default'

const columns = raw('id, name, kind, created_at')
const all_columns = sql`${columns}, settings, coalesce(updated_at, created_at) as updated_at`

const withDefaults = (stored: Partial<Settings>): Settings => ({ ...default_settings, ...stored })

const toWorkspace = (row: Workspace): Workspace => ({ ...row, settings: withDefaults(row.settings) })

/** Returns undefined if another workspace has the name. A test workspace also needs a clock, in the same transaction. */
export function create(
  { db, now }: Unscoped,
  { name, kind = 'live' }: { name: string; kind?: Workspace['kind'] | undefined },
): Promise<ListedWorkspace | undefined> {
  return db.maybe<ListedWorkspace>(
    sql`insert into workspaces (id, name, kind, created_at) values (${newId()}, ${name}, ${kind}, ${clock.iso(now)})
      on conflict (name) do nothing returning ${columns}`,
  )
}

export const get = async (at: InWorkspace): Promise<Workspace> => toWorkspace(await read(at))

/** For other rooms. One row by its primary key. */
export async function readSettings({ db, workspace }: InWorkspace): Promise<Settings> {
  const { settings } = await db.one<{ settings: Partial<Settings> }>(
    sql`select settings from workspaces where id = ${workspace}`,
  )
  return withDefaults(settings)
}

/** An empty change doesn't even change `updated_at`. */
export async function update(
  at: At,
  { change, isCurrent }: { change: WorkspaceChange; isCurrent: Call['isCurrent'] },
): Promise<Workspace> {
  const { db, workspace, now } = at
  const before = toWorkspace(await read(at, raw('for no key update')))
  if (!isCurrent(before)) throw preconditionFailed()
  if (Object.keys(change).length === 0) return before
  const { name = before.name, settings = {} } = change
  const changed = await db
    .one<Workspace>(
      sql`update workspaces set name = ${name}, settings = settings || ${JSON.stringify(settings)},
          updated_at = ${clock.laterThan(before.updated_at, now)}
        where id = ${workspace} returning ${all_columns}`,
    )
    .catch(onUniqueViolation(nameInUse))
  return toWorkspace(changed)
}

const read = ({ db, workspace }: InWorkspace, locking = raw('')): Promise<Workspace> =>
  db.one<Workspace>(sql`select ${all_columns} from workspaces where id = ${workspace} ${locking}`)

export const nameInUse = () => inUse('name', 'A workspace with this name already exists.', undefined)

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

export const find = ({ db }: Pick<Unscoped, 'db'>, name: string): Promise<ListedWorkspace | undefined> =>
  db.maybe<ListedWorkspace>(sql`select ${columns} from workspaces where name = ${name}`)

export const list = ({ db }: Pick<Unscoped, 'db'>): Promise<ListedWorkspace[]> =>
  db.many<ListedWorkspace>(sql`select ${columns} from workspaces order by created_at, id`)

/** A join for other rooms, by a column with the workspace's id. Its columns are `workspace.id`, `.name`, `.kind` and `.created_at`. */
export const joinWorkspace = (workspace_id: Sql): Sql =>
  sql`join workspaces as workspace on workspace.id = ${workspace_id}`

/** An SQL expression for other rooms: whether the workspace with this id is a test workspace. */
export const isTest = (workspace_id: Sql): Sql =>
  sql`exists (select from workspaces as workspace where workspace.id = ${workspace_id} and kind = 'test')`
