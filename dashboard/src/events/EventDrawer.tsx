import { useQuery } from '@tanstack/react-query'
import type { Event } from '../../../server/events/schema.ts'
import { useApi } from '../kit/api.ts'
import { JsonBlock } from '../kit/CodeBlock.tsx'
import { Disclosure } from '../kit/Disclosure.tsx'
import { Drawer } from '../kit/Drawer.tsx'
import { Fact, FactList } from '../kit/FactList.tsx'
import { formatExactTime, formatTimeZone } from '../kit/format.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { describeActor, describeSubject } from './describe.ts'
import { EventLink } from './EventLink.tsx'
import { eventName } from './event-types.ts'
import styles from './events.module.css'
import type { Run } from './runs.ts'

interface EventDrawerProps {
  id: string | undefined
  /** The run of the list to which the event belongs. Undefined: the event is older than what is loaded. */
  run: Run | undefined
  onClose: () => void
}

export function EventDrawer({ id, run, onClose }: EventDrawerProps) {
  const api = useApi()
  const found = useQuery({
    queryKey: [api.workspace, 'events', 'one', id],
    queryFn: ({ signal }) => api.get<Event>(`/events/${id}`, {}, signal),
    enabled: id !== undefined && !run,
  })
  const shown = run ?? (found.data && ([found.data] satisfies Run))
  const title = shown ? eventName(shown[0].type) : 'Event'
  return (
    <Drawer is_open={id !== undefined} label="Event" title={title} onClose={onClose}>
      {shown && <Details run={shown} />}
      {!shown && found.error && <LoadError error={found.error} retry={found.refetch} noun="Event" />}
      {!shown && !found.error && <LoadingSkeleton />}
    </Drawer>
  )
}

function Details({ run }: { run: Run }) {
  const [newest] = run
  return (
    <div className={styles.details}>
      <FactList>
        <Fact name="About">
          <EventLink event={newest} text={describeSubject(newest) || newest.resource_id} />
        </Fact>
        <Fact name="By">{describeActor(newest) || 'Not recorded'}</Fact>
        <Fact name="Type">
          <code className={styles.type}>{newest.type}</code>
        </Fact>
      </FactList>
      {run.length === 1 ? (
        <Content event={newest} />
      ) : (
        <ol className={styles.run} aria-label="Events of this run">
          {run.map((event) => (
            <li key={event.id}>
              <Disclosure summary={formatExactTime(event.created_at)}>
                <Content event={event} />
              </Disclosure>
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

const Content = ({ event: { id, created_at, previous, data } }: { event: Event }) => (
  <>
    <p className={styles.description}>
      {formatExactTime(created_at)} {formatTimeZone(created_at)} · {id}
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
  </>
)
