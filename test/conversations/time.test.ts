import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as retention from '../../server/conversations/erase.ts'
import * as clock from '../../server/kit/clock.ts'
import { begin, get, newAgent, say, turnsOf } from '../support/conversations.ts'
import { serve } from '../support/harness.ts'

const server = await serve()
const minute_ms = 60_000

const script = { start: 'ask', nodes: { ask: { say: 'Yes?', on: [{ intent: 'human', go: '@hand_over' }] } } }

test('a conversation in which nobody says anything is closed after a day', async () => {
  const tenant = await server.workspace()
  const { id } = await begin(tenant, await newAgent(tenant, { script }))
  await tenant.work()
  const began = clock.parse((await get(tenant, id)).last_turn_at)
  await tenant.work(began + clock.day_ms - 1)
  assert.equal((await get(tenant, id)).status, 'open')
  await tenant.work(began + clock.day_ms)
  const { status, close_reason } = await get(tenant, id)
  assert.deepEqual([status, close_reason], ['closed', 'idle'])
})

test('each turn begins the day anew, and a version may narrow it', async () => {
  const tenant = await server.workspace()
  const { id } = await begin(tenant, await newAgent(tenant, { script, limits: { idle_seconds: 60 } }))
  await tenant.work()
  await say(tenant, id, 'Hello')
  await tenant.work()
  const last = clock.parse((await get(tenant, id)).last_turn_at)
  await tenant.work(last + minute_ms - 1)
  assert.equal((await get(tenant, id)).status, 'open')
  await tenant.work(last + minute_ms)
  assert.equal((await get(tenant, id)).status, 'closed')
})

test('a contact who waits for a person is told after fifteen minutes, once', async () => {
  const tenant = await server.workspace()
  const { id } = await begin(tenant, await newAgent(tenant, { script }), { message: 'A human, please' })
  await tenant.work()
  assert.equal((await get(tenant, id)).status, 'handed_over')
  await say(tenant, id, 'Is someone there?')
  const now = clock.wall()
  await tenant.work(now)
  await tenant.work(now + 15 * minute_ms)
  await tenant.work(now + 16 * minute_ms)
  const told = (await turnsOf(tenant, id)).filter(([role]) => role === 'system')
  assert.equal(told.length, 1)
  assert.match(told[0]?.[1] ?? '', /Someone will get back to you/)
  assert.equal((await get(tenant, id)).status, 'handed_over')
  const back = await tenant.call('POST', `/conversations/${id}/take_back`)
  assert.equal(back.body.data.is_answering, true, 'the agent answers what nobody has answered')
})

test('in a test workspace time is that of its clock', async () => {
  const tenant = await server.workspace()
  const start = clock.parse('2030-01-01T09:00:00Z')
  await tenant.addTestClock(start)
  const { id, created_at } = await begin(tenant, await newAgent(tenant, { script }))
  assert.equal(created_at, '2030-01-01T09:00:00.000Z')
  await tenant.work()
  assert.deepEqual(await turnsOf(tenant, id), [['agent', 'Yes?']])
  await tenant.call('POST', '/test_clock/advance', { by_seconds: 86_400 })
  await tenant.work()
  const { status, close_reason, updated_at } = await get(tenant, id)
  assert.deepEqual([status, close_reason], ['closed', 'idle'])
  assert.ok(updated_at.startsWith('2030-01-02T09:00:00'), updated_at)
})

test('old conversations and tool runs are deleted by the settings, and totals follow', async () => {
  const tenant = await server.workspace()
  const agent = await newAgent(tenant, { script })
  const { id } = await begin(tenant, agent)
  const { id: open } = await begin(tenant, agent)
  await tenant.work()
  await tenant.call('POST', `/conversations/${id}/close`)
  const later = server.at(tenant.id, clock.wall() + 8 * clock.day_ms)
  await retention.removeOld(later, { conversations_keep_days: null, tool_runs_keep_days: null })
  assert.equal((await tenant.call('GET', `/conversations/${id}`)).status, 200)
  await retention.removeOld(later, { conversations_keep_days: 7, tool_runs_keep_days: 7 })
  assert.equal((await tenant.call('GET', `/conversations/${id}`)).status, 404)
  assert.equal((await tenant.call('GET', `/conversations/${open}`)).status, 200)
  assert.equal((await tenant.call('GET', '/conversations')).body.pagination.total, 1)
})
