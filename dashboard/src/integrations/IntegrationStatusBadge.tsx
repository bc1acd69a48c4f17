import type { Integration } from '../../../server/integrations/schema.ts'
import { Status } from '../kit/Status.tsx'

export function IntegrationStatusBadge({ status, field_map }: Pick<Integration, 'status' | 'field_map'>) {
  if (status === 'disabled') return <Status tone="neutral">Disabled</Status>
  const is_ready = status === 'active' && field_map.phone_number !== undefined
  return is_ready ? <Status tone="success">Active</Status> : <Status tone="warning">Needs mapping</Status>
}
