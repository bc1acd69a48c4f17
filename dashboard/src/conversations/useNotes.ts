import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Conversation } from '../../../server/conversations/schema.ts'
import type { Event } from '../../../server/events/schema.ts'
import { useApi } from '../kit/api.ts'
import { close_reason_names } from './conversation.ts'

/** A line of the transcript that nobody has said. */
export interface Note {
  id: string
  at: string
  text: string
}

const notes_max = 50

/** When the conversation was handed over, returned and closed, by its events. Those that are no longer kept are left out. */
export function useNotes({ id, status }: Pick<Conversation, 'id' | 'status'>): Note[] {
  const api = useApi()
  const { data } = useQuery({
    // Each change of the status is an event.
    queryKey: [api.workspace, 'conversations', 'notes', id, status],
    queryFn: async ({ signal }) => {
      const types = ['handed_over', 'taken_back', 'closed'] as const
      const pages = await Promise.all(
        types.map(async (name) => {
          const query = { resource_id: id, type: `conversation.${name}`, limit: notes_max }
          const { data } = await api.list<Event>('/events', query, signal)
          return data.map((event) => ({ id: event.id, at: event.created_at, text: texts[name](event) }))
        }),
      )
      return pages.flat().sort((one, other) => (one.at < other.at ? -1 : 1))
    },
    placeholderData: keepPreviousData,
  })
  return data ?? []
}

const texts = {
  handed_over: (event: Event) => {
    const reason = dataOf(event).hand_over_reason?.replace(/\.$/, '')
    return `Handed over${by(event)}${reason ? `: ${reason}` : ''}`
  },
  taken_back: (event: Event) => `Returned to the agent${by(event)}`,
  closed: (event: Event) => {
    const reason = dataOf(event).close_reason
    return reason ? close_reason_names[reason] : 'Closed'
  },
}

/** The events of a redacted conversation have only its id. */
const dataOf = ({ data }: Event): Partial<Conversation> => data

function by({ actor }: Event): string {
  if (actor?.type === 'agent') return ' by the agent'
  return actor?.type === 'person' && actor.name ? ` by ${actor.name}` : ''
}
