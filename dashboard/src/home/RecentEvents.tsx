import { Text } from '@mantine/core'
import type { Overview } from '../../../server/overview/schema.ts'
import { EventLink } from '../events/EventLink.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { LoadingSkeleton } from '../kit/states.tsx'
import styles from './home.module.css'

export function RecentEvents({ events }: { events: Overview['events'] | undefined }) {
  if (!events) return <LoadingSkeleton lines={4} height={16} />
  if (events.length === 0) return <Text c="dimmed">No events yet.</Text>
  return (
    <ol className={styles.events}>
      {events.map((event) => (
        <li key={event.id}>
          <EventLink {...event} />
          <span className={styles.when}>
            <RelativeTime time={event.created_at} />
          </span>
        </li>
      ))}
    </ol>
  )
}
