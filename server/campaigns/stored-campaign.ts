import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { isHeld, type Lease, leaseLost } from '../kit/work/rows.ts'
import * as workspaces from '../workspaces/store.ts'
import type { DialedCampaign } from './plan/candidate.ts'
import { agent_version } from './rows.ts'
import type { Campaign } from './schema.ts'

/** A campaign as the dialer reads it. */
export interface StoredCampaign
  extends DialedCampaign,
    Omit<Campaign, keyof DialedCampaign | 'name' | 'counts' | 'created_at' | 'updated_at'> {
  /** When the dialer looks at the campaign next. */
  due_at: number | undefined
  /** The last second in which the dialer has decided. */
  decided_at: number | undefined
  progress_at: number | undefined
  /** Until this wall time nothing is dialled, because someone is about to pause or cancel the campaign. */
  held_until: number | undefined
  /** Whether hours or limits have changed, so that enrollments that wait are looked at again. */
  must_review: boolean
}

type Times =
  | ('starts_at' | 'ends_at' | 'running_since' | 'breaker_since')
  | ('due_at' | 'decided_at' | 'progress_at' | 'held_until')
type Row = Omit<StoredCampaign, Times | 'quiet_hours'> & Record<Times, string | null>

const columns =
  raw(`id, kind, status, pause_reason, windows, holidays, pacing, retry, attempts_max, caps, starts_at, ends_at, running_since,
  breaker_since, is_probing, must_review, agent_id, channel_ids, variables, consent, voicemail, time_zone, due_at, decided_at, progress_at,
  held_until,
  ${agent_version} as agent_version`)

/** Locks the campaign until the transaction ends. Throws when the lease is lost. */
export async function lockLeased(at: At, lease: Lease): Promise<StoredCampaign> {
  const campaign = await readCampaign(at, sql`${isHeld(lease)} for no key update`)
  if (!campaign) throw leaseLost()
  return campaign
}

/** Reads a campaign. Returns undefined if there is none. */
export async function readCampaign(at: At, where: Sql): Promise<StoredCampaign | undefined> {
  return (await readCampaigns(at, where))[0]
}

export async function readCampaigns(at: At, where: Sql): Promise<StoredCampaign[]> {
  const [rows, { quiet_hours }] = await Promise.all([
    at.db.many<Row>(sql`select ${columns} from campaigns where ${where}`),
    workspaces.readSettings(at),
  ])
  return rows.map((row) => ({
    ...row,
    quiet_hours,
    due_at: clock.parseOptional(row.due_at),
    starts_at: clock.parseOptional(row.starts_at),
    ends_at: clock.parseOptional(row.ends_at),
    running_since: clock.parseOptional(row.running_since),
    breaker_since: clock.parseOptional(row.breaker_since),
    decided_at: clock.parseOptional(row.decided_at),
    progress_at: clock.parseOptional(row.progress_at),
    held_until: clock.parseOptional(row.held_until),
  }))
}

/** Reads the settings that decide when the next attempts of campaigns follow. */
export async function readRetries(
  { db, workspace }: At,
  ids: string[],
): Promise<Map<string, Pick<StoredCampaign, 'id' | 'kind' | 'status' | 'retry' | 'attempts_max'>>> {
  const rows = await db.many<Pick<StoredCampaign, 'id' | 'kind' | 'status' | 'retry' | 'attempts_max'>>(
    sql`select id, kind, status, retry, attempts_max from campaigns where workspace_id = ${workspace} and id = any(${ids}::uuid[])`,
  )
  return new Map(rows.map((row) => [row.id, row]))
}
