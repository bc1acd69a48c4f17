import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Conversation, Turn } from '../../../server/conversations/schema.ts'
import { useApi } from '../kit/api.ts'

interface Options {
  is_shown?: boolean
  /** For this long the turn isn't read again. The status of its message may change. */
  staleTime?: number
}

interface LastTurn {
  /** The turn. It is undefined until it is read, and when there is none. */
  turn: Turn | undefined
  is_loading: boolean
}

/** Reads the last turn of a conversation. */
export function useLastTurn({ id, turn_count, redacted_at }: Conversation, options: Options = {}): LastTurn {
  const { is_shown = true, ...others } = options
  const api = useApi()
  const has_one = turn_count > 0 && redacted_at === null
  const { data, isPending } = useQuery({
    queryKey: [api.workspace, 'conversations', 'last_turn', id, turn_count],
    queryFn: ({ signal }) => api.list<Turn>(`/conversations/${id}/turns`, { after: turn_count - 1, limit: 1 }, signal),
    enabled: is_shown && has_one,
    placeholderData: keepPreviousData,
    ...others,
  })
  return { turn: data?.data[0], is_loading: has_one && isPending }
}
