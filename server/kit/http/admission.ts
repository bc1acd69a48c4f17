import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as clock from '../clock.ts'
import type { RejectLater } from '../limits/delayed-rejection.ts'
import { openRateLimit } from '../limits/rate.ts'
import type { Pool } from '../postgres/pool.ts'
import * as problem from '../problem.ts'
import { isFormTooLong, isFormType } from './body/form.ts'
import type { Door, RequestHead } from './door.ts'
import { hasBody, headerValues, isPlainJson, readBearerToken } from './headers.ts'
import { bodyOf, type Caller, type Operation, scopesOf, uploadOf } from './operation.ts'
import { kept, type RequestParts } from './request.ts'
import { obeyClient } from './request-span.ts'
import type { Upload } from './uploaded-file.ts'

/** Connections with an upload. The request timeout doesn't apply to them: the reader of the form has its own. */
export const upload_sockets = new WeakSet<object>()

type Done = (error?: Error) => void

/** Authenticates (401), limits the rate (429), checks the scope (403) and the content type (415), before the body is read. */
export function openAdmission(rate_limit_per_second: number, rejectLater: RejectLater, pool: Pool) {
  const limits = rate_limit_per_second > 0 ? openRateLimit(rate_limit_per_second) : undefined

  function limitRate({ id }: Caller, now: number, reply: FastifyReply): void {
    if (!limits) return
    const { is_exceeded, header } = limits.count(id, now)
    reply.header('ratelimit-policy', limits.policy).header('ratelimit', header)
    if (is_exceeded) throw problem.rateLimited(rate_limit_per_second)
  }

  function check(operation: Operation, caller: Caller, request: FastifyRequest): void {
    const missing = scopesOf(operation).find((scope) => !caller.scopes.has(scope))
    if (missing !== undefined) throw problem.forbidden(missing)
    const upload = uploadOf(operation)
    const body = bodyOf(operation)
    if (upload && isFormType(request.headers['content-type'])) {
      checkUpload(upload, request)
      return
    }
    if (body && hasBody(request.raw) && !isPlainJson(request.raw))
      throw upload ? problem.notFormOrJson() : problem.unsupportedMediaType()
    // The type of a missing or unused body doesn't matter. Fastify would reject a malformed one.
    const has_type = headerValues(request.raw, 'content-type').length > 0
    if (has_type && (!body || !hasBody(request.raw))) request.headers['content-type'] = undefined
  }

  /** Counts a batch: its first request was counted when it was admitted. */
  function countParts(door: Door, { id }: Caller, count: number, reply: FastifyReply): void {
    if (!limits || door.has_no_rate_limit) return
    const { is_exceeded, header } = limits.countMore(id, count - 1, clock.wall())
    reply.header('ratelimit', header)
    if (is_exceeded) throw problem.rateLimited(rate_limit_per_second)
  }

  const admitTo =
    (door: Door, operation: Operation) =>
    (bare_request: FastifyRequest, reply: FastifyReply, done: Done): void => {
      const now = clock.wall()
      const request = kept(bare_request)
      request.arrived_at = clock.ticks()
      request.door_headers = door.headers
      const host_count = headerValues(request.raw, 'host').length
      const is_valid = host_count === 1 || (host_count === 0 && request.raw.httpVersion === '1.0')
      if (!is_valid) return void done(problem.malformedRequest())
      request.head = new FastifyRequestHead(operation, request, reply)
      const identified = door.identify(request.head, now)
      const decide = (caller: Caller | undefined) => {
        try {
          if (!caller) throw problem.unauthorized()
          request.caller = caller
          const is_outsider = door.concurrency !== undefined || caller.workspace === ''
          if (!is_outsider) obeyClient(request)
          if (!door.has_no_rate_limit) limitRate(caller, now, reply)
          check(operation, caller, request)
        } catch (error) {
          const is_rate_limited = error instanceof problem.Problem && error.code === 'RATE_LIMITED'
          // Nothing but errors is thrown.
          return is_rate_limited ? rejectLater(() => done(error)) : done(error as Error)
        }
        done()
      }
      // The handler runs within `done`: what it throws gets an error response too.
      if (identified instanceof Promise)
        pool
          .whileResponsive(() => identified)
          .then(decide)
          .catch(done)
      else decide(identified)
    }
  return { admitTo, countParts }
}

/**
 * A class, because an object literal with accessors per request would double the cost of admission. The app parses params
 * and query as `RequestParts` says.
 */
class FastifyRequestHead implements RequestHead {
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
    return this.#request.params as RequestParts['Params']
  }

  get token(): string | undefined {
    return readBearerToken(this.#request.raw)
  }

  takeFromQuery(name: string): string | undefined {
    const query = this.#request.query as RequestParts['Querystring']
    // The values are kept, because a stream is identified again while it is open.
    this.#taken ??= new Map()
    if (name in query) this.#taken.set(name, query[name])
    delete query[name]
    const value = this.#taken.get(name)
    return typeof value === 'string' ? value : undefined
  }

  addHeader(name: string, value: string): void {
    this.#reply.header(name, value)
  }
}

function checkUpload({ bytes_max }: Upload, { headers, raw }: FastifyRequest): void {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw problem.unsupportedMediaType()
  if (isFormTooLong(headers['content-length'], bytes_max)) throw problem.payloadTooLarge(bytes_max)
  upload_sockets.add(raw.socket)
}
