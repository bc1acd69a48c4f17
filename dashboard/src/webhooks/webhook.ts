import { queryOptions } from '@tanstack/react-query'
import type { Attempt, Delivery, DeliveryStatus, Recovery, Webhook } from '../../../server/webhooks/schema.ts'
import type { Api } from '../kit/api.ts'

export const refetch_ms = 2_000

export const webhookName = ({ description, url, inbox_answer }: Webhook): string =>
  description ?? (inbox_answer === null ? url : 'Built-in inbox')

/** "All events", "contact.*, call.ended". */
export const describeEvents = ({ events }: Pick<Webhook, 'events'>): string =>
  events.map((pattern) => (pattern === '*' ? 'All events' : pattern)).join(', ')

export const webhookQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'webhooks', id],
    queryFn: ({ signal }) => api.get<Webhook>(`/webhooks/${id}`, {}, signal),
    // The sender may disable the webhook at any time.
    refetchInterval: refetch_ms,
  })

export const disabled_reasons = {
  asked: 'It was disabled manually.',
  gone: 'Your server responded with 410 Gone.',
  failing: 'All deliveries failed for five days.',
}

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

export const isOk = ({ status }: Pick<Attempt, 'status'>): boolean => status !== null && status >= 200 && status < 300

const reason_length_max = 160

/** "500 · database is locked", "No response · connect ECONNREFUSED 10.0.0.1:443", "200". */
export function describeAttempt(attempt: Attempt): string {
  const reason = attempt.error ?? (isOk(attempt) ? null : reasonIn(attempt.answer ?? ''))
  return [attempt.status ?? 'No response', reason?.replace(/\.$/, '')].filter(Boolean).join(' · ')
}

/** Returns what a response says in words: the message of JSON, which may be cut off, or the first line of a text. */
function reasonIn(answer: string): string | undefined {
  const message = /"(?:message|error|detail|title)"\s*:\s*"((?:[^"\\]|\\.)+)/.exec(answer)?.[1]
  const is_json = /^\s*[[{]/.test(answer)
  const text =
    message ??
    (is_json
      ? ''
      : answer
          .replace(/<[^>]*>/g, ' ')
          .trim()
          .split('\n')[0])
  return text?.trim().slice(0, reason_length_max)
}

/** Reads why a webhook fails from its newest deliveries. Those that wait for their first attempt say nothing. */
export const failureQuery = (api: Api, { id }: Pick<Webhook, 'id'>) =>
  queryOptions({
    queryKey: [api.workspace, 'webhooks', id, 'failure'],
    queryFn: async ({ signal }): Promise<string | null> => {
      const { data } = await api.list<Delivery>(`/webhooks/${id}/deliveries`, { limit: 10 }, signal)
      const failed = data.find(({ last_attempt }) => last_attempt && !isOk(last_attempt))
      return failed?.last_attempt ? describeAttempt(failed.last_attempt) : null
    },
  })
