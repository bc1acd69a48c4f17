import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export interface Metrics {
  observe: (method: string, route: string, status: number, duration_ms: number) => void
  content_type: string
  text: () => Promise<string>
}

interface Series {
  labels: string
  /** Each bucket has one. The last one counts all longer requests. */
  counts: number[]
  sum_ms: number
}

const name = 'http_request_duration_seconds'
const buckets_ms = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000]

/**
 * Metrics in Prometheus format. Routes are patterns, never ids, so the number of series stays small. `restarts` counts the
 * crashes after which the launcher restarted the service.
 */
export function openMetrics(prefix: string, restarts: number): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const help = 'Restarts after a crash since the launcher was started.'
  new Counter({ name: `${prefix}_restarts_total`, help, registers: [registry] }).inc(restarts)
  // Not the library's histogram, which is too slow to use on every request.
  const all = new Map<string, Series>()
  return {
    content_type: registry.contentType,
    text: async () => `${await registry.metrics()}\n${formatSeries(all.values()).join('\n')}\n`,
    observe(method, route, status, duration_ms) {
      const key = `${method} ${route} ${status}`
      let series = all.get(key)
      if (!series) {
        const labels = `method="${method}",route="${route}",status="${status}"`
        series = { labels, counts: new Array(buckets_ms.length + 1).fill(0), sum_ms: 0 }
        all.set(key, series)
      }
      let bucket = 0
      while (duration_ms > (buckets_ms[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
      series.sum_ms += duration_ms
    },
  }
}

function formatSeries(all: Iterable<Series>): string[] {
  const lines = [`# HELP ${name} Duration of HTTP requests, by route pattern.`, `# TYPE ${name} histogram`]
  for (const { labels, counts, sum_ms } of all) {
    let total = 0
    counts.forEach((count, bucket) => {
      total += count
      const limit_ms = buckets_ms[bucket]
      lines.push(`${name}_bucket{le="${limit_ms === undefined ? '+Inf' : limit_ms / 1000}",${labels}} ${total}`)
    })
    lines.push(`${name}_sum{${labels}} ${sum_ms / 1000}`, `${name}_count{${labels}} ${total}`)
  }
  return lines
}

/** Measures how long the stages of something take. */
export interface Stages {
  /** By the names of the stages, in milliseconds: `model_ms` is the stage `model`. Those that are null are left out. */
  observe: (times_ms: Record<string, number | null | undefined>) => void
  text: () => Promise<string>
}

const stage_buckets_seconds = [0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 5, 10]

/** For what happens seldom, so that the library's histogram is fast enough. */
export function openStages(metric: { name: string; help: string }): Stages {
  const registry = new Registry()
  const histogram = new Histogram({
    ...metric,
    labelNames: ['stage'],
    buckets: stage_buckets_seconds,
    registers: [registry],
  })
  return {
    observe(times_ms) {
      for (const [name, ms] of Object.entries(times_ms))
        if (typeof ms === 'number') histogram.observe({ stage: name.replace(/_ms$/, '') }, ms / 1_000)
    },
    text: () => registry.metrics(),
  }
}

/** A number that is read when it is asked for. */
export function openGauge(metric: { name: string; help: string }, read: () => number): { text: () => Promise<string> } {
  const registry = new Registry()
  new Gauge({
    ...metric,
    registers: [registry],
    collect() {
      this.set(read())
    },
  })
  return { text: () => registry.metrics() }
}
