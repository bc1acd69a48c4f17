import assert from 'node:assert/strict'
import type http from 'node:http'
import { until } from './model-servers.ts'
import { receiver, respondWith } from './receivers.ts'

type Value = string | number | boolean | Value[]

export interface CollectedSpan {
  trace_id: string
  span_id: string
  parent_id: string | undefined
  name: string
  kind: number
  began_ns: bigint
  ended_ns: bigint
  attributes: Record<string, Value>
  links: { traceId: string; spanId: string }[]
  is_error: boolean
}

interface Collector {
  /** The value of OTEL_EXPORTER_OTLP_ENDPOINT for this collector. */
  endpoint: string
  spans: CollectedSpan[]
  /** The attributes of the last resource. */
  resource: Record<string, Value>
  /** The headers of the last request. */
  headers: Record<string, string>
  /** All that it has received. */
  text: () => string
  /** Waits until there is such a span. */
  find: (what: string, isIt: (span: CollectedSpan) => boolean) => Promise<CollectedSpan>
  /** The spans of a trace so far. */
  inTrace: (trace_id: string) => CollectedSpan[]
  childrenOf: (span: CollectedSpan) => CollectedSpan[]
}

type Answer = (response: http.ServerResponse, request: http.IncomingMessage) => unknown

/** A collector of OpenTelemetry that reads OTLP as JSON, and fails the test when a request is not as the protocol says. */
export async function openCollector(answer: Answer = respondWith(200, { 'content-type': 'application/json' }, '{}')) {
  const faults: unknown[] = []
  const collector: Omit<Collector, 'endpoint'> = {
    spans: [],
    resource: {},
    headers: {},
    text: () => there.received.map(({ body }) => body).join('\n'),
    async find(what, isIt) {
      await until(() => collector.spans.some(isIt) || faults.length > 0).catch(() => {
        const names = collector.spans.map(({ name }) => name)
        assert.fail(`no ${what} among ${names.join(', ')}`)
      })
      assert.deepEqual(faults, [])
      const found = collector.spans.find(isIt)
      assert.ok(found, what)
      return found
    },
    inTrace: (trace_id) => collector.spans.filter((span) => span.trace_id === trace_id),
    childrenOf: ({ trace_id, span_id }) => collector.inTrace(trace_id).filter(({ parent_id }) => parent_id === span_id),
  }
  const there = await receiver(async (response, request) => {
    const last = there.received.at(-1)
    try {
      assert.ok(last)
      assert.deepEqual([request.method, last.path, last.headers['content-type']], ['POST', '/v1/traces', json_type])
      const { resource, spans } = readOtlp(JSON.parse(last.body))
      Object.assign(collector, { resource, headers: last.headers })
      collector.spans.push(...spans)
    } catch (error) {
      faults.push(error)
    }
    await answer(response, request)
  })
  return Object.assign(collector, { endpoint: new URL(there.url).origin })
}

const json_type = 'application/json'

// biome-ignore lint/suspicious/noExplicitAny: it is checked here
type Json = any

function readOtlp(body: Json): { resource: Record<string, Value>; spans: CollectedSpan[] } {
  assert.deepEqual(Object.keys(body), ['resourceSpans'])
  assert.equal(body.resourceSpans.length, 1)
  const [{ resource, scopeSpans }] = body.resourceSpans
  assert.equal(scopeSpans.length, 1)
  const [{ scope, spans }] = scopeSpans
  assert.equal(typeof scope.name, 'string')
  assert.ok(spans.length > 0 && spans.length <= 512, String(spans.length))
  return { resource: readAttributes(resource.attributes), spans: spans.map(readSpan) }
}

const span_members =
  'traceId spanId parentSpanId name kind startTimeUnixNano endTimeUnixNano attributes links status'.split(' ')

function readSpan(span: Json): CollectedSpan {
  for (const member of Object.keys(span)) assert.ok(span_members.includes(member), member)
  assert.match(span.traceId, /^(?!0{32})[0-9a-f]{32}$/)
  assert.match(span.spanId, /^(?!0{16})[0-9a-f]{16}$/)
  if (span.parentSpanId !== undefined) assert.match(span.parentSpanId, /^(?!0{16})[0-9a-f]{16}$/)
  assert.ok(typeof span.name === 'string' && span.name !== '')
  assert.ok([1, 2, 3].includes(span.kind), String(span.kind))
  for (const time of [span.startTimeUnixNano, span.endTimeUnixNano]) {
    assert.equal(typeof time, 'string')
    assert.match(time, /^\d{19}$/)
  }
  assert.ok(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano))
  assert.ok(span.status === undefined || span.status.code === 2)
  for (const { traceId, spanId } of span.links ?? []) {
    assert.match(traceId, /^[0-9a-f]{32}$/)
    assert.match(spanId, /^[0-9a-f]{16}$/)
  }
  return {
    trace_id: span.traceId,
    span_id: span.spanId,
    parent_id: span.parentSpanId,
    name: span.name,
    kind: span.kind,
    began_ns: BigInt(span.startTimeUnixNano),
    ended_ns: BigInt(span.endTimeUnixNano),
    attributes: readAttributes(span.attributes),
    links: span.links ?? [],
    is_error: span.status?.code === 2,
  }
}

function readAttributes(attributes: Json[]): Record<string, Value> {
  const keys = attributes.map(({ key }) => key)
  assert.equal(new Set(keys).size, keys.length, keys.join())
  return Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]))
}

function readValue(value: Json): Value {
  const [[type, content] = [], ...others] = Object.entries<Json>(value)
  assert.equal(others.length, 0)
  if (type === 'arrayValue') return content.values.map(readValue)
  if (type === 'intValue') {
    // The protocol writes 64-bit numbers as text.
    assert.match(content, /^-?\d+$/)
    return Number(content)
  }
  const expected = { stringValue: 'string', boolValue: 'boolean', doubleValue: 'number' }[String(type)]
  assert.equal(typeof content, expected, String(type))
  return content
}
