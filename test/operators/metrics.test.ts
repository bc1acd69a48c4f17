import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { work as imports } from '../../server/imports/run.ts'
import * as clock from '../../server/kit/clock.ts'
import { openLog } from '../../server/kit/log.ts'
import { Engine } from '../../server/kit/work/engine.ts'
import { observeWork } from '../../server/kit/work/observe.ts'
import { rowWork } from '../../server/kit/work/rows.ts'
import { advance, newCaller, newTestCalls, placeCall } from '../support/calls.ts'
import { begin, create, newModelAgent, say } from '../support/conversations.ts'
import { openServer, testPool } from '../support/harness.ts'
import { metricsOf, namesIn, readMetrics } from '../support/metrics.ts'
import { openaiServer, until } from '../support/model-servers.ts'
import { receiver, respondWith } from '../support/receivers.ts'
import { newContact, newImport, newTool } from '../support/samples.ts'
import { exchangeMessages } from '../support/sms.ts'
import { createWebhook } from '../support/webhook-calls.ts'

/** A server for each test, because its metrics are those of the process. */
async function open(config = {}) {
  const server = await openServer(testPool(), { outbound_allow_hosts: ['127.0.0.1'], ...config })
  after(server.close)
  return server
}

const decided_names = [
  'engine_lag_seconds',
  'engine_items_total',
  'engine_running',
  'engine_item_duration_seconds',
  'pool_connections',
  'pool_wait_seconds',
  'model_first_piece_seconds',
  'model_duration_seconds',
  'tool_duration_seconds',
  'calls_live',
  'calls_total',
  'turn_latency_seconds',
  'messages_total',
  'deliveries_total',
  'event_loop_delay_seconds',
  'restarts_total',
].map((name) => `parley_${name}`)

test('every metric is declared from the beginning, once', async () => {
  const server = await open({ restarts: 2 })
  const names = namesIn(await metricsOf(server))
  assert.deepEqual(new Set([...names, ...decided_names]), new Set(names))
  assert.equal(new Set(names).size, names.length)
  for (const name of ['http_request_duration_seconds', 'process_resident_memory_bytes', 'nodejs_heap_size_used_bytes'])
    assert.ok(names.includes(name), name)
  const values = await readMetrics(server)
  assert.equal(values.get('parley_restarts_total'), 2)
  assert.equal(values.get('parley_calls_live'), 0)
  assert.equal(
    values.get('http_request_duration_seconds_count{method="GET",route="/metrics",status="200"}'),
    1,
    'the first request',
  )
  assert.ok(Number(values.get('http_request_duration_seconds_sum{method="GET",route="/metrics",status="200"}')) > 0)
})

test('deliveries are counted by their result, and engines count the items that run', async () => {
  const server = await open()
  const tenant = await server.workspace()
  const first = Promise.withResolvers<void>()
  let status = 200
  const target = await receiver(async (response, request) => {
    if (target.received.length === 1) await first.promise
    respondWith(status)(response, request)
  })
  await createWebhook(tenant, target.url)
  await tenant.call('POST', '/contacts', newContact())
  const working = tenant.work()
  await until(() => target.received.length === 1)
  const during = await readMetrics(server)
  assert.equal(during.get('parley_engine_running{kind="deliveries"}'), 1)
  assert.equal(during.get('parley_engine_items_total{kind="deliveries",result="succeeded"}'), 0)
  assert.equal(during.get('parley_deliveries_total{result="succeeded"}'), 0)
  first.resolve()
  await working
  status = 500
  await tenant.call('POST', '/contacts', newContact())
  await tenant.work()
  status = 410
  await tenant.call('POST', '/contacts', newContact())
  await tenant.work()
  const values = await readMetrics(server)
  const results = ['succeeded', 'retried', 'failed'].map((one) =>
    values.get(`parley_deliveries_total{result="${one}"}`),
  )
  assert.deepEqual(results, [1, 1, 1])
  assert.equal(values.get('parley_engine_running{kind="deliveries"}'), 0)
  assert.equal(values.get('parley_engine_items_total{kind="deliveries",result="succeeded"}'), 3)
  assert.equal(values.get('parley_engine_items_total{kind="deliveries",result="failed"}'), 0)
  assert.equal(values.get('parley_engine_item_duration_seconds_count{kind="deliveries"}'), 3)
  assert.equal(values.get('parley_engine_item_duration_seconds_bucket{le="+Inf",kind="deliveries"}'), 3)
})

test('an item that fails is counted as failed', async () => {
  const server = await open()
  const tenant = await server.workspace()
  const { tools, hooks } = server.at(tenant.id)
  const service = { pool: server.pool, tools, hooks }
  const failing = { ...imports, begin: () => Promise.reject(new Error('a batch that fails')) }
  await tenant.call('POST', '/contacts/imports', newImport())
  const engine = new Engine(rowWork(failing), { service, log: openLog('silent'), observe: observeWork(tools) })
  engine.add(tenant.id)
  await engine.idle(tenant.id)
  await engine.stop()
  const values = await readMetrics(server)
  const counts = ['succeeded', 'failed'].map((one) =>
    values.get(`parley_engine_items_total{kind="imports",result="${one}"}`),
  )
  assert.deepEqual(counts, [0, 1])
})

test('calls are counted when they have ended, with their outcome', async () => {
  const server = await open()
  const tenant = await server.workspace()
  await newTestCalls(tenant)
  const agent_id = await newCaller(tenant)
  await placeCall(tenant, { agent_id, to: '+14155550100', simulate: '00' })
  await advance(tenant, 3_600)
  const { id } = await placeCall(tenant, { agent_id, to: '+14155550101', simulate: '00' })
  assert.equal((await tenant.call('POST', `/calls/${id}/cancel`)).status, 200)
  const { body } = await tenant.call('GET', '/calls')
  const expected = new Map<string, number>()
  for (const { status, outcome } of body.data) {
    const name = `parley_calls_total{status="${status}",outcome="${outcome}"}`
    expected.set(name, (expected.get(name) ?? 0) + 1)
  }
  assert.ok(expected.has('parley_calls_total{status="completed",outcome="answered"}'), [...expected.keys()].join())
  assert.ok(expected.has('parley_calls_total{status="canceled",outcome="canceled"}'), [...expected.keys()].join())
  const values = await readMetrics(server)
  assert.deepEqual(new Map(values.entries().filter(([name]) => name.startsWith('parley_calls_total'))), expected)
})

test('messages are counted by each status that they get', async () => {
  const server = await open()
  await exchangeMessages(server, await server.workspace())
  const values = await readMetrics(server)
  const counts = ['received', 'queued', 'sent', 'delivered', 'failed', 'unknown'].map((status) =>
    values.get(`parley_messages_total{status="${status}"}`),
  )
  assert.deepEqual(counts, [2, 2, 1, 1, 1, 0])
})

test('requests to models and tools are measured by their result', async () => {
  const server = await open()
  const tenant = await server.workspace()
  const target = await receiver(respondWith(200, {}, 'booked'))
  const { name } = await create(tenant, '/tools', newTool({ url: target.url }))
  const held = Promise.withResolvers<void>()
  const tool_call = { name, arguments: { day: 'tue' } }
  const model = await openaiServer({ words: ['Good', ' day.'], tool_call, calls_once: true })
  const slow = await openaiServer({ words: ['Wait', ' for', ' it.'], beforeWord: (index) => index > 0 && held.promise })
  const broken = await receiver(respondWith(400, { 'content-type': 'application/json' }, '{}'))

  const { id } = await begin(tenant, await newModelAgent(tenant, model, { tools: [name] }))
  await say(tenant, id, 'Book it')
  await tenant.work(clock.wall() + 5_000)
  const values = await readMetrics(server)
  const of_kind = 'provider="openai_compatible"'
  assert.equal(values.get(`parley_model_first_piece_seconds_count{${of_kind}}`), 2)
  assert.equal(values.get(`parley_model_duration_seconds_count{${of_kind},result="succeeded"}`), 2)
  assert.equal(values.get('parley_tool_duration_seconds_count{result="succeeded"}'), 1)

  const unavailable = { ...broken, base_url: new URL(broken.url).origin, aborted: 0 }
  const failing = await server.workspace()
  const other = await begin(failing, await newModelAgent(failing, unavailable))
  await say(failing, other.id, 'Hello')
  await failing.work(clock.wall() + 5_000)
  const failed = (await readMetrics(server)).get(`parley_model_duration_seconds_count{${of_kind},result="failed"}`)
  assert.equal(failed, broken.received.length)
  assert.ok(broken.received.length > 0)

  const impatient = await server.workspace()
  const third = await begin(impatient, await newModelAgent(impatient, slow))
  await say(impatient, third.id, 'Hello')
  const working = impatient.work(clock.wall() + 5_000)
  await until(async () => (await readMetrics(server)).get(`parley_model_first_piece_seconds_count{${of_kind}}`) === 3)
  await create(impatient, `/conversations/${third.id}/messages`, { text: 'Never mind' })
  await until(async () => slow.aborted > 0)
  held.resolve()
  await working
  const canceled = (await readMetrics(server)).get(`parley_model_duration_seconds_count{${of_kind},result="canceled"}`)
  assert.equal(canceled, slow.aborted)
})

test('the pool shows its connections, and how long callers have waited', async () => {
  const server = await open()
  const { pool } = server
  const size = 5
  const release = Promise.withResolvers<void>()
  const held = Array.from({ length: size }, () => pool.tx(() => release.promise))
  await until(() => pool.connections().in_use === size)
  const before = await readMetrics(server)
  const waiting = pool.tx(async () => {})
  const during = await readMetrics(server)
  const state = (values: Map<string, number>, name: string) => values.get(`parley_pool_connections{state="${name}"}`)
  assert.deepEqual([state(during, 'in_use'), state(during, 'idle')], [size, 0])
  assert.ok((state(during, 'waiting') ?? 0) > 0)
  release.resolve()
  await Promise.all([...held, waiting])
  const after = await readMetrics(server)
  assert.ok((after.get('parley_pool_wait_seconds_count') ?? 0) > (before.get('parley_pool_wait_seconds_count') ?? 0))
  assert.ok((after.get('parley_pool_wait_seconds_sum') ?? 0) > (before.get('parley_pool_wait_seconds_sum') ?? 0))
  assert.equal(state(after, 'waiting'), 0)
})

test('the delay of the event loop is measured', async () => {
  const server = await open()
  const blocked_ms = 400
  const delayed = async () => (await readMetrics(server)).get('parley_event_loop_delay_seconds_sum') ?? 0
  const before = await delayed()
  const until_ticks = clock.ticks() + blocked_ms
  while (clock.ticks() < until_ticks);
  // A timer that was due at the beginning is as late as that.
  await until(async () => (await delayed()) - before > (blocked_ms - 150) / 1_000)
})

test('services of one process count for themselves', async () => {
  const [one, other] = [await open(), await open()]
  const tenant = await one.workspace()
  await tenant.call('GET', '/contacts')
  const name = 'http_request_duration_seconds_count{method="GET",route="/api/v1/contacts",status="200"}'
  assert.equal((await readMetrics(one)).get(name), 1)
  assert.equal((await readMetrics(other)).get(name), undefined)
})
