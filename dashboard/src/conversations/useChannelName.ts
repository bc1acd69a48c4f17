import { useQuery } from '@tanstack/react-query'
import type { Conversation } from '../../../server/conversations/schema.ts'
import { channelsQuery } from '../channels/channel.ts'
import { useApi } from '../kit/api.ts'

const stale_ms = 60_000

/** Returns the name of the channel. It is undefined until it is known, and for conversations over the API. */
export function useChannelName({ channel_id }: Pick<Conversation, 'channel_id'>): string | undefined {
  const { data } = useQuery({ ...channelsQuery(useApi()), enabled: channel_id !== null, staleTime: stale_ms })
  return data?.data.find(({ id }) => id === channel_id)?.name
}
