import { type IncomingHttpHeaders, METHODS, maxHeaderSize, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import type { Readable } from 'node:stream'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { lanes } from './batch.ts'
import * as clock from './clock.ts'
import { isUnavailable, type Pool } from './db.ts'
import type { Door, Knock } from './door.ts'
import { endpoint } from './endpoint.ts'
import { type Answer, failure, type StreamedAnswer } from './envelope.ts'
import { closeGently } from './farewell.ts'
import { hasBody, isPlainJson, sentOf, tokenOf } from './head.ts'
import { requestIds } from './id.ts'
import { limiter } from './limit.ts'
import { type Log, rarely } from './log.ts'
import { type Metrics, metrics } from './metrics.ts'
import { isForm, isTooLong } from './multipart.ts'
import { type Caller, isEndless, type Operation, type Tools, type Upload } from './operation.ts'
import { openPlaces, type TurnAway, turningAway } from './places.ts'
import * as problem from './problem.ts'
import type { Site, SiteAnswer } from './site.ts'
import { openStreams, type Stay, type Streams, streams_of_one_max, welcome } from './streams.ts'
import { plainWriter, writer } from './write.ts'

export interface HttpOptions {
  doors: Door[]
  pool: Pool
  log: Log
  rate_limit_per_second: number
  trust_proxy: string[]
  /** What is shown where there is nothing else. */
  site: Site
  tools: Tools
}

export type { FastifyInstance }

const body_limit_bytes = 1024 * 1024
const request_timeout_ms = 30_000
/** For the head alone, and for a connection that says nothing at first. */
const headers_timeout_ms = 10_000
const look_for_late_ms = 1_000
/** Each costs memory and a file handle, of which the database needs some as well. */
const connections_max = 10_000
/** Of all workspaces together. Half of it, for one, is what a key may ask for in a second by default. */
const requests_at_once_max = 2_000
const param_length_max = 500
/** Of one workspace, so that they leave connections to others, and its dear ones a processor too. */
const lists_at_once_max = 3
const dear_at_once_max = Math.min(lists_at_once_max, Math.max(1, availableParallelism() - 1))
/** Every method that Node reads; CONNECT asks for a tunnel and never gets to a route. */
const methods = METHODS.filter((method) => method !== 'CONNECT')

/** How Fastify hands over the parts of a request, as it is set up below. */
interface Parts {
  Params: Record<string, string>
  Querystring: Record<string, string | string[]>
  Body: Buffer | Readable | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
    arrived_at: number
    door_headers: Record<string, string> | undefined
    knock: Knock
  }
}

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
  const figures = metrics()
  const newRequestId = requestIds()
  let is_stopping = false
  const noteUnavailable = rarely<problem.Problem>(({ message, cause }, count) =>
    log.warn({ count, reason: Object(cause).message ?? message }, 'answered 503'),
  )
  const give: Give = (request, reply, { status, headers, body }) => {
    const { id, method, arrived_at, routeOptions } = request
    if (is_stopping) reply.header('connection', 'close')
    reply.code(status).headers(common_headers)
    if (request.door_headers) reply.headers(request.door_headers)
    reply.header('x-request-id', id).headers(headers)
    if (typeof body === 'string' || Buffer.isBuffer(body)) reply.send(body)
    else sendFile(request, reply, body, log)
    // Here and not in a hook for sent answers, which costs as much as the whole of this.
    const duration_ms = clock.ticks() - (arrived_at || clock.ticks())
    const route = routeOptions.url ?? '(none)'
    figures.observe(method, route, status, duration_ms)
    if (log.isLevelEnabled('debug'))
      log.debug({ request_id: id, method, route, status, duration_ms, ip: request.ip }, 'answered')
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
      sayOnSocket(socket, clientProblem(error), newRequestId())
    },
    frameworkErrors: (_error, request, reply) => give(request, reply, failure(problem.notFound(), request.id)),
  })
  for (const method of methods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  app.server.maxConnections = connections_max
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
  const streams = openStreams()
  app.addHook('preClose', async () => streams.endAll())
  addDoors(app, give, streams, options)
  const addPage = (url: string, answer: () => Promise<Answer> | Answer) => {
    app.get(url, async (request, reply) => give(request, reply, await answer()))
    refuseOtherMethods(app, url, ['GET'])
  }
  const addInlet: Http['addInlet'] = (url, take) => {
    app.post<Parts>(url, async (request, reply) => {
      const { body, headers } = request
      const hung_up = new Promise<void>((resolve) => reply.raw.once('close', resolve))
      const path = request.url.split('?')[0] ?? ''
      give(request, reply, await take({ path, headers, body: Buffer.isBuffer(body) ? body : Buffer.of(), hung_up }))
      return reply
    })
    refuseOtherMethods(app, url, ['POST'])
  }
  const stop = () => {
    is_stopping = true
    streams.endAll()
    return closeGently(app.server, () => app.close())
  }
  return { app, metrics: figures, addPage, addInlet, stop, isStopping: () => is_stopping }
}

type Give = (request: FastifyRequest, reply: FastifyReply, answer: Answer | SiteAnswer | StreamedAnswer) => void

/** Connections on which a file arrives: that may take longer than other requests, and is watched by who reads it. */
const unhurried = new WeakSet<object>()

function sendFile({ id, method, raw, routeOptions }: FastifyRequest, reply: FastifyReply, body: Readable, log: Log) {
  if (method === 'HEAD') {
    body.destroy()
    return void reply.send('')
  }
  body.on('error', (error) => {
    if (!raw.destroyed) log.error({ err: error, request_id: id, route: routeOptions.url }, 'a file broke off')
  })
  reply.send(body)
}

/** All doors lead to the same rooms: what limits requests counts them together. */
function addDoors(
  app: FastifyInstance,
  give: Give,
  streams: Streams,
  { doors, pool, tools, rate_limit_per_second }: HttpOptions,
): void {
  const write = writer(pool, tools)
  const reads = { lists: lanes(lists_at_once_max), dear: lanes(dear_at_once_max) }
  const turnAway = turningAway()
  const admit = admission(rate_limit_per_second, turnAway)
  const places = openPlaces(requests_at_once_max)
  for (const door of doors) addOperations(door)

  function addOperations(door: Door): void {
    const writeHere = door.is_plain ? plainWriter(pool, tools) : write
    for (const operation of door.operations) addOperation(door, operation, writeHere)
    // What a parameter is called makes no other path.
    for (const [path, group] of Map.groupBy(door.operations, ({ path }) => path.replace(/:\w+/g, ':name'))) {
      const allowed = group.map(({ method }) => method)
      for (const prefix of door.served_at) refuseOtherMethods(app, prefix + path, allowed)
    }
  }

  function addOperation(door: Door, operation: Operation, writeHere: typeof write): void {
    const run = endpoint(operation, door.base_path, pool, writeHere, reads, tools)
    const listen = isEndless(operation) ? listener(door, operation, run) : undefined
    for (const prefix of door.served_at) {
      app.route<Parts>({
        method: operation.method,
        url: prefix + operation.path,
        onRequest: (request, reply, done) => admit(door, operation, request, reply, done),
        handler: (request, reply) => {
          if (listen) return void listen(request, reply)
          const { id, caller, headers, params, query, body } = request
          const taker = caller.workspace || caller.id
          if (!places.take(taker)) return turnAway(() => void reply.send(problem.overloaded()))
          const sent = (header: string) => sentOf(request.raw, header)
          const leave = () => {
            if (operation.upload) unhurried.delete(request.raw.socket)
            places.leave(taker)
          }
          run({ id, caller, headers, sent, params, query, body }).then(
            (answer) => {
              leave()
              give(request, reply, answer)
            },
            (error: unknown) => {
              leave()
              reply.send(error)
            },
          )
        },
      })
    }
  }

  /** An answer without an end has a place of another kind, and keeps it until then. */
  function listener(door: Door, operation: Operation, run: ReturnType<typeof endpoint>) {
    return (request: FastifyRequest<Parts>, reply: FastifyReply): void => {
      const { id, caller, headers, params, query } = request
      const place = streams.enter(caller.workspace)
      if (!place) return void turnAway(() => void reply.send(problem.tooManyStreams(streams_of_one_max)))
      const sent = (header: string) => sentOf(request.raw, header)
      const stay: Stay = {
        signal: place.signal,
        isWelcome: welcome(async (now) => {
          const again = await door.identify(request.knock, now)
          return again?.workspace === caller.workspace && again.scopes.has(operation.scope)
        }),
      }
      // Not when the stream is closed: that waits for what it waits for.
      reply.raw.once('close', () => place.abort())
      run({ id, caller, headers, sent, params, query, body: undefined, stay }).then(
        (answer) => give(request, reply, answer),
        (error: unknown) => void reply.send(error),
      )
    }
  }
}

function refuseOtherMethods(app: FastifyInstance, url: string, allowed: string[]): void {
  const all_allowed = allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed
  app.route({
    method: methods.filter((method) => !all_allowed.includes(method)),
    url,
    onRequest: async (request) => {
      throw problem.methodNotAllowed(request.method, all_allowed.join(', '))
    },
    handler: () => undefined,
  })
}

/** Who are you (401), not too often (429), may you (403), in a form we read (415): before anything is parsed. */
function admission(rate_limit_per_second: number, turnAway: TurnAway) {
  const limits = rate_limit_per_second > 0 ? limiter(rate_limit_per_second) : undefined

  function letIn(
    operation: Operation,
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller | undefined,
    now: number,
  ) {
    if (!caller) throw problem.unauthorized()
    request.caller = caller
    if (limits) {
      const { is_over, header } = limits.take(caller.id, now)
      reply.header('ratelimit-policy', limits.policy).header('ratelimit', header)
      if (is_over) throw problem.rateLimited(rate_limit_per_second)
    }
    if (!caller.scopes.has(operation.scope)) throw problem.forbidden(operation.scope)
    if (operation.upload && isForm(request.headers['content-type'])) return expectFile(operation.upload, request)
    if (operation.body && hasBody(request.raw) && !isPlainJson(request.raw)) throw problem.unsupportedMediaType()
    // A body that nobody asked for, or that isn't there, or is taken as it is: whatever it says it is.
    const is_typed = request.headers['content-type'] !== undefined
    if (is_typed && (!operation.body || !hasBody(request.raw))) request.headers['content-type'] = undefined
  }

  return (
    door: Door,
    operation: Operation,
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ): void => {
    const now = clock.now()
    request.arrived_at = clock.ticks()
    request.door_headers = door.headers
    const hosts = sentOf(request.raw, 'host').length
    const is_http = hosts === 1 || (hosts === 0 && request.raw.httpVersion === '1.0')
    if (!is_http) return void done(problem.malformedRequest())
    request.knock = new RequestKnock(operation, request, reply)
    const known = door.identify(request.knock, now)
    const decide = (caller: Caller | undefined) => {
      try {
        letIn(operation, request, reply, caller, now)
      } catch (error) {
        const is_too_often = error instanceof problem.Problem && error.code === 'RATE_LIMITED'
        return is_too_often ? turnAway(() => done(error)) : done(error as Error)
      }
      done()
    }
    if (known instanceof Promise) known.then(decide, done)
    else decide(known)
  }
}

/** A class, since accessors of an object that is made at each request would cost as much as the rest of it. */
class RequestKnock implements Knock {
  readonly operation: Operation
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  #taken: Map<string, string | string[] | undefined> | undefined

  constructor(operation: Operation, request: FastifyRequest, reply: FastifyReply) {
    this.operation = operation
    this.#request = request
    this.#reply = reply
  }

  get method(): string {
    return this.#request.method
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers
  }

  get ip(): string {
    return this.#request.ip
  }

  get params(): Record<string, string> {
    return this.#request.params as Parts['Params']
  }

  get token(): string | undefined {
    return tokenOf(this.#request.raw)
  }

  takeFromQuery(name: string): string | undefined {
    const query = this.#request.query as Parts['Querystring']
    // Who listens for long is asked again.
    this.#taken ??= new Map()
    if (name in query) this.#taken.set(name, query[name])
    delete query[name]
    const said = this.#taken.get(name)
    return typeof said === 'string' ? said : undefined
  }

  addHeader(name: string, value: string): void {
    this.#reply.header(name, value)
  }
}

function expectFile({ bytes_max }: Upload, { headers, raw }: FastifyRequest): void {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw problem.unsupportedMediaType()
  if (isTooLong(headers['content-length'], bytes_max)) throw problem.payloadTooLarge(bytes_max)
  unhurried.add(raw.socket)
}

const common_headers = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
}

function problemOf(error: unknown): problem.Problem {
  if (error instanceof problem.Problem) return error
  if (isUnavailable(error)) return problem.unavailable(error)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return problem.payloadTooLarge(body_limit_bytes)
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return problem.malformedRequest()
  return problem.internalError()
}

/** What Node's parser refused, before there was a request. */
function clientProblem({ code }: { code?: string }): problem.Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return problem.headersTooLarge(maxHeaderSize)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return problem.requestTimeout()
  return problem.malformedRequest()
}

function sayOnSocket(socket: Socket, told: problem.Problem, request_id: string): void {
  // What follows a request on its connection must not take the place of its answer.
  const is_answer_due: boolean = Object(socket)._httpMessage?.req?.complete ?? false
  if (!socket.writable || is_answer_due) return void socket.destroy()
  const { status, headers, body } = failure(told, request_id)
  const lines = { ...common_headers, ...headers, 'x-request-id': request_id, connection: 'close' }
  const head = Object.entries({ ...lines, 'content-length': Buffer.byteLength(body) })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`)
}
