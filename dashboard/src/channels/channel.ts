import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Agent } from '../../../server/agents/schema.ts'
import type { Channel, ChannelWithSettings } from '../../../server/channels/schema.ts'
import type { Api } from '../kit/api.ts'
import { formatPhoneNumber } from '../kit/phone-number.ts'
import { readAll } from '../kit/read-all.ts'

const kind_names: Record<Channel['kind'], string> = { web_chat: 'Web chat', sms: 'SMS', voice: 'Voice' }
export const status_names: Record<Channel['status'], string> = {
  active: 'Active',
  disabled: 'Disabled',
  failing: 'Failing',
}
/** A workspace can have this many channels. */
const channels_max = 100
const agents_max = 1_000

/** "SMS by Twilio", "Telephone by Twilio", "Web chat", "Web voice". */
export function describeChannel({ kind, provider }: Pick<Channel, 'kind' | 'provider'>): string {
  if (provider === 'simulator') return `${kind_names[kind]} simulator`
  if (provider === 'twilio') return kind === 'voice' ? 'Telephone by Twilio' : `${kind_names[kind]} by Twilio`
  return kind === 'voice' ? 'Web voice' : kind_names[kind]
}

/** "Front desk · +1 415 555 0100". Only owners know the number. */
export const channelOption = ({ id, name, address }: Channel) => ({
  value: id,
  label: address ? `${name} · ${formatPhoneNumber(address)}` : name,
})

export const channelsQuery = (api: Api) =>
  queryOptions({
    queryKey: [api.workspace, 'channels', 'list'],
    queryFn: ({ signal }) => api.list<Channel>('/channels', { limit: channels_max }, signal),
  })

/** Reads a channel with its settings, which only owners may do. */
export const channelQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'channels', id],
    queryFn: ({ signal }) => api.get<ChannelWithSettings>(`/channels/${id}/settings`, {}, signal),
  })

/** Shows in the page and in the list what the server has answered. */
export function showChanged(client: QueryClient, api: Api, channel: ChannelWithSettings): void {
  client.setQueryData(channelQuery(api, channel.id).queryKey, channel)
  void client.invalidateQueries(channelsQuery(api))
}

/** Reads all agents to choose from. */
export const agentsQuery = (api: Api) =>
  queryOptions({
    queryKey: [api.workspace, 'agents', 'all'],
    // A form also offers what was just created elsewhere.
    staleTime: 0,
    queryFn: ({ signal }) => readAll<Agent>(api, '/agents', { items_max: agents_max, signal }),
  })
