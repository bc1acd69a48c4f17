import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEvents } from '../../sdk/src/streams.ts'
import { followStream } from '../support/conversation-streams.ts'
import { answersAfter, begin, newAgent, newModelAgent, say, startAnswering } from '../support/conversations.ts'
import { type Answer, serve, type Tenant } from '../support/harness.ts'
import { openaiServer, until } from '../support/model-servers.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
startAnswering(server)

const script = {
  start: 'ask',
  nodes: { ask: { say: 'Yes?', on: [{ hear: ['hours'], say: 'Nine to six.', go: 'ask' }] } },
}

const follow = ({ key }: Tenant, id: string, headers: Record<string, string> = {}) =>
  followStream(`${server.url}/api/v1/conversations/${id}/stream`, key, headers)

test('the words of a model come piece by piece, and then the finished turn', async () => {
  const tenant = await server.workspace()
  const hold = Promise.withResolvers<void>()
  const words = ['Nine', ' to', ' six.']
  const model = await openaiServer({ words, beforeWord: (index) => index === 1 && hold.promise })
  const { id } = await begin(tenant, await newModelAgent(tenant, model))
  using stream = await follow(tenant, id)
  await say(tenant, id, 'When?')
  await stream.waitFor('turn.delta')
  assert.ok(!stream.events.some(({ name, data }) => name === 'turn.finished' && data.turn.role === 'agent'))
  using late = await follow(tenant, id)
  await late.waitFor('turn.delta')
  assert.equal(late.events.find(({ name }) => name === 'conversation.updated')?.data.conversation.id, id)
  assert.deepEqual(late.events.find(({ name }) => name === 'turn.delta')?.data, { seq: 2, text: 'Nine' })
  hold.resolve()
  await stream.waitFor('turn.finished', 2)
  const of = (name: string) => stream.events.filter((event) => event.name === name)
  assert.deepEqual(
    of('turn.started').map(({ data }) => data),
    [
      { seq: 1, role: 'contact' },
      { seq: 2, role: 'agent' },
    ],
  )
  const deltas = of('turn.delta').map(({ data }) => data.text)
  assert.equal(deltas.join(''), words.join(''))
  const [contact, agent] = of('turn.finished')
  assert.deepEqual([contact?.id, contact?.data.turn.text], ['1', 'When?'])
  assert.deepEqual([agent?.id, agent?.data.turn.text], ['2', words.join('')])
  assert.ok(of('turn.delta').every((event) => event.id === undefined))
})

test('an interrupted turn is told before the words that interrupted it', async () => {
  const tenant = await server.workspace()
  const hold = Promise.withResolvers<void>()
  const model = await openaiServer({
    words: ['One', ' two.'],
    beforeWord: (index) => index === 1 && model.received.length === 1 && hold.promise,
  })
  const { id } = await begin(tenant, await newModelAgent(tenant, model))
  using stream = await follow(tenant, id)
  await say(tenant, id, 'First?')
  await stream.waitFor('turn.delta')
  await say(tenant, id, 'Second?')
  await stream.waitFor('turn.finished', 4)
  hold.resolve()
  const finished = stream.events.filter(({ name }) => name === 'turn.finished').map(({ data }) => data.turn)
  assert.deepEqual(
    finished.map(({ seq, text, is_interrupted }) => [seq, text, is_interrupted]),
    [
      [1, 'First?', false],
      [2, 'One', true],
      [3, 'Second?', false],
      [4, 'One two.', false],
    ],
  )
})

test('after Last-Event-ID come the missed turns', async () => {
  const tenant = await server.workspace()
  const { id } = await begin(tenant, await newAgent(tenant, { script }))
  await answersAfter(tenant, id, 0)
  await say(tenant, id, 'hours')
  await answersAfter(tenant, id, 2)
  using stream = await follow(tenant, id, { 'last-event-id': '1' })
  await stream.waitFor('turn.finished', 2)
  assert.deepEqual(
    stream.events.filter(({ name }) => name === 'turn.finished').map((event) => event.id),
    ['2', '3'],
  )
  using refused = await follow(tenant, id, { 'last-event-id': 'x' })
  assert.equal(refused.status, 400)
})

test('streams that are opened at once each get the turns of their own conversation, after their own number', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const wanted = await Promise.all(
    [0, 1, 0, 1].map(async (after, index) => {
      const message = `hours ${index}`
      const { id } = await begin(tenant, agent_id, { message })
      const [, answer] = await answersAfter(tenant, id, 0)
      return { id, after, texts: [message, answer.text].slice(after) }
    }),
  )
  const read = await Promise.all(
    wanted.map(async ({ id, after, texts }) => {
      using stream = await follow(tenant, id, { 'last-event-id': String(after) })
      await stream.waitFor('turn.finished', texts.length)
      return stream.events.filter(({ name }) => name === 'turn.finished').map(({ data }) => data.turn.text)
    }),
  )
  assert.deepEqual(
    read,
    wanted.map(({ texts }) => texts),
  )
})

test('a change of the status is told', async () => {
  const tenant = await server.workspace()
  const { id } = await begin(tenant, await newAgent(tenant, { script }))
  await answersAfter(tenant, id, 0)
  using stream = await follow(tenant, id)
  await tenant.call('POST', `/conversations/${id}/hand_over`)
  await tenant.call('POST', `/conversations/${id}/answers`, { text: 'Ada here.' })
  await stream.waitFor('turn.finished')
  await until(() =>
    stream.events.some(
      ({ name, data }) => name === 'conversation.updated' && data.conversation.status === 'handed_over',
    ),
  )
  const turn = stream.events.find(({ name }) => name === 'turn.finished')?.data.turn
  assert.deepEqual([turn.role, turn.text], ['human', 'Ada here.'])
})

const waitForTurns = (tenant: Tenant, id: string) => tenant.call('GET', `/conversations/${id}/turns?wait_ms=30000`)

/** Begins 20 waits at a time: all at once, they would wait for each other, and a busy machine would refuse some for that. */
async function openWaits(tenant: Tenant, id: string, count: number): Promise<Promise<Answer>[]> {
  const waits: Promise<Answer>[] = []
  while (waits.length < count) {
    waits.push(...Array.from({ length: 20 }, () => waitForTurns(tenant, id)))
    await tenant.call('GET', `/conversations/${id}`)
  }
  return waits
}

test('a wait ends when the status changes, and holds no slot meanwhile', async () => {
  const tenant = await server.workspace()
  const { id } = await begin(tenant, await newAgent(tenant))
  const waits = await openWaits(tenant, id, 100)
  assert.equal((await tenant.call('GET', '/contacts')).status, 200)
  await tenant.call('POST', `/conversations/${id}/hand_over`)
  const answers = await Promise.all(waits)
  assert.ok(answers.every(({ status, body }) => status === 200 && body.data.length === 0))
})

test('more than 200 waits of a workspace are refused', async () => {
  const tenant = await server.workspace()
  const { id } = await begin(tenant, await newAgent(tenant))
  const waits = await openWaits(tenant, id, 200)
  const refused = await Promise.all(Array.from({ length: 20 }, () => waitForTurns(tenant, id)))
  for (const { status, body } of refused) {
    assert.equal(status, 503)
    assert.match(body.error.message, /too many requests wait/)
  }
  await tenant.call('POST', `/conversations/${id}/close`)
  for (const { status } of await Promise.all(waits)) assert.equal(status, 200)
})

test('a stream begins with the id of the last turn, so that a client that reconnects at once misses none', async () => {
  const tenant = await server.workspace()
  const { id } = await begin(tenant, await newAgent(tenant, { script }))
  await answersAfter(tenant, id, 0)
  const first = async (headers: Record<string, string> = {}) => {
    const { body } = await tenant.client.file(`/conversations/${id}/stream`, {}, { headers })
    for await (const { id } of readEvents(body)) return id
  }
  assert.equal(await first(), '1')
  assert.equal(await first({ 'last-event-id': '0' }), '0')
})
