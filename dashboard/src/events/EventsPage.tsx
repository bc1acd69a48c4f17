import { Button, Select } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { memo, useEffect, useMemo, useState } from 'react'
import type { Event } from '../../../server/events/schema.ts'
import { useApi } from '../kit/api.ts'
import { JsonBlock } from '../kit/CodeBlock.tsx'
import { Disclosure } from '../kit/Disclosure.tsx'
import { formatTime } from '../kit/format.ts'
import { EventsIcon } from '../kit/icons.tsx'
import { Card, Page } from '../kit/Page.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { Status } from '../kit/Status.tsx'
import { useIsOwner } from '../kit/session.ts'
import { EmptyState, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { useStream } from '../kit/stream.ts'
import { EventLink } from './EventLink.tsx'
import { event_types, event_types_for_all_roles, eventTypeOptions } from './event-types.ts'
import styles from './events.module.css'

const all = '*'
const page_size = 50
/** Received events shown above the loaded pages. */
const live_max = 200

export function EventsPage() {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const is_owner = useIsOwner()
  const { type } = useSearch({ from: '/w/$workspace/events' })
  const queryKey = [api.workspace, 'events', type]
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      api.list<Event>('/events', { type, limit: page_size, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
    meta: { is_streamed: true },
  })
  const loaded = useMemo(() => query.data?.pages.flatMap(({ data }) => data), [query.data])
  const [live, setLive] = useState<LiveEvents>({ type, events: [] })
  const newest = useMemo(() => (live.type === type ? notLoaded(loaded, live.events) : []), [loaded, live, type])
  const state = useStream<{ type: Event['type']; data: Event }>(api.workspace, {
    path: '/events/stream',
    query: { type },
    types: event_types,
    onOpen: () => {
      setLive({ type, events: [] })
      void client.invalidateQueries({ queryKey })
    },
    onMessages: (messages) =>
      setLive(({ events }) => ({
        type,
        events: [...messages.map(({ data }) => data).toReversed(), ...notLoaded(loaded, events)].slice(0, live_max),
      })),
  })
  // Reloads the pages, which then contain these events, so that the list stays bounded.
  const is_full = newest.length === live_max
  // biome-ignore lint/correctness/useExhaustiveDependencies: again after each load until the pages contain them
  useEffect(() => {
    if (is_full) void client.invalidateQueries({ queryKey })
  }, [is_full, loaded])
  const rows = loaded && [...newest, ...loaded]
  return (
    <Page
      title="Events"
      actions={
        <div role="status">
          <Status tone={state === 'connected' ? 'success' : 'warning'}>
            {state === 'connected' ? 'Connected' : 'Connecting…'}
          </Status>
        </div>
      }
    >
      <Select
        className={styles.filter}
        label="Event type"
        data={eventTypeOptions(is_owner ? event_types : event_types_for_all_roles)}
        value={type ?? all}
        searchable
        allowDeselect={false}
        onChange={(chosen) =>
          void navigate({
            to: '/w/$workspace/events',
            params: { workspace: api.workspace },
            search: chosen && chosen !== all ? { type: chosen } : {},
          })
        }
      />
      <Card is_flush>
        {query.error && <LoadError error={query.error} retry={query.refetch} />}
        {query.isPending && (
          <div className={styles.waiting}>
            <LoadingSkeleton lines={6} />
          </div>
        )}
        {rows?.length === 0 && (
          <EmptyState icon={<EventsIcon size={24} />} title={type ? 'No matching events' : 'No events yet'}>
            New events appear here right away.
          </EmptyState>
        )}
        <ol className={styles.events} aria-label="Events">
          {rows?.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </ol>
      </Card>
      {query.hasNextPage && (
        <Button variant="default" mt="md" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show older events
        </Button>
      )}
    </Page>
  )
}

const EventRow = memo(({ event }: { event: Event }) => {
  const { id, type, created_at, data, previous } = event
  return (
    <li>
      <Disclosure
        summary={
          <>
            <code className={styles.type}>{type}</code>
            <span className={styles.when}>
              <RelativeTime time={created_at} />
            </span>
          </>
        }
      >
        <p className={styles.description}>
          <EventLink {...event} /> · {formatTime(created_at)} · {id}
        </p>
        {previous && (
          <div>
            <h3 className={styles.part}>Previous values</h3>
            <JsonBlock label="Previous values" value={previous} />
          </div>
        )}
        <div>
          <h3 className={styles.part}>Data</h3>
          <JsonBlock label="Event data" value={data} />
        </div>
      </Disclosure>
    </li>
  )
})

interface LiveEvents {
  type: string | undefined
  events: Event[]
}

/** Both lists are newest first: after the first event that is loaded, all are. */
function notLoaded(loaded: Event[] | undefined, events: Event[]): Event[] {
  const ids = new Set(loaded?.map(({ id }) => id))
  const end = events.findIndex(({ id }) => ids.has(id))
  return end === -1 ? events : events.slice(0, end)
}
