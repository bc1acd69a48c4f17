import { truncate } from '../text.ts'
import type { Attributes, Span, SpanKind } from './span.ts'

/** Texts in attributes, such as statements, are cut to this length. */
const text_length_max = 2_048

const kinds: Record<SpanKind, number> = { internal: 1, server: 2, client: 3 }
const error_status = { code: 2 }

export interface Resource {
  attributes: Attributes
  /** The name and version of the program that has made the spans. */
  scope: { name: string; version: string }
}

/** The body of a request to a collector: OTLP as JSON. `epoch_ms` is the wall time at which ticks began. */
export const toOtlp = (spans: readonly Span[], { attributes, scope }: Resource, epoch_ms: number): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: toAttributes(attributes) },
        scopeSpans: [{ scope, spans: spans.map((span) => toSpan(span, epoch_ms)) }],
      },
    ],
  })

function toSpan(span: Span, epoch_ms: number) {
  const { trace_id, span_id, parent_id, name, kind, began_ticks, ended_ticks = began_ticks, links, error } = span
  return {
    traceId: trace_id,
    spanId: span_id,
    ...(parent_id && { parentSpanId: parent_id }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: toNanoseconds(epoch_ms + began_ticks),
    endTimeUnixNano: toNanoseconds(epoch_ms + Math.max(began_ticks, ended_ticks)),
    attributes: toAttributes({ ...span.attributes, 'error.type': error }),
    ...(links.length > 0 && { links: links.map((link) => ({ traceId: link.trace_id, spanId: link.span_id })) }),
    ...(error !== undefined && { status: error_status }),
  }
}

/** Formats nanoseconds as text, because a JSON number of them would not be exact. */
const toNanoseconds = (time_ms: number): string => `${Math.round(time_ms * 1_000)}000`

const toAttributes = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : { key, value: toValue(value) }))

function toValue(value: NonNullable<Attributes[string]>): object {
  if (typeof value === 'string') return { stringValue: truncate(value, text_length_max) }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  return { arrayValue: { values: value.map(toValue) } }
}
