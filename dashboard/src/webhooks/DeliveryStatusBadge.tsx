import type { Delivery } from '../../../server/webhooks/schema.ts'
import { Status } from '../kit/Status.tsx'
import { delivery_names } from './webhook.ts'

const tones = { pending: 'warning', succeeded: 'success', failed: 'danger' } as const

export const DeliveryStatusBadge = ({ status, attempt }: Pick<Delivery, 'status' | 'attempt'>) => (
  <Status tone={tones[status]}>{status === 'pending' && attempt > 0 ? 'Retrying' : delivery_names[status]}</Status>
)
