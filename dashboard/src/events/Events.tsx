import { Badge, Button, Select } from '@mantine/core'
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { EventName } from '../home/Events.tsx'
import { Ago, sayTime } from '../kit/Ago.tsx'
import { useApi } from '../kit/api.ts'
import { Json } from '../kit/Code.tsx'
import { EventsIcon } from '../kit/icons.tsx'
import { Opening } from '../kit/Opening.tsx'
import { Card, Page } from '../kit/Page.tsx'
import type { List } from '../kit/request.ts'
import { Empty, Failure, Waiting } from '../kit/states.tsx'
import { useStream } from '../kit/stream.ts'
import { choices, type Event, event_types } from './event.ts'
import styles from './events.module.css'

const all = '*'
const page_size = 50

/** The log of the workspace: what there is, and what comes while it is looked at. */
export function Events() {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { type } = useSearch({ from: '/w/$workspace/events' })
  const queryKey = [api.workspace, 'events', type]
  const events = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      api.list<Event>('/events', { type, limit: page_size, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
  })
  const state = useStream<Event>(api.workspace, {
    path: '/events/stream',
    query: { type },
    types: event_types,
    // What came before the stream had begun.
    onOpen: () => client.invalidateQueries({ queryKey }),
    onMessage: (event) =>
      client.setQueryData<InfiniteData<List<Event>, string | undefined>>(queryKey, (known) => withFirst(known, event)),
  })
  const rows = events.data?.pages.flatMap(({ data }) => data)
  return (
    <Page
      title="Events"
      about="What happened here, as it happens. Webhooks send the same to your own server."
      actions={
        <Badge variant="light" color={state === 'live' ? 'teal' : 'gray'} tt="none" size="lg" role="status">
          {state === 'live' ? 'Live' : 'Connecting…'}
        </Badge>
      }
    >
      <Select
        className={styles.filter}
        label="Which events"
        data={choices}
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
          <Empty icon={<EventsIcon size={24} />} title={type ? 'No such events' : 'Nothing has happened yet'}>
            What is created, changed or deleted shows up here at once.
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
          Older events
        </Button>
      )}
    </Page>
  )
}

function EventRow({ event }: { event: Event }) {
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
            <h3 className={styles.part}>Before</h3>
            <Json label="What it was before" value={previous} />
          </div>
        )}
        <div>
          <h3 className={styles.part}>{previous ? 'Since then' : 'Data'}</h3>
          <Json label="Data of the event" value={data} />
        </div>
      </Opening>
    </li>
  )
}

type Pages = InfiniteData<List<Event>, string | undefined>

function withFirst(known: Pages | undefined, event: Event): Pages | undefined {
  const [first, ...rest] = known?.pages ?? []
  if (!known || !first || known.pages.some(({ data }) => data.some(({ id }) => id === event.id))) return known
  return { ...known, pages: [{ ...first, data: [event, ...first.data] }, ...rest] }
}
