import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { openApi } from '../../server/api.ts'
import { type Config, readConfig } from '../../server/config.ts'
import * as clock from '../../server/kit/clock.ts'
import { nameTrace } from '../../server/kit/log.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { inSpan } from '../../server/kit/traces/span.ts'
import { ended, getCall, newCaller } from '../support/calls.ts'
import { openCollector } from '../support/collector.ts'
import { begin, create, newModelAgent, say } from '../support/conversations.ts'
import { addFakeSpeech } from '../support/fake-speech.ts'
import { migrations, openServer, testPool } from '../support/harness.ts'
import { readMetrics } from '../support/metrics.ts'
import { openaiServer, until } from '../support/model-servers.ts'
import { receiver, respondWith } from '../support/receivers.ts'
import { newContact, newTool } from '../support/samples.ts'
import { openVoiceClient, placeWebCall } from '../support/voice-client.ts'
import { createWebhook } from '../support/webhook-calls.ts'

const internal_kind = 1
const server_kind = 2
const client_kind = 3

async function open(config: Partial<Config> = {}) {
  const server = await openServer(testPool(), { outbound_allow_hosts: ['127.0.0.1'], ...config })
  after(server.close)
  return server
}

async function openTraced(config: Partial<Config> = {}) {
  const collector = await openCollector()
  const server = await open({ otlp_endpoint: collector.endpoint, ...config })
  return { collector, server, tenant: await server.workspace() }
}

/** The parts of the header `traceparent`. */
function partsOf(headers: Headers) {
  const [, trace_id = '', span_id = '', flags = ''] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-(0[01])$/.exec(headers.get('traceparent') ?? '') ?? []
  assert.notEqual(trace_id, '', String(headers.get('traceparent')))
  return { trace_id, span_id, flags }
}

test('a request has a span, with its statements inside', async () => {
  const { collector, tenant } = await openTraced()
  const { headers } = await tenant.call('POST', '/contacts', newContact(), { 'idempotency-key': 'one' })
  const { trace_id, span_id } = partsOf(headers)
  const span = await collector.find('request', (one) => one.span_id === span_id)
  assert.deepEqual([span.name, span.kind, span.parent_id], ['POST /api/v1/contacts', server_kind, undefined])
  assert.deepEqual(
    [span.attributes['http.route'], span.attributes['http.response.status_code'], span.attributes.workspace_id],
    ['/api/v1/contacts', 201, tenant.id],
  )
  assert.equal(span.attributes.request_id, headers.get('x-request-id'))
  const inside = collector.childrenOf(span)
  assert.equal(inside.length, collector.inTrace(trace_id).length - 1)
  const names = inside.map(({ name }) => name)
  for (const name of ['select api_keys', 'begin', 'insert contacts', 'commit'])
    assert.ok(names.includes(name), names.join(', '))
  const insert = inside.find(({ name }) => name === 'insert contacts')
  assert.equal(insert?.kind, client_kind)
  assert.equal(insert?.attributes['db.system.name'], 'postgresql')
  assert.match(String(insert?.attributes['db.query.text']), /^insert into contacts .*\$1/s)
  for (const { began_ns, ended_ns, name } of inside)
    assert.ok(began_ns >= span.began_ns && ended_ns <= span.ended_ns, name)
  // The wall time of this machine, which is not exact to the millisecond.
  const now_ns = BigInt(clock.wall()) * 1_000_000n
  const minute_ns = 60_000_000_000n
  assert.ok(span.began_ns > now_ns - minute_ns && span.began_ns < now_ns + minute_ns)
})

test('statements belong to their request also when its body arrives later', async () => {
  const { collector, server, tenant } = await openTraced()
  // The key is known then, so that nothing but the body is waited for.
  await tenant.call('GET', '/contacts')
  const body = JSON.stringify(newContact())
  const headers = {
    authorization: `Bearer ${tenant.key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    expect: '100-continue',
  }
  const request = http.request(`${server.url}/api/v1/contacts`, { method: 'POST', headers })
  request.on('continue', () => request.end(body))
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  assert.equal(response.statusCode, 201)
  response.resume()
  const { span_id } = partsOf(new Headers({ traceparent: String(response.headers.traceparent) }))
  const span = await collector.find('request', (one) => one.span_id === span_id)
  const names = collector.childrenOf(span).map(({ name }) => name)
  assert.ok(names.includes('insert contacts'), names.join(', '))
})

test('statements that fail say so, with the code of PostgreSQL', async () => {
  const { collector, server } = await openTraced()
  const span = server.at('').tools.traces?.begin({ name: 'work', kind: 'internal' })
  assert.ok(span)
  const failing = inSpan(span, () => server.pool.many(sql`select ${'tok-9731'}::integer from contacts`))
  await assert.rejects(failing, /tok-9731/)
  span.end()
  const failed = await collector.find('statement', ({ name }) => name === 'select contacts')
  assert.deepEqual([failed.is_error, failed.attributes['error.type']], [true, '22P02'])
  assert.equal(failed.parent_id, span.span_id)
  assert.equal(collector.text().includes('tok-9731'), false)
})

test('an error of the server is one of the span', async () => {
  const collector = await openCollector()
  const pool = testPool()
  let is_broken = false
  const many: typeof pool.many = (statement) =>
    is_broken ? Promise.reject(new Error('tok-9731')) : pool.many(statement)
  const server = await openServer({ ...pool, many }, { otlp_endpoint: collector.endpoint })
  after(server.close)
  const tenant = await server.workspace()
  assert.equal((await tenant.call('GET', '/contacts')).status, 200)
  is_broken = true
  const { status, headers } = await tenant.call('GET', '/contacts')
  is_broken = false
  assert.equal(status, 500)
  const span = await collector.find('request', (one) => one.span_id === partsOf(headers).span_id)
  assert.deepEqual([span.is_error, span.attributes['error.type']], [true, '500'])
  assert.equal(collector.text().includes('tok-9731'), false)
})

test('the trace of the client is continued, and its decision to send it', async () => {
  const { collector, tenant } = await openTraced()
  const [trace_id, parent_id] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
  const sampled = await tenant.call('GET', '/contacts', undefined, { traceparent: `00-${trace_id}-${parent_id}-01` })
  assert.deepEqual([partsOf(sampled.headers).trace_id, partsOf(sampled.headers).flags], [trace_id, '01'])
  const span = await collector.find('request', (one) => one.parent_id === parent_id)
  assert.deepEqual([span.trace_id, span.span_id], [trace_id, partsOf(sampled.headers).span_id])

  const other_trace = '1af7651916cd43dd8448eb211c80319c'
  const unsampled = await tenant.call('POST', '/contacts', newContact(), {
    traceparent: `00-${other_trace}-${parent_id}-00`,
  })
  assert.deepEqual([partsOf(unsampled.headers).trace_id, partsOf(unsampled.headers).flags], [other_trace, '00'])
  const last = await tenant.call('GET', '/contacts')
  await collector.find('last request', (one) => one.span_id === partsOf(last.headers).span_id)
  assert.deepEqual(collector.inTrace(other_trace), [])
})

test('a stranger can not have more traces sent', async () => {
  const [trace_id, parent_id] = ['2af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
  const collector = await openCollector()
  const strangers = ['/api/v1/contacts', '/app/session', '/none', '/docs', '/in/int_none', '/chat/none']
  for (const [otel_sample_ratio, expected] of [
    [0, '00'],
    [1, '01'],
  ] as const) {
    const server = await open({ otlp_endpoint: collector.endpoint, otel_sample_ratio })
    const headers = { traceparent: `00-${trace_id}-${parent_id}-01`, authorization: 'Bearer pk_none' }
    for (const path of strangers) {
      const answer = await server.fetch('GET', path, undefined, headers)
      assert.deepEqual([partsOf(answer.headers).trace_id, partsOf(answer.headers).flags], [trace_id, expected], path)
    }
    const tenant = await server.workspace()
    const known = await tenant.call('GET', '/contacts', undefined, { traceparent: headers.traceparent })
    assert.equal(partsOf(known.headers).flags, '01')
  }
})

test('what monitoring asks for is not traced', async () => {
  const { collector, server, tenant } = await openTraced()
  for (const path of ['/health', '/ready', '/metrics']) {
    const { headers } = await server.fetch('GET', path)
    assert.equal(partsOf(headers).flags, '00', path)
  }
  const last = await tenant.call('GET', '/contacts')
  await collector.find('last request', (one) => one.span_id === partsOf(last.headers).span_id)
  assert.doesNotMatch(collector.text(), /health|ready|metrics/)
})

test('a malformed traceparent begins a new trace', async () => {
  const { tenant } = await openTraced()
  const [trace_id, span_id] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
  const continued = [`00-${trace_id}-${span_id}-01`, `01-${trace_id}-${span_id}-01`, `01-${trace_id}-${span_id}-01-x`]
  const malformed = [
    '',
    'x',
    `00-${trace_id}-${span_id}`,
    `00-${trace_id}-${span_id}-01-x`,
    `ff-${trace_id}-${span_id}-01`,
    `00-${trace_id.toUpperCase()}-${span_id}-01`,
    `00-${'0'.repeat(32)}-${span_id}-01`,
    `00-${trace_id}-${'0'.repeat(16)}-01`,
    `00-${trace_id}-${span_id}-01, 00-${trace_id}-${span_id}-01`,
    `00-${trace_id.slice(1)}-${span_id}-01`,
    `00-${trace_id}-${span_id}-zz`,
  ]
  for (const traceparent of [...continued, ...malformed]) {
    const { status, headers } = await tenant.call('GET', '/contacts', undefined, { traceparent })
    assert.equal(status, 200)
    assert.equal(partsOf(headers).trace_id === trace_id, continued.includes(traceparent), traceparent)
  }
})

test('every answer has the header: also errors, pages and requests that can not be parsed', async () => {
  const { collector, server } = await openTraced()
  const paths = ['/api/v1/contacts', '/api/v1/none', '/none', '/health', '/docs', '/api/v1/contacts/%zz']
  for (const path of paths) partsOf((await server.fetch('GET', path)).headers)
  const answers = [
    await server.sendBytes('NOT HTTP\r\n\r\n'),
    await server.sendBytes('GET /docs HTTP/1.1\r\nconnection: close\r\n\r\n'),
  ]
  for (const answer of answers) assert.match(answer, /^traceparent: 00-[0-9a-f]{32}-[0-9a-f]{16}-01\r$/im)
  await collector.find('page', ({ name }) => name === 'GET /docs')
  const rejected = await collector.find('rejected request', ({ name }) => name === 'HTTP')
  assert.equal(rejected.attributes['http.response.status_code'], 400)
})

test('gets that share a statement: it belongs to one, and the others link to that one', async () => {
  const { collector, server, tenant } = await openTraced()
  const { id } = await create(tenant, '/contacts', newContact())
  // All arrive together, and the key is known: so they are one batch.
  const head = `GET /api/v1/contacts/${id} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${tenant.key}\r\n`
  const answers = await server.sendBytes(`${`${head}\r\n`.repeat(19)}${head}connection: close\r\n\r\n`)
  const ids = [...answers.matchAll(/^traceparent: 00-\w{32}-(\w{16})-01\r$/gim)].map(([, span_id = '']) => span_id)
  assert.equal(ids.length, 20)
  for (const span_id of ids) await collector.find('get', (one) => one.span_id === span_id)
  const spans = collector.spans.filter(({ span_id }) => ids.includes(span_id))
  const owners = new Set(
    spans.filter((span) => collector.childrenOf(span).some(({ name }) => name === 'select contacts')).map(keyOf),
  )
  assert.equal(owners.size, 1)
  for (const span of spans)
    assert.ok(
      owners.has(keyOf(span)) || span.links.some(({ traceId, spanId }) => owners.has(`${traceId} ${spanId}`)),
      span.span_id,
    )
})

const keyOf = ({ trace_id, span_id }: { trace_id: string; span_id: string }) => `${trace_id} ${span_id}`

const secret_words = ['Rumpelstiltskin', 'Zwickau', 'Xanadu', '5550142', 'swordfish', 'tok-9731']

test('an answer of an agent is a trace with the model, the tool and statements, and nothing that was said', async () => {
  const { collector, tenant } = await openTraced()
  const target = await receiver(respondWith(200, {}, 'booked for Xanadu'))
  const url = `${target.url}/tok-9731?key=swordfish`
  const { name } = await create(tenant, '/tools', newTool({ url, headers: { 'x-key': 'swordfish' } }))
  const tool_call = { name, arguments: { day: 'Zwickau' } }
  const model = await openaiServer({ words: ['Good', ' day', ' Rumpelstiltskin.'], tool_call, calls_once: true })
  const instructions = 'You are Rumpelstiltskin.'
  const agent_id = await newModelAgent(tenant, model, { tools: [name], instructions })
  const contact = await create(tenant, '/contacts', { phone_number: '+14155550142', last_name: 'Rumpelstiltskin' })
  const conversation = await begin(tenant, agent_id, { contact_id: contact.id })
  await say(tenant, conversation.id, 'Book it for Zwickau')
  await tenant.call('GET', '/contacts?search=Rumpelstiltskin')
  await tenant.call('GET', `/contacts?phone_number=${encodeURIComponent('+14155550142')}`)
  await tenant.work(clock.wall() + 5_000)

  const isItem = (span: { name: string; attributes: object }) =>
    span.name === 'conversations' && 'item_id' in span.attributes && span.attributes.item_id === conversation.id
  const item = await collector.find('item', isItem)
  assert.deepEqual([item.parent_id, item.attributes.workspace_id], [undefined, tenant.id])
  const inside = collector.childrenOf(item)
  assert.equal(inside.length, collector.inTrace(item.trace_id).length - 1, 'every parent is there')
  const [first, second, ...more] = inside.filter((span) => span.name === 'chat small')
  assert.ok(first && second)
  assert.deepEqual(more, [])
  assert.deepEqual(
    { ...first.attributes, 'gen_ai.request.max_tokens': 0 },
    {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai_compatible',
      'gen_ai.request.model': 'small',
      'gen_ai.request.max_tokens': 0,
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 3,
      'gen_ai.response.finish_reasons': ['tool-calls'],
    },
  )
  assert.deepEqual(second.attributes['gen_ai.response.finish_reasons'], ['stop'])
  const tool = inside.find((span) => span.name === `execute_tool ${name}`)
  assert.ok(tool)
  assert.deepEqual(
    [tool.kind, tool.attributes['gen_ai.tool.name'], tool.attributes['server.address']],
    [internal_kind, name, '127.0.0.1'],
  )
  assert.equal(tool.attributes['http.response.status_code'], 200)
  assert.equal(target.received[0]?.headers.traceparent, `00-${tool.trace_id}-${tool.span_id}-01`)
  assert.equal(model.received[0]?.headers.traceparent, undefined, "a model's provider learns nothing of traces")
  assert.ok(inside.some((span) => span.attributes['db.system.name'] === 'postgresql'))
  for (const word of [...secret_words, tenant.key, contact.phone_number])
    assert.equal(collector.text().includes(word), false, word)
})

test('a delivery is a trace, which its receiver can continue', async () => {
  const { collector, tenant } = await openTraced()
  let status = 200
  const target = await receiver((response, request) => respondWith(status)(response, request))
  const webhook = await createWebhook(tenant, `${target.url}/tok-9731?key=swordfish`)
  await tenant.call('POST', '/contacts', newContact({ phone_number: '+14155550142' }))
  await tenant.work()
  const span = await collector.find('delivery', ({ name }) => name === 'deliver contact.created')
  const item = await collector.find('item', ({ span_id }) => span_id === span.parent_id)
  assert.deepEqual([item.name, item.parent_id, span.kind], ['deliveries', undefined, client_kind])
  const { 'server.address': host, 'http.response.status_code': answered, webhook_id } = span.attributes
  assert.deepEqual([host, answered, webhook_id], ['127.0.0.1', 200, webhook.id])
  assert.equal(target.received[0]?.headers.traceparent, `00-${span.trace_id}-${span.span_id}-01`)
  status = 500
  await tenant.call('POST', '/contacts', newContact())
  await tenant.work()
  const failed = await collector.find('failed delivery', (one) => one.name === span.name && one.is_error)
  assert.equal(failed.attributes['error.type'], '500')
  for (const word of secret_words) assert.equal(collector.text().includes(word), false, word)
})

test('a call is a trace with its turns', async () => {
  const { collector, server, tenant } = await openTraced({ live_calls_max: 5 })
  addFakeSpeech(server)
  const nodes = {
    greet: { say: 'Hello. Is Tuesday all right?', on: [{ intent: 'yes', go: 'end' }], else: { go: 'greet' } },
    end: { say: 'Good, Rumpelstiltskin. Goodbye.', go: '@end' },
  }
  const agent_id = await newCaller(tenant, { script: { start: 'greet', nodes } })
  const place = await placeWebCall(tenant, { agent_id })
  const client = openVoiceClient(place)
  await client.next('ready')
  await until(async () => (await getCall(tenant, place.call.id)).turn_count === 1)
  client.say('Yes.')
  await client.next('ended')
  const { conversation_id } = await ended(tenant, place.call.id)
  const turn = await collector.find('turn', ({ name }) => name === 'turn')
  const item = await collector.find('call', ({ span_id }) => span_id === turn.parent_id)
  assert.deepEqual([item.name, item.attributes.item_id], ['calls', place.call.id])
  assert.equal(turn.attributes['gen_ai.conversation.id'], conversation_id)
  const { turn_ms, first_sound_ms } = turn.attributes
  assert.ok(Number(first_sound_ms) >= 0, String(first_sound_ms))
  assert.equal(Math.round(Number(turn.ended_ns - turn.began_ns) / 1e6), turn_ms)
  assert.ok(turn.began_ns >= item.began_ns && turn.ended_ns <= item.ended_ns)
  for (const word of [...secret_words, 'Tuesday', place.token])
    assert.equal(collector.text().includes(word), false, word)
})

test('the line of a request in the log has the id of its trace', async () => {
  const stream = new PassThrough()
  const logged = text(stream)
  const config = readConfig({ SECRETS_KEY: 'a'.repeat(32), DATA_DIR: '.cache' })
  const collector = await openCollector()
  const tenant = await (await open()).workspace()
  const trace_ids: (string | null)[] = []
  for (const otlp_endpoint of [collector.endpoint, undefined]) {
    const pool = testPool()
    const log = pino({ level: 'debug', ...(otlp_endpoint && { mixin: nameTrace }) }, stream)
    const { app, service } = openApi(pool, { ...config, otlp_endpoint }, migrations, log)
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const { headers } = await fetch(`${url}/api/v1/contacts`, { headers: { authorization: `Bearer ${tenant.key}` } })
    trace_ids.push(headers.get('traceparent')?.split('-')[1] ?? null)
    await app.close()
    await service.tools.traces?.close()
    await service.tools.outbound.close()
    await pool.close()
  }
  stream.end()
  const lines = (await logged).split('\n').flatMap((line) => (line.includes('"answered"') ? [JSON.parse(line)] : []))
  assert.deepEqual(
    lines.map(({ trace_id = null }) => trace_id),
    trace_ids,
  )
  assert.match(trace_ids[0] ?? '', /^[0-9a-f]{32}$/)
  assert.equal(trace_ids[1], null)
})

test('what becomes of spans is in the log of the service, with its process', async () => {
  const stream = new PassThrough()
  const logged = text(stream)
  const config = readConfig({ SECRETS_KEY: 'a'.repeat(32), OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
  const pool = testPool()
  const { app, service } = openApi(pool, config, migrations, pino(stream).child({ process: 2 }))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  await fetch(`${url}/docs`)
  await app.close()
  await service.tools.traces?.close()
  await service.tools.outbound.close()
  await pool.close()
  stream.end()
  const line = (await logged).split('\n').find((one) => one.includes('the collector of traces does not take spans'))
  assert.equal(JSON.parse(line ?? '{}').process, 2)
})

test('without a collector there is no header, and nothing is sent', async () => {
  const { collector, tenant: traced } = await openTraced()
  const target = await receiver()
  const tenant = await (await open()).workspace()
  await createWebhook(tenant, target.url)
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const { headers } = await tenant.call('POST', '/contacts', newContact(), { traceparent })
  assert.equal(headers.get('traceparent'), null)
  await tenant.work()
  assert.equal(target.received[0]?.headers.traceparent, undefined)
  const last = await traced.call('GET', '/contacts')
  await collector.find('request of the other service', (one) => one.span_id === partsOf(last.headers).span_id)
  assert.equal(collector.text().includes(tenant.id), false)
})

test('statements that a request has led to, but not sent, are not part of it', async () => {
  const { collector, server, tenant } = await openTraced()
  // Like background work that begins when something was written.
  const sent: Promise<unknown>[] = []
  const stop = server.pool.subscribe(() => sent.push(server.pool.many(sql`select 1 as background`)))
  const target = await receiver()
  await createWebhook(tenant, target.url)
  const { headers } = await tenant.call('POST', '/contacts', newContact())
  stop()
  assert.ok(sent.length > 0)
  await Promise.all(sent)
  await collector.find('request', (one) => one.span_id === partsOf(headers).span_id)
  assert.equal(collector.text().includes('background'), false)
})

test('the share of traces that are sent can be set', async () => {
  const collector = await openCollector()
  const none = await open({ otlp_endpoint: collector.endpoint, otel_sample_ratio: 0 })
  const silent = await none.workspace()
  const { headers } = await silent.call('POST', '/contacts', newContact())
  assert.equal(partsOf(headers).flags, '00')
  const some = await open({ otlp_endpoint: collector.endpoint, otel_sample_ratio: 0.5 })
  const tenant = await some.workspace()
  const flags = new Set<string>()
  // Each is one of two: the chance that 60 are the same is 2^-59.
  for (let nth = 0; nth < 60; nth += 1) flags.add(partsOf((await tenant.call('GET', '/contacts')).headers).flags)
  assert.deepEqual(flags, new Set(['00', '01']))
  await collector.find('request', ({ name }) => name === 'GET /api/v1/contacts')
  assert.equal(collector.text().includes(silent.id), false)
})

test('the collector learns who sends, and gets its headers', async () => {
  const { collector, tenant } = await openTraced({
    otlp_headers: { 'x-api-key': 'of the collector' },
    otel_service_name: 'front desk',
    otel_resource_attributes: { 'service.name': 'overridden', 'deployment.environment.name': 'test' },
  })
  await tenant.call('GET', '/contacts')
  await collector.find('request', ({ name }) => name === 'GET /api/v1/contacts')
  assert.equal(collector.headers['x-api-key'], 'of the collector')
  const { 'service.name': name, 'deployment.environment.name': environment, ...more } = collector.resource
  assert.deepEqual([name, environment], ['front desk', 'test'])
  assert.match(String(more['service.instance.id']), /^[0-9a-f-]{36}$/)
})

test('what is left is sent when the service stops', async () => {
  const collector = await openCollector()
  const server = await openServer(testPool(), { otlp_endpoint: collector.endpoint })
  const tenant = await server.workspace()
  const { headers } = await tenant.call('GET', '/contacts')
  await server.close()
  assert.ok(collector.spans.some(({ span_id }) => span_id === partsOf(headers).span_id))
})

const dropped = async (server: Parameters<typeof readMetrics>[0]) =>
  (await readMetrics(server)).get('parley_trace_spans_dropped_total') ?? 0

test('a collector that is down costs spans, and no requests', async () => {
  const down = await open({ otlp_endpoint: 'http://127.0.0.1:9' })
  const tenant = await down.workspace()
  assert.equal(await dropped(down), 0)
  const { id } = await create(tenant, '/contacts', newContact())
  for (let sent = 0; sent < 3_000 && (await dropped(down)) === 0; sent += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => tenant.call('GET', `/contacts/${id}`)))
    assert.ok(answers.every(({ status, headers }) => status === 200 && headers.has('traceparent')))
  }
  assert.ok((await dropped(down)) > 0)
})
