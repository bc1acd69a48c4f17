import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { openApi } from '../../server/api.ts'
import { newToken } from '../../server/api-keys/token.ts'
import { readConfig } from '../../server/config.ts'
import { newId } from '../../server/kit/id.ts'
import { openLog } from '../../server/kit/log.ts'
import { migrations, serve } from '../support/harness.ts'
import { createIntegration } from '../support/integrations.ts'
import { mockLocalhost } from '../support/localhost.ts'
import { type LongRequest, sendFirst } from '../support/sent-first.ts'

const { workspace, url, pool } = await serve()
const slow = await serve({ rate_limit_per_second: 1 })

/** More than the buffers between client and server hold. */
const body = [Buffer.alloc(8 * 1024 * 1024, 'a')]
const form = 'Content-Type: multipart/form-data; boundary=xx'
const json = 'Content-Type: application/json'
const bearer = (key: string) => `Authorization: Bearer ${key}`
const imports = '/api/v1/contacts/imports'

const tenant = await workspace()
const own = bearer(tenant.key)
const unknown = bearer(newToken())
const unscoped = bearer(await tenant.newKey({ scopes: ['contacts:read'] }))
const integration = new URL((await createIntegration(tenant)).url).pathname
const { id: sms } = await tenant.addChannel()

const rejected: [name: string, status: number, request_line: string, headers: string[]][] = [
  ['no key', 401, `POST ${imports}`, [form]],
  ['an unknown key', 401, `POST ${imports}`, [unknown, form]],
  ['a key without the scope', 403, `POST ${imports}`, [unscoped, form]],
  ['an unknown path', 404, 'POST /nowhere', [form]],
  ['an unknown path of the API', 404, 'POST /api/v1/nowhere', [own, form]],
  ['a malformed path', 404, 'POST /api/v1/%zz', [own, form]],
  ['a wrong method', 405, `PUT ${imports}`, [own, form]],
  ['a rare method', 405, `PROPFIND ${imports}`, [own, form]],
  ['a page', 405, 'POST /health', [form]],
  ['a type other than a form', 415, `POST ${imports}`, [own, 'Content-Type: text/csv']],
  ['a compressed form', 415, `POST ${imports}`, [own, form, 'Content-Encoding: gzip']],
  ['JSON above the limit', 413, 'POST /api/v1/contacts', [own, json]],
  ['an integration', 413, `POST ${integration}`, [json]],
  ['an unknown integration', 404, `POST /in/${newToken()}`, [json]],
  ['a channel', 413, `POST /sms/${sms}`, ['Content-Type: application/x-www-form-urlencoded']],
  ['an unknown chat', 404, `POST /chat/${newId()}/conversations`, [json]],
  ['a session', 403, 'POST /app/api/v1/contacts/imports', [form]],
  ['HEAD', 404, 'HEAD /nowhere', [form]],
  ['two hosts', 400, `POST ${imports}`, ['Host: y', own, form]],
  ['Expect: 100-continue', 401, `POST ${imports}`, [unknown, form, 'Expect: 100-continue']],
  ['another expectation', 401, `POST ${imports}`, [unknown, form, 'Expect: x']],
  ['two lengths', 400, `POST ${imports}`, [own, form, 'Content-Length: 7', 'Transfer-Encoding: chunked']],
  ['long headers', 431, `POST ${imports}`, [own, form, `X-Long: ${'x'.repeat(20_000)}`]],
]

async function statusOf(base: string, request: LongRequest): Promise<number> {
  const { answer, socket } = await sendFirst(base, request)
  const [, status, keeps_alive] =
    /^(?:HTTP\/1.1 100 Continue\r\n\r\n)?HTTP\/1.1 (\d+).*?\r\nConnection: (keep-alive)?/is.exec(answer) ?? []
  if (keeps_alive) {
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const [next] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
    assert.match(String(next), /^HTTP\/1.1 200 /, 'the connection serves the next request')
  }
  socket.destroy()
  return Number(status)
}

for (const [index, [name, status, request_line, headers]] of rejected.entries()) {
  test(`${name}: a client that sends everything first gets ${status}`, async () => {
    // Each with a length and in chunks, as the last request and not, but not in every combination.
    for (const is_chunked of [false, true]) {
      const is_last = is_chunked === (index % 2 === 0)
      const request = { request_line, headers, body, is_chunked, is_last }
      assert.equal(await statusOf(url, request), status, JSON.stringify({ is_chunked, is_last }))
    }
  })
}

test('a key that has sent too much: a client that sends everything first gets 429', async () => {
  const { key, call } = await slow.workspace()
  await Promise.all(Array.from({ length: 4 }, () => call('GET', '/contacts')))
  const request = { request_line: `POST ${imports}`, headers: [bearer(key), form], body, is_last: true }
  assert.equal(await statusOf(slow.url, request), 429)
})

test('a client that sends everything first over HTTP/1.0 gets 401', async () => {
  const request = { request_line: `POST ${imports}`, headers: [unknown, form], body, version: '1.0' }
  assert.equal(await statusOf(url, request), 401)
})

test('a client that waits for the response before it sends the rest gets it at once', async () => {
  for (const is_last of [false, true]) {
    const lengths = { 401: [unknown, 'Content-Length: 90000000'], 413: [own, 'Content-Length: 900000000'] }
    for (const [status, headers] of Object.entries(lengths)) {
      const request = { request_line: `POST ${imports}`, headers: [form, ...headers], body, is_last, has_length: true }
      const { answer, socket } = await sendFirst(url, request)
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `))
      socket.destroy()
    }
  }
})

test('while the service stops, a client that sends everything first gets 401', async () => {
  const { stop, app } = openApi(pool, readConfig({ DATA_DIR: '.cache' }), migrations, openLog('silent'))
  const base = await app.listen({ host: '127.0.0.1', port: 0 })
  const request = { request_line: `POST ${imports}`, headers: [unknown, form], body }
  let stopped: Promise<void> | undefined
  const { answer, socket } = await sendFirst(base, {
    ...request,
    onConnect: () => {
      stopped = stop()
    },
  })
  assert.match(answer, /^HTTP\/1.1 401 .*\r\nconnection: close\r\n/is)
  socket.destroy()
  await stopped
})

test('on every address of localhost, a client that sends everything first gets 400 or 401', async () => {
  const { stop, app } = openApi(pool, readConfig({ DATA_DIR: '.cache' }), migrations, openLog('silent'))
  const lookup = mockLocalhost(['127.0.0.1', '127.0.0.2'])
  await app.listen({ host: 'localhost', port: 0 })
  lookup.restore()
  const { port } = Object(app.server.address())
  for (const address of ['127.0.0.1', '127.0.0.2']) {
    for (const [headers, status] of [
      [[unknown], 401],
      [['Transfer-Encoding: chunked'], 400],
    ] as const) {
      const request = { request_line: `POST ${imports}`, headers: [...headers, form], body, is_last: true }
      assert.equal(await statusOf(`http://${address}:${port}`, request), status, address)
    }
  }
  await stop()
})
