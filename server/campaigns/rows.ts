import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { join, raw, sql } from '../kit/postgres/sql.ts'
import { insertInto, selectorOf, type Table } from '../kit/postgres/table.ts'
import type { Settings } from './check.ts'
import { Campaign } from './schema.ts'

/** A campaign is held for this long. Pausing it takes less time, and if that fails, the dialer goes on after this. */
const held_ms = 30_000

/** The columns that clients can set. */
const settable = {
  name: 'text',
  kind: 'text',
  agent_id: 'uuid',
  version_id: 'uuid',
  version_label: 'text',
  channel_ids: 'uuid[]',
  variables: 'jsonb',
  windows: 'jsonb',
  time_zone: 'text',
  holidays: 'jsonb',
  pacing: 'jsonb',
  retry: 'jsonb',
  attempts_max: 'integer',
  caps: 'jsonb',
  consent: 'text',
  voicemail: 'text',
  starts_at: 'timestamptz',
  ends_at: 'timestamptz',
}

/** The table. Due work and notifications have its name, too. */
export const table = {
  name: 'campaigns',
  columns: {
    id: 'uuid',
    status: 'text',
    pause_reason: 'text',
    ...settable,
    running_since: 'timestamptz',
    decided_at: 'timestamptz',
    breaker_since: 'timestamptz',
    is_probing: 'boolean',
    held_until: 'timestamptz',
    must_review: 'boolean',
    progress_at: 'timestamptz',
    not_enrolled: 'integer',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    due_at: 'timestamptz',
    lease_until: 'timestamptz',
    lease_token: 'uuid',
    attempt: 'smallint',
  },
} satisfies Table<string>

// The keys of a literal are those of its type, and so are those of a schema.
const setting_columns = Object.keys(settable) as (keyof typeof settable)[]
const members = Object.keys(Campaign.properties) as (keyof Campaign)[]

export const agent_version = `case when version_id is not null
  then jsonb_build_object('id', version_id, 'version_label', version_label) end`

/** The columns of `campaigns` with `joinCounts`. */
export const columns = selectorOf<Campaign, keyof typeof table.columns>(table, { agent_version, counts: 'counts' })(
  members,
)

/** Converts what `columns` selects to values of columns. */
const valuesOf = <Shown extends Settings>({ agent_version, ...values }: Shown) => ({
  ...values,
  version_id: agent_version?.id ?? null,
  version_label: agent_version?.version_label ?? null,
})

export async function insertRow(at: At, row: Omit<Campaign, 'pause_reason' | 'counts'>): Promise<void> {
  const names = ['id', 'status', ...setting_columns, 'created_at', 'updated_at'] as const
  await at.db.run(insertInto(table, at, { names, rows: [valuesOf(row)] }))
}

/** The new values of columns. Columns that are not named stay as they are. */
export type Changes = { [column in keyof typeof table.columns]?: unknown }

/** Updates a campaign. Returns 0 if there is no such campaign, or the condition doesn't hold. */
function updateRow({ db, workspace }: At, id: string, changes: Changes, condition = raw('')): Promise<number> {
  const types: Record<string, string> = table.columns
  const set = Object.entries(changes).map(
    ([column, value]) => sql`${raw(column)} = ${types[column] === 'jsonb' ? JSON.stringify(value) : value}`,
  )
  return db.run(
    sql`update campaigns set ${join(set, ', ')} where workspace_id = ${workspace} and id = ${id} ${condition}`,
  )
}

/** Writes the settings of a locked campaign. The dialer looks at it again if it runs, or when it begins. */
export async function updateSettings(
  at: At,
  { id, updated_at }: Campaign,
  { must_review, ...settings }: Settings & { must_review: boolean },
): Promise<void> {
  const now = clock.iso(at.now)
  await updateRow(at, id, {
    ...valuesOf(settings),
    must_review: sql`must_review or ${must_review}`,
    due_at: sql`case when status = 'running' then ${now}
      when status = 'scheduled' then ${settings.starts_at ?? now} else due_at end`,
    updated_at: clock.laterThan(updated_at, at.now),
  })
  at.db.notify({ topic: table.name, workspace: at.workspace })
}

/** Writes the new status of a locked campaign, with other changes. */
export const updateStatus = (at: At, { id, updated_at }: Campaign, changes: Changes): Promise<number> =>
  updateRow(at, id, { pause_reason: null, ...changes, updated_at: clock.laterThan(updated_at, at.now) })

interface Decision {
  /** When the dialer looks at the campaign next. */
  due_at: number | undefined
  decided_at?: number
  is_probing?: boolean
  progress_at?: number | undefined
}

/**
 * Records what the dialer has decided for a campaign, which the transaction has locked. Members that are not given stay
 * as they are.
 */
export const recordDecision = (at: At, id: string, decision: Decision): Promise<number> =>
  updateRow(at, id, {
    due_at: clock.isoOptional(decision.due_at),
    decided_at: sql`coalesce(${clock.isoOptional(decision.decided_at)}, decided_at)`,
    is_probing: sql`coalesce(${decision.is_probing ?? null}, is_probing)`,
    progress_at: sql`coalesce(${clock.isoOptional(decision.progress_at)}, progress_at)`,
  })

/** Counts contacts that were not enrolled, which the progress of the campaign shows. */
export const countNotEnrolled = (at: At, id: string, count: number): Promise<number> =>
  updateRow(at, id, { not_enrolled: sql`not_enrolled + ${count}` })

export const endReview = (at: At, id: string): Promise<number> => updateRow(at, id, { must_review: false })

/**
 * Stops claims of new attempts. A campaign that was paused by the dialer is held, too, because its attempts may still
 * go out. Returns false if there can be none.
 */
export async function stopClaims(at: At, id: string): Promise<boolean> {
  const held_until = clock.iso(at.db.time() + held_ms)
  return (await updateRow(at, id, { held_until }, sql`and status in ('running', 'paused')`)) > 0
}

/** Lets the dialer look at a running campaign again, because its enrollments have changed. */
export async function wake(at: At, { id, status }: Pick<Campaign, 'id' | 'status'>): Promise<void> {
  if (status !== 'running') return
  await updateRow(at, id, { due_at: clock.iso(at.now) }, sql`and status = 'running'`)
  at.db.notify({ topic: table.name, workspace: at.workspace })
}

/** Lets the dialer look at a canceled campaign when one of its enrollments is due. */
export function wakeForRest(at: At, id: string): Promise<number> {
  const of_campaign = sql`workspace_id = ${at.workspace} and campaign_id = ${id}`
  return updateRow(at, id, {
    due_at: sql`(select min(due_at) from enrollments where ${of_campaign} and due_at is not null)`,
  })
}

/**
 * Lets the dialer look at campaigns at these times, at the latest. Locks the campaigns, so call this before anything is
 * counted.
 */
export async function wakeAt({ db, workspace }: At, wakes: { campaign_id: string; time: number }[]): Promise<void> {
  if (wakes.length === 0) return
  const earliest = new Map<string, number>()
  for (const { campaign_id, time } of wakes)
    earliest.set(
      campaign_id,
      Math.min(earliest.get(campaign_id) ?? Number.POSITIVE_INFINITY, clock.ceilTo(time, clock.second_ms)),
    )
  const sorted = [...earliest].sort(([left], [right]) => (left < right ? -1 : 1))
  await db.run(
    sql`update campaigns set due_at = row.due_at
      from unnest(${sorted.map(([id]) => id)}::uuid[], ${sorted.map(([, time]) => clock.iso(time))}::timestamptz[])
        as row (id, due_at)
      where campaigns.workspace_id = ${workspace} and campaigns.id = row.id and campaigns.status in ('running', 'canceled')
        and (campaigns.due_at is null or campaigns.due_at > row.due_at)`,
  )
  db.notify({ topic: table.name, workspace })
}

/** Locks campaigns in the order of their ids, and lets the dialer look at those that run. */
export async function lockAndWake({ db, workspace, now }: At, ids: string[]): Promise<void> {
  await db.run(
    sql`update campaigns set due_at = case when status = 'running' then least(due_at, ${clock.iso(now)}) else due_at end
      where workspace_id = ${workspace} and id = any(array(
        select id from campaigns where workspace_id = ${workspace} and id = any(${ids}::uuid[])
        order by id for no key update))`,
  )
  db.notify({ topic: table.name, workspace })
}

/** Lets the dialer look again at contacts who wait for other hours. */
export async function reviewAll({ db, workspace, now }: At): Promise<void> {
  await db.run(
    sql`update campaigns set must_review = true, due_at = case when status = 'running' then ${clock.iso(now)} else due_at end
      where workspace_id = ${workspace} and status in ('running', 'paused')`,
  )
  db.notify({ topic: table.name, workspace })
}

export const deleteRow = ({ db, workspace }: At, id: string): Promise<number> =>
  db.run(sql`delete from campaigns where workspace_id = ${workspace} and id = ${id}`)
