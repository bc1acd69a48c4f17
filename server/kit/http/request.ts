import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
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

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
    arrived_at: number
    door_headers: Record<string, string> | undefined
    head: RequestHead
  }
}

/** Sends an answer and records it in the metrics. */
export type SendAnswer = (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer | SiteAnswer | StreamedAnswer,
) => void
