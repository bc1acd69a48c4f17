import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openApi } from '../../server/api.ts'
import { readConfig } from '../../server/config.ts'
import { openLog } from '../../server/kit/log.ts'
import { create, eventsOf } from '../support/contacts.ts'
import { migrations, serve, testPool } from '../support/harness.ts'
import { createBytesRejectionCheck, exchangeBytes, parseResponse, rawCreate, rawRequest } from '../support/raw-http.ts'
import { newContact } from '../support/samples.ts'

const server = await serve()
const { workspace, pool, sendBytes, url } = server
const refuses = createBytesRejectionCheck(server)

test('bytes that are not an HTTP request get 400 in the envelope', async () => {
  const tenant = await workspace()
  const body = JSON.stringify(newContact())
  await refuses(
    tenant,
    [
      'GARBAGE\r\n\r\n',
      'GET\r\n\r\n',
      'GET /api/v1/contacts\r\n\r\n',
      'GET /api/v1/contacts HTTP/9.9\r\n\r\n',
      'GET /api/v1/contacts HTP/1.1\r\n\r\n',
      'get /api/v1/contacts HTTP/1.1\r\nHost: x\r\n\r\n',
      'BREW /api/v1/contacts HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET /api/v1/con tacts HTTP/1.1\r\nHost: x\r\n\r\n',
      Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03, 0x0d, 0x0a, 0x0d, 0x0a]),
      'GET /api/v1/contacts HTTP/1.1\r\nConnection: close\r\n\r\n',
      rawRequest(tenant, 'GET /api/v1/contacts', ['Host: another.test']),
      rawRequest(tenant, 'GET /api/v1/contacts', ['no colon here']),
      rawRequest(tenant, 'GET /api/v1/contacts', ['X-Header : x']),
      rawRequest(tenant, 'GET /api/v1/contacts', ['X-Header: a\0b']),
      rawRequest(tenant, 'GET /api/v1/contacts', ['Content-Length: -1']),
      rawCreate(tenant, ['Content-Length: ten'], body),
      rawCreate(tenant, ['Content-Length: 5', 'Content-Length: 5'], body),
      rawCreate(tenant, ['Content-Length: 5', `Content-Length: ${body.length}`], body),
      rawCreate(
        tenant,
        ['Transfer-Encoding: chunked', `Content-Length: ${body.length}`],
        `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      ),
      rawCreate(tenant, ['Transfer-Encoding: gzip'], body),
      rawCreate(tenant, ['Transfer-Encoding: chunked'], `zz\r\n${body}\r\n0\r\n\r\n`),
    ],
    400,
    'VALIDATION_ERROR',
  )
})

test('a Content-Length above 1 MiB gets 413 before the body is sent', async () => {
  const tenant = await workspace()
  const announced = ['1048577', '2097152', '99999999999'].map((length) =>
    rawCreate(tenant, [`Content-Length: ${length}`], ''),
  )
  await refuses(tenant, announced, 413, 'PAYLOAD_TOO_LARGE')
})

test('the size limit applies to all chunks of a body together', async () => {
  const tenant = await workspace()
  const chunked = (...parts: string[]) =>
    rawCreate(
      tenant,
      ['Transfer-Encoding: chunked'],
      [...parts, ''].map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`).join(''),
    )
  const body = JSON.stringify(newContact({ first_name: 'Zoë' }))
  const bytes = Buffer.from(body)
  const cut = bytes.indexOf(Buffer.from('ë')) + 1
  const [left, right] = [bytes.subarray(0, cut), bytes.subarray(cut)]
  const split = Buffer.concat([
    Buffer.from(`${chunked().split('\r\n\r\n')[0]}\r\n\r\n`),
    ...[left, right].flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
    Buffer.from('0\r\n\r\n'),
  ])
  assert.equal(parseResponse(await sendBytes(split)).status, 201, 'split within a character')
  const [contact] = (await tenant.call('GET', '/contacts')).body.data
  assert.equal(contact.first_name, 'Zoë')
  await refuses(tenant, [chunked(' ')], 400, 'VALIDATION_ERROR')
  await refuses(tenant, [chunked(' '.repeat(1024 * 1024), ' ')], 413, 'PAYLOAD_TOO_LARGE')
})

test('a body that ends too early changes nothing', async () => {
  const tenant = await workspace()
  const body = JSON.stringify(newContact())
  for (const sent of ['', body.slice(0, 5), body]) {
    const bytes = rawCreate(tenant, [`Content-Length: ${body.length + 5}`], sent)
    const { status, code } = parseResponse(await exchangeBytes(url, (socket) => socket.end(bytes)))
    assert.deepEqual([status, code], [400, 'VALIDATION_ERROR'])
  }
  assert.deepEqual(await eventsOf(pool, tenant), [])
})

test('invalid bytes after a request are not answered in its place', async () => {
  const tenant = await workspace()
  const body = JSON.stringify(newContact())
  const bytes = rawCreate(tenant, [`Content-Length: ${body.length}`], body).replace('Connection: close\r\n', '')
  const said = await exchangeBytes(url, (socket) => socket.write(`${bytes}GARBAGE\r\n\r\n`))
  assert.doesNotMatch(said, /^HTTP\/1\.1 4/)
})

test('a client that disconnects in the middle of a body changes nothing', async () => {
  const tenant = await workspace()
  const body = JSON.stringify(newContact())
  const bytes = rawCreate(tenant, [`Content-Length: ${body.length + 5}`], body)
  await exchangeBytes(url, (socket) => socket.write(bytes, () => socket.destroy()))
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 0)
})

test('a body that arrives in small pieces is accepted', async () => {
  const tenant = await workspace()
  const body = JSON.stringify(newContact())
  let rest = rawCreate(tenant, [`Content-Length: ${body.length}`], body)
  const answer = await exchangeBytes(url, (socket) => {
    socket.setNoDelay(true)
    const sayMore = () => {
      if (rest === '') return
      socket.write(rest.slice(0, 7), () => setImmediate(sayMore))
      rest = rest.slice(7)
    }
    sayMore()
  })
  assert.equal(parseResponse(answer).status, 201)
})

test('a request that never ends gets 408', async () => {
  const tenant = await workspace()
  const own_pool = testPool()
  const { app } = openApi(own_pool, readConfig({ LOG_LEVEL: 'silent' }), migrations, openLog('silent'))
  after(async () => {
    await app.close()
    await own_pool.close()
  })
  Object.assign(app.server, { requestTimeout: 50, headersTimeout: 50, connectionsCheckingInterval: 10 })
  const impatient = await app.listen({ host: '127.0.0.1', port: 0 })
  const head = rawCreate(tenant, ['Content-Length: 31'], '')
  for (const bytes of [head, `${head}{"phone`, head.slice(0, 50)]) {
    const { status, code } = parseResponse(await exchangeBytes(impatient, (socket) => socket.write(bytes)))
    assert.deepEqual([status, code], [408, 'REQUEST_TIMEOUT'])
  }
  assert.deepEqual(await eventsOf(pool, tenant), [])
})

test('a body is ignored if the operation takes none', async () => {
  const tenant = await workspace()
  for (const type of [
    'Content-Type: application/json',
    'Content-Type: nonsense',
    'Content-Type: a/b; c',
    'Content-Type:',
    'X-None: x',
  ]) {
    const { id } = await create(tenant)
    const lines = [type, 'Content-Length: 3']
    assert.equal(
      parseResponse(await sendBytes(rawRequest(tenant, 'GET /api/v1/contacts', lines, '{"x'))).status,
      200,
      type,
    )
    assert.equal(
      parseResponse(await sendBytes(rawRequest(tenant, `DELETE /api/v1/contacts/${id}`, lines, '{"x'))).status,
      200,
      type,
    )
  }
})

test('the Content-Type is ignored if there is no body', async () => {
  const tenant = await workspace()
  for (const type of ['Content-Type:', 'Content-Type: nonsense', 'Content-Type: text/plain']) {
    const { id } = await create(tenant)
    assert.equal(parseResponse(await sendBytes(rawRequest(tenant, 'POST /api/v1/contacts', [type]))).status, 400, type)
    assert.equal(
      parseResponse(await sendBytes(rawRequest(tenant, `DELETE /api/v1/contacts/${id}`, [type]))).status,
      200,
      type,
    )
  }
})

test('an unknown Expect is ignored', async () => {
  const tenant = await workspace()
  assert.equal(
    parseResponse(await sendBytes(rawRequest(tenant, 'GET /api/v1/contacts', ['Expect: a-miracle']))).status,
    200,
  )
})
