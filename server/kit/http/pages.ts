import type { FastifyInstance } from 'fastify'
import type { Answer } from './envelope.ts'
import type { RejectOtherMethods } from './other-methods.ts'
import type { SendAnswer } from './request.ts'

/** Adds a GET without authentication. */
export type AddPage = (url: string, answer: () => Promise<Answer> | Answer) => void

export const pageAdder =
  (app: FastifyInstance, rejectOtherMethods: RejectOtherMethods, sendAnswer: SendAnswer): AddPage =>
  (url, answer) => {
    app.get(url, async (request, reply) => sendAnswer(request, reply, await answer()))
    rejectOtherMethods(url, ['GET'])
  }
