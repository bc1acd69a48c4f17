import type { At } from '../kit/at.ts'
import type { Metric } from '../kit/metrics.ts'
import type { Call } from './schema.ts'

export const calls_total: Metric = {
  name: 'calls_total',
  help: 'Calls that have ended.',
  type: 'counter',
  labels: ['status', 'outcome'],
}

/** Counts calls that the transaction has ended. What is learned of them later doesn't count. */
export const countEnded = ({ db, tools }: At, calls: Call[]): void =>
  db.afterCommit(() => {
    for (const { status, outcome } of calls) tools.metrics.add(calls_total, 1, status, outcome ?? 'unknown')
  })
