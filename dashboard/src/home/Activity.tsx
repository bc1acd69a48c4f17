import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Event } from '../../../server/events/schema.ts'
import { describeActor, describeSubject } from '../events/describe.ts'
import { EventLink } from '../events/EventLink.tsx'
import { eventName } from '../events/event-types.ts'
import { toRuns } from '../events/runs.ts'
import { useApi } from '../kit/api.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import styles from './home.module.css'
import { homeKey, refetch_ms } from './queries.ts'

const read_max = 60
const shown_max = 12

export function Activity() {
  const api = useApi()
  const { data, error, refetch } = useQuery({
    queryKey: [...homeKey(api), 'events'],
    queryFn: ({ signal }) => api.list<Event>('/events', { limit: read_max }, signal),
    refetchInterval: refetch_ms,
  })
  const runs = toRuns(data?.data ?? []).slice(0, shown_max)
  return (
    <section aria-label="Recent activity">
      <div className={styles.headingLine}>
        <h2 className={styles.heading}>Recent activity</h2>
        <Anchor
          fz={13}
          renderRoot={(props) => <Link to="/w/$workspace/events" params={{ workspace: api.workspace }} {...props} />}
        >
          All events
        </Anchor>
      </div>
      {error && !data && <LoadError error={error} retry={refetch} />}
      {!error && !data && <LoadingSkeleton lines={6} />}
      {data?.data.length === 0 && <p className={styles.quiet}>No events yet.</p>}
      <ol className={styles.list}>
        {runs.map((run) => {
          const [event] = run
          const subject = describeSubject(event)
          const actor = describeActor(event)
          const name = `${eventName(event.type)}${run.length > 1 ? ` ×${run.length}` : ''}`
          return (
            <li key={run.at(-1)?.id} className={styles.activity}>
              <span className={styles.event}>
                <EventLink event={event} text={name} />
                {subject && <span className={styles.cut}>{subject}</span>}
                {actor && <span className={styles.actor}>{actor}</span>}
              </span>
              <span className={styles.when}>
                <RelativeTime time={event.created_at} />
              </span>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
