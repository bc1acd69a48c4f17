import assert from 'node:assert/strict'
import net from 'node:net'
import type { Server, Tenant } from './harness.ts'
import { workspaceRows } from './rejections.ts'

/** A request as text: the request line without its version, the common headers, more header lines, and a body. */
export const rawRequest = ({ key }: Tenant, request_line: string, lines: string[] = [], body = ''): string =>
  [
    `${request_line} HTTP/1.1`,
    'Host: parley.test',
    `Authorization: Bearer ${key}`,
    'Connection: close',
    ...lines,
    '',
    body,
  ].join('\r\n')

/** A request that creates a contact, as text. */
export const rawCreate = (tenant: Tenant, lines: string[], body: string): string =>
  rawRequest(tenant, 'POST /api/v1/contacts', ['Content-Type: application/json', ...lines], body)

/** Parses a response, and asserts that it is in the envelope and has a request id. */
export function parseResponse(text: string): { status: number; code: string | undefined; head: string } {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
  const request_id = /^x-request-id: (\S+)$/im.exec(head)?.[1]
  assert.ok(request_id, `every response has a request id: ${text}`)
  const { success, error } = JSON.parse(body)
  assert.equal(success, status < 400)
  if (status >= 400) assert.equal(error.details.request_id, request_id)
  return { status, code: error?.code, head }
}

/** Connects, calls `write` with the socket, and returns everything received until the server closes. */
export const exchangeBytes = (url: string, write: (socket: net.Socket) => void): Promise<string> =>
  new Promise((resolve, reject) => {
    const { port, hostname } = new URL(url)
    const socket = net.connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => write(socket))
    let received = ''
    socket.setEncoding('utf8')
    socket.on('data', (text) => {
      received += text
    })
    socket.on('end', () => socket.end())
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })

/** Returns a check that sends each request on its own connection: all are rejected, and nothing changes. */
export function createBytesRejectionCheck({ sendBytes, pool }: Server) {
  return async (tenant: Tenant, requests: (string | Buffer)[], status: number, code: string): Promise<void> => {
    const before = await workspaceRows(pool, tenant)
    const preview = (bytes: string | Buffer) => bytes.toString().slice(0, 300)
    const responses: unknown[] = []
    for (const bytes of requests) {
      const response = parseResponse(await sendBytes(bytes))
      responses.push([preview(bytes), response.status, response.code])
    }
    assert.deepEqual(
      responses,
      requests.map((bytes) => [preview(bytes), status, code]),
    )
    assert.deepEqual(await workspaceRows(pool, tenant), before)
    assert.equal((await tenant.call('GET', '/contacts')).status, 200)
  }
}
