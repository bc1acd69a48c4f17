import type { FastifyInstance } from 'fastify'
import { rejectOtherMethods } from './doors.ts'
import type { Answer } from './envelope.ts'
import type { SendAnswer } from './request.ts'

/** Adds a GET without authentication. */
export type AddPage = (url: string, answer: () => Promise<Answer> | Answer) => void

export const pageAdder =
  (app: FastifyInstance, sendAnswer: SendAnswer): AddPage =>
  (url, answer) => {
    app.get(url, async (request, reply) => sendAnswer(request, reply, await answer()))
    rejectOtherMethods(app, url, ['GET'])
  }
