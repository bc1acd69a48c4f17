import type { FastifyInstance } from 'fastify'
import { isAtOrBelow } from './paths.ts'
import type { SendAnswer } from './request.ts'

/** Which pages of other origins may send requests, and where to. Credentials such as cookies are never allowed. */
export interface CorsOptions {
  /** Origins such as `https://app.example.com`; `*` stands for all. */
  origins: string[]
  paths: string[]
}

const preflight_max_age_seconds = 7_200
const allowed = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Mcp-Method, Mcp-Name, ' +
    'Mcp-Protocol-Version, Mcp-Session-Id, Range, Traceparent, Tracestate',
  'access-control-max-age': String(preflight_max_age_seconds),
}
/** Scripts see these headers of a response, beside the few that they always see. */
const exposed_headers = [
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'ETag',
  'Location',
  'Idempotent-Replayed',
  'Content-Disposition',
  'Content-Range',
  'Accept-Ranges',
  'Allow',
  'Deprecation',
  'Sunset',
  'Traceparent',
].join(', ')

/** Call it before routes are added. Preflight requests need no API key: browsers send none. */
export function addCors(app: FastifyInstance, sendAnswer: SendAnswer, { origins, paths }: CorsOptions): void {
  if (origins.length === 0) return
  const is_for_all = origins.includes('*')
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers, url } = request
    if (!isAtOrBelow(url, paths)) return void done()
    if (!is_for_all) reply.header('vary', 'Origin')
    const { origin } = headers
    if (origin === undefined || !(is_for_all || origins.includes(origin))) return void done()
    reply.header('access-control-allow-origin', is_for_all ? '*' : origin)
    const is_preflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
    if (is_preflight) return void sendAnswer(request, reply, { status: 204, headers: allowed, body: '' })
    reply.header('access-control-expose-headers', exposed_headers)
    done()
  })
}
