import { type At, type InWorkspace, newHook, type Unscoped } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { IsCurrent } from '../kit/http/operation.ts'
import { newId } from '../kit/id.ts'
import { addTenant, askAllNodes, tenantOf } from '../kit/postgres/citus/tenants.ts'
import { onUniqueViolation } from '../kit/postgres/errors.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { inUse, invalid, Problem, preconditionFailed } from '../kit/problem.ts'
import { default_mix, default_settings } from './defaults.ts'
import type { Mix, Settings, Workspace, WorkspaceChange } from './schema.ts'

export type ListedWorkspace = Pick<Workspace, 'id' | 'name' | 'kind' | 'created_at'>

/** The name of the workspace that the first start creates. */
export const default_name = 'Default'

const columns = raw('id, name, kind, created_at')
const all_columns = sql`${columns}, settings, coalesce(updated_at, created_at) as updated_at`

/** Selects the `workspace_id` of all workspaces. */
export const all_workspaces: Sql = raw('select id as workspace_id from workspaces')

/** The settings that were set. The others have defaults. */
type StoredSettings = Partial<
  Omit<Settings, 'prices' | 'quiet_hours'> & {
    prices: Partial<Settings['prices']>
    quiet_hours: Partial<Settings['quiet_hours']>
  }
>

type StoredWorkspace<Whole = Pick<Workspace, 'kind'>> = Omit<Whole, 'settings'> & { settings: StoredSettings }

const withDefaults = ({ kind, settings }: StoredWorkspace): Settings => ({
  ...default_settings,
  ...(kind === 'test' && { allows_network: false, mix: default_mix }),
  ...settings,
  prices: { ...default_settings.prices, ...settings.prices },
  quiet_hours: { ...default_settings.quiet_hours, ...settings.quiet_hours },
})

const toWorkspace = (row: StoredWorkspace<Workspace>): Workspace => ({ ...row, settings: withDefaults(row) })

/**
 * Adds a workspace, in a transaction. Returns undefined if another workspace has the name. A test workspace also needs
 * a clock in it.
 */
export async function create(
  { db, now }: Unscoped,
  { name, kind = 'live' }: { name: string; kind?: Workspace['kind'] | undefined },
): Promise<ListedWorkspace | undefined> {
  const created = await db.maybe<ListedWorkspace>(
    sql`insert into workspaces (id, name, kind, created_at) values (${newId()}, ${name}, ${kind}, ${clock.iso(now)})
      on conflict (name) do nothing returning ${columns}`,
  )
  if (created) await addTenant({ db, workspace: created.id })
  return created
}

/** Whether there is a workspace. */
export const haveAny = async ({ db }: Pick<Unscoped, 'db'>): Promise<boolean> =>
  (await db.one<{ has_any: boolean }>(sql`select exists (select from workspaces) as has_any`)).has_any

export const get = async (at: InWorkspace): Promise<Workspace> => toWorkspace(await read(at))

/** Reads the settings for other rooms, from one row by its primary key. */
export async function readSettings({ db, workspace }: InWorkspace): Promise<Settings> {
  return withDefaults(await db.one<StoredWorkspace>(sql`select kind, settings from workspaces where id = ${workspace}`))
}

/** Whether models and tools over the network may be used. Without them, what a test workspace does is repeatable. */
export const allowsNetwork = async (at: Pick<At, 'db' | 'workspace' | 'is_test'>): Promise<boolean> =>
  !at.is_test || (await readSettings(at)).allows_network !== false

/** Runs when an owner turns on `requires_two_factor`. */
export const requiring_two_factor = newHook<undefined>('workspaces.requiring_two_factor')

export const quiet_hours_changed = newHook<Settings['quiet_hours']>('workspaces.quiet_hours_changed')

/** Changes a workspace. An empty change doesn't even change `updated_at`. */
export async function update(
  at: At,
  { change, isCurrent, is_person }: { change: WorkspaceChange; isCurrent: IsCurrent; is_person: boolean },
): Promise<Workspace> {
  const { db, workspace, now } = at
  // The statements are sent together: one that waits for a lock is over before the next one begins.
  const [, stored] = await Promise.all([lock(at), read(at)])
  const before = toWorkspace(stored)
  if (!isCurrent(before)) throw preconditionFailed()
  if (Object.keys(change).length === 0) return before
  const { name = before.name, settings: changed_settings = {} } = change
  assertKind(before, changed_settings)
  if (!is_person) assertTwoFactorKept(before, changed_settings)
  else if (changed_settings.requires_two_factor && !before.settings.requires_two_factor)
    await at.hooks.run(at, requiring_two_factor, undefined)
  const { prices, mix, quiet_hours } = changed_settings
  const settings = {
    ...changed_settings,
    ...(prices && { prices: { ...stored.settings.prices, ...prices } }),
    ...(quiet_hours && { quiet_hours: changedQuietHours(stored, quiet_hours) }),
    ...(mix && { mix: changedMix(before, mix) }),
  }
  const changed = await db
    .one<StoredWorkspace<Workspace>>(
      sql`update workspaces set name = ${name}, settings = settings || ${JSON.stringify(settings)},
          updated_at = ${clock.laterThan(before.updated_at, now)}
        where id = ${workspace} returning ${all_columns}`,
    )
    .catch(onUniqueViolation(nameInUse))
  const after = toWorkspace(changed)
  if (quiet_hours) await at.hooks.run(at, quiet_hours_changed, after.settings.quiet_hours)
  return after
}

/**
 * Rejects settings of the other kind of workspace. `null` is what a live workspace has, so that the body of a GET can
 * be sent back.
 */
function assertKind({ kind }: Workspace, change: NonNullable<WorkspaceChange['settings']>): void {
  const faults = (['allows_network', 'mix'] as const)
    .filter((name) => change[name] !== undefined && (change[name] === null) !== (kind === 'live'))
    .map((name) => {
      const rule = kind === 'live' ? 'can only be set in a test workspace' : 'must not be null'
      return { path: `settings.${name}`, code: 'invalid', message: `settings.${name} ${rule}.` }
    })
  if (faults.length > 0) throw invalid(faults)
}

/** Rejects a change of `requires_two_factor`, because a key that leaks must not weaken how people sign in. */
function assertTwoFactorKept({ settings }: Workspace, change: NonNullable<WorkspaceChange['settings']>): void {
  const { requires_two_factor = settings.requires_two_factor } = change
  if (requires_two_factor !== settings.requires_two_factor)
    throw new Problem('FORBIDDEN', 'Only owners can change settings.requires_two_factor, in the dashboard.')
}

/**
 * Checks changed quiet hours. A client that mistakes them for the hours in which nobody may be reached would have
 * people called at night.
 */
function changedQuietHours({ settings }: StoredWorkspace, change: Partial<Settings['quiet_hours']>) {
  const changed = { ...settings.quiet_hours, ...change }
  const { start, end } = { ...default_settings.quiet_hours, ...changed }
  if (start < end) return changed
  const message = 'settings.quiet_hours.start must be before the end: campaigns reach people between the two.'
  throw invalid([{ path: 'settings.quiet_hours', code: 'invalid', message }])
}

function changedMix({ settings }: Workspace, change: Partial<Mix>): Mix {
  const mix = { ...default_mix, ...settings.mix, ...change }
  const sum = Object.values(mix).reduce((sum, share) => sum + share)
  if (sum === 100) return mix
  throw invalid([
    { path: 'settings.mix', code: 'invalid', message: `The shares of settings.mix must sum to 100, not to ${sum}.` },
  ])
}

const read = ({ db, workspace }: InWorkspace): Promise<StoredWorkspace<Workspace>> =>
  db.one<StoredWorkspace<Workspace>>(sql`select ${all_columns} from workspaces where id = ${workspace}`)

export const nameInUse = () => inUse('name', 'A workspace with this name already exists.', undefined)

/**
 * Locks the workspace until the transaction ends, so that a limit on the number of its items can be checked safely. The
 * row in `tenants` is locked: a sharded database has `workspaces` on every node, and to lock a row of it locks the
 * table on all of them.
 */
export const lock = ({ db, workspace }: InWorkspace): Promise<number> =>
  db.run(sql`select from ${tenantOf(workspace)} for no key update`)

/**
 * Shares the workspace's row until the transaction ends, unless the condition holds. Sharing waits for nobody, and only
 * `isShared` notices it. The condition reads tables of this workspace only.
 */
export const shareUnless = ({ db, workspace }: InWorkspace, condition: Sql): Promise<number> =>
  db.run(sql`select from ${tenantOf(workspace)} and not ${condition} for key share`)

/** Whether a transaction that is still open shares the workspace's row. */
export const isShared = async ({ db, workspace }: InWorkspace): Promise<boolean> =>
  (await db.run(sql`select from ${tenantOf(workspace)} for update skip locked`)) === 0

export const find = ({ db }: Pick<Unscoped, 'db'>, name: string): Promise<ListedWorkspace | undefined> =>
  db.maybe<ListedWorkspace>(sql`select ${columns} from workspaces where name = ${name}`)

export const list = ({ db }: Pick<Unscoped, 'db'>): Promise<ListedWorkspace[]> =>
  db.many<ListedWorkspace>(sql`select ${columns} from workspaces order by created_at, id`)

/**
 * Returns the workspaces in which a periodic task must look: those that `find` finds. In a sharded database this asks
 * all nodes. When one of them is down, `onNodeDown` gets the error, and all workspaces are returned, so that only those
 * of that node fail.
 */
export async function listToLookInto(
  { db }: Pick<Unscoped, 'db'>,
  find: (at: Pick<Unscoped, 'db'>) => Promise<{ workspace_id: string }[]>,
  onNodeDown?: (error: unknown) => void,
): Promise<string[]> {
  const found = await askAllNodes(db, (each) => find({ db: each }), onNodeDown)
  const ids = found ?? (await db.many<{ workspace_id: string }>(all_workspaces))
  return ids.map(({ workspace_id }) => workspace_id)
}

/** A join for other rooms, by a column with the workspace's id. Its columns are `workspace.id`, `.name`, `.kind` and `.created_at`. */
export const joinWorkspace = (workspace_id: Sql): Sql =>
  sql`join workspaces as workspace on workspace.id = ${workspace_id}`

/**
 * An SQL expression beside `joinWorkspace`: whether no workspace is older. The owners of the oldest decide about the
 * whole service.
 */
export const is_first: Sql = raw(`not exists (select from workspaces as older
  where (older.created_at, older.id) < (workspace.created_at, workspace.id))`)

/** An SQL expression beside `joinWorkspace`: its `default_country`. */
export const default_country: Sql = raw("workspace.settings ->> 'default_country'")

/** An SQL expression for other rooms: whether people use the workspace with this id only if they signed in with two factors. */
export const requiresTwoFactor = (workspace_id: Sql): Sql =>
  sql`exists (select from workspaces as workspace where workspace.id = ${workspace_id}
    and workspace.settings @> '{"requires_two_factor": true}')`

/** An SQL expression for other rooms: whether the workspace with this id is a test workspace. */
export const isTest = (workspace_id: Sql): Sql =>
  sql`exists (select from workspaces as workspace where workspace.id = ${workspace_id} and kind = 'test')`
