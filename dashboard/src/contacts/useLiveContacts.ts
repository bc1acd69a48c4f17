import { useRef } from 'react'
import type { Event } from '../../../server/events/schema.ts'
import { useEvents } from '../events/workspace-events.tsx'
import { useSteadyRefresh } from '../kit/useSteadyRefresh.ts'

type ContactEvent = Pick<Event, 'type' | 'resource_id'>

/**
 * Tells what others do with contacts, some events at a time, and the next ones when the returned promise has settled.
 * With `undefined`, earlier events may have been missed, as at the start and after a lost connection.
 */
export function useLiveContacts(onEvents: (events: ContactEvent[] | undefined) => unknown): void {
  const latest = useRef(onEvents)
  latest.current = onEvents
  const waiting = useRef<ContactEvent[]>([])
  const tell = useSteadyRefresh(() => {
    const events = waiting.current
    waiting.current = []
    return latest.current(events)
  })
  useEvents({
    type: 'contact.*',
    onOpen: () => latest.current(undefined),
    onEvents: (events) => {
      waiting.current.push(...events)
      tell()
    },
  })
}
