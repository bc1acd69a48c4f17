import type { FastifyInstance, FastifyRequest } from 'fastify'
import { inSpan, parseTraceparent, type Span } from '../traces/span.ts'
import type { Traces } from '../traces/traces.ts'
import { type KeptRequest, kept } from './request.ts'
import type { Answered } from './request-log.ts'

/** Runs each request in a span of its own. `sendAnswer` ends it. */
export function addRequestSpans(app: FastifyInstance, traces: Traces): void {
  app.decorateRequest('span')
  app.addHook('onRequest', (request, _reply, done) => {
    const span = beginRequest(traces, request)
    kept(request).span = span
    inSpan(span, done)
  })
}

type Arrived = Pick<FastifyRequest, 'method' | 'headers'>

/** Begins the span of a request, which continues the trace that the request names. */
export const beginRequest = (traces: Traces, { method, headers }: Arrived): Span =>
  traces.begin({ name: method, kind: 'server', attributes: { 'http.request.method': method } }, headers.traceparent)

/** A client that is known decides whether the trace that it has begun is sent. */
export function obeyClient({ span, headers }: Pick<KeptRequest, 'span' | 'headers'>): void {
  const client = span && parseTraceparent(headers.traceparent)
  if (client) span.is_sampled = client.is_sampled
}

/**
 * Ends the span of a request when its answer begins. Paths and queries contain ids and tokens, so they are left out.
 */
export function endRequest(
  span: Span,
  { id, caller, routeOptions, method }: Pick<KeptRequest, 'id' | 'caller' | 'routeOptions' | 'method'>,
  { status }: Answered,
): void {
  const { url: route } = routeOptions
  if (route !== undefined) span.name = `${method} ${route}`
  span.end({
    attributes: {
      'http.route': route,
      'http.response.status_code': status,
      request_id: id,
      workspace_id: caller?.workspace || undefined,
    },
    error: status >= 500 ? String(status) : undefined,
  })
}
