import { Text } from '@mantine/core'
import type { Overview } from '../../../server/overview/schema.ts'
import { EventName } from '../events/EventLink.tsx'
import { Ago } from '../kit/RelativeTime.tsx'
import { Waiting } from '../kit/states.tsx'
import styles from './home.module.css'

export function Events({ events }: { events: Overview['events'] | undefined }) {
  if (!events) return <Waiting lines={4} height={16} />
  if (events.length === 0) return <Text c="dimmed">No events yet.</Text>
  return (
    <ol className={styles.events}>
      {events.map((event) => (
        <li key={event.id}>
          <EventName {...event} />
          <span className={styles.when}>
            <Ago time={event.created_at} />
          </span>
        </li>
      ))}
    </ol>
  )
}
