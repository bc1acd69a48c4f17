import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as channels from '../../server/channels/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { simulator } from '../../server/lines/simulator/message-carrier.ts'
import { serve, type Tenant } from '../support/harness.ts'

const server = await serve()
const start = Date.parse('2027-03-01T09:00:00Z')

/** Answers everything and never ends the conversation. */
const script = {
  start: 'hello',
  nodes: { hello: { say: 'Hello! How can I help?', on: [], else: { say: 'Thank you. Is that right?' } } },
}

interface Turn {
  role: string
  text: string
  created_at: string
  message: { status: string; error: string | null } | null
}

async function testWorkspace() {
  const tenant = await server.workspace()
  await tenant.addTestClock(start)
  const agent_id = (await tenant.call('POST', '/agents', { name: 'Reception', script })).body.data.id as string
  const [channel] = (await tenant.call('GET', '/channels?kind=sms')).body.data
  return { tenant, agent_id, channel_id: channel.id as string }
}

type World = Awaited<ReturnType<typeof testWorkspace>>

async function write({ tenant, agent_id, channel_id }: World, phone_number: string): Promise<string> {
  const contact_id = (await tenant.call('POST', '/contacts', { phone_number })).body.data.id
  const { status, body, text } = await tenant.call('POST', '/conversations', { agent_id, contact_id, channel_id })
  assert.equal(status, 201, text)
  return body.data.id
}

async function advance({ call, work }: Tenant, by_seconds: number): Promise<void> {
  assert.equal((await call('POST', '/test_clock/advance', { by_seconds })).status, 202)
  for (let count = 0; count < 50; count += 1) {
    await work()
    if ((await call('GET', '/test_clock')).body.data.status === 'ready') return
  }
  assert.fail('the clock is still advancing')
}

const turnsOf = async ({ call }: Tenant, id: string): Promise<Turn[]> =>
  (await call('GET', `/conversations/${id}/turns?limit=100`)).body.data

const saidBy = (turns: Turn[], role: string): string[] =>
  turns.filter((turn) => turn.role === role).map(({ text }) => text)

const countRows = async ({ id }: Tenant): Promise<number> =>
  (await server.pool.many(sql`select id from simulated_messages where workspace_id = ${id}`)).length

test('a message is sent at once and delivered two seconds later, and a friendly person replies within a minute', async () => {
  const world = await testWorkspace()
  const id = await write(world, '+14155550100')
  await world.tenant.work()
  const statusOf = async () => (await turnsOf(world.tenant, id))[0]?.message?.status
  assert.equal(await statusOf(), 'sent')
  await advance(world.tenant, 1)
  assert.equal(await statusOf(), 'sent')
  await advance(world.tenant, 1)
  assert.equal(await statusOf(), 'delivered')
  assert.deepEqual(saidBy(await turnsOf(world.tenant, id), 'contact'), [])
  await advance(world.tenant, 60)
  const [reply] = (await turnsOf(world.tenant, id)).filter(({ role }) => role === 'contact')
  assert.match(reply?.text ?? '', /open/)
  const waited_ms = Date.parse(reply?.created_at ?? '') - start
  assert.ok(waited_ms >= 22_000 && waited_ms <= 62_000, `${waited_ms}`)
})

test('a person replies six times in a conversation, and nothing is left behind', async () => {
  const world = await testWorkspace()
  const id = await write(world, '+14155550100')
  await advance(world.tenant, 3_600)
  const turns = await turnsOf(world.tenant, id)
  const replies = saidBy(turns, 'contact')
  assert.equal(replies.length, 6)
  assert.match(replies.at(-1) ?? '', /Goodbye/)
  assert.ok(turns.every(({ message }) => message?.status === 'delivered'))
  assert.equal(await countRows(world.tenant), 0)
})

test('the last two digits choose who gets a message', async () => {
  const world = await testWorkspace()
  const { tenant } = world
  const expected: [digits: string, status: string, first: RegExp | undefined, replies: number][] = [
    ['01', 'failed', undefined, 0],
    ['03', 'failed', undefined, 0],
    ['04', 'failed', undefined, 0],
    ['09', 'delivered', undefined, 0],
    ['10', 'delivered', /person/, 2],
    ['11', 'delivered', /^STOP$/, 1],
    ['12', 'delivered', /wrong number/, 2],
    ['16', 'failed', undefined, 0],
    ['17', 'sent', undefined, 0],
    ['18', 'delivered', /open/, 6],
  ]
  const ids = new Map<string, string>()
  for (const [digits] of expected) ids.set(digits, await write(world, `+141555501${digits}`))
  await advance(tenant, 3_600)
  for (const [digits, status, first, replies] of expected) {
    const turns = await turnsOf(tenant, ids.get(digits) ?? '')
    const said = saidBy(turns, 'contact')
    assert.deepEqual([turns[0]?.message?.status, said.length], [status, replies], digits)
    if (first) assert.match(said[0] ?? '', first)
    if (status === 'failed') assert.equal(turns[0]?.message?.error, 'The message could not be delivered.')
  }
})

test('reports that come twice have no second effect', async () => {
  const world = await testWorkspace()
  const id = await write(world, '+14155550118')
  await advance(world.tenant, 2)
  const { data } = (await world.tenant.call('GET', '/events?limit=100')).body
  const types = (data as { type: string; data: { conversation_id?: string } }[])
    .filter((event) => event.data.conversation_id === id)
    .map(({ type }) => type)
  for (const type of ['message.sent', 'message.delivered'])
    assert.equal(types.filter((one) => one === type).length, 1, type)
})

test('STOP goes into the ledger, and who has written it never writes again', async () => {
  const world = await testWorkspace()
  const { tenant, agent_id, channel_id } = world
  const id = await write(world, '+14155550111')
  await advance(tenant, 3_600)
  const { contact_id, close_reason } = (await tenant.call('GET', `/conversations/${id}`)).body.data
  assert.equal(close_reason, 'opted_out')
  const begin = () => tenant.call('POST', '/conversations', { agent_id, contact_id, channel_id })
  assert.equal((await begin()).body.error.details.rule, 'opted_out')
  await tenant.call('POST', `/contacts/${contact_id}/consents`, { kind: 'all', status: 'granted' })
  const again = await begin()
  assert.equal(again.status, 201, again.text)
  await advance(tenant, 3_600)
  assert.deepEqual(saidBy(await turnsOf(tenant, again.body.data.id), 'contact'), [])
})

test('other numbers behave by the mix', async () => {
  const shares = { answered: 0, no_answer: 0, voicemail: 0, busy: 0, rejected: 0, unreachable: 0, error: 0 }
  for (const [outcome, status, replies] of [
    ['answered', 'delivered', 6],
    ['no_answer', 'delivered', 0],
    ['busy', 'failed', 0],
  ] as const) {
    const world = await testWorkspace()
    await world.tenant.call('PATCH', '/workspace', { settings: { mix: { ...shares, [outcome]: 100 } } })
    const id = await write(world, '+14155550155')
    await advance(world.tenant, 3_600)
    const turns = await turnsOf(world.tenant, id)
    assert.deepEqual([turns[0]?.message?.status, saidBy(turns, 'contact').length], [status, replies], outcome)
  }
})

test('one long advance and many short ones give the same conversation', async () => {
  const shown = async (steps: number[]) => {
    const world = await testWorkspace()
    const id = await write(world, '+14155550100')
    for (const step of steps) await advance(world.tenant, step)
    return (await turnsOf(world.tenant, id)).map(({ role, text, created_at }) => [role, text, created_at])
  }
  assert.deepEqual(await shown([120]), await shown([2, 7, 31, 40, 40]))
})

test('a closed conversation and a deleted contact get no reply', async () => {
  const world = await testWorkspace()
  const { tenant } = world
  const [closed, deleted] = [await write(world, '+14155550100'), await write(world, '+14155550200')]
  await advance(tenant, 2)
  await tenant.call('POST', `/conversations/${closed}/close`)
  const { contact_id } = (await tenant.call('GET', `/conversations/${deleted}`)).body.data
  await tenant.call('DELETE', `/contacts/${contact_id}`)
  await advance(tenant, 3_600)
  for (const id of [closed, deleted]) assert.deepEqual(saidBy(await turnsOf(tenant, id), 'contact'), [])
  assert.equal(await countRows(tenant), 0)
})

test('a channel that is deleted or disabled brings no reply, except STOP', async () => {
  const world = await testWorkspace()
  const { tenant, channel_id } = world
  const [friendly, stop] = [await write(world, '+14155550100'), await write(world, '+14155550111')]
  await advance(tenant, 2)
  await inTransaction(server.at(tenant.id), (at) =>
    channels.update(at, { id: channel_id, change: { status: 'disabled' }, isCurrent: () => true }),
  )
  await advance(tenant, 100)
  const said = async (id: string) => saidBy(await turnsOf(tenant, id), 'contact')
  assert.deepEqual([await said(friendly), await said(stop)], [[], ['STOP']])
})

test('a simulator of a live workspace brings replies too, and a message that is taken twice one', async () => {
  const tenant = await server.workspace()
  const agent_id = (await tenant.call('POST', '/agents', { name: 'Reception', script })).body.data.id
  const { id: channel_id } = await tenant.addChannel()
  const id = await write({ tenant, agent_id, channel_id }, '+14155550100')
  await tenant.work()
  const at = server.at(tenant.id)
  const channel = await channels.find(at, channel_id)
  assert.ok(channel)
  const [row] = await server.pool.many<{ id: string }>(
    sql`select id from simulated_messages where workspace_id = ${tenant.id}`,
  )
  const again = { channel, id: row?.id ?? '', to: '+14155550100', text: '' }
  await simulator.send(at, again)
  await tenant.work(clock.wall() + 3_000)
  assert.equal((await turnsOf(tenant, id))[0]?.message?.status, 'delivered')
  await tenant.work(clock.wall() + 70_000)
  await simulator.find(at, { ...again, since: 0 })
  for (const later of [10_000, 140_000]) await tenant.work(clock.wall() + later)
  assert.equal(saidBy(await turnsOf(tenant, id), 'contact').length, 1)
})

test('a message that belongs to no conversation gets no reply', async () => {
  const { tenant, channel_id } = await testWorkspace()
  const at = server.at(tenant.id, start)
  const channel = await channels.find(at, channel_id)
  assert.ok(channel)
  await simulator.send(at, { channel, id: newId(), to: '+14155550100', text: 'This is a test.' })
  assert.equal(await countRows(tenant), 1)
  await advance(tenant, 10)
  assert.equal(await countRows(tenant), 0)
  assert.deepEqual((await tenant.call('GET', '/conversations')).body.data, [])
})
