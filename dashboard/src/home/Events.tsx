import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Overview } from '../../../server/overview/schema.ts'
import { nameOfEvent } from '../events/event.ts'
import { Ago } from '../kit/Ago.tsx'
import { useWorkspaceId } from '../kit/api.ts'
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

/** Leads to what the event is about, where that can be shown still. */
export function EventName({ type, resource_id }: Pick<Overview['events'][number], 'type' | 'resource_id'>) {
  const workspace = useWorkspaceId()
  const name = nameOfEvent(type)
  if (type === 'contact.created' || type === 'contact.updated') {
    const search = { contact: resource_id }
    return (
      <Anchor
        renderRoot={(props) => <Link to="/w/$workspace/contacts" params={{ workspace }} search={search} {...props} />}
      >
        {name}
      </Anchor>
    )
  }
  if (type.startsWith('agent.')) {
    const params = { workspace, id: resource_id }
    return (
      <Anchor renderRoot={(props) => <Link to="/w/$workspace/agents/$id" params={params} {...props} />}>{name}</Anchor>
    )
  }
  return <span>{name}</span>
}
