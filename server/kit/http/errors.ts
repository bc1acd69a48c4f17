import { maxHeaderSize, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { isUnavailable } from '../postgres/errors.ts'
import * as problem from '../problem.ts'
import { failure } from './envelope.ts'

export const body_limit_bytes = 1024 * 1024

export const common_headers = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'private, no-cache',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

/** What is told of an error. */
export function problemOf(error: unknown): problem.Problem {
  if (error instanceof problem.Problem) return error
  if (isUnavailable(error)) return problem.unavailable(error)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return problem.payloadTooLarge(body_limit_bytes)
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return problem.malformedRequest()
  return problem.internalError()
}

/** What Node's parser refused, before there was a request. */
export function clientProblem({ code }: { code?: string }): problem.Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return problem.headersTooLarge(maxHeaderSize)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return problem.requestTimeout()
  return problem.malformedRequest()
}

/** Where there is no request to answer. */
export function sayOnSocket(socket: Socket, told: problem.Problem, request_id: string): void {
  // What follows a request on its connection must not take the place of its answer.
  const is_answer_due: boolean = Object(socket)._httpMessage?.req?.complete ?? false
  if (!socket.writable || is_answer_due) return void socket.destroy()
  const { status, headers, body } = failure(told, request_id)
  const lines = { ...common_headers, ...headers, 'x-request-id': request_id, connection: 'close' }
  const head = Object.entries({ ...lines, 'content-length': Buffer.byteLength(body) })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`)
}
