import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  answersAfter,
  becomes,
  begin,
  create,
  get,
  newAgent,
  newModelAgent,
  say,
  startAnswering,
  turnsOf,
} from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { openaiServer } from '../support/model-servers.ts'
import { receiver } from '../support/receivers.ts'
import { newContact, newTool } from '../support/samples.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
startAnswering(server)

const script = {
  start: 'greet',
  nodes: {
    greet: {
      say: 'Hello {{contact.first_name|there}}, is Tuesday all right?',
      on: [
        { hear: ['yes', 'sure'], go: 'done' },
        { hear: ['opening hours', 'when are you open'], say: 'Nine to six.', go: 'greet' },
        { slot: 'email', say: 'Noted.', go: 'greet' },
        { intent: 'human', go: '@hand_over' },
      ],
      else: { say: 'Sorry?', go: 'greet' },
    },
    done: { say: 'Booked. Goodbye.', go: '@end' },
  },
}
const greeting = 'Hello there, is Tuesday all right?'

test('an agent with a script greets, answers and ends the conversation', async () => {
  const tenant = await server.workspace()
  const { id, status, kind, agent_name } = await begin(tenant, await newAgent(tenant, { script }))
  assert.deepEqual([status, kind, agent_name], ['open', 'api', 'Reception'])
  assert.equal((await answersAfter(tenant, id, 0))[0].text, greeting)
  const turn = await say(tenant, id, 'When are you open?')
  assert.deepEqual([turn.seq, turn.role, turn.text], [2, 'contact', 'When are you open?'])
  const [answer] = await answersAfter(tenant, id, 2)
  assert.deepEqual([answer.seq, answer.role, answer.text], [3, 'agent', `Nine to six. ${greeting}`])
  await say(tenant, id, 'yes')
  await becomes(tenant, id, ({ status }) => status === 'closed')
  const after = await get(tenant, id)
  assert.deepEqual([after.close_reason, after.turn_count, after.is_answering], ['agent_ended', 5, false])
})

test('a turn says which step of the script it has come to, and what was heard', async () => {
  const tenant = await server.workspace()
  const { id } = await begin(tenant, await newAgent(tenant, { script }))
  const [first] = await answersAfter(tenant, id, 0)
  assert.deepEqual(first.script, { step: 'greet', reason: 'begin', heard: null })
  const rows: [string, object][] = [
    ['So, when are you open?', { step: 'greet', reason: 'hear', heard: 'when are you open' }],
    ['ada@example.com', { step: 'greet', reason: 'slot', heard: 'email' }],
    ['Bananas', { step: 'greet', reason: 'else', heard: null }],
    ['Can you repeat that?', { step: 'greet', reason: 'repeat', heard: null }],
    ['Sure', { step: 'done', reason: 'hear', heard: 'sure' }],
  ]
  for (const [index, [text, expected]] of rows.entries()) {
    const said = await say(tenant, id, text)
    assert.equal(said.script, null)
    const [answer] = await answersAfter(tenant, id, 2 * index + 2)
    assert.deepEqual(answer.script, expected, text)
  }
})

test('without agents:read the turns show the steps that were reached, and nothing else of the script', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const { id } = await begin(tenant, agent_id)
  await answersAfter(tenant, id, 0)
  await say(tenant, id, 'Bananas')
  await answersAfter(tenant, id, 2)
  const headers = { authorization: `Bearer ${await tenant.newKey({ scopes: ['conversations:read'] })}` }
  const read = (path: string) => tenant.call('GET', path, undefined, headers)
  const { body, text } = await read(`/conversations/${id}/turns`)
  const steps = body.data.map(({ script }: { script: { step: string } | null }) => script?.step ?? null)
  assert.deepEqual(steps, ['greet', null, 'greet'])
  for (const unreached of ['done', 'Booked', 'opening hours', 'Nine to six']) assert.ok(!text.includes(unreached), text)
  assert.equal((await read(`/agents/${agent_id}`)).status, 403)
})

test('a script that hands over at once says so, and a greeting is no step', async () => {
  const tenant = await server.workspace()
  const { id } = await begin(tenant, await newAgent(tenant, { script, greeting: 'Welcome.' }))
  const [greeted] = await answersAfter(tenant, id, 0)
  assert.deepEqual([greeted.text, greeted.script], ['Welcome.', null])
  await say(tenant, id, 'I want a human')
  const [answer] = await answersAfter(tenant, id, 2)
  assert.deepEqual(answer.script, { step: '@hand_over', reason: 'intent', heard: 'human' })
})

test('the value of a slot is a result, and placeholders are filled in', async () => {
  const tenant = await server.workspace()
  const contact = await create(tenant, '/contacts', newContact({ first_name: 'Ada' }))
  const { id } = await begin(tenant, await newAgent(tenant, { script }), { contact_id: contact.id })
  assert.equal((await answersAfter(tenant, id, 0))[0].text, 'Hello Ada, is Tuesday all right?')
  await say(tenant, id, 'My address is ada@example.com')
  await answersAfter(tenant, id, 2)
  assert.deepEqual((await get(tenant, id)).results, { email: 'ada@example.com' })
})

test('a script calls a tool and goes on with its result', async () => {
  const tenant = await server.workspace()
  const there = await receiver((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"day":"Tuesday"}'),
  )
  await create(tenant, '/tools', newTool({ name: 'find_day', url: there.url, parameters: { type: 'object' } }))
  const nodes = {
    find: { tool: 'find_day', ok: 'tell', failed: '@hand_over' },
    tell: { say: 'It is {{find_day.day}}.', on: [{ hear: ['thanks'], go: '@end' }] },
  }
  const agent = await newAgent(tenant, { script: { start: 'find', nodes }, tools: ['find_day'] })
  const { id } = await begin(tenant, agent)
  const [turn] = await answersAfter(tenant, id, 0)
  assert.equal(turn.text, 'It is Tuesday.')
  assert.deepEqual([turn.tools.length, turn.tools[0].status, turn.tools[0].name], [1, 'succeeded', 'find_day'])
  assert.deepEqual(
    turn.script,
    { step: 'tell', reason: 'begin', heard: null },
    'what began the turn, and where it ends',
  )
  const sent = JSON.parse(there.received[0]?.body ?? '')
  assert.deepEqual([sent.conversation_id, sent.tool, sent.id], [id, 'find_day', turn.tools[0].id])
})

test('a conversation that begins with the contact has no greeting', async () => {
  const tenant = await server.workspace()
  const agent = await newAgent(tenant, { script, greeting: 'Welcome.' })
  const { id } = await begin(tenant, agent, { message: 'When are you open?' })
  await answersAfter(tenant, id, 0)
  assert.deepEqual(await turnsOf(tenant, id), [
    ['contact', 'When are you open?'],
    ['agent', `Nine to six. ${greeting}`],
  ])
  const silent = await begin(tenant, await newAgent(tenant))
  assert.deepEqual([silent.is_answering, silent.turn_count], [false, 0])
})

test('a person takes over, answers, and gives the conversation back', async () => {
  const tenant = await server.workspace()
  const { call } = tenant
  const { id } = await begin(tenant, await newAgent(tenant, { script }), { message: 'I want a human' })
  await becomes(tenant, id, ({ status }) => status === 'handed_over')
  const refused = await call('POST', `/conversations/${id}/hand_over`)
  assert.deepEqual([refused.status, refused.body.error.details.status], [409, 'handed_over'])
  await say(tenant, id, 'When are you open?')
  const answer = await create(tenant, `/conversations/${id}/answers`, { text: 'This is Ada. One moment.' })
  assert.deepEqual([answer.role, answer.seq], ['human', 4])
  await say(tenant, id, 'sure')
  assert.equal((await get(tenant, id)).is_answering, false)
  const back = await call('POST', `/conversations/${id}/take_back`)
  assert.deepEqual([back.status, back.body.data.status, back.body.data.is_answering], [200, 'open', true])
  await becomes(tenant, id, ({ is_answering }) => !is_answering)
  const roles = (await turnsOf(tenant, id)).map(([role]) => role)
  assert.deepEqual(roles, ['contact', 'agent', 'contact', 'human', 'contact', 'agent'])
  assert.equal((await call('POST', `/conversations/${id}/answers`, { text: 'x' })).status, 409)
})

test('a closed conversation takes nothing more', async () => {
  const tenant = await server.workspace()
  const { call } = tenant
  const { id } = await begin(tenant, await newAgent(tenant, { script }))
  await answersAfter(tenant, id, 0)
  const closed = await call('POST', `/conversations/${id}/close`)
  const { etag } = Object.fromEntries(closed.headers)
  assert.deepEqual([closed.status, closed.body.data.status, closed.body.data.close_reason], [200, 'closed', 'api'])
  for (const path of ['messages', 'answers', 'hand_over', 'take_back', 'close']) {
    const text = ['messages', 'answers'].includes(path) ? { text: 'Hello?' } : undefined
    const { status, body } = await call('POST', `/conversations/${id}/${path}`, text)
    assert.deepEqual([path, status, body.error.code, body.error.details.status], [path, 409, 'INVALID_STATE', 'closed'])
  }
  assert.equal((await call('GET', `/conversations/${id}`)).headers.get('etag'), etag)
  const began = performance.now()
  assert.equal((await call('GET', `/conversations/${id}/turns?after=9&wait_ms=30000`)).body.data.length, 0)
  assert.ok(performance.now() - began < 20_000, 'a closed conversation is not waited for')
})

test('a body that names something unknown, or too much, is 400', async () => {
  const tenant = await server.workspace()
  const other = await server.workspace()
  const agent_id = await newAgent(tenant)
  const theirs = await newAgent(other)
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`v${index}`, 'x']))
  const faults: [object, string, string][] = [
    [{ agent_id: theirs }, 'agent_id', 'unknown'],
    [{ agent_id, contact_id: theirs }, 'contact_id', 'unknown'],
    [{ agent_id, agent_version_id: theirs }, 'agent_version_id', 'unknown'],
    [{ agent_id, variables: many }, 'variables', 'too_many'],
    [{ agent_id, variables: { 'Not a name': 'x' } }, 'variables', 'format'],
    [{ agent_id, variables: { deep: {} } }, 'variables.deep', 'type'],
    [{ agent_id, metadata: { a: 1 } }, 'metadata.a', 'type'],
    [{ agent_id, message: 'x'.repeat(4_001) }, 'message', 'too_long'],
  ]
  for (const [body, path, code] of faults) {
    const answer = await tenant.call('POST', '/conversations', body)
    const [fault] = answer.body.error.details.fields
    assert.deepEqual([answer.status, fault.path, fault.code], [400, path, code], answer.text)
  }
})

test('a draft and a version can be tried', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { greeting: 'First.' })
  const first = (await tenant.call('GET', `/agents/${agent_id}`)).body.data.deployed_version
  await tenant.call('PATCH', `/agents/${agent_id}`, { greeting: 'Second.' })
  const firstWords = async (more: object) => {
    const { id, agent_version } = await begin(tenant, agent_id, more)
    return [(await answersAfter(tenant, id, 0))[0].text, agent_version.version_label]
  }
  assert.deepEqual(await firstWords({}), ['First.', 'v1'])
  assert.deepEqual(await firstWords({ use_draft: true }), ['Second.', 'draft'])
  await tenant.call('POST', `/agents/${agent_id}/versions`, { deploy: true })
  assert.deepEqual(await firstWords({}), ['Second.', 'v2'])
  assert.deepEqual(await firstWords({ agent_version_id: first.id }), ['First.', 'v1'])
})

test('events tell what happens, and lists and totals follow', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const { id } = await begin(tenant, agent_id)
  await answersAfter(tenant, id, 0)
  await say(tenant, id, 'human please')
  await becomes(tenant, id, ({ status }) => status === 'handed_over')
  const total = async (query: string) => (await tenant.call('GET', `/conversations?${query}`)).body.pagination.total
  assert.deepEqual([await total('status=open'), await total('status=handed_over'), await total('')], [0, 1, 1])
  await tenant.call('POST', `/conversations/${id}/take_back`)
  await tenant.call('POST', `/conversations/${id}/close`)
  assert.deepEqual([await total('status=closed'), await total(`agent_id=${agent_id}&status=closed`)], [1, 1])
  const { body } = await tenant.call('GET', '/events?limit=100&type=conversation.*')
  const types = body.data.map(({ type }: { type: string }) => type.replace('conversation.', '')).toReversed()
  assert.deepEqual(types.toSorted(), ['closed', 'handed_over', 'started', 'taken_back', 'turn', 'turn', 'turn'])
  const turn = body.data.find(({ type }: { type: string }) => type === 'conversation.turn')
  assert.deepEqual([turn.resource_id, turn.data.id, turn.data.contact_id], [id, id, null])
  const names = (resource: object) => Object.keys(resource).sort()
  const shown = await get(tenant, id)
  for (const { type, data } of body.data) if (type !== 'conversation.turn') assert.deepEqual(names(data), names(shown))
})

test('fifty messages at once keep their order and get an answer', async () => {
  const tenant = await server.workspace()
  const { id } = await begin(tenant, await newAgent(tenant, { script }))
  await answersAfter(tenant, id, 0)
  const said = await Promise.all(Array.from({ length: 50 }, (_, index) => say(tenant, id, `opening hours ${index}`)))
  assert.equal(new Set(said.map(({ seq }) => seq)).size, 50)
  await becomes(tenant, id, ({ is_answering }) => !is_answering)
  const { body } = await tenant.call('GET', `/conversations/${id}/turns?limit=100`)
  const seqs = body.data.map(({ seq }: { seq: number }) => seq)
  assert.deepEqual(
    seqs,
    seqs.map((_: number, index: number) => index + 1),
  )
  const last_contact = body.data.findLastIndex(({ role }: { role: string }) => role === 'contact')
  assert.equal(body.data.slice(last_contact + 1).length, 1)
})

test('a workspace that has used its tokens gets a closing sentence', async () => {
  const tenant = await server.workspace()
  await tenant.call('PATCH', '/workspace', { settings: { tokens_per_day_max: 15 } })
  const model = await openaiServer({ words: ['Yes.'] })
  const agent = await newModelAgent(tenant, model)
  const first = await begin(tenant, agent, { message: 'One?' })
  assert.equal((await answersAfter(tenant, first.id, 0))[1].text, 'Yes.')
  const { id } = await begin(tenant, agent, { message: 'Two?' })
  await becomes(tenant, id, ({ status }) => status === 'closed')
  assert.equal((await get(tenant, id)).close_reason, 'limit')
  const [, words] = (await turnsOf(tenant, id))[1] ?? []
  assert.match(words ?? '', /Please start a new one/)
})

test('a conversation ends at its limit of turns', async () => {
  const tenant = await server.workspace()
  const { id } = await begin(tenant, await newAgent(tenant, { script, limits: { turns_max: 3 } }))
  await answersAfter(tenant, id, 0)
  await say(tenant, id, 'opening hours')
  await answersAfter(tenant, id, 2)
  await say(tenant, id, 'opening hours')
  await becomes(tenant, id, ({ status }) => status === 'closed')
  const { close_reason } = await get(tenant, id)
  assert.equal(close_reason, 'limit')
})

test('a model records facts and changes the contact, within what the agent allows', async () => {
  const tenant = await server.workspace()
  const contact = await create(tenant, '/contacts', newContact({ company: 'Before' }))
  const results = [{ name: 'wants_callback', type: 'boolean' }]
  const talkWith = async (tool_call: { name: string; arguments: object }) => {
    const model = await openaiServer({ words: ['Noted.'], tool_call, calls_once: true })
    const agent = await newModelAgent(tenant, model, { results, contact_fields: ['company', 'custom_fields.plan'] })
    const { id } = await begin(tenant, agent, { message: 'Hello', contact_id: contact.id })
    await becomes(tenant, id, ({ is_answering }) => !is_answering)
    const [turn] = (await tenant.call('GET', `/conversations/${id}/turns?after=1`)).body.data
    return { status: turn.tools[0].status, results: (await get(tenant, id)).results }
  }
  const set = (value: unknown) => talkWith({ name: 'set_result', arguments: { name: 'wants_callback', value } })
  assert.deepEqual(await set(true), { status: 'succeeded', results: { wants_callback: true } })
  assert.deepEqual(await set('perhaps'), { status: 'invalid_arguments', results: {} })
  const change = (fields: object) => talkWith({ name: 'update_contact', arguments: fields })
  assert.equal((await change({ company: 'After' })).status, 'succeeded')
  assert.equal((await change({ first_name: 'Eve' })).status, 'invalid_arguments')
  assert.equal((await change({ custom_fields: { plan: 'gold' } })).status, 'succeeded')
  assert.equal((await change({ custom_fields: { seats: 12 } })).status, 'invalid_arguments')
  const after = (await tenant.call('GET', `/contacts/${contact.id}`)).body.data
  assert.deepEqual([after.company, after.first_name, after.custom_fields], ['After', null, { plan: 'gold' }])
})

async function eventTexts(tenant: Tenant): Promise<string> {
  return (await tenant.call('GET', '/events?limit=100')).text
}

test('redacting erases what was said, and its copies', async () => {
  const tenant = await server.workspace()
  const secret = 'The password is swordfish.'
  const body = { agent_id: await newAgent(tenant, { script }), message: secret, metadata: { note: secret } }
  const headers = { 'idempotency-key': 'once' }
  const { id } = (await tenant.call('POST', '/conversations', body, headers)).body.data
  await answersAfter(tenant, id, 0)
  await tenant.call('POST', `/conversations/${id}/messages`, { text: secret }, { 'idempotency-key': 'twice' })
  await answersAfter(tenant, id, 3)
  assert.match(await eventTexts(tenant), /swordfish/)
  const { status, body: answer } = await tenant.call('POST', `/conversations/${id}/redact`)
  assert.deepEqual([status, answer.data.status, answer.data.metadata], [200, 'closed', {}])
  assert.ok(answer.data.redacted_at)
  const after = [
    (await tenant.call('GET', `/conversations/${id}`)).text,
    (await tenant.call('GET', `/conversations/${id}/turns`)).text,
    await eventTexts(tenant),
    (await tenant.call('POST', '/conversations', body, headers)).text,
    (await tenant.call('POST', `/conversations/${id}/messages`, { text: secret }, { 'idempotency-key': 'twice' })).text,
  ]
  for (const text of after) assert.doesNotMatch(text, /swordfish/)
})

test('a script that ends without words says goodbye', async () => {
  const tenant = await server.workspace()
  const nodes = { ask: { say: 'Yes?', on: [{ intent: 'goodbye', go: '@end' }] } }
  const { id } = await begin(tenant, await newAgent(tenant, { script: { start: 'ask', nodes } }))
  await answersAfter(tenant, id, 0)
  await say(tenant, id, 'Goodbye')
  await becomes(tenant, id, ({ status }) => status === 'closed')
  assert.deepEqual((await turnsOf(tenant, id)).at(-1), ['agent', 'Goodbye.'])
})

test('a script that hands over needs the permission to do so', async () => {
  const tenant = await server.workspace()
  const refused = await tenant.call('POST', '/agents', { name: 'x', script, hand_over: { is_allowed: false } })
  assert.deepEqual([refused.status, refused.body.error.details.fields[0].code], [400, 'conflict'])
})

test('after is limited to what a turn can have as its number', async () => {
  const tenant = await server.workspace()
  const { id } = await begin(tenant, await newAgent(tenant))
  assert.equal((await tenant.call('GET', `/conversations/${id}/turns?after=2147483647`)).status, 200)
  assert.equal((await tenant.call('GET', `/conversations/${id}/turns?after=3000000000`)).status, 400)
})

test('a deleted contact leaves its conversations, without a link', async () => {
  const tenant = await server.workspace()
  const contact = await create(tenant, '/contacts', newContact())
  const { id, updated_at } = await begin(tenant, await newAgent(tenant), { contact_id: contact.id })
  await tenant.call('DELETE', `/contacts/${contact.id}`)
  const after = await get(tenant, id)
  assert.deepEqual([after.contact_id, after.counterpart], [null, null])
  assert.ok(after.updated_at > updated_at)
})

test('the open conversations of a deleted agent are closed, and keep its name', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const { id } = await begin(tenant, agent_id)
  await answersAfter(tenant, id, 0)
  await tenant.call('DELETE', `/agents/${agent_id}`)
  await becomes(tenant, id, ({ status }) => status === 'closed')
  const { close_reason, agent_name, agent_version } = await get(tenant, id)
  assert.deepEqual([close_reason, agent_name, agent_version.version_label], ['agent_deleted', 'Reception', 'v1'])
})
