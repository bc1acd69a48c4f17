import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Reply {
  status: number
  headers: http.IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: a test may look into any answer
  body: any
  duration_ms: number
}

export interface Client {
  /** One request on a kept connection, never repeated. Fails with NoAnswer when the whole answer did not come. */
  call: (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Reply>
  close: () => void
}

/** Nobody knows whether it was done. */
export class NoAnswer extends Error {
  /** Whether there was nobody to take it, so that it was not done. */
  readonly is_refused: boolean
  /** Whether an answer began to come. */
  readonly is_cut_off: boolean

  constructor(cause: Error, is_cut_off: boolean) {
    super(cause.message, { cause })
    this.is_refused = 'code' in cause && cause.code === 'ECONNREFUSED'
    this.is_cut_off = is_cut_off
  }
}

/** Says nothing about speed: what takes so long never comes. */
const hang_ms = 60_000
const look_again_ms = 25

/** One caller, with one connection. Paths that begin with /contacts or /agents are those of the base address. */
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
      const timer = setTimeout(() => reject(new Error(`${method} ${path} has hung for ${hang_ms} ms`)), hang_ms)
      request.on('close', () => clearTimeout(timer))
      request.on('error', (error) => reject(new NoAnswer(error, false)))
      request.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', (error) => reject(new NoAnswer(error, true)))
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

/** Looks until it is so. What takes as long as a hang fails, with these words. */
export async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  const begun_at = performance.now()
  while (!(await isSo())) {
    if (performance.now() - begun_at > hang_ms) throw new Error(`it never came to this: ${what}`)
    await sleep(look_again_ms)
  }
}

/** Whether this page answers 200. */
export async function answers(url: string, path: '/health' | '/ready'): Promise<boolean> {
  const client = openClient(url, '')
  try {
    return (await client.call('GET', path)).status === 200
  } catch (error) {
    if (error instanceof NoAnswer) return false
    throw error
  } finally {
    client.close()
  }
}
