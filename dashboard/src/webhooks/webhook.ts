import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../kit/api.ts'

export type InboxAnswer = '200' | '500' | '410' | 'hang'

export interface Webhook {
  id: string
  /** Of an inbox its path on this server. */
  url: string
  events: string[]
  description: string | null
  status: 'active' | 'disabled'
  disabled_reason: 'asked' | 'gone' | 'failing' | null
  failing_since: string | null
  previous_secret_until: string | null
  inbox_answer: InboxAnswer | null
  created_at: string
  updated_at: string
}

export interface NewWebhook extends Webhook {
  /** Only when it is made or rotated, and never again. */
  secret: string
}

export const delivery_statuses = ['pending', 'succeeded', 'failed'] as const
export type DeliveryStatus = (typeof delivery_statuses)[number]

export interface Delivery {
  id: string
  webhook_id: string
  type: string
  status: DeliveryStatus
  attempt: number
  created_at: string
  due_at: string | null
}

export interface Attempt {
  url: string | null
  created_at: string
  status: number | null
  duration_ms: number
  error: string | null
  answer: string | null
}

export interface DeliveryWithAttempts extends Delivery {
  body: string
  attempts: Attempt[]
}

export interface InboxRequest {
  id: string
  headers: Record<string, string>
  body: string
  answered: InboxAnswer
  steps: { name: string; is_ok: boolean; detail: string }[]
  created_at: string
}

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
export const delivery_colors: Record<DeliveryStatus, string> = { pending: 'blue', succeeded: 'teal', failed: 'red' }
