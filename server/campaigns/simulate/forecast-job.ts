import type { FoundAgent } from '../../agents/schema.ts'
import type { StoredChannel } from '../../channels/store.ts'
import type { Beginning } from '../../conversations/begin.ts'
import type { Mix } from '../../workspaces/schema.ts'
import type { DueEnrollment } from '../dial/candidates.ts'
import type { StoredCampaign } from '../stored-campaign.ts'

/** What a thread needs to forecast a campaign. It is plain data. */
export interface ForecastJob {
  workspace: string
  campaign: StoredCampaign
  agent: FoundAgent
  /** Each version stands under its id. */
  versions: Record<string, Beginning['version']>
  channel: StoredChannel
  /** A random choice, in random order. */
  due: DueEnrollment[]
  /** How many there are, of which these are some. */
  total: number
  calls_in_flight_max: number
  /** The workspace has this time zone. */
  time_zone: string
  /** Calls of the workspace that go on at the begin, and when they end, about. */
  in_flight: { ended_at: number; campaign_id: string | null }[]
  seed: number
  mix: Mix
  /** Whether the last two digits of a number choose a person: in test workspaces. */
  is_by_number: boolean
  /** How long an answered call takes, for agents that a model drives. */
  answered_ms: number
  from: number
  until: number
}

/** How many contacts each of those that are simulated stands for. */
export const scaleOf = ({ total, due }: Pick<ForecastJob, 'total' | 'due'>): number =>
  due.length === 0 ? 1 : total / due.length

/** An attempt of a forecast. */
export interface ForecastAttempt {
  at: number
  ended_at: number
  outcome: string
}

export interface ForecastResult {
  attempts: ForecastAttempt[]
  /** The enrollments as they are at the end. */
  ends: { status: string; reason: string | null }[]
  is_complete: boolean
}

export interface Simulated {
  job: ForecastJob
  result: ForecastResult
}
