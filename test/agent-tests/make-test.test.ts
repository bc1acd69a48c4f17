import assert from 'node:assert/strict'
import { test } from 'node:test'
import { receptionist } from '../../server/start/receptionist.ts'
import { runTests } from '../support/agent-tests.ts'
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
import { receiver, respondWith } from '../support/receivers.ts'
import { newTool, phoneNumber } from '../support/samples.ts'
import { tablesWith } from '../support/tables-with.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
startAnswering(server)
const { pool, workspace } = server

const json = { 'content-type': 'application/json' }

const makeTest = (tenant: Tenant, id: string) => tenant.call('POST', `/conversations/${id}/make_test`)

/** Says all lines, each after the answer to the one before. */
async function talk(tenant: Tenant, id: string, lines: string[]): Promise<void> {
  for (const line of lines) {
    const { seq } = await say(tenant, id, line)
    await answersAfter(tenant, id, seq)
  }
}

async function made(tenant: Tenant, id: string) {
  const { status, body, headers, text } = await makeTest(tenant, id)
  assert.equal(status, 201, text)
  const { data } = body
  assert.equal(headers.get('location'), `/api/v1/agents/${data.agent_id}/tests/${data.id}`)
  assert.deepEqual((await tenant.call('GET', `/agents/${data.agent_id}/tests/${data.id}`)).body.data, data)
  return data
}

/** The agent has not changed, so it does the same again. */
async function assertPasses(tenant: Tenant, { id, agent_id }: { id: string; agent_id: string }): Promise<void> {
  const { results } = await runTests(tenant, agent_id, { test_ids: [id] })
  assert.deepEqual([results[0].status, results[0].failures], ['passed', []])
}

const booking = (tool: string) => ({
  start: 'welcome',
  nodes: {
    welcome: { say: 'Hello {{contact.first_name|there}}! What is your name?', on: [{ slot: 'name', go: 'phone' }] },
    phone: { say: 'Thank you, {{name}}. Which number?', on: [{ slot: 'phone', go: 'email' }] },
    email: { say: 'And your email?', on: [{ slot: 'email', go: 'book' }] },
    book: { tool, with: { name: '{{name}}', phone: '{{phone}}', email: '{{email}}' }, ok: 'done', failed: 'done' },
    done: { say: 'Noted. Goodbye, {{name}}.', go: '@end' },
  },
})

const greeter = { start: 'hi', nodes: { hi: { say: 'Hello!', else: { go: 'hi' } } } }

const parameters = {
  type: 'object',
  properties: { name: { type: 'string' }, phone: { type: 'string' }, email: { type: 'string' } },
}

test("a test that was made of a conversation holds none of the contact's name, number and email", async () => {
  const tenant = await workspace()
  const answer = {
    customer: { firstName: 'Philomena', mail: 'Philomena.Quillfeather@Aerie.Example' },
    note: 'Booked for PHILOMENA QUILLFEATHER, +49 1514 8206-317',
  }
  const there = await receiver(respondWith(200, json, JSON.stringify(answer)))
  const tool = await create(tenant, '/tools', newTool({ url: there.url, parameters }))
  const agent_id = await newAgent(tenant, { script: booking(tool.name), tools: [tool.name], language: 'en-DE' })
  const contact = await create(tenant, '/contacts', {
    phone_number: '+4915148206317',
    first_name: 'Philomena',
    last_name: 'Quillfeather',
    email: 'philomena.quillfeather@aerie.example',
    company: 'Aerie Falconry GmbH',
    notes: 'Knows Lord Featherstone.',
    custom_fields: { street: '12 Mossbank Lane', account: 'AF-99417' },
  })
  const { id } = await begin(tenant, agent_id, {
    contact_id: contact.id,
    variables: { account: 'AF-99417', greeting: 'Dear Ms Quillfeather of Aerie Falconry' },
  })
  await answersAfter(tenant, id, 0)
  await talk(tenant, id, [
    'I am from Aerie Falconry at 12 mossbank lane. My name is Philomena QUILLFEATHER',
    'Call 0151 48206317, or one five one four eight two zero six three one seven',
    'philomena.quillfeather@aerie.example',
  ])
  await becomes(tenant, id, ({ status }) => status === 'closed')
  const data = await made(tenant, id)
  const said = data.steps.map(({ says }: { says: string }) => says)
  assert.equal(said[0], 'I am from Sample Company at sample. My name is Robin Winter')
  assert.equal(said[2], 'robin@example.com')
  assert.deepEqual(
    [data.kind, data.begins, data.contact.first_name, data.contact.email, data.contact.time_zone],
    ['conversation', 'agent', 'Robin', 'robin@example.com', 'Europe/Berlin'],
  )
  assert.equal(data.contact.notes, undefined)
  assert.deepEqual(data.expect, [
    { type: 'calls_tool', tool: tool.name },
    { type: 'result', name: 'name', equals: 'Robin Winter' },
    { type: 'result', name: 'email', equals: 'robin@example.com' },
    { type: 'result', name: 'phone', equals: '+4915100000043' },
    { type: 'ends', how: 'agent_ended' },
  ])
  assert.deepEqual(data.tool_answers, [
    {
      tool: tool.name,
      result: {
        customer: { firstName: 'Robin', mail: 'robin@example.com' },
        note: 'Booked for ROBIN WINTER, +49 1510 0000-043',
      },
    },
  ])

  await assertPasses(tenant, data)
  assert.ok(
    (await tablesWith(pool, tenant, 'quillfeather')).includes('conversation_turns'),
    'the search finds what is there',
  )
  assert.ok(!(await tablesWith(pool, tenant, 'quillfeather')).includes('agent_tests'))
  assert.equal((await tenant.call('POST', `/conversations/${id}/redact`)).status, 200)
  assert.equal((await tenant.call('DELETE', `/contacts/${contact.id}`)).status, 200)
  const exported = JSON.stringify((await tenant.call('GET', `/agents/${agent_id}/tests`)).body)
  for (const real of [
    'philomena',
    'quillfeather',
    'aerie',
    '15148206317',
    '48206317',
    'four eight two zero',
    'mossbank',
    // Without the letters it could be in a random hash.
    'af-99417',
    'featherstone',
  ]) {
    assert.ok(!exported.toLowerCase().includes(real), real)
    assert.deepEqual(await tablesWith(pool, tenant, real), [], real)
  }
  assert.deepEqual((await tenant.call('GET', `/agents/${agent_id}/tests/${data.id}`)).body.data, data, 'the test stays')
})

test('a tool that answers differently is answered by its arguments, and then in order', async () => {
  const tenant = await workspace()
  let count = 0
  const there = await receiver((response) => {
    count += 1
    response.writeHead(200, json).end(JSON.stringify({ count }))
  })
  const tool = await create(tenant, '/tools', newTool({ url: there.url, parameters: { type: 'object' } }))
  const nodes = {
    ask: {
      say: 'Which day?',
      on: [
        { slot: 'date', go: 'look' },
        { intent: 'no', say: 'Bye.', go: '@end' },
      ],
    },
    look: { tool: tool.name, with: { day: '{{date}}' }, ok: 'ask', failed: 'ask' },
  }
  const agent_id = await newAgent(tenant, { script: { start: 'ask', nodes }, tools: [tool.name] })
  const { id } = await begin(tenant, agent_id)
  await answersAfter(tenant, id, 0)
  await talk(tenant, id, ['2027-03-01', '2027-03-01', '2027-03-02', 'no'])
  const data = await made(tenant, id)
  const { tool_answers, expect } = data
  const answer = (day: string, number: number) => ({ tool: tool.name, arguments: { day }, result: { count: number } })
  assert.deepEqual(tool_answers, [
    { ...answer('2027-03-01', 1), once: true },
    answer('2027-03-01', 2),
    answer('2027-03-02', 3),
  ])
  assert.ok(
    expect.some(({ name, equals }: { name: string; equals: string }) => name === 'date' && equals === '2027-03-02'),
  )
})

test('lines that a person has answered are left out, and the hand-over is expected', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant, { ...receptionist, name: 'Reception' })
  const { id } = await begin(tenant, agent_id, { message: 'When are you open?' })
  await answersAfter(tenant, id, 1)
  await talk(tenant, id, ['I want to talk to a person'])
  await becomes(tenant, id, ({ status }) => status === 'handed_over')
  await say(tenant, id, 'Is anybody there?')
  await tenant.call('POST', `/conversations/${id}/answers`, { text: 'Yes.' })
  await say(tenant, id, 'My secret')
  const data = await made(tenant, id)
  const { begins, steps, expect, now } = data
  assert.equal(begins, 'contact')
  assert.deepEqual(
    steps.map(({ says }: { says: string }) => says),
    ['When are you open?', 'I want to talk to a person'],
  )
  assert.deepEqual(expect, [{ type: 'ends', how: 'handed_over' }])
  assert.equal(now, (await get(tenant, id)).created_at)
  await assertPasses(tenant, data)
})

test('of a model the words are not expected', async () => {
  const tenant = await workspace()
  const model = await openaiServer({ words: ['We open at nine.'] })
  const agent_id = await newModelAgent(tenant, model, { instructions: 'Be kind.' })
  const { id } = await begin(tenant, agent_id, { message: 'Hi' })
  await answersAfter(tenant, id, 1)
  assert.equal((await turnsOf(tenant, id)).length, 2)
  assert.deepEqual((await made(tenant, id)).expect, [])
})

test('what is redacted, has no words of the contact or no agent gives no test', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant, { script: greeter })
  const [silent, redacted, orphan] = [
    await begin(tenant, agent_id),
    await begin(tenant, agent_id, { message: 'Hello' }),
    await begin(tenant, await newAgent(tenant, { instructions: 'Hi.' }), { message: 'Hello' }),
  ]
  await answersAfter(tenant, silent.id, 0)
  await tenant.call('POST', `/conversations/${redacted.id}/redact`)
  await tenant.call('DELETE', `/agents/${orphan.agent_id}`)
  for (const [{ id }, message] of [
    [silent, /has said nothing/],
    [redacted, /was redacted/],
    [orphan, /agent of the conversation was deleted/],
  ] as const) {
    const { status, body } = await makeTest(tenant, id)
    assert.deepEqual([status, body.error.code], [409, 'INVALID_STATE'])
    assert.match(body.error.message, message)
  }
  assert.equal((await makeTest(tenant, agent_id)).status, 404)
  const other = await workspace()
  assert.equal((await makeTest(other, redacted.id)).status, 404)
})

test('of a conversation that is too much for a test none is made, which is no fault of the request', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant, { script: greeter })
  const { id } = await begin(tenant, agent_id)
  await answersAfter(tenant, id, 0)
  await talk(tenant, id, Array<string>(11).fill('語'.repeat(4_000)))
  const { status, body } = await makeTest(tenant, id)
  assert.deepEqual([status, body.error.code], [409, 'INVALID_STATE'])
  assert.equal(body.error.message, 'No test can be made of this conversation: A test can have at most 128 kB as JSON.')
})

test('a repeated request with its key makes one test', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant, { script: greeter })
  const { id } = await begin(tenant, agent_id, { message: 'Hello' })
  const headers = { 'idempotency-key': phoneNumber() }
  const post = () => tenant.call('POST', `/conversations/${id}/make_test`, undefined, headers)
  assert.deepEqual((await post()).body, (await post()).body)
  assert.equal((await tenant.call('GET', `/agents/${agent_id}/tests`)).body.data.length, 1)
})
