import assert from 'node:assert/strict'
import net from 'node:net'
import type { Server, Tenant } from './harness.ts'
import { stateOf } from './refusals.ts'

/** Bytes of a request: its first line, the headers that every one has, more lines, and a body. */
export const request = ({ key }: Tenant, first: string, lines: string[] = [], body = ''): string =>
  [
    `${first} HTTP/1.1`,
    'Host: parley.test',
    `Authorization: Bearer ${key}`,
    'Connection: close',
    ...lines,
    '',
    body,
  ].join('\r\n')

/** Bytes of a create. */
export const post = (tenant: Tenant, lines: string[], body: string): string =>
  request(tenant, 'POST /api/v1/contacts', ['Content-Type: application/json', ...lines], body)

/** Reads what came over a socket: always an answer in the envelope, with a request id. */
export function read(text: string): { status: number; code: string | undefined; head: string } {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
  const request_id = /^x-request-id: (\S+)$/im.exec(head)?.[1]
  assert.ok(request_id, `every answer has a request id: ${text}`)
  const { success, error } = JSON.parse(body)
  assert.equal(success, status < 400)
  if (status >= 400) assert.equal(error.details.request_id, request_id)
  return { status, code: error?.code, head }
}

/** Connects, lets `talk` speak, and gives all that comes back until the other side closes. */
export const talkTo = (url: string, talk: (socket: net.Socket) => void): Promise<string> =>
  new Promise((resolve, reject) => {
    const { port, hostname } = new URL(url)
    const socket = net.connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => talk(socket))
    let said = ''
    socket.setEncoding('utf8')
    socket.on('data', (text) => {
      said += text
    })
    socket.on('end', () => socket.end())
    socket.on('close', () => resolve(said))
    socket.on('error', reject)
  })

/** Says each on a socket of its own: all are refused so, nothing changes, and the server goes on. */
export function bytesRefuser({ say, pool }: Server) {
  return async (tenant: Tenant, requests: (string | Buffer)[], status: number, code: string): Promise<void> => {
    const before = await stateOf(pool, tenant)
    const shown = (bytes: string | Buffer) => bytes.toString().slice(0, 300)
    const seen: unknown[] = []
    for (const bytes of requests) {
      const answer = read(await say(bytes))
      seen.push([shown(bytes), answer.status, answer.code])
    }
    assert.deepEqual(
      seen,
      requests.map((bytes) => [shown(bytes), status, code]),
    )
    assert.deepEqual(await stateOf(pool, tenant), before)
    assert.equal((await tenant.call('GET', '/contacts')).status, 200)
  }
}
