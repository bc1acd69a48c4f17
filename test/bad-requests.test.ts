import assert from 'node:assert/strict'
import net from 'node:net'
import { after, test } from 'node:test'
import { openApi } from '../server/api.ts'
import { readConfig } from '../server/config.ts'
import { openLog } from '../server/kit/log.ts'
import { migrations, serve, type Tenant, testPool } from './harness.ts'
import { create, eventsOf, get, nobody, profile } from './people.ts'
import { newContact } from './samples.ts'

const { workspace, fetch, pool, say, url } = await serve()
const { host } = new URL(url)

/** Bytes of a request: its first line, the headers that every one has, more lines, and a body. */
const request = ({ key }: Tenant, first: string, lines: string[] = [], body = '') =>
  [`${first} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${key}`, 'Connection: close', ...lines, '', body].join(
    '\r\n',
  )

const post = (tenant: Tenant, lines: string[], body: string) =>
  request(tenant, 'POST /api/v1/contacts', ['Content-Type: application/json', ...lines], body)

/** Reads an answer in the envelope from what came over a socket. */
function read(text: string) {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
  const request_id = /^x-request-id: (\S+)$/im.exec(head)?.[1]
  assert.ok(request_id, `every answer has a request id: ${text}`)
  const { success, error } = JSON.parse(body)
  if (status < 400) return { status, code: undefined, head }
  assert.deepEqual([success, error.details.request_id], [false, request_id])
  return { status, code: error.code, head }
}

/** Every one is refused so, nothing changes, and the server goes on. */
async function refuses(tenant: Tenant, requests: (string | Buffer)[], status: number, code: string) {
  const seen: [string, number, string][] = []
  const events = await eventsOf(pool, tenant)
  for (const bytes of requests) {
    const answer = read(await say(bytes))
    seen.push([bytes.toString().slice(0, 300), answer.status, answer.code])
  }
  assert.deepEqual(
    seen,
    requests.map((bytes) => [bytes.toString().slice(0, 300), status, code]),
  )
  assert.deepEqual(await eventsOf(pool, tenant), events)
  assert.equal((await tenant.call('GET', '/contacts')).status, 200)
}

test('an id that is none leads nowhere, whatever is asked', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, profile)
  const before = await get(tenant, id)
  const forms = [id.toUpperCase(), id.replaceAll('-', ''), `{${id}}`, `urn:uuid:${id}`, `${id}0`, id.slice(1)]
  const around = [
    `${id}%20`,
    `%20${id}`,
    `${id}%0A`,
    `${id}%00`,
    `${id}/`,
    `${id}%2F`,
    `${id}%5C`,
    `${id};a=b`,
    `${id}.json`,
  ]
  const odd = [
    'x',
    '0',
    '-1',
    'null',
    '%00',
    '%2e%2e',
    '%F0%9F%99%82',
    "'%20or%201=1",
    '%zz',
    '%',
    '%E2%82',
    '*',
    '__proto__',
  ]
  const long = ['a'.repeat(499), 'a'.repeat(501), 'a'.repeat(10_000), '%41'.repeat(3_000), 'a/'.repeat(5_000), '']
  const seen = new Set<string>()
  for (const other of [nobody, ...forms, ...around, ...odd, ...long]) {
    for (const [method, body] of [['GET'], ['PATCH', { notes: 'x' }], ['DELETE']] as const) {
      const answer = await tenant.call(method, `/contacts/${other}`, body)
      assert.equal(answer.status, 404, `${method} /contacts/${other.slice(0, 100)}`)
      seen.add(`${answer.body.error.code} ${answer.body.error.message}`)
    }
  }
  assert.equal(seen.size, 1, 'it is the same 404')
  assert.deepEqual(await get(tenant, id), before)
})

test('an address that is none leads nowhere', async () => {
  const tenant = await workspace()
  const paths = [
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v2/contacts',
    '/v1',
    '/contacts',
    '/api/v1/calls',
    '//',
    '/%',
  ]
  const near = [
    '/api/v1/contacts/',
    '/api/v1/Contacts',
    '/api/v1//contacts',
    '/api/v1/contact',
    '/API/V1/contacts',
    '/api/v1/%63ontacts%00',
  ]
  const more = [
    '/api/v1/agents/x/y',
    '/../../etc/passwd',
    '/api/v1/../../etc/passwd',
    `/${'a'.repeat(10_000)}`,
    `/${'%2F'.repeat(3_000)}`,
  ]
  await refuses(
    tenant,
    [...paths, ...near, ...more].map((path) => request(tenant, `GET ${path}`)),
    404,
    'NOT_FOUND',
  )
})

test('a query of 10 kB is refused', async () => {
  const { call } = await workspace()
  for (const query of [
    `search=${'a'.repeat(10_000)}`,
    `${'a'.repeat(10_000)}=1`,
    'limit=1&'.repeat(1_250),
    'a[]&'.repeat(2_500),
  ]) {
    const { status, body } = await call('GET', `/contacts?${query}`)
    assert.deepEqual([status, body.error.code], [400, 'VALIDATION_ERROR'], query.slice(0, 20))
  }
})

test('headers of 20 kB are 431', async () => {
  const tenant = await workspace()
  const many = Array.from({ length: 400 }, (_, index) => `X-Header-${index}: ${'x'.repeat(40)}`)
  await refuses(
    tenant,
    [
      request(tenant, 'GET /api/v1/contacts', [`X-Header: ${'x'.repeat(20_000)}`]),
      request(tenant, 'GET /api/v1/contacts', many),
      request(tenant, `GET /api/v1/contacts?search=${'x'.repeat(20_000)}`),
    ],
    431,
    'HEADERS_TOO_LARGE',
  )
})

test('what is no HTTP request is 400 in the envelope', async () => {
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
      request(tenant, 'GET /api/v1/contacts', ['no colon here']),
      request(tenant, 'GET /api/v1/contacts', ['X-Header : x']),
      request(tenant, 'GET /api/v1/contacts', ['X-Header: a\0b']),
      request(tenant, 'GET /api/v1/contacts', ['Content-Length: -1']),
      post(tenant, ['Content-Length: ten'], body),
      post(tenant, ['Content-Length: 5', 'Content-Length: 5'], body),
      post(tenant, ['Content-Length: 5', `Content-Length: ${body.length}`], body),
      post(
        tenant,
        ['Transfer-Encoding: chunked', `Content-Length: ${body.length}`],
        `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      ),
      post(tenant, ['Transfer-Encoding: gzip'], body),
      post(tenant, ['Transfer-Encoding: chunked'], `zz\r\n${body}\r\n0\r\n\r\n`),
    ],
    400,
    'VALIDATION_ERROR',
  )
})

test('headers that may stand once are refused when they stand twice', async () => {
  const tenant = await workspace()
  const body = JSON.stringify(newContact())
  const length = `Content-Length: ${body.length}`
  await refuses(
    tenant,
    [
      post(tenant, [length, `Authorization: Bearer ${tenant.key}`], body),
      post(tenant, [length, 'Authorization: Bearer x'], body),
      request(tenant, 'GET /api/v1/contacts', [`authorization: Bearer ${tenant.key}`]),
    ],
    401,
    'UNAUTHORIZED',
  )
  await refuses(
    tenant,
    ['application/json', 'text/plain'].map((type) => post(tenant, [length, `Content-Type: ${type}`], body)),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  )
})

test('an Expect that is not understood changes nothing', async () => {
  const tenant = await workspace()
  assert.equal(read(await say(request(tenant, 'GET /api/v1/contacts', ['Expect: a-miracle']))).status, 200)
})

test('a body where none is asked for is ignored', async () => {
  const tenant = await workspace()
  for (const type of [
    'Content-Type: application/json',
    'Content-Type: nonsense',
    'Content-Type: a/b; c',
    'X-None: x',
  ]) {
    const { id } = await create(tenant)
    const lines = [type, 'Content-Length: 3']
    assert.equal(read(await say(request(tenant, 'GET /api/v1/contacts', lines, '{"x'))).status, 200, type)
    assert.equal(read(await say(request(tenant, `DELETE /api/v1/contacts/${id}`, lines, '{"x'))).status, 200, type)
  }
})

test('a body announced as larger than 1 MiB is 413 before it is sent', async () => {
  const tenant = await workspace()
  const announced = ['1048577', '2097152', '99999999999'].map((length) =>
    post(tenant, [`Content-Length: ${length}`], ''),
  )
  await refuses(tenant, announced, 413, 'PAYLOAD_TOO_LARGE')
})

test('a body in chunks counts as a whole', async () => {
  const tenant = await workspace()
  const chunked = (...parts: string[]) =>
    post(
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
  assert.equal(read(await say(split)).status, 201, 'cut within a character')
  const [contact] = (await tenant.call('GET', '/contacts')).body.data
  assert.equal(contact.first_name, 'Zoë')
  await refuses(tenant, [chunked(' ')], 400, 'VALIDATION_ERROR')
  await refuses(tenant, [chunked(' '.repeat(1024 * 1024), ' ')], 413, 'PAYLOAD_TOO_LARGE')
})

test('a body that ends too early changes nothing', async () => {
  const tenant = await workspace()
  const body = JSON.stringify(newContact())
  for (const sent of ['', body.slice(0, 5), body]) {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = net.connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
      let said = ''
      socket.end(post(tenant, [`Content-Length: ${body.length + 5}`], sent))
      socket.on('data', (bytes) => {
        said += bytes
      })
      socket.on('close', () => resolve(said))
      socket.on('error', reject)
    })
    assert.equal(read(answer).status, 400)
  }
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 0)
  assert.deepEqual(await eventsOf(pool, tenant), [])
})

test('a body that comes slowly is taken, and one that never comes is 408', async () => {
  const tenant = await workspace()
  const body = JSON.stringify(newContact())
  const head = post(tenant, [`Content-Length: ${body.length}`], '')
  const slow = await new Promise<string>((resolve, reject) => {
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1')
    socket.setNoDelay(true)
    let rest = head + body
    const sendSome = () => {
      if (rest === '') return
      socket.write(rest.slice(0, 7), () => setImmediate(sendSome))
      rest = rest.slice(7)
    }
    sendSome()
    let said = ''
    socket.on('data', (bytes) => {
      said += bytes
    })
    socket.on('close', () => resolve(said))
    socket.on('error', reject)
  })
  assert.equal(read(slow).status, 201)

  const hasty_pool = testPool()
  const { app } = openApi(hasty_pool, readConfig({ LOG_LEVEL: 'silent' }), migrations, openLog('silent'))
  after(async () => {
    await app.close()
    await hasty_pool.close()
  })
  Object.assign(app.server, { requestTimeout: 50, headersTimeout: 50, connectionsCheckingInterval: 10 })
  const hasty = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  for (const part of [head, head + body.slice(0, 5), head.slice(0, 50)]) {
    const late = await new Promise<string>((resolve, reject) => {
      const socket = net.connect(Number(hasty.port), hasty.hostname, () => socket.write(part))
      let said = ''
      socket.on('data', (bytes) => {
        said += bytes
      })
      socket.on('close', () => resolve(said))
      socket.on('error', reject)
    })
    const { status, code } = read(late)
    assert.deepEqual([status, code], [408, 'REQUEST_TIMEOUT'])
  }
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 1)
})

test('a method that an address does not know is 405 with those that it does', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  const others = ['PUT', 'OPTIONS', 'TRACE', 'PROPFIND', 'LOCK', 'QUERY', 'MKCOL', 'SEARCH', 'PURGE', 'SUBSCRIBE']
  for (const [path, allow, more] of [
    ['/contacts', 'GET, HEAD, POST', ['PATCH', 'DELETE']],
    [`/contacts/${id}`, 'DELETE, GET, HEAD, PATCH', ['POST']],
    [`/contacts/${id}/crm_ids/hubspot`, 'DELETE, PUT', ['GET', 'HEAD', 'POST', 'PATCH']],
    ['/agents', 'GET, HEAD, POST', ['PATCH', 'DELETE']],
    [`/agents/${nobody}`, 'GET, HEAD', ['POST', 'PATCH', 'DELETE']],
    [`/agents/${nobody}/versions`, 'GET, HEAD', ['POST', 'PATCH', 'DELETE']],
  ] as const) {
    for (const prefix of ['/api/v1', '/v1']) {
      for (const method of [...others, ...more].filter((other) => !allow.includes(other))) {
        const said = await say(request(tenant, `${method} ${prefix}${path}`))
        const head = method === 'HEAD' ? said : read(said).head
        assert.match(said, /^HTTP\/1\.1 405 /, `${method} ${path}`)
        const told = /^allow: (.*)$/im.exec(head)?.[1]?.split(', ').sort().join(', ')
        assert.equal(told, allow, `${method} ${path}`)
      }
    }
  }
  assert.equal((await eventsOf(pool, tenant)).length, 1)
})

test('HEAD is answered as GET, without the body', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  for (const path of ['/contacts', `/contacts/${id}`, '/agents', `/contacts/${nobody}`, '/contacts?limit=0']) {
    const [got, head] = [await tenant.call('GET', path), await tenant.call('HEAD', path)]
    assert.deepEqual([head.status, head.text], [got.status, ''], path)
    for (const name of ['content-type', 'etag', 'content-length']) {
      assert.equal(head.headers.get(name), got.headers.get(name), `${name} of ${path}`)
    }
    assert.ok(head.headers.get('x-request-id'))
  }
  assert.equal((await fetch('HEAD', '/api/v1/contacts')).status, 401)
})
