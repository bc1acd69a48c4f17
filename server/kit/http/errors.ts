import { maxHeaderSize, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { isNodeDown, isUnavailable } from '../postgres/errors.ts'
import * as problem from '../problem.ts'
import { failure } from './envelope.ts'

export const body_limit_bytes = 1024 * 1024

export const common_headers = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'private, no-cache',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

/** The error that the client sees. Any error that is not expected becomes 500 without its message. */
export function toProblem(error: unknown): problem.Problem {
  if (error instanceof problem.Problem) return error
  if (isNodeDown(error)) return problem.nodeDown(error)
  if (isUnavailable(error)) return problem.unavailable(error)
  const code = problem.errorCode(error)
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return problem.payloadTooLarge(body_limit_bytes)
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return problem.malformedRequest()
  return problem.internalError()
}

/** Returns the error for a request that Node's HTTP parser rejected. */
export function parserProblem({ code }: { code?: string }): problem.Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return problem.headersTooLarge(maxHeaderSize)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return problem.requestTimeout()
  return problem.malformedRequest()
}

/** Node.js keeps the response that is being sent on its socket. */
interface HttpSocket extends Socket {
  _httpMessage?: ServerResponse | null
}

/** Answers on the socket, for errors without a parsed request. */
export function answerOnSocket(
  socket: HttpSocket,
  rejection: problem.Problem,
  own_headers: Record<string, string> & { 'x-request-id': string },
): void {
  // Invalid bytes after a complete request: an answer now would be taken for the answer to that request.
  const has_pending_answer = socket._httpMessage?.req.complete ?? false
  if (!socket.writable || has_pending_answer) return void socket.destroy()
  const { status, headers, body } = failure(rejection, own_headers['x-request-id'])
  const all_headers = { ...common_headers, ...headers, ...own_headers, connection: 'close' }
  const head = Object.entries({ ...all_headers, 'content-length': Buffer.byteLength(body) })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`)
}
