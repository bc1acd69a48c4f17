import type { Webhook } from '../../../server/webhooks/schema.ts'
import { Status } from '../kit/Status.tsx'

export function WebhookStatusBadge({ status, failing_since }: Pick<Webhook, 'status' | 'failing_since'>) {
  if (status !== 'active') return <Status tone="neutral">Disabled</Status>
  return failing_since === null ? <Status tone="success">Active</Status> : <Status tone="danger">Failing</Status>
}
