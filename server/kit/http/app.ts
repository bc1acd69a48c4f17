import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import fastify, { type FastifyInstance } from 'fastify'
import type { Log } from '../log.ts'
import { clientAddress, type Network, parseNetwork } from '../network.ts'
import * as problem from '../problem.ts'
import type { Traces } from '../traces/traces.ts'
import { upload_sockets } from './admission.ts'
import { drainSocket, isDraining } from './body/drain.ts'
import { JoiningRequest } from './body/joining-request.ts'
import { failure } from './envelope.ts'
import { answerOnSocket, body_limit_bytes, parserProblem } from './errors.ts'
import { methods } from './other-methods.ts'
import { withoutTrailingSlash } from './paths.ts'
import type { SendAnswer } from './request.ts'
import { addRequestSpans, beginRequest } from './request-span.ts'

const request_timeout_ms = 30_000
/** How long the headers of a request may take to arrive, also on a connection that has not sent anything. */
const headers_timeout_ms = 10_000
const check_timeouts_every_ms = 1_000
/** Each connection costs memory and a file handle, and the database needs file handles too. */
const connections_max = 10_000
const param_length_max = 500

export interface AppOptions {
  trust_proxy: string[]
  /** Below these paths, a slash at the end of a path changes nothing. */
  public_paths?: string[]
  newRequestId: () => string
  sendAnswer: SendAnswer
  log: Log
  traces?: Traces | undefined
  upgrades?: Upgrades
}

/**
 * Upgrades by path. Each takes over the connection of a request that wants to speak another protocol, or returns why
 * not. It must not throw.
 */
export type Upgrades = Record<string, Upgrade>
export type Upgrade = (
  request: IncomingMessage,
  socket: Duplex,
  options: { head: Buffer; ip: string },
) => problem.Problem | undefined

/** Fastify without routes. Every error that Node or Fastify finds is answered in the envelope. */
export function createApp(options: AppOptions): FastifyInstance {
  const { trust_proxy, public_paths = [], newRequestId, sendAnswer, log, traces, upgrades = {} } = options
  const answerDirectly = (socket: Socket, rejection: problem.Problem, request?: IncomingMessage) => {
    const { method = 'HTTP', headers = {} } = request ?? {}
    const span = traces && beginRequest(traces, { method, headers })
    answerOnSocket(socket, rejection, {
      'x-request-id': newRequestId(),
      ...(span && { traceparent: span.traceparent }),
    })
    span?.end({ attributes: { 'http.response.status_code': rejection.status } })
  }
  const answerParserError = (error: Error & { code?: string }, socket: Socket) => {
    const is_timeout = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    if (is_timeout ? upload_sockets.has(socket) : isDraining(socket)) return
    try {
      answerDirectly(socket, parserProblem(error))
      if (!is_timeout) drainSocket(socket)
    } catch (error) {
      log.error({ err: error }, 'could not answer a malformed request')
      socket.destroy()
    }
  }
  const proxies: Network[] = trust_proxy.flatMap((text) => parseNetwork(text) ?? [])
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const forwarded_for = String(request.headers['x-forwarded-for'] ?? '')
    const ip = clientAddress(request.socket.remoteAddress ?? '', forwarded_for, proxies)
    const rejection = upgradeOf(upgrades, request)?.(request, socket, { head, ip })
    if (!rejection) return
    // Node has left the socket to the upgrade, and an error without a listener would end the process.
    request.socket.on('error', () => {})
    answerDirectly(request.socket, rejection, request)
    request.socket.destroySoon()
  }
  const app = fastify({
    logger: false,
    bodyLimit: body_limit_bytes,
    requestTimeout: request_timeout_ms,
    trustProxy: trust_proxy.length > 0 ? trust_proxy : false,
    return503OnClosing: false,
    genReqId: newRequestId,
    rewriteUrl: ({ url = '' }) => withoutTrailingSlash(url, public_paths),
    http: {
      IncomingMessage: JoiningRequest,
      // Node's own error would not be in the envelope: admission checks the header.
      requireHostHeader: false,
      // Node answers other requests as if they had not asked for an upgrade.
      shouldUpgradeCallback: (request) => upgradeOf(upgrades, request) !== undefined,
      headersTimeout: headers_timeout_ms,
      connectionsCheckingInterval: check_timeouts_every_ms,
    },
    routerOptions: { maxParamLength: param_length_max },
    clientErrorHandler: answerParserError,
    frameworkErrors: (_error, request, reply) => sendAnswer(request, reply, failure(problem.notFound(), request.id)),
  })
  for (const method of methods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  app.addHook('onListen', (done) => {
    for (const server of serversOf(app)) {
      prepare(server, log)
      server.on('upgrade', upgrade)
      // Fastify adds this listener to its first server only.
      if (server !== app.server) server.on('clientError', answerParserError)
    }
    done()
  })
  if (traces) addRequestSpans(app, traces)
  app.decorateRequest('caller')
  app.decorateRequest('arrived_at', 0)
  app.decorateRequest('door_headers')
  app.decorateRequest('head')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body))
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  return app
}

/** Fastify has one server for each address of `localhost`, and keeps all but the first one behind a symbol. */
function serversOf(app: FastifyInstance): Server[] {
  const key = Object.getOwnPropertySymbols(app).find(({ description }) => description === 'fastify.serverBindings')
  // Fastify keeps its list of servers behind this symbol.
  const others: Server[] = key ? Reflect.get(app, key) : []
  return [...new Set([app.server, ...others])]
}

const upgradeOf = (upgrades: Upgrades, { url = '' }: IncomingMessage): Upgrades[string] | undefined =>
  Object.hasOwn(upgrades, pathOf(url)) ? upgrades[pathOf(url)] : undefined

const pathOf = (url: string): string => url.replace(/\?.*$/s, '')

function prepare(server: Server, log: Log): void {
  server.maxConnections = connections_max
  // If a connection can't be accepted, such as for lack of file handles, the others must continue. Fastify would close its
  // other servers.
  server.removeAllListeners('error')
  server.on('error', (error) => log.warn({ reason: error.message }, 'could not accept a connection'))
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}
