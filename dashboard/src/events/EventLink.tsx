import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Overview } from '../../../server/overview/schema.ts'
import { useWorkspaceId } from '../kit/api.ts'
import { eventName } from './event-types.ts'

/** Links to the event's resource if it has a page. */
export function EventLink({ type, resource_id }: Pick<Overview['events'][number], 'type' | 'resource_id'>) {
  const workspace = useWorkspaceId()
  const name = eventName(type)
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
  if (type.startsWith('agent.') && type !== 'agent.deleted') {
    const params = { workspace, id: resource_id }
    return (
      <Anchor renderRoot={(props) => <Link to="/w/$workspace/agents/$id" params={params} {...props} />}>{name}</Anchor>
    )
  }
  if (type.startsWith('conversation.')) {
    const params = { workspace, id: resource_id }
    return (
      <Anchor renderRoot={(props) => <Link to="/w/$workspace/conversations/$id" params={params} {...props} />}>
        {name}
      </Anchor>
    )
  }
  if (type.startsWith('call.')) {
    const params = { workspace, call_id: resource_id }
    return (
      <Anchor renderRoot={(props) => <Link to="/w/$workspace/calls/$call_id" params={params} {...props} />}>
        {name}
      </Anchor>
    )
  }
  if (type.startsWith('campaign.')) {
    const params = { workspace, id: resource_id }
    return (
      <Anchor renderRoot={(props) => <Link to="/w/$workspace/campaigns/$id" params={params} {...props} />}>
        {name}
      </Anchor>
    )
  }
  return <span>{name}</span>
}
