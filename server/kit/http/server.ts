import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import * as clock from '../clock.ts'
import { requestIds } from '../id.ts'
import { openConcurrencyLimit } from '../limits/concurrency.ts'
import { type Log, oncePerSecond } from '../log.ts'
import { type Metrics, openMetrics } from '../metrics.ts'
import * as problem from '../problem.ts'
import { unhurried } from './admission.ts'
import { addDoors, type DoorOptions, methods, refuseOtherMethods } from './doors.ts'
import { type Answer, failure } from './envelope.ts'
import { body_limit_bytes, clientProblem, common_headers, problemOf, sayOnSocket } from './errors.ts'
import { closeGently } from './graceful-shutdown.ts'
import type { Give, Parts } from './request.ts'
import type { StaticSite } from './static-site.ts'
import {
  downloads_at_once_max,
  downloads_of_one_max,
  openStreams,
  streams_at_once_max,
  streams_of_one_max,
} from './stream-limits.ts'

export interface HttpOptions extends DoorOptions {
  trust_proxy: string[]
  /** What is shown where there is nothing else. */
  site: StaticSite
  metrics_prefix: string
  /** Of the service after a crash, for the metrics. */
  restarts: number
  limits: HttpLimits
}

export interface HttpLimits {
  /** A file or stream is reset when its client has taken nothing of it for so long. */
  stalled_after_ms?: number
}

export type { FastifyInstance }

const request_timeout_ms = 30_000
/** For the head alone, and for a connection that says nothing at first. */
const headers_timeout_ms = 10_000
const look_for_late_ms = 1_000
const stalled_after_ms_default = 60_000
/** Each costs memory and a file handle, of which the database needs some as well. */
const connections_max = 10_000
const param_length_max = 500
/** Of who sends to an inlet, whom nobody knows; and of those to one address. */
const inlet_at_once_max = 500
const inlet_of_one_max = 20

export interface Http {
  app: FastifyInstance
  metrics: Metrics
  /** An address that answers everyone, such as the documents. */
  addPage: (url: string, answer: () => Promise<Answer> | Answer) => void
  /** An address that takes a POST of anything from everyone, as bytes. */
  addInlet: (url: string, take: (arrival: Inflow) => Promise<Answer>) => void
  /** Answers what has begun, tells all callers that their connections end, and closes. */
  stop: () => Promise<void>
  isStopping: () => boolean
}

/** What came to an inlet. */
export interface Inflow {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  /** When the sender has gone. */
  hung_up: Promise<void>
}

/** The web server with all operations on it. */
export function openHttp(options: HttpOptions): Http {
  const { log, trust_proxy } = options
  const { stalled_after_ms = stalled_after_ms_default } = options.limits
  const figures = openMetrics(options.metrics_prefix, options.restarts)
  const newRequestId = requestIds()
  let is_stopping = false
  const noteUnavailable = oncePerSecond<problem.Problem>(({ message, cause }, count) =>
    log.warn({ count, reason: Object(cause).message ?? message }, 'answered 503'),
  )
  const send: Give = (request, reply, { status, headers, body }) => {
    const { id, method, arrived_at, routeOptions } = request
    if (is_stopping) reply.header('connection', 'close')
    reply.code(status).headers(common_headers)
    if (request.door_headers) reply.headers(request.door_headers)
    reply.header('x-request-id', id).headers(headers)
    if (typeof body === 'string' || Buffer.isBuffer(body)) reply.send(body)
    else sendFile(request, reply, body, log, stalled_after_ms)
    // Here and not in a hook for sent answers, which costs as much as the whole of this.
    const duration_ms = clock.ticks() - (arrived_at || clock.ticks())
    const route = routeOptions.url ?? '(none)'
    figures.observe(method, route, status, duration_ms)
    if (log.isLevelEnabled('debug'))
      log.debug({ request_id: id, method, route, status, duration_ms, ip: request.ip }, 'answered')
  }
  // Often called where nobody would catch it: what can't be sent fails alone.
  const give: Give = (request, reply, answer) => {
    try {
      send(request, reply, answer)
    } catch (error) {
      log.error({ err: error, request_id: request.id, route: request.routeOptions.url }, 'an answer was not sent')
      reply.raw.destroy()
    }
  }
  const app = fastify({
    logger: false,
    bodyLimit: body_limit_bytes,
    requestTimeout: request_timeout_ms,
    trustProxy: trust_proxy.length > 0 ? trust_proxy : false,
    return503OnClosing: false,
    genReqId: newRequestId,
    // Node's own refusal would not be in the envelope.
    http: {
      requireHostHeader: false,
      headersTimeout: headers_timeout_ms,
      connectionsCheckingInterval: look_for_late_ms,
    },
    routerOptions: { maxParamLength: param_length_max },
    clientErrorHandler: (error, socket) => {
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && unhurried.has(socket)) return
      try {
        sayOnSocket(socket, clientProblem(error), newRequestId())
      } catch (error) {
        log.error({ err: error }, 'a broken request was not answered')
        socket.destroy()
      }
    },
    frameworkErrors: (_error, request, reply) => give(request, reply, failure(problem.notFound(), request.id)),
  })
  for (const method of methods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  app.server.maxConnections = connections_max
  // A connection that can't be accepted, such as without a free file handle, must not end those that are there.
  app.server.once('listening', () =>
    app.server.on('error', (error) => log.warn({ reason: error.message }, 'a connection was not accepted')),
  )
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.decorateRequest('caller')
  app.decorateRequest('arrived_at', 0)
  app.decorateRequest('door_headers')
  app.decorateRequest('knock')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body))
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setNotFoundHandler((request, reply) =>
    give(request, reply, options.site.answer(request) ?? failure(problem.notFound(), request.id)),
  )
  app.setErrorHandler((error, request, reply) => {
    const has_hung_up = request.raw.destroyed && !request.raw.complete
    const told = has_hung_up ? problem.malformedRequest() : request.is404 ? problem.notFound() : problemOf(error)
    // The database is away or there is too much to do: nothing that a stack would explain, and it happens to all at once.
    if (told.status === 503) noteUnavailable(told)
    else if (told.status >= 500)
      log.error({ err: error, request_id: request.id, route: request.routeOptions.url }, told.message)
    give(request, reply, failure(told, request.id))
  })
  const streams = openStreams(streams_at_once_max, streams_of_one_max)
  const downloads = openStreams(downloads_at_once_max, downloads_of_one_max)
  app.addHook('preClose', async () => streams.endAll())
  addDoors(app, give, streams, downloads, options)
  const addPage = (url: string, answer: () => Promise<Answer> | Answer) => {
    app.get(url, async (request, reply) => give(request, reply, await answer()))
    refuseOtherMethods(app, url, ['GET'])
  }
  const addInlet: Http['addInlet'] = (url, take) => {
    const places = openConcurrencyLimit(inlet_at_once_max, inlet_of_one_max)
    app.post<Parts>(url, async (request, reply) => {
      const { body, headers } = request
      const hung_up = new Promise<void>((resolve) => reply.raw.once('close', resolve))
      const path = request.url.split('?')[0] ?? ''
      if (!places.acquire(path)) throw problem.overloaded()
      const bytes = Buffer.isBuffer(body) ? body : Buffer.of()
      const answer = await take({ path, headers, body: bytes, hung_up }).finally(() => places.release(path))
      give(request, reply, answer)
      return reply
    })
    refuseOtherMethods(app, url, ['POST'])
  }
  const stop = () => {
    is_stopping = true
    streams.endAll()
    return closeGently(
      app.server,
      () => app.close(),
      () => downloads.endAll(),
    )
  }
  return { app, metrics: figures, addPage, addInlet, stop, isStopping: () => is_stopping }
}

function sendFile(
  { id, method, raw, routeOptions }: FastifyRequest,
  reply: FastifyReply,
  body: Readable,
  log: Log,
  stalled_after_ms: number,
) {
  // Gone meanwhile: nothing would tell when to stop.
  if (reply.raw.closed) return void body.destroy()
  if (method === 'HEAD') {
    body.destroy()
    return void reply.send('')
  }
  body.on('error', (error) => {
    if (raw.destroyed) return
    log.error({ err: error, request_id: id, route: routeOptions.url }, 'a file broke off')
    // An end in good order is the end of the file to a client of HTTP/1.0.
    if (reply.raw.headersSent) raw.socket.resetAndDestroy()
  })
  const stalled = setTimeout(() => {
    const { socket, writableLength } = reply.raw
    // The next piece is still being made, or an earlier request of the connection still being answered.
    if (writableLength === 0 || !socket) return void stalled.refresh()
    log.debug({ request_id: id, route: routeOptions.url }, 'a client stopped reading')
    socket.resetAndDestroy()
  }, stalled_after_ms)
  body.on('data', () => stalled.refresh())
  reply.raw.once('close', () => clearTimeout(stalled))
  reply.send(body)
}
