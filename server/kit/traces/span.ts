import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import * as clock from '../clock.ts'

/** Values are names, numbers and ids: never what people say or write, phone numbers, secrets, or paths with values in them. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

export type SpanKind = 'internal' | 'server' | 'client'

/** A span that other spans and traces refer to. */
export interface SpanContext {
  trace_id: string
  span_id: string
  /** Whether its trace is sent to the collector. */
  is_sampled: boolean
}

export interface SpanOptions {
  name: string
  kind: SpanKind
  attributes?: Attributes
  /** Now by default. */
  began_ticks?: number
}

interface SpanEnd {
  attributes?: Attributes | undefined
  /** What went wrong, as a name or a code: messages may contain what was sent. */
  error?: string | undefined
  /** Now by default. */
  ended_ticks?: number
}

const links_max = 32

/** Something that takes time, as part of a trace. */
export class Span implements SpanContext {
  readonly trace_id: string
  readonly span_id = newSpanId()
  readonly parent_id: string | undefined
  is_sampled: boolean
  readonly kind: SpanKind
  readonly began_ticks: number
  readonly links: SpanContext[] = []
  readonly #onEnd: (span: Span) => void
  name: string
  attributes: Attributes
  error: string | undefined
  ended_ticks: number | undefined

  /** A span without a `span_id` before it begins a trace. */
  constructor(
    { name, kind, attributes = {}, began_ticks = clock.ticks() }: SpanOptions,
    before: Pick<SpanContext, 'trace_id' | 'is_sampled'> & { span_id?: string },
    onEnd: (span: Span) => void,
  ) {
    this.name = name
    this.kind = kind
    this.attributes = attributes
    this.began_ticks = began_ticks
    this.trace_id = before.trace_id
    this.parent_id = before.span_id
    this.is_sampled = before.is_sampled
    this.#onEnd = onEnd
  }

  /** The header of requests and answers that belong to this span. */
  get traceparent(): string {
    return `00-${this.trace_id}-${this.span_id}-${this.is_sampled ? '01' : '00'}`
  }

  /** Undefined if the trace is not sent: then nothing has to be measured. */
  child(options: SpanOptions): Span | undefined {
    return this.is_sampled ? new Span(options, this, this.#onEnd) : undefined
  }

  /** Refers to a span of another trace, which has done something for this one. */
  link({ trace_id, span_id, is_sampled }: SpanContext): void {
    if (this.links.length < links_max) this.links.push({ trace_id, span_id, is_sampled })
  }

  /** Only the first call counts. */
  end({ attributes, error, ended_ticks = clock.ticks() }: SpanEnd = {}): void {
    if (this.ended_ticks !== undefined) return
    this.ended_ticks = ended_ticks
    this.error = error
    if (attributes) this.attributes = { ...this.attributes, ...attributes }
    if (this.is_sampled) this.#onEnd(this)
  }
}

/** The span that code runs in. In a process without traces there never is one. */
const running = new AsyncLocalStorage<Span | undefined>()

/** The span that the caller runs in. Work that goes on after its end, such as a timer, has none. */
export function currentSpan(): Span | undefined {
  const span = running.getStore()
  return span?.ended_ticks === undefined ? span : undefined
}

/** Runs the work in this span, or in none. */
export const inSpan = <T>(span: Span | undefined, work: () => T): T =>
  running.getStore() === span ? work() : running.run(span, work)

/** Several callers share one piece of work: it belongs to one of them, and the spans of the others link to that one's. */
export function sharedSpan(callers: readonly { span: Span | undefined }[]): Span | undefined {
  const owner = (callers.find(({ span }) => span?.is_sampled) ?? callers[0])?.span
  if (owner) for (const { span } of callers) if (span && span !== owner) span.link(owner)
  return owner
}

/**
 * Headers for requests to servers of customers, who can continue the trace. They name the span or, if it is not sent,
 * that of the caller.
 */
export function traceHeaders(span: Span | undefined): Record<string, string> {
  const from = span ?? currentSpan()
  return from ? { traceparent: from.traceparent } : {}
}

const header = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Reads the header `traceparent`. Undefined if there is none, or a malformed one. */
export function parseTraceparent(text: string | string[] | undefined): SpanContext | undefined {
  const [, version, trace_id, span_id, flags = '', more] = (typeof text === 'string' && header.exec(text)) || []
  // Later versions may have more at the end.
  if (!trace_id || !span_id || (version === '00' && more !== undefined)) return undefined
  return { trace_id, span_id, is_sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export const newTraceId = (): string => randomUUID().replaceAll('-', '')

/** Leaves out the digits of a UUID that are always the same. */
function newSpanId(): string {
  const id = randomUUID()
  return id.slice(0, 8) + id.slice(28)
}
