import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useContext } from 'react'
import type { Turn } from '../../../server/conversations/schema.ts'
import { useApi } from '../kit/api.ts'
import { NowContext } from '../kit/now.ts'
import { turnsQuery } from './conversation.ts'

const poll_ms = 2_000
const turns_at_once = 100
/** Messages are followed for this long, because some carriers never report that one was delivered. */
const wait_ms = 10 * 60_000

/** Follows messages that are on their way: the conversation's stream sends each turn only once. */
export function useMessageStatuses(conversation_id: string, turns: Turn[] = []): void {
  const api = useApi()
  const client = useQueryClient()
  const now = useContext(NowContext)
  const findWaiting = () =>
    turns.find(
      ({ message, created_at }) =>
        (message?.status === 'queued' || message?.status === 'sent') && now() - Date.parse(created_at) < wait_ms,
    )
  useQuery({
    queryKey: [api.workspace, 'conversations', 'statuses', conversation_id],
    queryFn: async ({ signal }) => {
      const query = { after: (findWaiting()?.seq ?? 1) - 1, limit: turns_at_once }
      const { data } = await api.list<Turn>(`/conversations/${conversation_id}/turns`, query, signal)
      const by_seq = new Map(data.map((turn) => [turn.seq, turn]))
      const { queryKey } = turnsQuery(api, conversation_id)
      client.setQueryData(queryKey, (known) => known?.map((turn) => by_seq.get(turn.seq) ?? turn))
      return null
    },
    enabled: findWaiting() !== undefined,
    refetchInterval: () => (findWaiting() ? poll_ms : false),
  })
}
