import { Badge } from '@mantine/core'
import type { Webhook } from '../../../server/webhooks/schema.ts'

export function WebhookStatusBadge({ status, failing_since }: Pick<Webhook, 'status' | 'failing_since'>) {
  const is_failing = status === 'active' && failing_since !== null
  const color = is_failing ? 'red' : status === 'active' ? 'teal' : 'gray'
  return (
    <Badge variant="light" color={color} tt="none" fw={600}>
      {is_failing ? 'Failing' : status === 'active' ? 'Active' : 'Disabled'}
    </Badge>
  )
}
