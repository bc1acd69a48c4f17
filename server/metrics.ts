import type { LiveCalls } from './calls/live-calls.ts'
import { calls_total } from './calls/store.ts'
import type { Config } from './config.ts'
import { turn_latency } from './drivers/driver.ts'
import { request_duration } from './kit/http/send.ts'
import { type Metric, type Metrics, openMetrics } from './kit/metrics.ts'
import type { Pool } from './kit/postgres/pool.ts'
import { spans_dropped } from './kit/traces/traces.ts'
import { work_metrics } from './kit/work/observe.ts'
import { messages_total } from './messages/status-metric.ts'
import { model_duration, model_first_piece } from './models/checked-model.ts'
import { product } from './product.ts'
import { tool_duration } from './tools/run.ts'
import { deliveries_total } from './webhooks/claims.ts'

const restarts: Metric = {
  name: 'restarts_total',
  help: 'Restarts after a crash since the launcher was started.',
  type: 'counter',
}
const pool_connections: Metric = {
  name: 'pool_connections',
  help: 'Database connections in use and idle, and callers that wait for one.',
  type: 'gauge',
  labels: ['state'],
}
const pool_wait: Metric = {
  name: 'pool_wait_seconds',
  help: 'How long callers wait for a database connection.',
  type: 'histogram',
}
const calls_live: Metric = {
  name: 'calls_live',
  help: 'Calls on real lines that this process drives.',
  type: 'gauge',
}

/** Opens the metrics of a service. `operator-pages.ts` adds how late background work is. */
export function openServiceMetrics(pool: Pool, live_calls: LiveCalls, config: Config): Metrics {
  const metrics = openMetrics(product.short_name, [
    request_duration,
    restarts,
    ...work_metrics,
    calls_live,
    calls_total,
    turn_latency,
    messages_total,
    deliveries_total,
    model_first_piece,
    model_duration,
    tool_duration,
    pool_connections,
    pool_wait,
    spans_dropped,
  ])
  metrics.add(restarts, config.restarts)
  metrics.read(calls_live, () => [{ labels: [], value: live_calls.count }])
  metrics.read(pool_connections, () =>
    Object.entries(pool.connections()).map(([state, value]) => ({ labels: [state], value })),
  )
  pool.observeWaits((wait_ms) => metrics.observe(pool_wait, wait_ms))
  return metrics
}
