import type { Campaign } from '../../../server/campaigns/schema.ts'
import { changedFields } from '../kit/merge.ts'
import { fromFieldTime, toFieldTime } from '../kit/time-field.ts'
import type { AttemptOutcome } from './campaign.ts'
import { default_windows, toWeek, toWindows, type Week } from './hours.ts'
import { formatWaits, parseWaits } from './waits.ts'

/** A number as its field has it. It is "" if the field is blank. */
type NumberValue = number | string

/** A rule of `retry`, with the waits as people write them. */
interface RetryValues {
  outcome: AttemptOutcome
  attempts_max: NumberValue
  waits: string
}

/** The fields of the forms. Times are as a field of the browser writes them. */
export interface CampaignValues {
  name: string
  kind: Campaign['kind']
  agent_id: string | null
  channel_ids: string[]
  consent: Campaign['consent']
  voicemail: Campaign['voicemail']
  windows: Week
  time_zone: string | null
  holidays: string[]
  starts_at: string
  ends_at: string
  attempts_max: NumberValue
  pacing: { in_flight_max: NumberValue; starts_per_second: NumberValue; ramp_minutes: NumberValue }
  caps: { per_day: NumberValue; per_week: NumberValue; gap_hours_min: NumberValue }
  retry: RetryValues[]
}

export function toValues(campaign?: Campaign): CampaignValues {
  return {
    name: campaign?.name ?? '',
    kind: campaign?.kind ?? 'voice',
    agent_id: campaign?.agent_id ?? null,
    channel_ids: campaign?.channel_ids ?? [],
    consent: campaign?.consent ?? 'not_opted_out',
    voicemail: campaign?.voicemail ?? 'hang_up',
    windows: toWeek(campaign?.windows ?? default_windows),
    time_zone: campaign?.time_zone ?? null,
    holidays: campaign?.holidays ?? [],
    starts_at: campaign?.starts_at ? toFieldTime(campaign.starts_at) : '',
    ends_at: campaign?.ends_at ? toFieldTime(campaign.ends_at) : '',
    attempts_max: campaign?.attempts_max ?? 4,
    pacing: campaign?.pacing ?? { in_flight_max: 10, starts_per_second: 1, ramp_minutes: 0 },
    caps: campaign?.caps ?? { per_day: 1, per_week: 3, gap_hours_min: 4 },
    retry: (campaign?.retry ?? []).map(({ waits_seconds, ...rule }) => ({
      ...rule,
      waits: formatWaits(waits_seconds),
    })),
  }
}

/** The labels of fields that are not labeled with their names. */
export const campaign_labels = {
  kind: 'Contact people by',
  agent_id: 'Agent',
  channel_id: 'Channel',
  channel_ids: 'Channels',
  consent: 'Who may be contacted',
  windows: 'Hours',
  time_zone: 'Default time zone',
  attempts_max: 'Attempts',
  in_flight_max: 'At the same time',
  ramp_minutes: 'Ramp-up',
  gap_hours_min: 'Hours between attempts',
  retry: 'Retries by outcome',
}

export const agent_fields = ['name', 'kind', 'agent_id', 'channel_ids', 'consent', 'voicemail']
const schedule_fields = [
  'windows',
  'time_zone',
  'holidays',
  'starts_at',
  'ends_at',
  'attempts_max',
  'retry',
  'pacing.in_flight_max',
  'pacing.starts_per_second',
  'pacing.ramp_minutes',
  'caps.per_day',
  'caps.per_week',
  'caps.gap_hours_min',
]
export const fields = [...agent_fields, ...schedule_fields]

/** The fields that the server takes while a campaign is running or paused. */
export const running_names = ['name', 'windows', 'holidays', 'pacing', 'retry', 'caps', 'ends_at']

export const toBody = ({ windows, starts_at, ends_at, retry, ...values }: CampaignValues) => ({
  ...values,
  windows: toWindows(windows),
  starts_at: starts_at === '' ? null : fromFieldTime(starts_at),
  ends_at: ends_at === '' ? null : fromFieldTime(ends_at),
  retry: retry.map(({ waits, ...rule }) => ({ ...rule, waits_seconds: parseWaits(waits) })),
})

/** Returns only the fields that were edited, and that may be edited now. */
export function toChanges(before: CampaignValues, wanted: CampaignValues, is_started: boolean): object {
  const changed = Object.keys(changedFields(before, wanted))
  const isSent = (name: string) => changed.includes(name) && (!is_started || running_names.includes(name))
  return Object.fromEntries(Object.entries(toBody(wanted)).filter(([name]) => isSent(name)))
}
