import { randomBytes } from 'node:crypto'
import { type IncomingMessage, METHODS, maxHeaderSize, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import * as clock from './clock.ts'
import { isUnavailable, type Pool } from './db.ts'
import { endpoint } from './endpoint.ts'
import { type Answer, failure } from './envelope.ts'
import { limiter } from './limit.ts'
import type { Log } from './log.ts'
import { type Metrics, metrics } from './metrics.ts'
import type { Caller, Operation } from './operation.ts'
import * as problem from './problem.ts'
import { writer } from './write.ts'

export interface HttpOptions {
  operations: Operation[]
  pool: Pool
  log: Log
  /** The path before the operations' own, as clients see it. */
  base_path: string
  /** Further paths under which the same operations are served. */
  served_at: string[]
  rate_limit_per_second: number
  trust_proxy: string[]
  /** Who holds the key; undefined when nobody does. At once when it is known, else a promise. */
  authenticate: (token: string, now: number) => Promise<Caller | undefined> | Caller | undefined
}

export type { FastifyInstance }

const body_limit_bytes = 1024 * 1024
const request_timeout_ms = 30_000
const param_length_max = 500
/** Every method that Node reads; CONNECT asks for a tunnel and never gets to a route. */
const methods = METHODS.filter((method) => method !== 'CONNECT')

/** How Fastify hands over the parts of a request, as it is set up below. */
interface Parts {
  Params: Record<string, string>
  Querystring: Record<string, string | string[]>
  Body: Buffer | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

/** The web server with all operations on it. */
export function openHttp(options: HttpOptions): { app: FastifyInstance; metrics: Metrics } {
  const { log, trust_proxy } = options
  const figures = metrics()
  const newRequestId = requestIds()
  const app = fastify({
    logger: false,
    bodyLimit: body_limit_bytes,
    requestTimeout: request_timeout_ms,
    trustProxy: trust_proxy.length > 0 ? trust_proxy : false,
    return503OnClosing: false,
    genReqId: newRequestId,
    // Node's own refusal would not be in the envelope.
    http: { requireHostHeader: false },
    routerOptions: { maxParamLength: param_length_max },
    clientErrorHandler: (error, socket) => sayOnSocket(socket, clientProblem(error), newRequestId()),
    frameworkErrors: (_error, request, reply) => send(request, reply, failure(problem.notFound(), request.id)),
  })
  for (const method of methods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.decorateRequest('caller')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setNotFoundHandler((request, reply) => send(request, reply, failure(problem.notFound(), request.id)))
  app.setErrorHandler((error, request, reply) => {
    const has_hung_up = request.raw.destroyed && !request.raw.complete
    const told = has_hung_up ? problem.malformedRequest() : problemOf(error)
    if (told.status >= 500)
      log.error({ err: error, request_id: request.id, route: request.routeOptions.url }, told.message)
    send(request, reply, failure(told, request.id))
  })
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const hosts = sentOf(raw, 'host').length
    done(hosts > 1 || (hosts === 0 && raw.httpVersion !== '1.0') ? problem.malformedRequest() : undefined)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? '(none)'
    figures.observe(request.method, route, reply.statusCode, reply.elapsedTime)
    if (log.isLevelEnabled('debug')) {
      const { id, method, ip } = request
      log.debug(
        { request_id: id, method, route, status: reply.statusCode, duration_ms: reply.elapsedTime, ip },
        'answered',
      )
    }
    done()
  })
  addOperations(app, options)
  return { app, metrics: figures }
}

function addOperations(
  app: FastifyInstance,
  { operations, pool, base_path, served_at, ...options }: HttpOptions,
): void {
  const write = writer(pool)
  const admit = admission(options)
  for (const operation of operations) {
    const run = endpoint(operation, base_path, pool, write)
    for (const prefix of served_at) {
      app.route<Parts>({
        method: operation.method,
        url: prefix + operation.path,
        onRequest: (request, reply, done) => admit(operation, request, reply, done),
        handler: (request, reply) => {
          const { id, caller, headers, params, query, body } = request
          const sent = (header: string) => sentOf(request.raw, header)
          run({ id, caller, headers, sent, params, query, body }).then(
            (answer) => send(request, reply, answer),
            (error: unknown) => reply.send(error),
          )
        },
      })
    }
  }
  const paths = new Set(operations.map(({ path }) => path))
  for (const path of paths) {
    const allowed = operations.filter((operation) => operation.path === path).map(({ method }) => method)
    for (const prefix of served_at) refuseOtherMethods(app, prefix + path, allowed)
  }
}

/** An address that answers everyone, such as the documents. */
export function addPage(app: FastifyInstance, url: string, answer: () => Promise<Answer> | Answer): void {
  app.get(url, async (request, reply) => send(request, reply, await answer()))
  refuseOtherMethods(app, url, ['GET'])
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

/** Who are you (401), may you (403), not too often (429), in a form we read (415): before anything is parsed. */
function admission({
  authenticate,
  rate_limit_per_second,
}: Pick<HttpOptions, 'authenticate' | 'rate_limit_per_second'>) {
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
      const { is_over, header } = limits.take(caller.key_id, now)
      reply.header('ratelimit-policy', limits.policy).header('ratelimit', header)
      if (is_over) throw problem.rateLimited(rate_limit_per_second)
    }
    if (caller.scopes && !caller.scopes.has(operation.scope)) throw problem.forbidden(operation.scope)
    // A body that nobody asked for is not looked at, whatever it says it is.
    if (!operation.body) delete request.headers['content-type']
    else if (hasBody(request) && !isPlainJson(request)) throw problem.unsupportedMediaType()
  }

  return (operation: Operation, request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    const now = clock.now()
    const token = tokenOf(request.raw)
    const known = token === undefined ? undefined : authenticate(token, now)
    const decide = (caller: Caller | undefined) => {
      try {
        letIn(operation, request, reply, caller, now)
      } catch (error) {
        return done(error as Error)
      }
      done()
    }
    if (known instanceof Promise) known.then(decide, done)
    else decide(known)
  }
}

const bearer = /^Bearer +(\S+)$/i

/** Undefined as well when the header is sent twice: which of them should count? */
function tokenOf(request: IncomingMessage): string | undefined {
  const { authorization } = request.headers
  if (authorization === undefined || sentOf(request, 'authorization').length > 1) return undefined
  return bearer.exec(authorization)?.[1]
}

function sentOf({ rawHeaders }: IncomingMessage, header: string): string[] {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === header.length && name.toLowerCase() === header) values.push(rawHeaders[index + 1] ?? '')
  }
  return values
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const json_type = /^application\/json\s*(;\s*charset\s*=\s*"?utf-?8"?\s*)?;?\s*$/i

const isPlainJson = ({ headers, raw }: FastifyRequest): boolean =>
  json_type.test(headers['content-type'] ?? '') &&
  sentOf(raw, 'content-type').length === 1 &&
  (headers['content-encoding'] ?? 'identity') === 'identity'

function send(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: Answer): void {
  reply.code(status).headers(common_headers).header('x-request-id', request.id).headers(headers)
  reply.send(body)
}

const common_headers = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
}

function problemOf(error: unknown): problem.Problem {
  if (error instanceof problem.Problem) return error
  if (isUnavailable(error)) return problem.unavailable()
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
  if (!socket.writable) return void socket.destroy()
  const { status, headers, body } = failure(told, request_id)
  const lines = { ...common_headers, ...headers, 'x-request-id': request_id, connection: 'close' }
  const head = Object.entries({ ...lines, 'content-length': Buffer.byteLength(body) })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`)
}

/** Unique over processes and time, and cheap. */
function requestIds(): () => string {
  const start = randomBytes(9).toString('base64url')
  let count = 0
  return () => {
    count += 1
    return `req_${start}_${count.toString(36)}`
  }
}
