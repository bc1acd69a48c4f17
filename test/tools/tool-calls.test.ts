import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { callTool } from '../../server/tools/run.ts'
import * as tools from '../../server/tools/store.ts'
import type { ToolCall } from '../../server/tools/tool-call.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { until } from '../support/model-servers.ts'
import { type Receiver, receiver, respondWith } from '../support/receivers.ts'
import { newTool } from '../support/samples.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const { workspace, at } = server

async function create(tenant: Tenant, fields: object) {
  const created = await tenant.call('POST', '/tools', newTool(fields))
  assert.equal(created.status, 201, created.text)
  return created.body.data
}

/** Creates a tool in a new workspace and calls it. */
async function call(there: Pick<Receiver, 'url'>, fields: object = {}, more: Partial<ToolCall> = {}) {
  const tenant = await workspace()
  const { id, secret } = await create(tenant, { url: there.url, ...fields })
  const tool = await tools.getStored(at(tenant.id), id)
  const run = {
    run_id: newId(),
    arguments: { day: 'tue' },
    conversation_id: newId(),
    contact_id: null,
    agent_id: newId(),
  }
  return { ...(await callTool(at(tenant.id), tool, { ...run, ...more })), secret, run: { ...run, ...more }, tool }
}

const json = { 'content-type': 'application/json; charset=utf-8' }

for (const method of ['POST', 'PUT', 'PATCH']) {
  test(`${method} sends the arguments in a signed body, with the tool's headers`, async () => {
    const there = await receiver(respondWith(200, json, '{"slot":9}'))
    const { status, result, http_status, secret, run, tool } = await call(there, { method, headers: { 'X-Key': 'k' } })
    assert.deepEqual([status, result, http_status], ['succeeded', { slot: 9 }, 200])
    const [request] = there.received
    const { run_id, conversation_id, contact_id, agent_id } = run
    const content = { id: run_id, tool: tool.name, arguments: { day: 'tue' }, conversation_id, contact_id, agent_id }
    assert.deepEqual(JSON.parse(request?.body ?? ''), content)
    assert.deepEqual([request?.headers['idempotency-key'], request?.headers['x-key']], [run_id, 'k'])
    assert.ok(new Webhook(secret).verify(request?.body ?? '', request?.headers ?? {}))
  })
}

for (const method of ['GET', 'DELETE']) {
  test(`${method} sends the arguments in the query, and signs an empty body`, async () => {
    const there = await receiver()
    const parameters = { type: 'object' }
    const values = { day: 'a b&c=ä', count: 2, is_new: true, list: [1, 2], none: null }
    const url = `${there.url}?shop=1`
    const { status, secret } = await call({ url }, { method, parameters }, { arguments: values })
    assert.equal(status, 'succeeded')
    const [request] = there.received
    const query = Object.fromEntries(new URL(request?.path ?? '', there.url).searchParams)
    assert.deepEqual(query, { shop: '1', day: 'a b&c=ä', count: '2', is_new: 'true', list: '[1,2]' })
    assert.equal(request?.body, '')
    const headers = request?.headers ?? {}
    const signed = `v1,${headers['webhook-signature']?.split(',')[1]}`
    const time = new Date(Number(headers['webhook-timestamp']) * 1000)
    assert.equal(signed, new Webhook(secret).sign(headers['webhook-id'] ?? '', time, ''))
  })
}

test('after a rotation both secrets sign for a day', async () => {
  const there = await receiver()
  const tenant = await workspace()
  const { id, secret } = await create(tenant, { url: there.url })
  const rotated = (await tenant.call('POST', `/tools/${id}/rotate_secret`)).body.data
  const signatures = async (now: number) => {
    const run = { run_id: newId(), arguments: { day: 'tue' }, conversation_id: null, contact_id: null, agent_id: null }
    await callTool(at(tenant.id, now), await tools.getStored(at(tenant.id), id), run)
    const request = there.received.at(-1)
    for (const one of [rotated.secret, ...(now < clock.parse(rotated.previous_secret_until) ? [secret] : [])])
      assert.ok(new Webhook(one).verify(request?.body ?? '', request?.headers ?? {}))
    return request?.headers['webhook-signature']?.split(' ').length
  }
  assert.equal(await signatures(clock.wall()), 2)
  assert.equal(await signatures(clock.wall() + clock.day_ms + 60_000), 1)
})

test('arguments that the schema does not allow are not sent', async () => {
  const there = await receiver()
  for (const values of [{}, { day: 2 }, { day: 'x'.repeat(32_000) }]) {
    const { status, result, http_status } = await call(there, {}, { arguments: values })
    assert.deepEqual([status, http_status], ['invalid_arguments', null])
    assert.match(JSON.stringify(result), /arguments/)
  }
  const long = await call(there, { method: 'GET' }, { arguments: { day: 'x'.repeat(8_000) } })
  assert.equal(long.status, 'invalid_arguments')
  assert.deepEqual(there.received, [])
})

test('arguments that would take long to check are refused, and 10,000 alternatives are not', async () => {
  const there = await receiver()
  const object = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`a${index}`, 1]))
  const outcomes = [
    { schema: { anyOf: Array(10_000).fill({}) }, day: 'x'.repeat(31_900), error: null },
    { schema: { oneOf: Array(10_000).fill({}) }, day: object, error: 'arguments are too complex.' },
  ]
  for (const { schema, day, error } of outcomes) {
    const tenant = await workspace()
    const parameters = { type: 'object', properties: { day: schema } }
    const { id } = await create(tenant, { url: there.url, parameters })
    const { body } = await tenant.call('POST', `/tools/${id}/test`, { arguments: { day } })
    assert.deepEqual([body.data.is_ok, body.data.error], [error === null, error])
  }
  assert.equal(there.received.length, 1)
})

const answers: [string, Parameters<typeof receiver>[0], unknown][] = [
  ['text', respondWith(200, { 'content-type': 'text/plain' }, 'booked'), 'booked'],
  ['nothing', respondWith(204), ''],
  ['JSON that is broken', respondWith(200, json, '{"a":'), '{"a":'],
  [
    'JSON that is nested too deeply',
    respondWith(200, json, '['.repeat(40) + ']'.repeat(40)),
    '['.repeat(40) + ']'.repeat(40),
  ],
  ['control characters', respondWith(200, {}, 'a\u0000b\u0007\tc\r\nd\u009b'), 'ab\tc\nd'],
]
for (const [name, answer, expected] of answers) {
  test(`an answer of ${name} is passed on as text`, async () => {
    const { status, result } = await call(await receiver(answer))
    assert.deepEqual([status, result], ['succeeded', expected])
  })
}

test('control characters and unpaired surrogates are no part of an answer that is JSON', async () => {
  const body =
    '{"a\\u0007":["b\\u0000\\u001b[1m\\n","\\ud83d\\ude00","\\ud83d"],"__proto__":{"c":"\\u0085"},"n":1,"z":null}'
  const { result } = await call(await receiver(respondWith(200, json, body)))
  const expected = '{"a":["b[1m\\n","😀","\ufffd"],"__proto__":{"c":""},"n":1,"z":null}'
  assert.equal(JSON.stringify(result), expected)
})

test('32 kB of an answer are passed on, and of 10 MB the rest is not read', async () => {
  const exact = await call(await receiver(respondWith(200, {}, 'x'.repeat(32 * 1024))))
  assert.equal(exact.result, 'x'.repeat(32 * 1024))
  const { result } = await call(await receiver(respondWith(200, json, `"${'x'.repeat(10_000_000)}"`)))
  assert.ok(String(result).length < 33 * 1024 && String(result).endsWith('[cut: the answer is longer]'))
})

for (const status of [302, 400, 401, 404, 429, 500]) {
  test(`the status ${status} is a failure, with the answer for the model`, async () => {
    const there = await receiver(respondWith(status, { location: 'http://127.0.0.1:1/', ...json }, '{"reason":"full"}'))
    const result = await call(there, { has_side_effects: false })
    assert.deepEqual([result.status, result.http_status], ['failed', status])
    const error = `The server answered with the status ${status}.`
    assert.deepEqual([result.error, result.result], [error, { error, answer: { reason: 'full' } }])
    assert.equal(there.received.length, 1)
  })
}

for (const has_side_effects of [true, false]) {
  test(`a call with has_side_effects ${has_side_effects} is sent ${has_side_effects ? 'once' : 'twice'} if it fails`, async () => {
    const times = has_side_effects ? 1 : 2
    for (const status of [502, 503, 504]) {
      const there = await receiver(respondWith(status))
      assert.equal((await call(there, { has_side_effects })).status, 'failed')
      assert.equal(there.received.length, times)
      assert.equal(new Set(there.received.map(({ headers }) => headers['idempotency-key'])).size, 1)
    }
    const resetting = await receiver((response) => response.socket?.resetAndDestroy())
    assert.equal((await call(resetting, { has_side_effects })).status, 'failed')
    assert.equal(resetting.received.length, times)
  })
}

test('a call without side effects succeeds at the second attempt', async () => {
  let count = 0
  const there = await receiver((response) => {
    count += 1
    response.writeHead(count === 1 ? 503 : 200).end('ok')
  })
  assert.equal((await call(there, { has_side_effects: false })).status, 'succeeded')
})

test('a server that hangs is a timeout, and is asked once', async () => {
  const there = await receiver(() => {})
  for (const has_side_effects of [true, false]) {
    const { status, result } = await call(there, { timeout_ms: 100, has_side_effects })
    assert.deepEqual([status, result], ['timeout', { error: 'There was no response within 0.1 seconds.' }])
  }
  assert.equal(there.received.length, 2)
})

test('an abort ends the call and reaches the server', async () => {
  let is_closed = false
  const there = await receiver((response) => {
    response.on('close', () => {
      is_closed = true
    })
  })
  const opened = new AbortController()
  const result = call(there, { has_side_effects: false }, { signal: opened.signal })
  await until(() => there.received.length === 1)
  opened.abort()
  assert.equal((await result).status, 'failed')
  await until(() => is_closed)
  assert.equal(there.received.length, 1)
})

test('a private address is refused at the connection', async () => {
  const there = await receiver()
  const tenant = await workspace()
  const { id } = await create(tenant, { url: there.url })
  const strict = await serve()
  const stored = await tools.getStored(at(tenant.id), id)
  const run = { run_id: newId(), arguments: { day: 'tue' }, conversation_id: null, contact_id: null, agent_id: null }
  const { outbound } = strict.at(tenant.id).tools
  const { status, error } = await callTool(
    { ...at(tenant.id), tools: { ...at(tenant.id).tools, outbound } },
    stored,
    run,
  )
  assert.equal(status, 'failed')
  assert.match(error ?? '', /^The URL must lead to a public address\. .*OUTBOUND_ALLOW_HOSTS/)
  assert.deepEqual(there.received, [])
})

test('a test calls the tool, and shows nothing that the server answered', async () => {
  const there = await receiver(respondWith(418, {}, 'SECRET'))
  const tenant = await workspace()
  const { id } = await create(tenant, { url: there.url })
  const answer = await tenant.call('POST', `/tools/${id}/test`, { arguments: { day: 'tue' } })
  const { duration_ms: _, ...result } = answer.body.data
  assert.deepEqual(result, { is_ok: false, status: 418, error: 'The server answered with the status 418.' })
  assert.ok(!answer.text.includes('SECRET'))
  const many = await Promise.all(Array.from({ length: 5 }, () => tenant.call('POST', `/tools/${id}/test`, {})))
  assert.ok(many.filter(({ status }) => status === 429).length >= 3, 'five at once take less than three seconds')
})

test('a test with other arguments is not sent', async () => {
  const there = await receiver()
  const tenant = await workspace()
  const { id } = await create(tenant, { url: there.url })
  const { body } = await tenant.call('POST', `/tools/${id}/test`, {})
  assert.deepEqual([body.data.is_ok, body.data.error], [false, 'arguments must have "day".'])
  assert.deepEqual(there.received, [])
})
