import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Conversation } from '../../../server/conversations/schema.ts'
import type { Event } from '../../../server/events/schema.ts'
import { describeActor } from '../events/describe.ts'
import { useApi } from '../kit/api.ts'
import { close_reason_names } from './conversation.ts'

/** A line of the transcript that nobody has said. */
export interface Note {
  id: string
  at: string
  text: string
}

const notes_max = 50

interface NotesOf extends Pick<Conversation, 'status'> {
  /** The conversation. It is null if there is none yet. */
  id: string | null
  /** Whether it is a call, whose end is shown above its transcript. */
  is_call?: boolean
}

/**
 * Tells when the conversation was handed over, returned and closed, by its events. Events that are no longer kept are
 * left out.
 */
export function useNotes({ id, status, is_call = false }: NotesOf): Note[] {
  const api = useApi()
  const { data } = useQuery({
    // The status is in the key, because each change of it is an event.
    queryKey: [api.workspace, 'conversations', 'notes', id, status],
    queryFn: async ({ signal }) => {
      const types = (['handed_over', 'taken_back', 'closed'] as const).filter((name) => !is_call || name !== 'closed')
      const pages = await Promise.all(
        types.map(async (name) => {
          const query = { resource_id: id, type: `conversation.${name}`, limit: notes_max }
          const { data } = await api.list<Event>('/events', query, signal)
          return data.map((event) => ({ id: event.id, at: event.created_at, text: texts[name](event) }))
        }),
      )
      return pages.flat().sort((one, other) => (one.at < other.at ? -1 : 1))
    },
    enabled: id !== null,
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
    // The actor says more than these two reasons.
    if (!reason || reason === 'human_ended' || reason === 'api') return `Closed${by(event)}`
    return close_reason_names[reason]
  },
}

/** Returns the data of an event. Events of a redacted conversation have only its id. */
const dataOf = ({ data }: Event): Partial<Conversation> => data

function by(event: Event): string {
  const { actor } = event
  if (!actor || actor.type === 'system') return ''
  if (actor.type === 'agent') return ' by the agent'
  return actor.name === null ? by_unnamed[actor.type] : ` by ${describeActor(event)}`
}

const by_unnamed = {
  person: ' by a person',
  key: ' over the API',
  integration: ' by an integration',
  operator: ' on the command line',
}
