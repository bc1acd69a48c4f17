import { Badge } from '@mantine/core'
import type { Integration } from '../../../server/integrations/schema.ts'

export function IntegrationStatusBadge({ status, field_map }: Pick<Integration, 'status' | 'field_map'>) {
  const is_ready = status === 'active' && field_map.phone_number !== undefined
  return (
    <Badge variant="light" color={is_ready ? 'teal' : 'gray'} tt="none" fw={600}>
      {status === 'disabled' ? 'Disabled' : is_ready ? 'Active' : 'Needs mapping'}
    </Badge>
  )
}
