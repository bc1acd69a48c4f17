import { message_statuses } from '../conversations/schema.ts'
import type { At } from '../kit/at.ts'
import type { Metric } from '../kit/metrics.ts'

const statuses = [...message_statuses, 'received'] as const

export const messages_total: Metric = {
  name: 'messages_total',
  help: 'Messages that have got this status. Those of contacts are received.',
  type: 'counter',
  labels: ['status'],
  series: statuses.map((status) => [status]),
}

/** Counts messages by the statuses that they have got in the transaction. */
export const countStatuses = ({ db, tools }: At, got: (typeof statuses)[number][]): void =>
  db.afterCommit(() => {
    for (const status of got) tools.metrics.add(messages_total, 1, status)
  })
