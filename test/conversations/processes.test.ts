import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { sentencesIn } from '../../server/talk/sentences.ts'
import { followStream } from '../support/conversation-streams.ts'
import {
  answersAfter,
  becomes,
  begin,
  newAgent,
  newModelAgent,
  say,
  startAnswering,
  turnsOf,
} from '../support/conversations.ts'
import { createDatabase, openServer, testPool } from '../support/harness.ts'
import { openaiServer, until } from '../support/model-servers.ts'

/* Two processes on one database. */
const { url, pool } = await createDatabase('conversation_processes')
const config = { outbound_allow_hosts: ['127.0.0.1'], secrets_key: Buffer.alloc(32, 1).toString('base64') }
const one = await openServer(testPool(url), config)
const other = await openServer(testPool(url), config)
startAnswering(one)
after(async () => {
  await one.close()
  await other.close()
})

async function tenants() {
  const here = await one.workspace()
  const call: typeof here.call = (method, path, body, headers) =>
    other.fetch(method, `/api/v1${path}`, body, { authorization: `Bearer ${here.key}`, ...headers })
  return { here, there: { ...here, call } }
}

test('a message that another process receives aborts the answer', async () => {
  const { here, there } = await tenants()
  const hold = Promise.withResolvers<void>()
  const model = await openaiServer({
    words: ['Yes', ' indeed.'],
    beforeWord: (index) => index === 1 && model.received.length === 1 && hold.promise,
  })
  const { id } = await begin(here, await newModelAgent(here, model), { message: 'First?' })
  await until(() => model.received.length === 1)
  await say(there, id, 'Second?')
  await until(() => model.aborted === 1)
  hold.resolve()
  await becomes(there, id, ({ is_answering }) => !is_answering)
  const turns = await turnsOf(there, id)
  assert.deepEqual(turns.at(-1), ['agent', 'Yes indeed.'])
})

test('who waits at another process gets the answer', async () => {
  const { here, there } = await tenants()
  const script = {
    start: 'ask',
    nodes: { ask: { say: 'Yes?', on: [{ hear: ['hours'], say: 'Nine to six.', go: 'ask' }] } },
  }
  const { id } = await begin(here, await newAgent(here, { script }))
  assert.equal((await answersAfter(there, id, 0))[0].text, 'Yes?')
})

test('a stream shows the words of its own process as they are made, and those of another when they are all said', async () => {
  const { here, there } = await tenants()
  const hold = Promise.withResolvers<void>()
  const words = ['Nine', ' to', ' six.']
  const model = await openaiServer({ words, beforeWord: (index) => index === 1 && hold.promise })
  const { id } = await begin(here, await newModelAgent(here, model))
  const path = `/api/v1/conversations/${id}/stream`
  using made_here = await followStream(one.url + path, here.key)
  using made_elsewhere = await followStream(other.url + path, there.key)
  await say(here, id, 'When?')
  await made_here.waitFor('turn.delta')
  hold.resolve()
  await made_elsewhere.waitFor('turn.finished', 2)
  const said = made_elsewhere.events.filter(({ name }) => name === 'turn.finished').at(-1)?.data.turn.text
  assert.equal(said, words.join(''))
  assert.ok(!made_elsewhere.events.some(({ name }) => name === 'turn.delta'))
})

test('the words of a process that was killed stay, and the message is answered again', async () => {
  const { here } = await tenants()
  const model = await openaiServer({ words: ['Here I am.'] })
  const agent = await newModelAgent(here, model)
  const { id } = await begin(here, agent, { message: 'Hello?' })
  await becomes(here, id, ({ is_answering }) => !is_answering)
  // A process that was killed while it answered leaves it like this.
  await pool.run(
    sql`update conversation_turns set is_open = true, text = 'Here'
      where workspace_id = ${here.id} and conversation_id = ${id} and seq = 2`,
  )
  await pool.run(
    sql`update conversations set awaits_answer = true, due_at = '-infinity', lease_token = ${id}, lease_until = '-infinity'
      where workspace_id = ${here.id} and id = ${id}`,
  )
  await one.at(here.id).db.tx(async (db) => db.notify({ topic: 'conversations', workspace: here.id }))
  await becomes(here, id, ({ turn_count, is_answering }) => turn_count === 3 && !is_answering)
  const { body } = await here.call('GET', `/conversations/${id}/turns`)
  assert.deepEqual(
    body.data.map(({ text, is_interrupted }: { text: string; is_interrupted: boolean }) => [text, is_interrupted]),
    [
      ['Hello?', false],
      ['Here', true],
      ['Here I am.', false],
    ],
  )
})

test('a conversation that nobody could continue is closed, with words if the contact waits for them', async () => {
  const { here } = await tenants()
  const script = { start: 'ask', nodes: { ask: { say: 'Ja?', on: [{ hear: ['x'], go: '@end' }] } } }
  const agent = await newAgent(here, { script, language: 'de' })
  for (const [awaits_answer, words] of [
    [true, [['system', sentencesIn('de').failed]]],
    [false, []],
  ] as const) {
    const { id } = await begin(here, agent, { message: 'Hallo?' })
    await becomes(here, id, ({ is_answering }) => !is_answering)
    const before = await turnsOf(here, id)
    // Processes that were killed again and again leave it like this.
    await pool.run(
      sql`update conversations set awaits_answer = ${awaits_answer}, due_at = '-infinity', attempt = 20
        where workspace_id = ${here.id} and id = ${id}`,
    )
    await one.at(here.id).db.tx(async (db) => db.notify({ topic: 'conversations', workspace: here.id }))
    await becomes(here, id, ({ status, close_reason }) => status === 'closed' && close_reason === 'error')
    assert.deepEqual(await turnsOf(here, id), [...before, ...words])
  }
})

test('a turn that was open when a process was killed does not hide what people say after it', async () => {
  const { here } = await tenants()
  const script = { start: 'ask', nodes: { ask: { say: 'Yes?', on: [{ hear: ['x'], go: '@end' }] } } }
  const { id } = await begin(here, await newAgent(here, { script }))
  await answersAfter(here, id, 0)
  await pool.run(
    sql`update conversation_turns set is_open = true where workspace_id = ${here.id} and conversation_id = ${id}`,
  )
  await here.call('POST', `/conversations/${id}/hand_over`)
  await here.call('POST', `/conversations/${id}/answers`, { text: 'Ada here.' })
  await until(async () => (await turnsOf(here, id)).length === 2)
})
