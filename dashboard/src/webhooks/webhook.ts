import { queryOptions } from '@tanstack/react-query'
import type { DeliveryStatus, Webhook } from '../../../server/webhooks/schema.ts'
import type { Api } from '../kit/api.ts'

/** How often it is looked whether something has been sent. */
export const look_again_ms = 2_000

export const nameOf = ({ description, url, inbox_answer }: Webhook): string =>
  description ?? (inbox_answer === null ? url : 'Built-in inbox')

export const webhookQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'webhooks', id],
    queryFn: ({ signal }) => api.get<Webhook>(`/webhooks/${id}`, {}, signal),
    // It may be disabled while it is looked at.
    refetchInterval: look_again_ms,
  })

export const delivery_names: Record<DeliveryStatus, string> = {
  pending: 'Pending',
  succeeded: 'Delivered',
  failed: 'Failed',
}
export const delivery_statuses = Object.keys(delivery_names) as DeliveryStatus[]
export const delivery_colors: Record<DeliveryStatus, string> = { pending: 'blue', succeeded: 'teal', failed: 'red' }
