import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as clock from '../clock.ts'
import type { DelayedRejection } from '../limits/delayed-rejection.ts'
import { openRateLimit } from '../limits/rate.ts'
import * as problem from '../problem.ts'
import { isForm, isTooLong } from './body/form.ts'
import type { Door, Knock } from './door.ts'
import { hasBody, isPlainJson, sentOf, tokenOf } from './headers.ts'
import type { Caller, Operation, Upload } from './operation.ts'
import type { Parts } from './request.ts'

/** Connections on which a file arrives: that may take longer than other requests, and is watched by who reads it. */
export const unhurried = new WeakSet<object>()

/** Who are you (401), not too often (429), may you (403), in a form we read (415): before anything is parsed. */
export function admission(rate_limit_per_second: number, turnAway: DelayedRejection) {
  const limits = rate_limit_per_second > 0 ? openRateLimit(rate_limit_per_second) : undefined

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
      const { is_exceeded, header } = limits.count(caller.id, now)
      reply.header('ratelimit-policy', limits.policy).header('ratelimit', header)
      if (is_exceeded) throw problem.rateLimited(rate_limit_per_second)
    }
    if (!caller.scopes.has(operation.scope)) throw problem.forbidden(operation.scope)
    if (operation.upload && isForm(request.headers['content-type'])) return expectFile(operation.upload, request)
    if (operation.body && hasBody(request.raw) && !isPlainJson(request.raw))
      throw operation.upload ? problem.notFormOrJson() : problem.unsupportedMediaType()
    // A body that nobody asked for, or that isn't there, or is taken as it is: whatever it says it is.
    const is_typed = sentOf(request.raw, 'content-type').length > 0
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
    // What is thrown on the way that `done` opens is told as well, like a refusal.
    if (known instanceof Promise) known.then(decide).catch(done)
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
