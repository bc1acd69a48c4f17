import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as clock from '../../server/kit/clock.ts'
import { openCarrier } from '../peers/carrier.ts'
import { get, newModelAgent } from '../support/conversations.ts'
import { serve } from '../support/harness.ts'
import { receiver } from '../support/receivers.ts'
import { newSmsChannel, text } from '../support/sms.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const carrier = await openCarrier()
after(() => carrier.close())

const events = [
  { choices: [{ index: 0, delta: { content: 'We open at nine.' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]
const answer = `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`

test('who goes on writing by SMS is answered, and what was written meanwhile is answered next', async () => {
  const from = '+14155552010'
  const tenant = await server.workspace()
  const rolesNow = async (): Promise<string[]> => {
    const [{ id }] = (await tenant.call('GET', '/conversations')).body.data
    const turns: { role: string }[] = (await tenant.call('GET', `/conversations/${id}/turns?limit=100`)).body.data
    return turns.map(({ role }) => role)
  }
  let was_answered = false
  // While the model answers, the contact writes again, twelve times.
  const there = await receiver(async (response) => {
    const requests = there.received.length
    if (requests <= 12) await text(tenant, channel, 'And another thing', { from })
    if (requests === 12) was_answered = (await rolesNow()).includes('agent')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(answer)
  })
  const model = { ...there, base_url: there.url.replace('/hook', '/v1'), aborted: 0 }
  const channel = await newSmsChannel(server, tenant, { carrier, agent_id: await newModelAgent(tenant, model) })
  await text(tenant, channel, 'Hello', { from })
  const [{ id }] = (await tenant.call('GET', '/conversations')).body.data
  const begun_at = clock.wall()
  for (let seconds = 3; seconds < 60 && (await get(tenant, id)).is_answering; seconds += 3)
    await tenant.work(begun_at + seconds * 1_000)
  assert.ok(was_answered)
  assert.equal((await get(tenant, id)).is_answering, false)
  assert.equal((await rolesNow()).at(-1), 'agent')
})

test('an answer that comes after the question about an opt-out does not close it', async () => {
  const from = '+14155552011'
  const tenant = await server.workspace()
  const there = await receiver(async (response) => {
    if (there.received.length === 1) await text(tenant, channel, 'basta', { from })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(answer)
  })
  const model = { ...there, base_url: there.url.replace('/hook', '/v1'), aborted: 0 }
  const channel = await newSmsChannel(server, tenant, { carrier, agent_id: await newModelAgent(tenant, model) })
  for (let count = 1; count <= 8; count += 1) await text(tenant, channel, 'And another thing', { from })
  await tenant.work()
  const [{ id }] = (await tenant.call('GET', '/conversations')).body.data
  assert.equal(there.received.length, 1)
  await text(tenant, channel, 'yes', { from })
  assert.equal((await get(tenant, id)).close_reason, 'opted_out')
})
