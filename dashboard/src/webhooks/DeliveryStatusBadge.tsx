import { Badge } from '@mantine/core'
import type { Delivery } from '../../../server/webhooks/schema.ts'
import { delivery_colors, delivery_names } from './webhook.ts'

export const DeliveryStatusBadge = ({ status, attempt }: Pick<Delivery, 'status' | 'attempt'>) => (
  <Badge variant="light" color={delivery_colors[status]} tt="none" fw={600}>
    {status === 'pending' && attempt > 0 ? 'Retrying' : delivery_names[status]}
  </Badge>
)
