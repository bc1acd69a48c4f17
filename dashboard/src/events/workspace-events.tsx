import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import type { Event } from '../../../server/events/schema.ts'
import { useWorkspaceId } from '../kit/api.ts'
import { type Claims, useClaims } from '../kit/claims.ts'
import { toUrl, withQuery } from '../kit/request.ts'
import { session_query, useSession } from '../kit/session.ts'
import { batch_ms, poll_ms, type StreamState } from '../kit/stream.ts'
import { event_types } from './event-types.ts'

const reconnect_ms = 1_000
const retry_ms = 5_000
/** All windows of the browser share these connections. Each is for one workspace, and workspaces that get none poll. */
const connections = ['events-1', 'events-2']
/** IDs of received events that are kept, so that none is passed on twice. */
const known_max = 1_000

/** An event whose `data` is JSON text, which only its subscribers parse. */
interface RawEvent {
  id: string
  type: string
  data: string
}

type Note =
  | { kind: 'hello' }
  /** With `is_new`, events before this were not received, so what is shown must be read again. */
  | { kind: 'state'; state: StreamState; is_new: boolean }
  | { kind: 'events'; events: RawEvent[] }

interface Subscriber {
  onOpen: () => unknown
  onEvents: (events: RawEvent[]) => unknown
}

interface WorkspaceEvents {
  state: () => StreamState
  subscribe: (subscriber: Subscriber) => () => void
  subscribeToState: (listener: () => void) => () => void
  /** Starts to receive events. Returns the function that stops. */
  start: () => () => void
}

interface WorkspaceEventsOptions {
  person: string
  workspace: string
  claims: Claims
  isSignedIn: () => Promise<boolean>
}

/**
 * Receives the events of a workspace, which all visible windows of a person share: one window reads them and passes
 * them on. When it closes or hangs, another one goes on after the last event that it has received.
 */
function openWorkspaceEvents({ person, workspace, claims, isSignedIn }: WorkspaceEventsOptions): WorkspaceEvents {
  // The name of the channel, so that nobody receives the events of someone else, or of another workspace.
  const name = `parley-events-${person}-${workspace}`
  const subscribers = new Set<Subscriber>()
  const listeners = new Set<() => void>()
  let state: StreamState = 'connecting'
  let channel: BroadcastChannel | undefined
  let is_leading = false
  let is_joined = false
  let last_id: string | undefined
  let known = new Set<string>()
  let batch: RawEvent[] = []
  let source: EventSource | undefined
  let attempt = 0
  let batch_timer: ReturnType<typeof setTimeout> | undefined
  let retry_timer: ReturnType<typeof setTimeout> | undefined
  let poll_timer: ReturnType<typeof setInterval> | undefined
  let endConnectionClaim = () => {}

  const post = (note: Note) => channel?.postMessage(note)
  const setState = (next: StreamState, is_new: boolean) => {
    const must_read = next === 'connected' && (is_new || !is_joined)
    is_joined ||= next === 'connected'
    // The page is read again, which includes all earlier events.
    if (is_new) last_id = undefined
    state = next
    for (const listener of listeners) listener()
    if (must_read) for (const { onOpen } of subscribers) onOpen()
  }
  const announce = (next: StreamState, is_new = false) => {
    post({ kind: 'state', state: next, is_new })
    setState(next, is_new)
  }
  const receive = (events: RawEvent[]) => {
    const fresh = events.filter(({ id }) => !known.has(id))
    known = new Set([...known, ...fresh.map(({ id }) => id)].slice(-known_max))
    last_id = fresh.at(-1)?.id ?? last_id
    for (const { onEvents } of subscribers) onEvents(fresh)
  }
  const flush = () => {
    batch_timer = undefined
    post({ kind: 'events', events: batch })
    receive(batch)
    batch = []
  }

  const disconnect = () => {
    attempt += 1
    source?.close()
    source = undefined
    clearTimeout(retry_timer)
    clearTimeout(batch_timer)
    batch_timer = undefined
    batch = []
  }
  const connect = async () => {
    disconnect()
    const this_attempt = attempt
    // Someone else may have signed in since, whose events this page must not get.
    const is_signed_in = await isSignedIn()
    if (this_attempt !== attempt) return
    if (is_signed_in) listen()
    else retry_timer = setTimeout(() => void connect(), reconnect_ms)
  }
  const listen = () => {
    const after = last_id
    const connection = new EventSource(toUrl(withQuery('/app/api/v1/events/stream', { workspace, after })))
    source = connection
    connection.onopen = () => announce('connected', after === undefined)
    connection.onerror = () => {
      const is_refused = connection.readyState === EventSource.CLOSED
      if (batch.length > 0) flush()
      // The server may have refused the event as too old to go on from.
      if (is_refused) last_id = undefined
      disconnect()
      announce('connecting')
      retry_timer = setTimeout(() => void connect(), is_refused ? retry_ms : reconnect_ms)
    }
    for (const type of event_types)
      connection.addEventListener(type, ({ lastEventId, data }: MessageEvent<string>) => {
        batch.push({ id: lastEventId, type, data })
        batch_timer ??= setTimeout(flush, batch_ms)
      })
  }
  const lead = () => {
    is_leading = true
    announce('connecting')
    // The window polls until there is a connection for this workspace.
    const poll = () => {
      clearInterval(poll_timer)
      poll_timer = setInterval(() => announce('connected', true), poll_ms)
    }
    poll()
    endConnectionClaim = claims.claim({
      names: connections,
      onHeld: () => {
        clearInterval(poll_timer)
        void connect()
      },
      onLost: () => {
        disconnect()
        poll()
      },
    })
  }
  const stopLeading = () => {
    is_leading = false
    clearInterval(poll_timer)
    endConnectionClaim()
    disconnect()
  }
  const follow = () => {
    stopLeading()
    post({ kind: 'hello' })
  }
  const open = () => {
    channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(name) : undefined
    channel?.addEventListener('message', ({ data: note }: MessageEvent<Note>) => {
      if (note.kind === 'events') receive(note.events)
      else if (note.kind === 'hello' && is_leading) post({ kind: 'state', state, is_new: false })
      else if (note.kind === 'state' && !is_leading) setState(note.state, note.is_new)
    })
    const endClaim = claims.claim({ names: [name], onHeld: lead, onLost: follow })
    post({ kind: 'hello' })
    return () => {
      endClaim()
      stopLeading()
      channel?.close()
      channel = undefined
      is_joined = false
      last_id = undefined
      known.clear()
      setState('connecting', false)
    }
  }

  return {
    state: () => state,
    subscribe: (subscriber) => {
      subscribers.add(subscriber)
      if (state === 'connected') subscriber.onOpen()
      return () => subscribers.delete(subscriber)
    },
    subscribeToState: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    start: () => {
      let close: (() => void) | undefined
      const change = () => {
        close?.()
        close = document.visibilityState === 'visible' ? open() : undefined
      }
      change()
      document.addEventListener('visibilitychange', change)
      return () => {
        document.removeEventListener('visibilitychange', change)
        close?.()
      }
    },
  }
}

const EventsContext = createContext<WorkspaceEvents | undefined>(undefined)

/** Receives the events for the pages of a workspace, which it contains. */
export function WorkspaceEventsProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const claims = useClaims()
  const workspace = useWorkspaceId()
  const person = useSession().person.id
  const events = useMemo(() => {
    const isSignedIn = async () => {
      try {
        const session = await client.fetchQuery({ ...session_query, staleTime: reconnect_ms, retry: false })
        return session?.person.id === person
      } catch {
        return false
      }
    }
    return openWorkspaceEvents({ person, workspace, claims, isSignedIn })
  }, [client, claims, workspace, person])
  useEffect(() => events.start(), [events])
  return <EventsContext value={events}>{children}</EventsContext>
}

interface EventsOptions {
  /** A type, or a pattern such as `contact.*`. Undefined is all types. */
  type?: string | undefined
  /** Is called when events are received from now on. Earlier ones may have been missed. */
  onOpen: () => unknown
  /** Is called with events in batches, in the order in which they happened. */
  onEvents: (events: Event[]) => unknown
}

/** Receives the events of the workspace while the page is visible. */
export function useEvents(options: EventsOptions): StreamState {
  const events = useContext(EventsContext)
  if (!events) throw new Error('there is no WorkspaceEventsProvider')
  const latest = useRef(options)
  latest.current = options
  const { type } = options
  useEffect(
    () =>
      events.subscribe({
        onOpen: () => latest.current.onOpen(),
        onEvents: (received) => {
          const wanted = received.filter((event) => isOfType(event.type, type))
          if (wanted.length > 0) latest.current.onEvents(wanted.map(({ data }) => JSON.parse(data) as Event))
        },
      }),
    [events, type],
  )
  return useSyncExternalStore(events.subscribeToState, events.state)
}

const isOfType = (type: string, pattern: string | undefined): boolean =>
  pattern === undefined || type === pattern || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))
