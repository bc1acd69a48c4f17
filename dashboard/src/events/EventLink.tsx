import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Event } from '../../../server/events/schema.ts'
import { useWorkspaceId } from '../kit/api.ts'

const pages: Record<string, string> = {
  contact: '/w/$workspace/contacts/$id',
  agent: '/w/$workspace/agents/$id',
  conversation: '/w/$workspace/conversations/$id',
  call: '/w/$workspace/calls/$call_id',
  campaign: '/w/$workspace/campaigns/$id',
  import: '/w/$workspace/imports/$id',
  webhook: '/w/$workspace/webhooks/$id',
}

/** Links to what the event is about, if it has a page. */
export function EventLink({ event: { type, resource_id }, text }: { event: Event; text: string }) {
  const workspace = useWorkspaceId()
  const [noun = '', verb] = type.split('.')
  const page = verb === 'deleted' ? undefined : pages[noun]
  if (!page) return <span>{text}</span>
  // The same names in each page.
  const target = {
    to: page as '/w/$workspace/contacts/$id',
    params: { workspace, id: resource_id, call_id: resource_id },
  }
  // Its weight tells it from the text beside it, also without color.
  return (
    <Anchor fz="inherit" fw={500} renderRoot={(props) => <Link {...target} {...props} />}>
      {text}
    </Anchor>
  )
}
