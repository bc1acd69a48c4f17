import type { Mix, Settings } from './schema.ts'

export const default_mix: Mix = {
  answered: 45,
  no_answer: 25,
  voicemail: 20,
  busy: 4,
  rejected: 3,
  unreachable: 2,
  error: 1,
}

/** The default of each setting. A new setting needs no migration: a workspace that has not set it has the default. */
export const default_settings: Settings = {
  default_country: null,
  requires_two_factor: false,
  conversations_keep_days: null,
  calls_keep_days: null,
  recordings_keep_days: 90,
  tool_runs_keep_days: 90,
  tokens_per_day_max: 2_000_000,
  calls_in_flight_max: 100,
  time_zone: 'UTC',
  allowed_countries: null,
  prices: {
    currency: 'USD',
    input_tokens_per_million: 0,
    output_tokens_per_million: 0,
    call_minute: 0,
    message_segment: 0,
    speech_minute: 0,
  },
  quiet_hours: { start: '08:00', end: '21:00' },
  allows_network: null,
  mix: null,
}
