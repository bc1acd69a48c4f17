import assert from 'node:assert/strict'
import { test } from 'node:test'
import { complete } from '../../server/agents/configuration.ts'
import { offeredBuiltIns, runBuiltIn, type ToolContext } from '../../server/drivers/built-in-tools.ts'
import { type CallbackRequest, callback_requested } from '../../server/drivers/callbacks.ts'
import { promptFor } from '../../server/drivers/prompt.ts'
import { on, openHooks } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { invalidState } from '../../server/kit/problem.ts'
import { begin, create, newAgent } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newContact } from '../support/samples.ts'

const server = await serve()

const transfers = [
  { name: 'Support', phone_number: '+14155550198' },
  { name: 'Sales', phone_number: '+14155550199' },
]
const context: ToolContext = {
  conversation_id: newId(),
  agent_id: newId(),
  contact_id: null,
  kind: 'voice',
  configuration: complete({ transfers }),
}
const offered = (more: Partial<ToolContext>) => offeredBuiltIns({ ...context, ...more }).map(({ name }) => name)

test('tools of calls are offered in calls only', () => {
  const contact_id = newId()
  const everywhere = ['end_conversation', 'hand_over', 'opt_out']
  const of_calls = ['press_digits', 'transfer', 'schedule_callback']
  assert.deepEqual(offered({ contact_id }), [...everywhere, ...of_calls])
  for (const kind of ['api', 'web_chat', 'sms'] as const) assert.deepEqual(offered({ contact_id, kind }), everywhere)
  assert.deepEqual(offered({}), [...everywhere, 'press_digits', 'transfer'])
  assert.deepEqual(offered({ configuration: complete({}) }), [...everywhere, 'press_digits'])
})

const run = (name: string, values: Record<string, unknown>, more: Partial<ToolContext> = {}) =>
  runBuiltIn(server.at(newId()), { ...context, ...more }, { run: newId(), name, arguments: values })

const statusOf = async (name: string, values: Record<string, unknown>, more: Partial<ToolContext> = {}) =>
  (await run(name, values, more))?.status

test('digits are 1 to 20 of 0 to 9, * and #', async () => {
  for (const digits of ['2', '0123456789*#', '1'.repeat(20)])
    assert.equal(await statusOf('press_digits', { digits }), 'succeeded', digits)
  for (const digits of ['', '1 2', 'a', '1'.repeat(21), 2, null])
    assert.equal(await statusOf('press_digits', { digits }), 'invalid_arguments', String(digits))
  assert.equal(await statusOf('press_digits', { digits: '2' }, { kind: 'api' }), 'invalid_arguments')
})

test('a call is transferred to what the version names', async () => {
  const tool = offeredBuiltIns(context).find(({ name }) => name === 'transfer')
  assert.deepEqual(tool?.inputSchema.properties, { to: { type: 'string', enum: ['Support', 'Sales'] } })
  assert.equal(await statusOf('transfer', { to: 'Sales' }), 'succeeded')
  for (const values of [{}, { to: 'sales' }, { to: '+14155550199' }])
    assert.equal(await statusOf('transfer', values), 'invalid_arguments')
})

/** A conversation whose agent may call back. `requests` are those that others were told of. */
async function newCallback(tenant: Tenant, react: () => Promise<void> = async () => {}) {
  const contact_id = (await create(tenant, '/contacts', newContact())).id
  const agent_id = await newAgent(tenant)
  const { id: conversation_id } = await begin(tenant, agent_id, { contact_id })
  const requests: CallbackRequest[] = []
  const told = on(callback_requested, async (_at, request) => {
    requests.push(request)
    await react()
  })
  const at = { ...server.at(tenant.id, clock.parse('2026-11-16T09:00:00Z')), hooks: openHooks([told]) }
  const call = async (values: Record<string, unknown>) =>
    runBuiltIn(
      at,
      { ...context, conversation_id, agent_id, contact_id },
      { run: newId(), name: 'schedule_callback', arguments: values },
    )
  return { call, requests, contact_id, agent_id, conversation_id }
}

const runsOf = async (tenant: Tenant) =>
  (await server.pool.many<{ name: string; status: string }>(
    sql`select name, status from tool_runs where workspace_id = ${tenant.id} order by id`,
  )) as object[]

test('a callback is requested once, with its run', async () => {
  const tenant = await server.workspace()
  const { call, requests, ...ids } = await newCallback(tenant)
  const outcome = await call({ at: '2026-11-17T18:30:00+01:00', reason: 'Wants a quote.' })
  const result = {
    at: '2026-11-17T09:30:00-08:00',
    date: '2026-11-17',
    time: '09:30',
    time_zone: 'America/Los_Angeles',
    is_moved: false,
  }
  assert.deepEqual(outcome, { status: 'succeeded', result })
  assert.deepEqual(requests, [{ ...ids, at: '2026-11-17T17:30:00.000Z', reason: 'Wants a quote.' }])
  assert.deepEqual(await runsOf(tenant), [{ name: 'schedule_callback', status: 'succeeded' }])
})

test('a callback is in the future, within a year', async () => {
  const { call, requests } = await newCallback(await server.workspace())
  for (const at of [
    '2026-11-16T09:00:00Z',
    '2025-01-01T00:00:00Z',
    '2027-11-16T09:00:01Z',
    '2026-11-17',
    '2026-11-16T01:00',
    '2027-11-16T01:01',
    '2026-02-30T09:00',
    '2026-11-17T25:00',
    'tomorrow',
    '',
  ])
    assert.equal((await call({ at }))?.status, 'invalid_arguments', at)
  assert.equal((await call({}))?.status, 'invalid_arguments')
  assert.deepEqual(requests, [])
  for (const at of ['2026-11-16T09:00:01Z', '2027-11-16T09:00:00Z', '2026-11-16T01:00:01'])
    assert.equal((await call({ at }))?.status, 'succeeded')
})

test('the agent is told when a callback was moved', async () => {
  const { call, requests } = await newCallback(await server.workspace())
  const outcome = await call({ at: '2026-11-17T06:00' })
  const message = 'People are called between 08:00 and 21:00 only. Tell the contact the new time.'
  assert.partialDeepStrictEqual(outcome?.result, { date: '2026-11-17', time: '08:00', is_moved: true, message })
  assert.equal(requests[0]?.at, '2026-11-17T16:00:00.000Z')
})

test('a conversation has at most three callbacks, also when they are requested at once', async () => {
  const { call, requests } = await newCallback(await server.workspace())
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => call({ at: '2026-11-17T09:00:00Z' })))
  assert.deepEqual(outcomes.map((outcome) => outcome?.status).sort(), [
    'failed',
    'failed',
    'failed',
    'succeeded',
    'succeeded',
    'succeeded',
  ])
  assert.equal(requests.length, 3)
})

test('a callback that is refused leaves nothing', async () => {
  const tenant = await server.workspace()
  const { call } = await newCallback(tenant, async () => {
    throw invalidState('This number has opted out.')
  })
  const outcome = await call({ at: '2026-11-17T09:00:00Z' })
  assert.deepEqual(outcome, { status: 'failed', result: 'This number has opted out.' })
  assert.deepEqual(await runsOf(tenant), [])
})

test('a contact that is deleted during the call is not called back', async () => {
  const tenant = await server.workspace()
  const { call, requests, contact_id } = await newCallback(tenant)
  await tenant.call('DELETE', `/contacts/${contact_id}`)
  assert.equal((await call({ at: '2026-11-17T09:00:00Z' }))?.status, 'failed')
  assert.deepEqual(requests, [])
})

test('in a call an opt-out is left to the call, also without a contact', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant)
  const { id: conversation_id } = await begin(tenant, agent_id)
  const call = { run: newId(), name: 'opt_out', arguments: {} }
  const outcome = await runBuiltIn(server.at(tenant.id), { ...context, conversation_id, agent_id }, call)
  assert.equal(outcome?.status, 'succeeded')
  assert.equal((await tenant.call('GET', '/consents')).body.pagination.total, 0)
})

test('a model is told to write for the ear in calls', () => {
  const conversation = { agent_name: 'Reception', variables: {}, summary: null, kind: 'voice' as const }
  const parts = { conversation, configuration: complete({}), contact: undefined, time_zone: 'UTC', now: 0 }
  const [system] = promptFor(parts, [])
  assert.match(String(system?.content), /on the telephone.*spoken.*numbers, dates and times as words/)
})
