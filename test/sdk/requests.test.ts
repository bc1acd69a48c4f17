import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type net from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { Client, ConnectionError, Parley, ParleyError } from '../../sdk/src/index.ts'

interface Received {
  method: string
  path: string
  headers: http.IncomingHttpHeaders
  body: string
}

type Respond = (request: Received, response: http.ServerResponse, attempt: number) => unknown

/** A service that answers as the test says. */
async function standIn(respond: Respond) {
  const requests: Received[] = []
  const answer = async (incoming: http.IncomingMessage, response: http.ServerResponse) => {
    const { method = '', url = '', headers } = incoming
    const request = { method, path: url, headers, body: await readAll(incoming) }
    respond(request, response, requests.push(request))
  }
  const server = http.createServer((incoming, response) => void answer(incoming, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as net.AddressInfo
  const address = `http://127.0.0.1:${port}`
  return { requests, address, parley: new Parley({ apiKey: 'pk_test', baseUrl: address }) }
}

const send = (response: http.ServerResponse, status: number, body: object, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

const refuse = (response: http.ServerResponse, status: number, code: string, headers = {}) =>
  send(response, status, { success: false, error: { code, message: code, details: {} } }, headers)

const contact = { id: 'c1', phone_number: '+14155550100' }

for (const [name, fail] of Object.entries<(response: http.ServerResponse) => unknown>({
  'a rate limit': (response) => refuse(response, 429, 'RATE_LIMITED', { 'retry-after': '0' }),
  'an overload': (response) => refuse(response, 503, 'SERVICE_UNAVAILABLE'),
  'a key in use': (response) => refuse(response, 409, 'IDEMPOTENCY_IN_PROGRESS'),
  'a lost connection': (response) => response.destroy(),
  'half an answer': (response) => {
    response.writeHead(201, { 'content-type': 'application/json', 'content-length': 100 }).write('{"succ')
    setImmediate(() => response.destroy())
  },
})) {
  test(`a POST is repeated after ${name}, with the same key`, async () => {
    const { requests, parley } = await standIn((_, response, attempt) =>
      attempt === 1 ? fail(response) : send(response, 201, { success: true, data: contact }),
    )
    assert.deepEqual(await parley.contacts.create({ phone_number: '+14155550100' }), contact)
    const keys = requests.map(({ headers }) => headers['idempotency-key'])
    assert.deepEqual([keys.length, new Set(keys).size], [2, 1])
    assert.match(String(keys[0]), /^[0-9a-f]{32}$/)
  })
}

test('two POSTs have different keys, and a given one is sent', async () => {
  const { requests, parley } = await standIn((_, response) => send(response, 201, { success: true, data: contact }))
  const input = { phone_number: '+14155550100' }
  await Promise.all([parley.contacts.create(input), parley.contacts.create(input)])
  await parley.contacts.create(input, { idempotencyKey: 'mine' })
  const keys = requests.map(({ headers }) => headers['idempotency-key'])
  assert.equal(new Set(keys).size, 3)
  assert.equal(keys[2], 'mine')
})

test('after two retries the error is thrown, with everything that the service said', async () => {
  const fields = [{ path: 'limit', code: 'maximum', message: 'limit must be at most 100.' }]
  const { requests, parley } = await standIn((_, response) =>
    send(
      response,
      503,
      { success: false, error: { code: 'SERVICE_UNAVAILABLE', message: 'Later.', details: { fields } } },
      { 'retry-after': '1', 'x-request-id': 'req_1' },
    ),
  )
  await assert.rejects(parley.contacts.get('c1'), (error) => {
    assert.ok(error instanceof ParleyError)
    const { code, status, message, requestId, retryAfter } = error
    assert.deepEqual([code, status, message], ['SERVICE_UNAVAILABLE', 503, 'Later.'])
    assert.deepEqual([error.fields, requestId, retryAfter], [fields, 'req_1', 1])
    return true
  })
  assert.equal(requests.length, 3)
})

test('a wait may be a date, as proxies send it', async () => {
  const later = new Date(Date.now() + 3_600_000).toUTCString()
  const { requests, parley } = await standIn((_, response) => refuse(response, 503, 'BUSY', { 'retry-after': later }))
  const error = await parley.contacts.get('c1').catch((error) => error)
  assert.ok(error instanceof ParleyError)
  const { retryAfter = 0 } = error
  assert.ok(retryAfter > 3_500 && retryAfter <= 3_600)
  assert.equal(requests.length, 1)
})

test('what a repeat would not change is not repeated', async () => {
  const { requests, parley } = await standIn((_, response) => refuse(response, 500, 'INTERNAL_ERROR'))
  await assert.rejects(parley.contacts.get('c1'), { code: 'INTERNAL_ERROR' })
  const patient = await standIn((_, response) => refuse(response, 429, 'RATE_LIMITED', { 'retry-after': '3600' }))
  await assert.rejects(patient.parley.contacts.get('c1'), { code: 'RATE_LIMITED', retryAfter: 3600 })
  assert.deepEqual([requests.length, patient.requests.length], [1, 1])
})

test('a wait that is longer than the client may wait is an error at once', async () => {
  const { requests, address } = await standIn((_, response) =>
    refuse(response, 429, 'RATE_LIMITED', { 'retry-after': '6' }),
  )
  const impatient = new Client({ baseUrl: address, maxRetryAfter: 5 })
  await assert.rejects(impatient.send('POST', '/contacts', {}), { code: 'RATE_LIMITED', retryAfter: 6 })
  assert.equal(requests.length, 1)
})

test('a client without the methods sends to the base that it is given, with its headers and without a key', async () => {
  const { requests, address } = await standIn(({ method }, response) =>
    method === 'HEAD'
      ? response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 }).end()
      : send(response, 200, { success: true, data: contact }),
  )
  const client = new Client({ baseUrl: `${address}/app/`, headers: { 'x-workspace': 'w1' } })
  assert.deepEqual(await client.get('/session'), contact)
  assert.equal((await client.head('/file')).headers.get('content-length'), '100')
  assert.deepEqual(
    requests.map(({ method, path, headers }) => [method, path, headers['x-workspace'], headers.authorization]),
    [
      ['GET', '/app/session', 'w1', undefined],
      ['HEAD', '/app/file', 'w1', undefined],
    ],
  )
})

test('a request that takes too long, and a service that is not there, are connection errors', async () => {
  const { requests, parley } = await standIn(() => {})
  await assert.rejects(parley.contacts.get('c1', { timeoutMs: 50, maxRetries: 1 }), (error) => {
    assert.ok(error instanceof ConnectionError)
    assert.deepEqual([error.code, error.status], ['TIMED_OUT', 0])
    return true
  })
  assert.equal(requests.length, 2)
  const nowhere = new Parley({ apiKey: 'pk_test', baseUrl: 'http://127.0.0.1:1', maxRetries: 0 })
  await assert.rejects(nowhere.contacts.list(), { code: 'CONNECTION_FAILED' })
})

test('an abort ends a request, and a wait between two of them', async () => {
  const reason = new Error('enough')
  const { requests, parley } = await standIn((_, response, attempt) => {
    if (attempt === 1) stop.abort(reason)
    else if (attempt === 2) {
      refuse(response, 429, 'RATE_LIMITED', { 'retry-after': '30' })
      setTimeout(() => waiting.abort(reason), 100)
    }
  })
  const stop = new AbortController()
  await assert.rejects(parley.contacts.get('c1', { signal: stop.signal }), reason)
  const waiting = new AbortController()
  await assert.rejects(parley.contacts.get('c1', { signal: waiting.signal }), reason)
  assert.equal(requests.length, 2)
})

test('ids are encoded, and one that is missing is no request', async () => {
  const { requests, parley } = await standIn((_, response) => send(response, 200, { success: true, data: contact }))
  await parley.contacts.setCrmId('c1', 'a/b?c', { id: '301' })
  assert.equal(requests[0]?.path, '/api/v1/contacts/c1/crm_ids/a%2Fb%3Fc')
  for (const id of ['', '.', '..']) assert.throws(() => parley.contacts.delete(id), TypeError)
  assert.equal(requests.length, 1)
})

test('a query is encoded', async () => {
  const { requests, parley } = await standIn((_, response) =>
    send(response, 200, { success: true, data: [], pagination: { has_more: false, next_cursor: null } }),
  )
  await parley.contacts.list({ search: 'a b&c', limit: 5 })
  assert.equal(requests[0]?.path, '/api/v1/contacts?search=a+b%26c&limit=5')
  assert.equal(requests[0]?.headers.authorization, 'Bearer pk_test')
})

test('an answer of something else is an error that says so', async () => {
  for (const status of [200, 404]) {
    const { parley } = await standIn((_, response) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end('<html>'),
    )
    await assert.rejects(parley.contacts.get('c1'), { code: 'UNEXPECTED_ANSWER', status })
  }
})

test('a redirect is not followed: another server would get the key', async () => {
  const other = await standIn((_, response) => send(response, 200, { success: true, data: contact }))
  const { parley } = await standIn((_, response) => response.writeHead(307, { location: other.address }).end())
  await assert.rejects(parley.contacts.get('c1'), { code: 'UNEXPECTED_ANSWER', status: 307, message: /redirect/ })
  await assert.rejects(parley.contacts.create(contact), { code: 'UNEXPECTED_ANSWER', status: 307 })
  assert.equal(other.requests.length, 0)
})

test('an answer without data, and a list that does not go on, are errors', async () => {
  const { parley } = await standIn(({ path }, response) =>
    path.includes('/contacts/')
      ? send(response, 200, { success: true, data: null })
      : send(response, 200, path.includes('/agents') ? { success: true, data: null } : endless),
  )
  const endless = { success: true, data: [contact], pagination: { has_more: true, next_cursor: 'same' } }
  await assert.rejects(parley.contacts.get('c1'), { code: 'UNEXPECTED_ANSWER' })
  await assert.rejects(Array.fromAsync(parley.agents.list()), { code: 'UNEXPECTED_ANSWER' })
  const read: object[] = []
  const readAll = async () => {
    for await (const one of parley.contacts.list()) read.push(one)
  }
  await assert.rejects(readAll(), { code: 'UNEXPECTED_ANSWER', message: /same page/ })
  assert.equal(read.length, 2)
})

test('a base with a query or a fragment is refused', () => {
  for (const baseUrl of ['https://a.example.com?x=1', 'https://a.example.com/api/v1#x'])
    assert.throws(() => new Parley({ apiKey: 'pk_test', baseUrl }), { name: 'TypeError', message: /baseUrl/ })
})

test('a wait that is longer than timers can be is no wait of none', async () => {
  const { requests, address } = await standIn((_, response) =>
    refuse(response, 429, 'RATE_LIMITED', { 'retry-after': '1e9' }),
  )
  const patient = new Client({ baseUrl: address, maxRetryAfter: Number.POSITIVE_INFINITY, timeoutMs: 2 ** 40 })
  const stop = new AbortController()
  const sent = patient.get('/contacts', {}, { signal: stop.signal })
  const timer = setInterval(() => requests.length > 0 && stop.abort(new Error('enough')), 50)
  await assert.rejects(sent, { message: 'enough' })
  clearInterval(timer)
  assert.equal(requests.length, 1)
})

const events = (...blocks: string[]) => blocks.map((block) => `${block}\n\n`).join('')
const turn = (seq: number) => `id: ${seq}\nevent: turn.finished\ndata: {"turn":{"seq":${seq}}}`
const updated = (status: string, turn_count: number) =>
  `event: conversation.updated\ndata: ${JSON.stringify({ conversation: { status, turn_count } })}`

test('a stream goes on after the last event when the connection is lost, and ends with the conversation', async () => {
  const { requests, parley } = await standIn((_, response, attempt) => {
    if (attempt === 2) return response.destroy()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(events('retry: 1000', ':'))
    if (attempt === 1) {
      response.write(events(updated('open', 1), turn(1)))
      setTimeout(() => response.destroy(), 50)
    } else response.write(events(updated('closed', 2), turn(2)))
  })
  const seen = []
  for await (const event of parley.conversations.stream('v1', { lastEventId: 0 })) {
    seen.push(event.type === 'turn.finished' ? event.data.turn.seq : event.type)
  }
  assert.deepEqual(seen, ['conversation.updated', 1, 'conversation.updated', 2])
  assert.deepEqual(
    requests.map(({ headers }) => headers['last-event-id']),
    ['0', '1', '1'],
  )
})

test('a stream that is refused throws, and one that is left is closed', async () => {
  const closed = Promise.withResolvers<void>()
  const { parley } = await standIn(({ path }, response) => {
    if (path.includes('unknown')) return refuse(response, 404, 'NOT_FOUND')
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(events(turn(1)))
    response.on('close', () => closed.resolve())
  })
  await assert.rejects(parley.calls.live('unknown').next(), { code: 'NOT_FOUND' })
  for await (const { id } of parley.calls.live('c1')) {
    assert.equal(id, '1')
    break
  }
  await closed.promise
})

test('a stream can be aborted while nothing happens', async () => {
  const stop = new AbortController()
  const { parley } = await standIn((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(events(':'))
    setTimeout(() => stop.abort(), 50)
  })
  await assert.rejects(parley.events.stream({}, { signal: stop.signal }).next(), { name: 'AbortError' })
})

test('the first connection of a stream is repeated as often as other requests', async () => {
  const { requests, parley } = await standIn((_, response) => refuse(response, 503, 'SERVICE_UNAVAILABLE'))
  await assert.rejects(parley.events.stream({}, { maxRetries: 1 }).next(), { code: 'SERVICE_UNAVAILABLE' })
  assert.equal(requests.length, 2)
})
