import type { Metric, Metrics } from '../metrics.ts'
import type { Span } from '../traces/span.ts'
import type { Traces } from '../traces/traces.ts'

/** Hears from an engine what it does. Its functions must not throw. */
export interface WorkObserver {
  /** Returns the span that the item runs in, if there are traces. */
  begin: (item: { workspace: string; id: string }) => Span | undefined
  /** `has_succeeded` is false when the item has failed, or another process has taken it over. */
  end: (ended: { has_succeeded: boolean; duration_ms: number; span: Span | undefined }) => void
}

/** Called once for each engine. */
export type ObserveWork = (kind: string) => WorkObserver

const items: Metric = {
  name: 'engine_items_total',
  help: 'Items of background work that have ended: succeeded, or failed and to be tried again.',
  type: 'counter',
  labels: ['kind', 'result'],
}
const running: Metric = {
  name: 'engine_running',
  help: 'Items of background work that run now.',
  type: 'gauge',
  labels: ['kind'],
}
const duration: Metric = {
  name: 'engine_item_duration_seconds',
  help: 'How long items of background work take.',
  type: 'histogram',
  labels: ['kind'],
  buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900],
}

/** The value of this metric is read from the database when metrics are shown. */
export const engine_lag: Metric = {
  name: 'engine_lag_seconds',
  help: 'How long the oldest item of background work has been due that could run now, in live workspaces.',
  type: 'gauge',
  labels: ['kind'],
}

export const work_metrics = [engine_lag, items, running, duration]

/** Counts what engines do, by kind. Each item begins a trace of its own. */
export const observeWork =
  ({ metrics, traces }: { metrics: Metrics; traces: Traces | undefined }): ObserveWork =>
  (kind) => {
    // The metrics are shown before the first item ends, so that a rate sees it.
    for (const result of ['succeeded', 'failed']) metrics.add(items, 0, kind, result)
    metrics.add(running, 0, kind)
    return {
      begin({ workspace, id }) {
        metrics.add(running, 1, kind)
        return traces?.begin({ name: kind, kind: 'internal', attributes: { workspace_id: workspace, item_id: id } })
      },
      end({ has_succeeded, duration_ms, span }) {
        metrics.add(running, -1, kind)
        metrics.add(items, 1, kind, has_succeeded ? 'succeeded' : 'failed')
        metrics.observe(duration, duration_ms, kind)
        span?.end({ error: has_succeeded ? undefined : 'failed' })
      },
    }
  }
