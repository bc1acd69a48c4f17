import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Conversation, Turn } from '../../../server/conversations/schema.ts'
import { useApi } from '../kit/api.ts'

interface Options {
  is_shown?: boolean
  /** How long it isn't read again. The status of its message may change. */
  staleTime?: number
}

/** The last turn of a conversation. Undefined until it is read, and when there is none. */
export function useLastTurn({ id, turn_count, redacted_at }: Conversation, options: Options = {}): Turn | undefined {
  const { is_shown = true, ...others } = options
  const api = useApi()
  const { data } = useQuery({
    queryKey: [api.workspace, 'conversations', 'last_turn', id, turn_count],
    queryFn: ({ signal }) => api.list<Turn>(`/conversations/${id}/turns`, { after: turn_count - 1, limit: 1 }, signal),
    enabled: is_shown && turn_count > 0 && redacted_at === null,
    placeholderData: keepPreviousData,
    ...others,
  })
  return data?.data[0]
}
