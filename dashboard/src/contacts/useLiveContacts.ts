import { useRef } from 'react'
import type { Event } from '../../../server/events/schema.ts'
import { event_types } from '../events/event-types.ts'
import { useApi } from '../kit/api.ts'
import { useStream } from '../kit/stream.ts'
import { useSteadyRefresh } from '../kit/useSteadyRefresh.ts'

type ContactEvent = Pick<Event, 'type' | 'resource_id'>

const types = event_types.filter((type) => type.startsWith('contact.'))

/**
 * Tells what others do with contacts, some events at a time, and the next ones when the returned promise has settled. After a lost
 * connection there may be more: `undefined`.
 */
export function useLiveContacts(onEvents: (events: ContactEvent[] | undefined) => unknown): void {
  const api = useApi()
  const latest = useRef(onEvents)
  latest.current = onEvents
  const waiting = useRef<ContactEvent[]>([])
  const tell = useSteadyRefresh(() => {
    const events = waiting.current
    waiting.current = []
    return latest.current(events)
  })
  useStream<{ type: Event['type']; data: Event }>(api.workspace, {
    path: '/events/stream',
    query: { type: 'contact.*' },
    types,
    onOpen: () => latest.current(undefined),
    onMessages: (messages) => {
      waiting.current.push(...messages.map(({ data }) => data))
      tell()
    },
  })
}
