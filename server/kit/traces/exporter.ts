import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../clock.ts'
import type { Log } from '../log.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { OutboundError } from '../outbound/request.ts'
import { type Resource, toOtlp } from './otlp.ts'
import { inSpan, type Span } from './span.ts'

/** At most this many spans wait or are being sent. More are dropped. */
const queue_max = 2_048
/** One request has at most this many spans. When as many wait, they are sent at once. */
const batch_max = 512
const send_every_ms = clock.second_ms
/** The wait doubles after each failure, up to this. */
const retry_max_ms = 30 * clock.second_ms
const timeout_ms = 10 * clock.second_ms
/** The collector's answer is read up to this and thrown away. */
const answer_bytes_max = 16 * 1024
/** How long a stop waits for what is left to be sent. */
const close_max_ms = 3 * clock.second_ms
const log_every_ms = 60 * clock.second_ms
/** A wall clock that has moved by more than this was set: its jitter is smaller. */
const clock_moved_ms = 50
/** The protocol allows a repeat after these statuses. */
const repeated_statuses = [429, 502, 503, 504]

export interface ExporterOptions {
  /** The operator's own address, so it may be private. */
  url: string
  headers: Record<string, string>
  resource: Resource
  outbound: Pick<Outbound, 'send'>
  log: Log
  onDropped: (count: number) => void
}

export interface Exporter {
  /** Never waits and never throws. */
  add: (span: Span) => void
  /** Sends what is left, within a few seconds. */
  close: () => Promise<void>
}

interface Failure {
  reason: string
  may_repeat: boolean
  /** An error that is not the collector's fault. */
  err?: unknown
}

/** Sends spans to a collector, one batch at a time. A collector that is slow or down costs spans, and no more memory or time. */
export function openExporter({ url, headers, resource, outbound, log, onDropped }: ExporterOptions): Exporter {
  const queue: Span[] = []
  const stop = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<boolean> | undefined
  let wait_ms = send_every_ms
  let is_closing = false
  let epoch_ms = clock.wall() - clock.ticks()
  let logged_ticks = Number.NEGATIVE_INFINITY
  let dropped = 0

  function drop(count: number, failure: Pick<Failure, 'reason' | 'err'>): void {
    dropped += count
    onDropped(count)
    logFailure(failure)
  }

  function logFailure({ reason, err }: Pick<Failure, 'reason' | 'err'>): void {
    if (clock.ticks() - logged_ticks < log_every_ms) return
    logged_ticks = clock.ticks()
    log.warn({ reason, dropped, err }, 'the collector of traces does not take spans')
    dropped = 0
  }

  /** Sets the only timer. Its work belongs to no request, so it runs in no span. */
  function schedule(after_ms: number): void {
    clearTimeout(timer)
    timer = inSpan(undefined, () => setTimeout(sendNext, after_ms)).unref()
  }

  function sendNext(): void {
    timer = undefined
    sending ??= sendBatch().finally(() => {
      sending = undefined
      if (queue.length === 0 || is_closing) return
      schedule(wait_ms === send_every_ms && queue.length >= batch_max ? 0 : wait_ms)
    })
  }

  /**
   * Resolves to whether the collector is there. Spans that it refuses are dropped, and those that it may still take
   * stay in the queue. Never rejects.
   */
  async function sendBatch(): Promise<boolean> {
    const batch = queue.slice(0, batch_max)
    const measured_ms = clock.wall() - clock.ticks()
    if (Math.abs(measured_ms - epoch_ms) > clock_moved_ms) epoch_ms = measured_ms
    const failure = await post(batch)
    wait_ms = failure?.may_repeat ? Math.min(2 * wait_ms, retry_max_ms) : send_every_ms
    if (!failure?.may_repeat) queue.splice(0, batch.length)
    if (failure?.may_repeat) logFailure(failure)
    else if (failure) drop(batch.length, failure)
    return !failure?.may_repeat
  }

  async function post(batch: Span[]): Promise<Failure | undefined> {
    try {
      const body = toOtlp(batch, resource, epoch_ms)
      const request = { headers: { ...headers, 'content-type': 'application/json' }, body, signal: stop.signal }
      const limits = { timeout_ms, bytes_max: answer_bytes_max }
      const { status } = await outbound.send(url, { ...request, ...limits }, { is_trusted: true })
      if (status >= 200 && status < 300) return undefined
      return { reason: `It answered with the status ${status}.`, may_repeat: repeated_statuses.includes(status) }
    } catch (error) {
      // Anything else, such as a header that can't be sent, would fail again.
      if (error instanceof OutboundError) return { reason: error.message, may_repeat: true }
      return { reason: 'They could not be sent.', may_repeat: false, err: error }
    }
  }

  async function sendRest(): Promise<void> {
    let is_there = (await sending) ?? true
    while (is_there && queue.length > 0 && !stop.signal.aborted) is_there = await sendBatch()
  }

  return {
    add(span) {
      if (is_closing) return
      if (queue.length === queue_max) return drop(1, { reason: 'Too many spans are waiting.' })
      queue.push(span)
      if (sending) return
      if (!timer) schedule(wait_ms)
      else if (queue.length === batch_max && wait_ms === send_every_ms) schedule(0)
    },
    async close() {
      is_closing = true
      clearTimeout(timer)
      await Promise.race([sendRest(), sleep(close_max_ms, undefined, { ref: false })])
      stop.abort()
      if (queue.length > 0) drop(queue.length, { reason: 'The process has ended.' })
    },
  }
}
