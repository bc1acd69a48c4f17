import type { Candidate, DialedCampaign } from '../../server/campaigns/plan/candidate.ts'
import { default_caps, default_windows } from '../../server/campaigns/settings.ts'

/** A campaign that runs without limits, from Monday to Friday, 09:00 to 17:00. */
export const dialedCampaign = (changes: Partial<DialedCampaign> = {}): DialedCampaign => ({
  id: 'campaign',
  kind: 'voice',
  status: 'running',
  windows: default_windows,
  holidays: [],
  pacing: { in_flight_max: 10_000, starts_per_second: 1_000, ramp_minutes: 0 },
  retry: [],
  attempts_max: 4,
  caps: default_caps,
  starts_at: undefined,
  ends_at: undefined,
  running_since: 0,
  breaker_since: undefined,
  is_probing: false,
  quiet_hours: { start: '08:00', end: '21:00' },
  ...changes,
})

/** Someone in Berlin who was not called yet. */
export const candidate = (changes: Partial<Candidate> = {}): Candidate => ({
  id: 'enrollment',
  status: 'pending',
  attempts: 0,
  last_outcome: null,
  zones: ['Europe/Berlin'],
  refusal: undefined,
  open_until: undefined,
  attempted_at: [],
  outcomes: {},
  next_attempt_at: undefined,
  callback_at: undefined,
  rank: 0,
  ...changes,
})
