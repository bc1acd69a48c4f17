import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCall, newCaller, placeCall, turnsOf } from '../support/calls.ts'
import { newModelAgent } from '../support/conversations.ts'
import { hangingModel } from '../support/failing-models.ts'
import { createDatabase, openServer, type Tenant, testPool } from '../support/harness.ts'
import { startWorker } from '../support/workers.ts'

/* The server ends before its database does. */
const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
const { url } = await createDatabase('live_calls')
const server = await openServer(testPool(url), { outbound_allow_hosts: ['127.0.0.1'] })
open.defer(server.close)
open.defer(startWorker(server, { speed: 10 }).stop)

async function until(tenant: Tenant, id: string, isSo: (call: { status: string; turn_count: number }) => boolean) {
  for (;;) {
    const call = await getCall(tenant, id)
    if (isSo(call)) return call
    await sleep(50)
  }
}

const isFinal = ({ status }: { status: string }) => ['completed', 'failed', 'canceled'].includes(status)

test('a call with a simulated person happens by itself in a live workspace', async () => {
  const tenant = await server.workspace()
  const script = { start: 'hi', nodes: { hi: { say: 'Hi. Goodbye.', go: '@end' } } }
  const agent_id = await newCaller(tenant, { script })
  const { id } = await placeCall(tenant, { agent_id, to: '+14155550100', simulate: '00' })
  const call = await until(tenant, id, isFinal)
  assert.equal(`${call.status}/${call.outcome}/${call.end_reason}`, 'completed/answered/agent_hung_up')
  const turns = await turnsOf(tenant, call.conversation_id)
  // On a busy machine the agent may say first that it takes a moment.
  assert.match(turns.at(-1).text, /Hi\. Goodbye\.$/)
  assert.equal(turns.at(-1).heard, turns.at(-1).text)
  assert.equal(call.is_test, true)
  assert.equal(call.turn_count, turns.length)
})

test('a call in progress is hung up, and one that rings is canceled', async () => {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant)
  const { id } = await placeCall(tenant, { agent_id, to: '+14155550100', simulate: '15' })
  const ringing = await placeCall(tenant, { agent_id, to: '+14155550101', simulate: '01' })
  await until(tenant, ringing.id, ({ status }) => status === 'ringing')
  const canceled = await tenant.call('POST', `/calls/${ringing.id}/cancel`)
  assert.equal(canceled.status, 200, canceled.text)
  await until(tenant, id, ({ status }) => status === 'in_progress')
  const answer = await tenant.call('POST', `/calls/${id}/hang_up`)
  assert.equal(answer.status, 200, answer.text)
  const ended = await until(tenant, id, isFinal)
  assert.equal(
    `${ended.status}/${ended.outcome}/${ended.end_reason}/${ended.ended_by}`,
    'completed/answered/human_hung_up/human',
  )
  const rung = await until(tenant, ringing.id, isFinal)
  assert.equal(`${rung.status}/${rung.outcome}/${rung.end_reason}`, 'canceled/canceled/canceled')
})

test('words that were shown are kept when the call is hung up in the middle of them', async () => {
  const tenant = await server.workspace()
  const say = 'This is a long sentence, which takes a while to say, and which nobody wants to hear to its end. '
    .repeat(5)
    .trim()
  const agent_id = await newCaller(tenant, {
    script: { start: 'hi', nodes: { hi: { say, on: [{ intent: 'yes', go: '@end' }] } } },
  })
  const { id } = await placeCall(tenant, { agent_id, to: '+14155550109', simulate: '09' })
  const { conversation_id } = await until(tenant, id, ({ turn_count }) => turn_count === 1)
  assert.equal((await tenant.call('POST', `/calls/${id}/hang_up`)).status, 200)
  const call = await until(tenant, id, isFinal)
  const [turn, ...more] = await turnsOf(tenant, conversation_id)
  assert.deepEqual([turn.text, turn.is_interrupted, more, call.turn_count], [say, true, [], 1])
  assert.ok(say.startsWith(turn.heard))
})

test('a contact who hears a filler, because the model takes long, hears a sentence when it takes too long', async () => {
  const tenant = await server.workspace()
  const agent_id = await newModelAgent(tenant, await hangingModel())
  const { id } = await placeCall(tenant, { agent_id, to: '+14155550109', simulate: '09' })
  const { conversation_id } = await until(tenant, id, ({ turn_count }) => turn_count > 0)
  for (;;) {
    const [turn] = await turnsOf(tenant, conversation_id)
    if (turn) {
      assert.match(turn.heard, /^One moment, please\. I'm sorry, I can't answer right now\..*person\.$/)
      assert.deepEqual([turn.finish_reason, turn.error], ['failed', 'The model took too long to answer.'])
      break
    }
    await sleep(50)
  }
  assert.equal((await tenant.call('POST', `/calls/${id}/hang_up`)).status, 200)
  await until(tenant, id, isFinal)
})

test('a person takes over a call, speaks, and gives it back', async () => {
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant)
  const { id } = await placeCall(tenant, { agent_id, to: '+14155550109', simulate: '09' })
  const { conversation_id } = await until(tenant, id, ({ status }) => status === 'in_progress')
  const path = `/conversations/${conversation_id}`
  assert.equal((await tenant.call('POST', `${path}/hand_over`, { reason: 'Mine.' })).status, 200)
  assert.equal((await tenant.call('POST', `${path}/answers`, { text: 'Hello, this is a person.' })).status, 201)
  for (;;) {
    const turn = (await turnsOf(tenant, conversation_id)).find(({ role }: { role: string }) => role === 'human')
    if (turn?.heard) break
    await sleep(50)
  }
  assert.equal((await tenant.call('POST', `${path}/take_back`)).status, 200)
  assert.equal((await tenant.call('POST', `${path}/close`)).status, 200)
  const call = await until(tenant, id, isFinal)
  assert.equal(call.end_reason, 'human_hung_up')
  const { status, close_reason } = (await tenant.call('GET', path)).body.data
  assert.deepEqual([status, close_reason], ['closed', 'api'])
})
