import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as clock from '../clock.ts'
import type { Log } from '../log.ts'
import type { Metric, Metrics } from '../metrics.ts'
import type { Traces } from '../traces/traces.ts'
import { upload_sockets } from './admission.ts'
import { answerAndDrain, isArriving } from './body/drain.ts'
import { body_limit_bytes, common_headers } from './errors.ts'
import { kept, type SendAnswer } from './request.ts'
import { openRequestLog } from './request-log.ts'
import { beginRequest, endRequest } from './request-span.ts'

/** A client that gets this status sends nothing more, so nothing is left to be read. */
const timeout_status = 408

/** Routes are patterns, never ids, so the number of series stays small. */
export const request_duration: Metric = {
  name: 'http_request_duration_seconds',
  help: 'Duration of HTTP requests, by route pattern.',
  type: 'histogram',
  labels: ['method', 'route', 'status'],
  has_no_prefix: true,
}

export interface SenderOptions {
  log: Log
  metrics: Metrics
  traces: Traces | undefined
  stalled_after_ms: number
  isStopping: () => boolean
}

/** Sends answers, and records them in the metrics, in the log and in traces. An answer that can't be sent ends its own connection only. */
export function createSender({ log, metrics, traces, stalled_after_ms, isStopping }: SenderOptions): SendAnswer {
  const logRequest = openRequestLog(log)
  const send: SendAnswer = (bare_request, reply, { status, headers, body }) => {
    const request = kept(bare_request)
    const { id, method, arrived_at, routeOptions } = request
    if (isStopping()) reply.header('connection', 'close')
    reply.code(status).headers(common_headers)
    if (request.door_headers) reply.headers(request.door_headers)
    reply.header('x-request-id', id).headers(headers)
    // No hook has seen a request whose URL is malformed.
    const span = traces && (request.span ?? beginRequest(traces, request))
    if (span) reply.header('traceparent', span.traceparent)
    if (typeof body === 'string' || Buffer.isBuffer(body)) sendBody(request, reply, body)
    else sendFile(request, reply, body, log, stalled_after_ms)
    // The answer is recorded here and not in an onResponse hook, which would cost as much as this whole function.
    const now = clock.ticks()
    const duration_ms = now - (arrived_at || now)
    const route = routeOptions.url ?? '(none)'
    metrics.observe(request_duration, duration_ms, method, route, status)
    const answered = { route, status, duration_ms, trace_id: span?.trace_id }
    logRequest(request, answered)
    if (span) endRequest(span, request, answered)
  }

  // Many callers are callbacks whose errors nothing catches.
  return (request, reply, answer) => {
    try {
      send(request, reply, answer)
    } catch (error) {
      log.error({ err: error, request_id: request.id, route: request.routeOptions.url }, 'could not send an answer')
      reply.raw.destroy()
    }
  }
}

function sendBody({ raw }: FastifyRequest, reply: FastifyReply, body: string | Buffer): void {
  const is_rejected = reply.statusCode >= 400 && reply.statusCode !== timeout_status
  const stays_open = reply.raw.shouldKeepAlive && reply.getHeader('connection') === undefined
  // Node reads the rest of a body if the connection stays open. Only long bodies need a limit.
  if (!is_rejected || !isArriving(raw) || (stays_open && isShort(raw))) return void reply.send(body)
  // The request timeout doesn't apply while the rest is read.
  upload_sockets.add(raw.socket)
  reply.raw.once('close', () => upload_sockets.delete(raw.socket))
  reply.header('content-length', Buffer.byteLength(body)).send(answerAndDrain(raw, body))
}

const isShort = ({ headers }: IncomingMessage): boolean => Number(headers['content-length']) <= body_limit_bytes

function sendFile(
  { id, method, raw, routeOptions }: FastifyRequest,
  reply: FastifyReply,
  body: Readable,
  log: Log,
  stalled_after_ms: number,
) {
  // The client has disconnected: no event would end the body.
  if (reply.raw.closed) return void body.destroy()
  if (method === 'HEAD') {
    body.destroy()
    // A text would set the length of the file to 0.
    return void reply.send(Readable.from([]))
  }
  body.on('error', (error) => {
    if (raw.destroyed) return
    log.error({ err: error, request_id: id, route: routeOptions.url }, 'could not generate a file')
    // An HTTP/1.0 client would take an orderly close for the end of the file.
    if (reply.raw.headersSent) raw.socket.resetAndDestroy()
  })
  const stalled = setTimeout(() => {
    const { socket, writableLength } = reply.raw
    // Nothing waits for the client: the next piece or an earlier response on this connection is not ready yet.
    if (writableLength === 0 || !socket) return void stalled.refresh()
    log.debug({ request_id: id, route: routeOptions.url }, 'a client stopped reading')
    socket.resetAndDestroy()
  }, stalled_after_ms)
  body.on('data', () => stalled.refresh())
  reply.raw.once('close', () => clearTimeout(stalled))
  reply.send(body)
}
