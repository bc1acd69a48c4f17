import type { Log } from '../log.ts'
import type { Metric, Metrics } from '../metrics.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { openExporter } from './exporter.ts'
import type { Resource } from './otlp.ts'
import { newTraceId, parseTraceparent, Span, type SpanOptions } from './span.ts'

/** Traces of OpenTelemetry. Code that is part of a trace calls `currentSpan()` instead. */
export interface Traces {
  /**
   * Begins a trace, or continues the one that the header `traceparent` of a request names. Anyone can send this header, so it
   * can't add to the share of traces that are sent.
   */
  begin: (options: SpanOptions, traceparent?: string | string[]) => Span
  /** Sends what is left, within a few seconds. */
  close: () => Promise<void>
}

export interface TracesOptions {
  /** The URL of the collector. `/v1/traces` is added to it. */
  endpoint: string
  headers: Record<string, string>
  resource: Resource
  /** The share of traces that are sent, from 0 to 1. */
  sample_ratio: number
  outbound: Pick<Outbound, 'send'>
  metrics: Metrics
  log: Log
}

export const spans_dropped: Metric = {
  name: 'trace_spans_dropped_total',
  help: 'Spans that the collector of traces did not take.',
  type: 'counter',
}

export function openTraces({ endpoint, sample_ratio, metrics, ...options }: TracesOptions): Traces {
  const onDropped = (count: number) => metrics.add(spans_dropped, count)
  const { add, close } = openExporter({ ...options, url: `${endpoint}/v1/traces`, onDropped })
  return {
    begin(span, traceparent) {
      const own = newTrace(sample_ratio)
      const client = parseTraceparent(traceparent) ?? own
      return new Span(span, { ...client, is_sampled: client.is_sampled && own.is_sampled }, add)
    },
    close,
  }
}

function newTrace(sample_ratio: number) {
  const trace_id = newTraceId()
  return { trace_id, is_sampled: Number.parseInt(trace_id.slice(-8), 16) < sample_ratio * 2 ** 32 }
}
