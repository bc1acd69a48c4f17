import { METHODS } from 'node:http'
import type { FastifyInstance } from 'fastify'
import * as problem from '../problem.ts'

/** CONNECT asks for a tunnel and never reaches a route. */
export const methods = METHODS.filter((method) => method !== 'CONNECT')

/** The methods of HTTP itself. */
const common_methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

/** Answers 405 to all methods of a path but the allowed ones. */
export type RejectOtherMethods = (url: string, allowed: string[]) => void

/** The rare methods share one route: a route for each of them at each path would take a tenth of the time of a start. */
export function openOtherMethods(app: FastifyInstance): RejectOtherMethods {
  const paths: { pattern: RegExp; allowed: string }[] = []
  app.route({
    method: methods.filter((method) => !common_methods.includes(method)),
    url: '*',
    onRequest: async ({ method, url }) => {
      const [path = ''] = url.split('?', 1)
      const found = paths.find(({ pattern }) => pattern.test(path))
      throw found ? problem.methodNotAllowed(method, found.allowed) : problem.notFound()
    },
    handler: () => undefined,
  })
  return (url, allowed) => {
    const all_allowed = allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed
    paths.push({ pattern: toPattern(url), allowed: all_allowed.join(', ') })
    app.route({
      method: common_methods.filter((method) => !all_allowed.includes(method)),
      url,
      onRequest: async (request) => {
        throw problem.methodNotAllowed(request.method, all_allowed.join(', '))
      },
      handler: () => undefined,
    })
  }
}

const toPattern = (url: string): RegExp =>
  new RegExp(
    `^${url
      .replace(/[^\w/:*]/g, '\\$&')
      .replace('*', '.*')
      .replace(/:\w+/g, '[^/]*')}$`,
  )
