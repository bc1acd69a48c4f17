import type { Workspace } from '../../../server/workspaces/schema.ts'
import { changedFields } from '../kit/merge.ts'

type Settings = Workspace['settings']
export type Price = Exclude<keyof Settings['prices'], 'currency'>
export type Share = keyof NonNullable<Settings['mix']>

export const price_names: Record<Price, string> = {
  input_tokens_per_million: 'Million tokens read',
  output_tokens_per_million: 'Million tokens written',
  call_minute: 'Call minute',
  message_segment: 'SMS segment',
  speech_minute: 'Speech minute',
}
export const prices = Object.keys(price_names) as Price[]

export const share_names: Record<Share, string> = {
  answered: 'Answered',
  no_answer: 'No answer',
  voicemail: 'Voicemail',
  busy: 'Busy',
  rejected: 'Rejected',
  unreachable: 'Unreachable',
  error: 'Error',
}
export const shares = Object.keys(share_names) as Share[]

/** A number as its field has it: "" if the field is blank, a text if it is no number. */
type NumberValue = number | string

const number_settings = [
  'conversations_keep_days',
  'calls_keep_days',
  'recordings_keep_days',
  'tool_runs_keep_days',
  'tokens_per_day_max',
  'calls_in_flight_max',
] as const

/** The fields of the form of a workspace. */
export interface WorkspaceValues {
  name: string
  settings: Record<(typeof number_settings)[number], NumberValue> &
    Pick<
      Settings,
      'default_country' | 'requires_two_factor' | 'time_zone' | 'allowed_countries' | 'allows_network' | 'quiet_hours'
    > & {
      currency: string
      /** The prices in the currency, not in its millionths. */
      prices: Record<Price, NumberValue>
      /** The shares. They are null in a live workspace. */
      mix: Record<Share, NumberValue> | null
    }
}

export const fields = [
  'name',
  ...number_settings.map((name) => `settings.${name}`),
  'settings.default_country',
  'settings.requires_two_factor',
  'settings.time_zone',
  'settings.quiet_hours',
  'settings.quiet_hours.start',
  'settings.quiet_hours.end',
  'settings.allowed_countries',
  'settings.allows_network',
  'settings.mix',
  'settings.prices.currency',
  ...prices.map((name) => `settings.prices.${name}`),
]

const millionth = 1_000_000

export const toValues = ({ name, settings }: Workspace): WorkspaceValues => ({
  name,
  settings: {
    conversations_keep_days: settings.conversations_keep_days ?? '',
    calls_keep_days: settings.calls_keep_days ?? '',
    recordings_keep_days: settings.recordings_keep_days ?? '',
    tool_runs_keep_days: settings.tool_runs_keep_days ?? '',
    tokens_per_day_max: settings.tokens_per_day_max,
    calls_in_flight_max: settings.calls_in_flight_max,
    default_country: settings.default_country,
    requires_two_factor: settings.requires_two_factor,
    time_zone: settings.time_zone,
    allowed_countries: settings.allowed_countries,
    allows_network: settings.allows_network,
    quiet_hours: settings.quiet_hours,
    currency: settings.prices.currency,
    prices: {
      input_tokens_per_million: settings.prices.input_tokens_per_million / millionth,
      output_tokens_per_million: settings.prices.output_tokens_per_million / millionth,
      call_minute: settings.prices.call_minute / millionth,
      message_segment: settings.prices.message_segment / millionth,
      speech_minute: settings.prices.speech_minute / millionth,
    },
    mix: settings.mix,
  },
})

/** Returns only what was edited. */
export function toChanges(before: WorkspaceValues, values: WorkspaceValues): object {
  const { settings: _, ...changes } = changedFields(before, values)
  const { prices: _prices, quiet_hours, currency, mix, ...others } = changedFields(before.settings, values.settings)
  const prices = { ...(currency !== undefined && { currency }), ...changedPrices(before, values) }
  const settings = {
    ...Object.fromEntries(Object.entries(others).map(([name, value]) => [name, value === '' ? null : value])),
    ...(Object.keys(prices).length > 0 && { prices }),
    ...(mix && { mix }),
    ...(quiet_hours && { quiet_hours: changedFields(before.settings.quiet_hours, quiet_hours) }),
  }
  return { ...changes, ...(Object.keys(settings).length > 0 && { settings }) }
}

/** Returns the prices that differ. Text that is no number is sent as it is, and the server says so. */
const changedPrices = (before: WorkspaceValues, values: WorkspaceValues): object =>
  Object.fromEntries(
    Object.entries(changedFields(before.settings.prices, values.settings.prices)).map(([name, value]) => [
      name,
      typeof value === 'number' ? Math.round(value * millionth) : value,
    ]),
  )
