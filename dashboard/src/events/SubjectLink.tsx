import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useWorkspaceId } from '../kit/api.ts'

const pages: Record<string, string> = {
  contact: '/w/$workspace/contacts/$id',
  agent: '/w/$workspace/agents/$id',
  conversation: '/w/$workspace/conversations/$id',
  call: '/w/$workspace/calls/$call_id',
  campaign: '/w/$workspace/campaigns/$id',
  channel: '/w/$workspace/channels/$id',
  tool: '/w/$workspace/tools/$id',
  integration: '/w/$workspace/integrations/$id',
  import: '/w/$workspace/imports/$id',
  webhook: '/w/$workspace/webhooks/$id',
  // Single resources of these types have no pages of their own.
  api_key: '/w/$workspace/api-keys',
  provider: '/w/$workspace/settings/providers',
  person: '/w/$workspace/settings/members',
  invitation: '/w/$workspace/settings/members',
  workspace: '/w/$workspace/settings/workspace',
}

interface SubjectLinkProps {
  type: string
  id: string | null
  text: string
  /** Whether the subject was deleted, and has no page any more. */
  is_deleted?: boolean
}

/** Links to what an event or an entry of the audit log is about, if it has a page. */
export function SubjectLink({ type, id, text, is_deleted = false }: SubjectLinkProps) {
  const workspace = useWorkspaceId()
  const page = is_deleted || id === null ? undefined : pages[type]
  if (!page) return <span>{text}</span>
  // Each of the pages has the same names in its path.
  const target = {
    to: page as '/w/$workspace/contacts/$id',
    params: { workspace, id: id ?? '', call_id: id ?? '' },
  }
  // Its weight tells the link from the text beside it, also without color.
  return (
    <Anchor fz="inherit" fw={500} renderRoot={(props) => <Link {...target} {...props} />}>
      {text}
    </Anchor>
  )
}
