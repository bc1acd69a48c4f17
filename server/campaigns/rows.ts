import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { join, raw, sql } from '../kit/postgres/sql.ts'
import { insertInto, selected, type Table } from '../kit/postgres/table.ts'
import type { Settings } from './check.ts'
import { Campaign } from './schema.ts'

/** What clients can set. */
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

/** Due work and notifications have its name too. */
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

/** Of `campaigns` with `joinCounts`. */
export const columns = selected(table, { members, computed: { agent_version, counts: 'counts' } })

/** The opposite of `columns`. */
const valuesOf = <Shown extends Settings>({ agent_version, ...values }: Shown) => ({
  ...values,
  version_id: agent_version?.id ?? null,
  version_label: agent_version?.version_label ?? null,
})

export async function insertRow({ db, workspace }: At, row: Omit<Campaign, 'pause_reason' | 'counts'>): Promise<void> {
  const names = ['id', 'status', ...setting_columns, 'created_at', 'updated_at'] as const
  await db.run(insertInto(table, { workspace, names, rows: [valuesOf(row)] }))
}

/** The new values of columns. Others stay. */
type Changes = { [column in keyof typeof table.columns]?: unknown }

function updateRow({ db, workspace }: At, id: string, changes: Changes): Promise<number> {
  const types: Record<string, string> = table.columns
  const set = Object.entries(changes).map(
    ([column, value]) => sql`${raw(column)} = ${types[column] === 'jsonb' ? JSON.stringify(value) : value}`,
  )
  return db.run(sql`update campaigns set ${join(set, ', ')} where workspace_id = ${workspace} and id = ${id}`)
}

/** The campaign is locked. The dialer looks at it again if it runs, or when it begins. */
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
