import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import * as clock from '../clock.ts'
import type { RejectOtherMethods } from './other-methods.ts'
import { kept, type RequestParts, type SendAnswer } from './request.ts'
import type { SiteAnswer } from './static-site.ts'

export interface PageRequest {
  params: Record<string, string>
  headers: IncomingHttpHeaders
  raw: IncomingMessage
}

export type AnswerPage = (request: PageRequest) => Promise<SiteAnswer> | SiteAnswer

/** Adds a GET without authentication. */
export type AddPage = (url: string, answer: AnswerPage) => void

export const pageAdder =
  (app: FastifyInstance, rejectOtherMethods: RejectOtherMethods, sendAnswer: SendAnswer): AddPage =>
  (url, answer) => {
    app.get<RequestParts>(url, async (request, reply) => {
      kept(request).arrived_at = clock.ticks()
      sendAnswer(request, reply, await answer(request))
    })
    rejectOtherMethods(url, ['GET'])
  }
