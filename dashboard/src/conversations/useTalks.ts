import { useInfiniteQuery } from '@tanstack/react-query'
import type { Call } from '../../../server/calls/schema.ts'
import type { Conversation } from '../../../server/conversations/schema.ts'
import { callsKey, refetchInFlight } from '../calls/call.ts'
import { useApi } from '../kit/api.ts'
import { endOf, type MergedList, rowsOf } from '../kit/merged-lists.ts'
import { pagesQuery } from '../kit/pages.ts'
import type { Query } from '../kit/request.ts'
import { listKey } from './conversation.ts'

/** A conversation in text, or a call. */
export type Talk = { id: string; time: string } & (
  | { type: 'conversation'; conversation: Conversation }
  | { type: 'call'; call: Call }
)

export function useConversationList(query: Query, is_enabled = true) {
  const api = useApi()
  const sorted = { ...query, sort: '-last_turn_at' }
  return useInfiniteQuery({
    ...pagesQuery<Conversation>(api, listKey(api), '/conversations', sorted),
    enabled: is_enabled,
  })
}

export function useCallList(query: Query, is_enabled = true) {
  const api = useApi()
  return useInfiniteQuery({
    ...pagesQuery<Call>(api, callsKey(api), '/calls', query),
    enabled: is_enabled,
    // Only one page is read again: a longer list would be read page by page each time.
    refetchInterval: ({ state }) => state.data?.pages.length === 1 && refetchInFlight(rowsOf(state)),
  })
}

/**
 * Reads conversations in text and calls, to be merged. Calls come from their own list: those that were not dialled have
 * no conversation, and those in which nobody spoke would be last among the conversations.
 */
export function useTalks(filters: Query, page_size: number, is_enabled = true): MergedList<Talk>[] {
  const query = { ...filters, limit: page_size }
  const conversations = useConversationList(query, is_enabled)
  const calls = useCallList(query, is_enabled)
  const rows = rowsOf(conversations)
  const call_rows = rowsOf(calls)
  const in_text = rows.filter(({ kind }) => kind !== 'voice')
  return [
    {
      query: conversations,
      items: in_text.map(toConversationTalk),
      end: endOf(rows, ({ last_turn_at }) => last_turn_at),
    },
    { query: calls, items: call_rows.map(toCallTalk), end: endOf(call_rows, ({ created_at }) => created_at) },
  ]
}

export const toConversationTalk = (conversation: Conversation): Talk => ({
  id: conversation.id,
  time: conversation.last_turn_at ?? conversation.created_at,
  type: 'conversation',
  conversation,
})

export const toCallTalk = (call: Call): Talk => ({ id: call.id, time: call.created_at, type: 'call', call })
