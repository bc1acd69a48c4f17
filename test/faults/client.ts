import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Reply {
  status: number
  headers: http.IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  body: any
  duration_ms: number
}

export interface Client {
  /** Sends one request on a persistent connection, without retries. Throws NoResponse if no complete response arrives. */
  call: (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Reply>
  close: () => void
}

/** It is unknown whether the request was processed. */
export class NoResponse extends Error {
  /** The request was not sent, so it was not processed. */
  readonly is_connection_refused: boolean
  /** A part of the response arrived. */
  readonly is_truncated: boolean

  constructor(cause: Error, is_truncated: boolean) {
    super(cause.message, { cause })
    this.is_connection_refused = 'code' in cause && cause.code === 'ECONNREFUSED'
    this.is_truncated = is_truncated
  }
}

/** Long enough for any machine: only a request that hangs takes longer. */
const timeout_ms = 60_000
const poll_every_ms = 25

/** A client with one connection. Paths that begin with /contacts or /agents get the prefix of the API. */
export function openClient(url: string, key: string): Client {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const call: Client['call'] = (method, path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const begun_at = performance.now()
      const bytes = body && Buffer.from(JSON.stringify(body))
      const request = http.request(url + (/^\/(contacts|agents)/.test(path) ? `/api/v1${path}` : path), {
        agent,
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
          ...headers,
        },
      })
      const timer = setTimeout(
        () => reject(new Error(`${method} ${path} got no response within ${timeout_ms} ms`)),
        timeout_ms,
      )
      request.on('close', () => clearTimeout(timer))
      request.on('error', (error) => reject(new NoResponse(error, false)))
      request.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', (error) => reject(new NoResponse(error, true)))
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const is_json = response.headers['content-type']?.startsWith('application/json') && text !== ''
          const duration_ms = performance.now() - begun_at
          const { statusCode: status = 0, headers } = response
          resolve({ status, headers, body: is_json ? JSON.parse(text) : text, duration_ms })
        })
      })
      request.end(bytes)
    })
  return { call, close: () => agent.destroy() }
}

/** Polls until the condition is true. Fails with this description and these details after a minute. */
export async function waitUntil(
  description: string,
  isTrue: () => Promise<boolean> | boolean,
  details: () => Promise<string> | string = () => '',
): Promise<void> {
  const begun_at = performance.now()
  while (!(await isTrue())) {
    if (performance.now() - begun_at > timeout_ms) throw new Error(`timed out: ${description} ${await details()}`)
    await sleep(poll_every_ms)
  }
}

/** Whether this path returns 200. */
export async function isOk(url: string, path: '/health' | '/ready'): Promise<boolean> {
  const client = openClient(url, '')
  try {
    return (await client.call('GET', path)).status === 200
  } catch (error) {
    if (error instanceof NoResponse) return false
    throw error
  } finally {
    client.close()
  }
}
