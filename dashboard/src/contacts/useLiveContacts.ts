import { useEffect, useRef } from 'react'
import type { Event } from '../../../server/events/schema.ts'
import { event_types } from '../events/event-types.ts'
import { useApi } from '../kit/api.ts'
import { useStream } from '../kit/stream.ts'

type ContactEvent = Pick<Event, 'type' | 'resource_id'>

const types = event_types.filter((type) => type.startsWith('contact.'))
/** Limits how often contacts are read while many of them change, as during an import. */
const wait_ms = 500

/** Tells what others do with contacts, some events at a time. After a lost connection there may be more: `undefined`. */
export function useLiveContacts(onEvents: (events: ContactEvent[] | undefined) => unknown): void {
  const api = useApi()
  const latest = useRef(onEvents)
  latest.current = onEvents
  const waiting = useRef<ContactEvent[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useStream<{ type: Event['type']; data: Event }>(api.workspace, {
    path: '/events/stream',
    query: { type: 'contact.*' },
    types,
    onOpen: () => latest.current(undefined),
    onMessages: (messages) => {
      waiting.current.push(...messages.map(({ data }) => data))
      timer.current ??= setTimeout(() => {
        const events = waiting.current
        waiting.current = []
        timer.current = undefined
        latest.current(events)
      }, wait_ms)
    },
  })
  useEffect(() => () => clearTimeout(timer.current), [])
}
