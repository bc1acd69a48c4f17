import { Button, Select } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import type { Event } from '../../../server/events/schema.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { EventsIcon } from '../kit/icons.tsx'
import { Page } from '../kit/Page.tsx'
import { pagesQuery } from '../kit/pages.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { Status } from '../kit/Status.tsx'
import { useIsOwner } from '../kit/session.ts'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { describeActor, describeSubject } from './describe.ts'
import { EventDrawer } from './EventDrawer.tsx'
import { event_types, event_types_for_all_roles, eventName, eventTypeOptions } from './event-types.ts'
import styles from './events.module.css'
import { joinRuns, type Run, toRuns } from './runs.ts'
import { useEvents } from './workspace-events.tsx'

const all = '*'
const page_size = 100
/** At most this many received events are shown above the loaded pages. */
const live_max = 200

export function EventsPage() {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const is_owner = useIsOwner()
  const { type, event: open_id } = useSearch({ from: '/w/$workspace/events' })
  const pages = pagesQuery<Event>(api, [api.workspace, 'events'], '/events', { type, limit: page_size })
  const query = useInfiniteQuery({ ...pages, meta: { is_streamed: true } })
  const loaded = useMemo(() => query.data?.pages.flatMap(({ data }) => data), [query.data])
  const [live, setLive] = useState<LiveEvents>({ type, events: [] })
  const newest = useMemo(() => (live.type === type ? notLoaded(loaded, live.events) : []), [loaded, live, type])
  const state = useEvents({
    type,
    onOpen: () => {
      setLive({ type, events: [] })
      void client.invalidateQueries(pages)
    },
    onEvents: (received) =>
      setLive(({ events }) => ({
        type,
        events: [...received.toReversed(), ...notLoaded(loaded, events)].slice(0, live_max),
      })),
  })
  // When there are more, the pages are read again, which then contain these events, so that the list stays bounded.
  const is_full = newest.length === live_max
  // biome-ignore lint/correctness/useExhaustiveDependencies: again after each load until the pages contain them
  useEffect(() => {
    if (is_full) void client.invalidateQueries(pages)
  }, [is_full, loaded])
  const loaded_runs = useMemo(() => loaded && toRuns(loaded), [loaded])
  const runs = useMemo(() => loaded_runs && joinRuns(toRuns(newest), loaded_runs), [newest, loaded_runs])
  const is_open = (run: Run) => run.some(({ id }) => id === open_id)
  const filter = type === undefined ? {} : { type }
  const show = (search: { type?: string }) =>
    void navigate({ to: '/w/$workspace/events', params: { workspace: api.workspace }, search, resetScroll: false })
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
        onChange={(chosen) => show(chosen && chosen !== all ? { type: chosen } : {})}
      />
      {query.error && !query.data ? (
        <LoadError error={query.error} retry={query.refetch} />
      ) : (
        <Table
          label="Events"
          columns={columns}
          rows={runs}
          getRowId={(run) => run.at(-1)?.id ?? ''}
          isHighlighted={is_open}
          empty={
            <EmptyState icon={<EventsIcon size={24} />} title={type ? 'No matching events' : 'No events yet'}>
              New events appear here right away.
            </EmptyState>
          }
        />
      )}
      {query.hasNextPage && (
        <Button variant="default" mt="md" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show older events
        </Button>
      )}
      <EventDrawer id={open_id} run={runs?.find(is_open)} onClose={() => show(filter)} />
    </Page>
  )
}

const columns: Column<Run>[] = [
  { id: 'event', name: 'Event', width: 'minmax(0, 1.5fr)', cell: (run) => <RunLink run={run} /> },
  { id: 'subject', name: 'About', width: 'minmax(0, 1.4fr)', cell: ([event]) => describeSubject(event) },
  {
    id: 'actor',
    name: 'By',
    width: 'minmax(0, 1.2fr)',
    is_hidden_on_phone: true,
    cell: ([event]) => describeActor(event),
  },
  {
    id: 'type',
    name: 'Type',
    width: 'minmax(0, 1.5fr)',
    is_hidden_on_phone: true,
    cell: ([{ type }]) => <code className={styles.type}>{type}</code>,
  },
  {
    id: 'created_at',
    name: 'Time',
    width: '100px',
    cell: ([{ created_at }]) => <RelativeTime time={created_at} />,
  },
]

/** Links to a run. The run is named by its oldest event, which stays the same while newer ones are added. */
function RunLink({ run }: { run: Run }) {
  const workspace = useWorkspaceId()
  const { type } = useSearch({ from: '/w/$workspace/events' })
  const event = run.at(-1)?.id
  return (
    <>
      <Link
        to="/w/$workspace/events"
        params={{ workspace }}
        search={{ ...(type && { type }), ...(event && { event }) }}
        resetScroll={false}
      >
        {eventName(run[0].type)}
      </Link>
      {run.length > 1 && <span className={styles.count}> ×{run.length}</span>}
    </>
  )
}

interface LiveEvents {
  type: string | undefined
  events: Event[]
}

/**
 * Returns the events that are not loaded. Both lists are newest first: after the first event that is loaded, all are.
 */
function notLoaded(loaded: Event[] | undefined, events: Event[]): Event[] {
  const ids = new Set(loaded?.map(({ id }) => id))
  const end = events.findIndex(({ id }) => ids.has(id))
  return end === -1 ? events : events.slice(0, end)
}
