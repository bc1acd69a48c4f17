import type { FastifyInstance } from 'fastify'
import { rejectOtherMethods } from './doors.ts'
import type { Answer } from './envelope.ts'
import type { Give } from './request.ts'

/** Adds a GET without authentication. */
export type AddPage = (url: string, answer: () => Promise<Answer> | Answer) => void

export const pageAdder =
  (app: FastifyInstance, give: Give): AddPage =>
  (url, answer) => {
    app.get(url, async (request, reply) => give(request, reply, await answer()))
    rejectOtherMethods(app, url, ['GET'])
  }
