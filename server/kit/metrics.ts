import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

export interface Metrics {
  observe: (method: string, route: string, status: number, duration_ms: number) => void
  content_type: string
  text: () => Promise<string>
}

/** Routes are patterns, never ids: the number of series stays small. */
export function metrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'How long answers took, by route pattern.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  const series = new Map<string, ReturnType<typeof durations.labels>>()
  return {
    content_type: registry.contentType,
    text: () => registry.metrics(),
    observe(method, route, status, duration_ms) {
      const name = `${method} ${route} ${status}`
      let one = series.get(name)
      if (!one) {
        one = durations.labels(method, route, String(status))
        series.set(name, one)
      }
      one.observe(duration_ms / 1000)
    },
  }
}
