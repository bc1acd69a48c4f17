import { collectDefaultMetrics, Registry } from 'prom-client'
import * as clock from './clock.ts'

/**
 * A metric, as a room declares it: its values belong to a service (`openMetrics`). The values of labels are few and fixed, such
 * as statuses and patterns of routes, and never ids, names or anything that clients choose.
 */
export interface Metric {
  /** The name without the prefix. */
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  /** The names of up to three labels. Without labels there is one series, which is shown from the beginning. */
  labels?: readonly string[]
  /** The values of the labels of series that are shown before anything has happened. */
  series?: readonly (readonly string[])[]
  /** The upper limits of a histogram's buckets, in seconds. */
  buckets?: readonly number[]
  has_no_prefix?: true
}

type Value = string | number

/** A value that is read when metrics are asked for, with the values of its labels. */
interface Sample {
  labels: readonly string[]
  value: number
}

/** What is counted and measured. These calls are cheap enough for every request, and never throw. */
export interface Metrics {
  content_type: string
  /** Adds to a counter, or to a gauge. The last arguments are the values of the labels. */
  add: (metric: Metric, amount: number, first?: Value, second?: Value, third?: Value) => void
  /** Adds a duration to a histogram. */
  observe: (metric: Metric, duration_ms: number, first?: Value, second?: Value, third?: Value) => void
  /** Calls `read` whenever metrics are asked for. If it fails, its values are missing that time. */
  read: (metric: Metric, read: () => Sample[] | Promise<Sample[]>) => void
  /** Measures the process too, for those who serve metrics. Returns the function that ends it. */
  watchProcess: () => () => void
  /** Returns the text of all metrics in Prometheus format. */
  text: () => Promise<string>
  /**
   * Lets `show` make what `text` returns. It gets a function that reads the metrics of this process, which is also
   * returned.
   */
  showWith: (show: (read: () => Promise<string>) => Promise<string>) => () => Promise<string>
}

interface Series {
  labels: string
  /** The value of a counter or a gauge. */
  value: number
  /** Each bucket has one count. The last one counts all longer durations. */
  counts: number[]
  sum_ms: number
}

interface Branch {
  series: Series | undefined
  next: Map<Value, Branch>
}

interface Family {
  metric: Metric
  name: string
  buckets_ms: number[]
  /** The series, in the order in which they were added. */
  series: Series[]
  /** Finds a series by the values of its labels, one after the other: to make a key of them would take longer. */
  root: Branch
  read?: () => Sample[] | Promise<Sample[]>
}

const default_buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const sample_loop_every_ms = 100

/** How late timers are: everything else in the process is as late. */
const event_loop_delay: Metric = {
  name: 'event_loop_delay_seconds',
  help: 'How late the event loop runs what is due, ten times a second.',
  type: 'histogram',
}

/** Metrics in Prometheus format. These `metrics` are shown from the beginning, others once they are used. */
export function openMetrics(prefix: string, metrics: Metric[]): Metrics {
  const registry = new Registry()
  const families = new Map<Metric, Family>()

  function familyOf(metric: Metric): Family {
    let family = families.get(metric)
    if (!family) {
      family = openFamily(prefix, metric)
      families.set(metric, family)
    }
    return family
  }
  for (const metric of metrics) familyOf(metric)

  // The library's histogram would be too slow to use on every request.
  const observe: Metrics['observe'] = (metric, duration_ms, first = '', second = '', third = '') => {
    const family = familyOf(metric)
    const series = seriesOf(family, first, second, third)
    const { buckets_ms } = family
    let bucket = 0
    while (duration_ms > (buckets_ms[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
    series.sum_ms += duration_ms
  }

  async function read(): Promise<string> {
    const [of_process, ...own] = await Promise.all([registry.metrics(), ...families.values().map(format)])
    return `${[of_process.trimEnd(), ...own].join('\n')}\n`
  }
  let show = (read: () => Promise<string>) => read()

  return {
    content_type: registry.contentType,
    add(metric, amount, first = '', second = '', third = '') {
      seriesOf(familyOf(metric), first, second, third).value += amount
    },
    observe,
    read(metric, read) {
      familyOf(metric).read = read
    },
    watchProcess() {
      collectDefaultMetrics({ register: registry })
      familyOf(event_loop_delay)
      let due_ticks = clock.ticks() + sample_loop_every_ms
      const timer = setInterval(() => {
        const now_ticks = clock.ticks()
        observe(event_loop_delay, Math.max(0, now_ticks - due_ticks))
        due_ticks = now_ticks + sample_loop_every_ms
      }, sample_loop_every_ms).unref()
      return () => {
        clearInterval(timer)
        registry.clear()
      }
    },
    text: () => show(read),
    showWith(showAll) {
      show = showAll
      return read
    },
  }
}

function openFamily(prefix: string, metric: Metric): Family {
  const { name, buckets = default_buckets, labels = [], series = labels.length === 0 ? [[]] : [] } = metric
  const family: Family = {
    metric,
    name: metric.has_no_prefix ? name : `${prefix}_${name}`,
    buckets_ms: metric.type === 'histogram' ? buckets.map((seconds) => seconds * clock.second_ms) : [],
    series: [],
    root: { series: undefined, next: new Map() },
  }
  for (const [first = '', second = '', third = ''] of series) seriesOf(family, first, second, third)
  return family
}

function seriesOf(family: Family, first: Value, second: Value, third: Value): Series {
  const { metric, buckets_ms, root } = family
  const length = metric.labels?.length ?? 0
  let branch = root
  if (length > 0) branch = branchOf(branch, first)
  if (length > 1) branch = branchOf(branch, second)
  if (length > 2) branch = branchOf(branch, third)
  if (!branch.series) {
    const labels = formatLabels(metric, [first, second, third])
    branch.series = { labels, value: 0, counts: new Array(buckets_ms.length + 1).fill(0), sum_ms: 0 }
    family.series.push(branch.series)
  }
  return branch.series
}

function branchOf({ next }: Branch, value: Value): Branch {
  let branch = next.get(value)
  if (!branch) {
    branch = { series: undefined, next: new Map() }
    next.set(value, branch)
  }
  return branch
}

const formatLabels = ({ labels = [] }: Metric, values: readonly Value[]): string =>
  labels.map((label, index) => `${label}="${values[index] ?? ''}"`).join(',')

async function format({ metric, name, buckets_ms, series, read }: Family): Promise<string> {
  const lines = [`# HELP ${name} ${metric.help}`, `# TYPE ${name} ${metric.type}`]
  const toLine = (suffix: string, labels: string, value: number) =>
    lines.push(`${name}${suffix}${labels === '' ? '' : `{${labels}}`} ${value}`)
  if (read) {
    const samples = await Promise.resolve()
      .then(read)
      .catch(() => [])
    for (const { labels, value } of samples) toLine('', formatLabels(metric, labels), value)
    return lines.join('\n')
  }
  for (const { labels, value, counts, sum_ms } of series) {
    if (metric.type !== 'histogram') {
      toLine('', labels, value)
      continue
    }
    let total = 0
    for (const [bucket, count] of counts.entries()) {
      total += count
      const limit_ms = buckets_ms[bucket]
      const le = `le="${limit_ms === undefined ? '+Inf' : limit_ms / clock.second_ms}"`
      toLine('_bucket', labels === '' ? le : `${le},${labels}`, total)
    }
    toLine('_sum', labels, sum_ms / clock.second_ms)
    toLine('_count', labels, total)
  }
  return lines.join('\n')
}

/** The metrics of one of several processes. */
export interface MetricsText {
  text: string
  /**
   * This label, such as `process="2"`, is added to gauges. Without it gauges are left out, because those of a process
   * that has ended say nothing.
   */
  gauge_label?: string | undefined
}

interface SummedFamily {
  head: string[]
  is_gauge: boolean
  values: Map<string, number | string>
}

/** Sums the counters and histograms of several processes, and keeps the gauges of each. */
export function sumTexts(texts: MetricsText[]): string {
  const families = new Map<string, SummedFamily>()
  for (const { text, gauge_label } of texts) {
    let family: SummedFamily | undefined
    for (const line of text.split('\n')) {
      const [, kind, name = '', rest] = /^# (HELP|TYPE) (\S+) (.*)/.exec(line) ?? []
      if (kind === 'HELP') {
        family = families.get(name) ?? { head: [], is_gauge: false, values: new Map() }
        families.set(name, family)
      }
      if (!family || line === '') continue
      if (kind !== undefined) {
        if (family.head.length < 2) family.head.push(line)
        if (kind === 'TYPE') family.is_gauge = rest === 'gauge'
      } else addLine(family, line, gauge_label)
    }
  }
  const lines = families
    .values()
    .flatMap(({ head, values }) => [...head, ...values.entries().map(([series, value]) => `${series} ${value}`)])
  return `${[...lines].join('\n')}\n`
}

function addLine({ is_gauge, values }: SummedFamily, line: string, gauge_label: string | undefined): void {
  const space = line.lastIndexOf(' ')
  const [series, value] = [line.slice(0, space), line.slice(space + 1)]
  if (!is_gauge) values.set(series, Number(values.get(series) ?? 0) + Number(value))
  else if (gauge_label !== undefined) values.set(withLabel(series, gauge_label), value)
}

function withLabel(series: string, label: string): string {
  if (label === '') return series
  return series.endsWith('}') ? `${series.slice(0, -1)},${label}}` : `${series}{${label}}`
}
