import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Span } from '../traces/span.ts'
import type { RequestHead } from './door.ts'
import type { Answer, StreamedAnswer } from './envelope.ts'
import type { Caller } from './operation.ts'
import type { SiteAnswer } from './static-site.ts'

/** The parts of a request, as Fastify is set up to pass them. */
export interface RequestParts {
  Params: Record<string, string>
  Querystring: Record<string, string | string[]>
  Body: Buffer | Readable | undefined
}

/** The members that are added to Fastify's request. */
interface Kept {
  caller: Caller
  arrived_at: number
  door_headers: Record<string, string> | undefined
  head: RequestHead
  /** Undefined if traces are off. */
  span: Span | undefined
}

export type KeptRequest = FastifyRequest<RequestParts> & Kept

/** `createApp` decorates every request with the members of `Kept`. */
export const kept = <Request extends Pick<FastifyRequest, 'id'>>(request: Request): Request & Kept =>
  request as Request & Kept

/** Sends an answer and records it in the metrics. */
export type SendAnswer = (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer | SiteAnswer | StreamedAnswer,
) => void
