import type { FoundAgent } from '../../agents/schema.ts'
import type { StoredChannel } from '../../channels/store.ts'
import type { Beginning } from '../../conversations/begin.ts'
import type { Mix } from '../../workspaces/schema.ts'
import type { DueEnrollment } from '../dial/candidates.ts'
import type { StoredCampaign } from '../stored-campaign.ts'

/** The input of a thread that forecasts a campaign. It is plain data. */
export interface ForecastJob {
  workspace: string
  campaign: StoredCampaign
  agent: FoundAgent
  /** The versions by their ids. */
  versions: Record<string, Beginning['version']>
  channel: StoredChannel
  /** A random choice of the enrollments, in random order. */
  due: DueEnrollment[]
  /** The number of all enrollments, of which `due` has some. */
  total: number
  calls_in_flight_max: number
  /** The time zone of the workspace. */
  time_zone: string
  /** The calls of the workspace that go on at the begin, and about when they end. */
  in_flight: { ended_at: number; campaign_id: string | null }[]
  seed: number
  mix: Mix
  /** Whether the last two digits of a number choose a person, as in test workspaces. */
  is_by_number: boolean
  /** The duration of an answered call, for agents that a model drives. */
  answered_ms: number
  from: number
  until: number
}

/** Returns how many contacts each simulated contact stands for. */
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
  /** The enrollments at the end. */
  ends: { status: string; reason: string | null }[]
  is_complete: boolean
}

export interface SimulatedForecast {
  job: ForecastJob
  result: ForecastResult
}
