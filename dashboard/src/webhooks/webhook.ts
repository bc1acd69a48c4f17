import { queryOptions } from '@tanstack/react-query'
import type { DeliveryStatus, Recovery, Webhook } from '../../../server/webhooks/schema.ts'
import type { Api } from '../kit/api.ts'

export const refetch_ms = 2_000

export const webhookName = ({ description, url, inbox_answer }: Webhook): string =>
  description ?? (inbox_answer === null ? url : 'Built-in inbox')

export const webhookQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'webhooks', id],
    queryFn: ({ signal }) => api.get<Webhook>(`/webhooks/${id}`, {}, signal),
    // The sender may disable it at any time.
    refetchInterval: refetch_ms,
  })

const recovery_refetch_ms = 500

/** Polls while the recovery is running. */
export const recoveryQuery = (api: Api, webhook_id: string, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'webhooks', webhook_id, 'recoveries', id],
    queryFn: ({ signal }) => api.get<Recovery>(`/webhooks/${webhook_id}/recoveries/${id}`, {}, signal),
    refetchInterval: ({ state }) => (state.data?.status === 'finished' ? false : recovery_refetch_ms),
  })

export const delivery_names: Record<DeliveryStatus, string> = {
  pending: 'Pending',
  succeeded: 'Delivered',
  failed: 'Failed',
}
export const delivery_statuses = Object.keys(delivery_names) as DeliveryStatus[]
