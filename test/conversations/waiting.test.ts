import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as clock from '../../server/kit/clock.ts'
import { openCarrier } from '../peers/carrier.ts'
import { begin, create, get, newAgent, say } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newSmsChannel, text } from '../support/sms.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const carrier = await openCarrier()
after(() => carrier.close())
const minute_ms = 60_000

const script = { start: 'ask', nodes: { ask: { say: 'Yes?', on: [{ intent: 'human', go: '@hand_over' }] } } }

const waitOf = async (tenant: Tenant, id: string): Promise<string | null> => (await get(tenant, id)).waiting_since
const answer = (tenant: Tenant, id: string) => create(tenant, `/conversations/${id}/answers`, { text: 'This is Ada.' })
const act = async (tenant: Tenant, id: string, action: string) =>
  (await tenant.call('POST', `/conversations/${id}/${action}`)).body.data

/** A conversation that the agent has just handed over. */
async function handedOver(tenant: Tenant, agent_id: string): Promise<string> {
  const { id } = await begin(tenant, agent_id, { message: 'A human, please' })
  await tenant.work()
  assert.equal((await get(tenant, id)).status, 'handed_over')
  return id
}

test('a conversation waits from the hand-over until a person answers, whatever the service says', async () => {
  const tenant = await server.workspace()
  const id = await handedOver(tenant, await newAgent(tenant, { script }))
  const since = await waitOf(tenant, id)
  assert.ok(since)
  await say(tenant, id, 'Is someone there?')
  const now = clock.wall()
  await tenant.work(now)
  await tenant.work(now + 15 * minute_ms)
  const told = await get(tenant, id)
  assert.deepEqual([told.turn_count, told.waiting_since], [4, since], 'the service has spoken')
  await answer(tenant, id)
  assert.equal(await waitOf(tenant, id), null)
  const said = await say(tenant, id, 'Thanks. One more question.')
  await say(tenant, id, 'Or two.')
  assert.equal(await waitOf(tenant, id), said.created_at)
})

test('who gives a conversation back or closes it ends the wait', async () => {
  const tenant = await server.workspace()
  const { id, waiting_since } = await begin(tenant, await newAgent(tenant, { script }))
  assert.equal(waiting_since, null)
  const handed_over = await act(tenant, id, 'hand_over')
  assert.equal(handed_over.waiting_since, handed_over.updated_at)
  assert.equal((await act(tenant, id, 'take_back')).waiting_since, null)
  assert.equal(await waitOf(tenant, id), null)
  await act(tenant, id, 'hand_over')
  assert.equal((await act(tenant, id, 'close')).waiting_since, null)
  assert.equal(await waitOf(tenant, id), null)
  const { body } = await tenant.call('GET', '/events?type=conversation.handed_over')
  assert.equal(body.data[1].data.waiting_since, handed_over.waiting_since)
})

test('what a contact writes by SMS after an answer begins the wait, and STOP ends it', async () => {
  const tenant = await server.workspace()
  const channel = await newSmsChannel(server, tenant, {
    carrier,
    agent_id: await newAgent(tenant, { script }),
  })
  await text(tenant, channel, 'Hello')
  const [{ id }] = (await tenant.call('GET', '/conversations')).body.data
  const { waiting_since } = await act(tenant, id, 'hand_over')
  await text(tenant, channel, 'Hello?')
  assert.equal(await waitOf(tenant, id), waiting_since)
  await answer(tenant, id)
  await text(tenant, channel, 'Thanks')
  const after = await get(tenant, id)
  assert.equal(after.waiting_since, after.last_turn_at)
  await text(tenant, channel, 'STOP')
  assert.equal(await waitOf(tenant, id), null)
})

test('the inbox begins with the longest wait, and its cursor goes on from there', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const ids = []
  for (const _ of [1, 2, 3]) {
    const { id } = await begin(tenant, agent_id)
    await act(tenant, id, 'hand_over')
    ids.push(id)
  }
  const [first, second, third] = ids
  await answer(tenant, first)
  await say(tenant, second, 'Hello?')
  const list = async (query: string, cursor?: string): Promise<string[]> => {
    const after = cursor ? `&cursor=${cursor}` : ''
    const { body } = await tenant.call('GET', `/conversations?status=handed_over&${query}${after}`)
    const { data, pagination } = body
    const rest = pagination.next_cursor ? await list(query, pagination.next_cursor) : []
    return [...data.map(({ id }: { id: string }) => id), ...rest]
  }
  assert.deepEqual(await list('sort=waiting_since&limit=1'), [second, third, first])
  assert.deepEqual(await list('sort=-waiting_since&limit=2'), [third, second, first])
  const { status, body } = await tenant.call('GET', '/conversations?sort=waiting_since')
  assert.deepEqual([status, body.error.details.fields[0].path], [400, 'sort'])
})
