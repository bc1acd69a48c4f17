import { Badge, Button, Select } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { memo, useEffect, useMemo, useState } from 'react'
import type { Event } from '../../../server/events/schema.ts'
import { useApi } from '../kit/api.ts'
import { Json } from '../kit/CodeBlock.tsx'
import { Opening } from '../kit/Disclosure.tsx'
import { EventsIcon } from '../kit/icons.tsx'
import { Card, Page } from '../kit/Page.tsx'
import { Ago, sayTime } from '../kit/RelativeTime.tsx'
import { useIsOwner } from '../kit/session.ts'
import { Empty, Failure, Waiting } from '../kit/states.tsx'
import { useStream } from '../kit/stream.ts'
import { EventName } from './EventLink.tsx'
import { choicesOf, event_types, event_types_of_all } from './event-types.ts'
import styles from './events.module.css'

const all = '*'
const page_size = 50
/** Shown before the pages. */
const news_max = 200

/** The log of the workspace: what there is, and what comes while it is looked at. */
export function Events() {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const is_owner = useIsOwner()
  const { type } = useSearch({ from: '/w/$workspace/events' })
  const queryKey = [api.workspace, 'events', type]
  const events = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      api.list<Event>('/events', { type, limit: page_size, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
  })
  const known = useMemo(() => events.data?.pages.flatMap(({ data }) => data), [events.data])
  const [news, setNews] = useState<News>({ type, heard: [] })
  const first = useMemo(() => (news.type === type ? beforeThe(known, news.heard) : []), [known, news, type])
  const state = useStream<Event>(api.workspace, {
    path: '/events/stream',
    query: { type },
    types: event_types,
    onBegin: () => {
      setNews({ type, heard: [] })
      void client.invalidateQueries({ queryKey })
    },
    onMessages: (messages) =>
      setNews(({ heard }) => ({
        type,
        heard: [...messages.toReversed(), ...beforeThe(known, heard)].slice(0, news_max),
      })),
  })
  // The pages then begin with them: what is shown doesn't grow for ever.
  const is_full = first.length === news_max
  // biome-ignore lint/correctness/useExhaustiveDependencies: while pages that come don't help, again
  useEffect(() => {
    if (is_full) void client.invalidateQueries({ queryKey })
  }, [is_full, known])
  const rows = known && [...first, ...known]
  return (
    <Page
      title="Events"
      about={`A live log of changes in this workspace.${is_owner ? ' Use webhooks to send them to your server.' : ''}`}
      actions={
        <Badge variant="light" color={state === 'live' ? 'teal' : 'gray'} tt="none" size="lg" role="status">
          {state === 'live' ? 'Live' : 'Connecting…'}
        </Badge>
      }
    >
      <Select
        className={styles.filter}
        label="Event type"
        data={choicesOf(is_owner ? event_types : event_types_of_all)}
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
        {events.error && <Failure error={events.error} retry={events.refetch} />}
        {events.isPending && (
          <div className={styles.waiting}>
            <Waiting lines={6} />
          </div>
        )}
        {rows?.length === 0 && (
          <Empty icon={<EventsIcon size={24} />} title={type ? 'No matching events' : 'No events yet'}>
            New events appear here right away.
          </Empty>
        )}
        <ol className={styles.events} aria-label="Events">
          {rows?.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </ol>
      </Card>
      {events.hasNextPage && (
        <Button
          variant="default"
          mt="md"
          loading={events.isFetchingNextPage}
          onClick={() => void events.fetchNextPage()}
        >
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
      <Opening
        head={
          <>
            <code className={styles.type}>{type}</code>
            <span className={styles.when}>
              <Ago time={created_at} />
            </span>
          </>
        }
      >
        <p className={styles.about}>
          <EventName {...event} /> · {sayTime(created_at)} · {id}
        </p>
        {previous && (
          <div>
            <h3 className={styles.part}>Previous values</h3>
            <Json label="Previous values" value={previous} />
          </div>
        )}
        <div>
          <h3 className={styles.part}>Data</h3>
          <Json label="Event data" value={data} />
        </div>
      </Opening>
    </li>
  )
})

interface News {
  type: string | undefined
  heard: Event[]
}

/** Of those that were heard, the newest first: from the first one on that is known too, all are. */
function beforeThe(known: Event[] | undefined, heard: Event[]): Event[] {
  const ids = new Set(known?.map(({ id }) => id))
  const end = heard.findIndex(({ id }) => ids.has(id))
  return end === -1 ? heard : heard.slice(0, end)
}
