import type { ChannelWithSettings } from '../../../server/channels/schema.ts'
import { changedFields } from '../kit/merge.ts'

/** The fields of the form. The provider decides which of them are shown. */
export interface ChannelValues {
  provider: ChannelWithSettings['provider']
  kind: ChannelWithSettings['kind']
  name: string
  address: string
  agent_id: string | null
  origins: string[]
  account_sid: string
  /** A new token. If it is blank, the stored token is kept. */
  auth_token: string
  /** The URL of the API. If it is blank, it is Twilio's own. */
  api_url: string
  /** The limit, or "" if the field is blank. */
  messages_per_minute_max: number | string
  messages_per_day_max: number | string
  tokens_per_day_max: number | string
  /** Whether visitors of a web chat can also talk. */
  has_voice: boolean
}

export const toValues = (channel?: ChannelWithSettings): ChannelValues => ({
  provider: channel?.provider ?? 'web',
  kind: channel?.kind ?? 'web_chat',
  name: channel?.name ?? '',
  address: channel?.address ?? '',
  agent_id: channel?.agent_id ?? null,
  origins: channel?.origins ?? [],
  account_sid: channel?.account_sid ?? '',
  auth_token: '',
  api_url: channel?.api_url ?? '',
  messages_per_minute_max: channel?.messages_per_minute_max ?? '',
  messages_per_day_max: channel?.messages_per_day_max ?? '',
  tokens_per_day_max: channel?.tokens_per_day_max ?? '',
  has_voice: channel?.has_voice ?? false,
})

export const fields = Object.keys(toValues())

/** Makes the body of a new channel. Blank limits are left out, because they have defaults. */
export function toBody({
  provider,
  kind,
  has_voice,
  name,
  address,
  agent_id,
  origins,
  account_sid,
  auth_token,
  api_url,
}: ChannelValues) {
  const common = { provider, kind, name, agent_id }
  if (provider === 'web') return { ...common, origins, ...(kind === 'web_chat' && has_voice && { has_voice }) }
  const number = { ...common, address }
  if (provider === 'simulator') return number
  return { ...number, account_sid, auth_token, ...(api_url.trim() !== '' && { api_url }) }
}

/** Returns only what was edited. */
export function toChanges(before: ChannelValues, wanted: ChannelValues): object {
  const { tokens_per_day_max, ...changes } = changedFields(before, wanted)
  return {
    ...changes,
    ...(tokens_per_day_max !== undefined && {
      tokens_per_day_max: tokens_per_day_max === '' ? null : tokens_per_day_max,
    }),
  }
}
