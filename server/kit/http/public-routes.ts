import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { openConcurrencyLimit } from '../limits/concurrency.ts'
import * as problem from '../problem.ts'
import { refuseOtherMethods } from './doors.ts'
import type { Answer } from './envelope.ts'
import type { Give, Parts } from './request.ts'

/** Requests in flight to one inlet, in total and per path. */
const inlet_requests_max = 500
const inlet_requests_per_path_max = 20

export interface InletRequest {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  /** Resolves when the connection closes. */
  hung_up: Promise<void>
}

export interface PublicRoutes {
  /** Adds a GET without authentication. */
  addPage: (url: string, answer: () => Promise<Answer> | Answer) => void
  /** Adds a POST without authentication that takes any bytes. */
  addInlet: (url: string, take: (request: InletRequest) => Promise<Answer>) => void
}

export function publicRoutes(app: FastifyInstance, give: Give): PublicRoutes {
  return {
    addPage(url, answer) {
      app.get(url, async (request, reply) => give(request, reply, await answer()))
      refuseOtherMethods(app, url, ['GET'])
    },
    addInlet(url, take) {
      const slots = openConcurrencyLimit(inlet_requests_max, inlet_requests_per_path_max)
      app.post<Parts>(url, async (request, reply) => {
        const { body, headers } = request
        const hung_up = new Promise<void>((resolve) => reply.raw.once('close', resolve))
        const path = request.url.split('?')[0] ?? ''
        if (!slots.acquire(path)) throw problem.overloaded()
        const bytes = Buffer.isBuffer(body) ? body : Buffer.of()
        const answer = await take({ path, headers, body: bytes, hung_up }).finally(() => slots.release(path))
        give(request, reply, answer)
        return reply
      })
      refuseOtherMethods(app, url, ['POST'])
    },
  }
}
