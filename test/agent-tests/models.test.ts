import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { addTest, getRun, newDesk, resultOf, runTests, sentencesIn, startRun } from '../support/agent-tests.ts'
import { askedOf, create, newModelAgent, turnsOf, until } from '../support/conversations.ts'
import { serve } from '../support/harness.ts'
import { choosingServer, openaiServer } from '../support/model-servers.ts'
import { receiver, respondWith } from '../support/receivers.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const { workspace } = server

const ask_hours = { says: 'When are you open?', expect: [{ type: 'says', any_of: ['open at nine'] }] }

test('a model answers, and its tokens are counted', async () => {
  const tenant = await workspace()
  const id = await newModelAgent(tenant, await openaiServer({ words: ['We open ', 'at nine.'] }))
  const result = await resultOf(tenant, id, {
    steps: [
      {
        says: 'When?',
        expect: [
          { type: 'says', any_of: ['open at nine'] },
          { type: 'at_most', tokens: 14 },
        ],
      },
    ],
  })
  assert.deepEqual(sentencesIn(result), ['It took 15 tokens, and at most 14 are allowed.'])
  assert.deepEqual([result.is_repeatable, result.usage], [false, { input_tokens: 12, output_tokens: 3 }])
  const run = (await tenant.call('GET', `/agents/${id}/test_runs`)).body.data[0]
  assert.deepEqual(run.usage, { input_tokens: 12, output_tokens: 3 })
  assert.equal((await server.pool.one<{ tokens: number }>(tokensOf(tenant.id))).tokens, 15)
})

test('a reply gets what was said before, and the agent sees the time and the contact of the test', async () => {
  const tenant = await workspace()
  const model = await openaiServer({ words: ['Yes.'] })
  const id = await newModelAgent(tenant, model)
  await resultOf(tenant, id, {
    kind: 'reply',
    turns: [
      { role: 'contact', text: 'Are you open?' },
      { role: 'agent', text: 'We open at nine.' },
    ],
    says: 'Today, too?',
    contact: { first_name: 'Ada', time_zone: 'America/New_York' },
    now: '2027-03-01T14:00:00Z',
    variables: { order_number: '1042' },
  })
  const [{ messages }] = askedOf(model)
  const text = JSON.stringify(messages)
  for (const part of ['March 1, 2027 at 9:00', 'Ada', '1042', 'Are you open?', 'We open at nine.', 'Today, too?'])
    assert.ok(text.includes(part), part)
})

test('repeats report the share that has passed, as counted by the model server', async () => {
  const tenant = await workspace()
  let [asked, right] = [0, 0]
  const model = await choosingServer(() => {
    asked += 1
    const is_right = asked % 3 !== 0
    if (is_right) right += 1
    return { words: [is_right ? 'We open at nine.' : 'We open at ten.'] }
  })
  const id = await newModelAgent(tenant, model)
  const result = await resultOf(tenant, id, { steps: [ask_hours] }, { repeat: 20, passes_min: 14 })
  assert.deepEqual([asked, right], [20, 14])
  assert.deepEqual([result.status, result.passes, result.runs], ['passed', right, asked])
  assert.equal(result.failures.length, asked - right)
  assert.equal(new Set(result.conversation_ids).size, 20)
  const [failure] = result.failures
  assert.equal(failure.conversation_id, result.conversation_id)
  assert.ok((await turnsOf(tenant, result.conversation_id)).some(([, text]) => text === 'We open at ten.'))
})

test('too few passes fail', async () => {
  const tenant = await workspace()
  let asked = 0
  const model = await choosingServer(() => {
    asked += 1
    return { words: [asked % 2 === 0 ? 'We open at nine.' : 'We open at ten.'] }
  })
  const id = await newModelAgent(tenant, model)
  const result = await resultOf(tenant, id, { steps: [ask_hours] }, { repeat: 6, passes_min: 4 })
  assert.deepEqual([result.status, result.passes, result.runs], ['failed', 3, 6])
})

test('a tool that a model calls is answered by the test', async () => {
  const tenant = await workspace()
  const tool = { name: 'book_slot', url: 'https://tools.example/book', parameters: { type: 'object', properties: {} } }
  await create(tenant, '/tools', tool)
  const tool_call = { name: 'book_slot', arguments: { day: 'tue' } }
  const model = await choosingServer(({ messages }) =>
    messages.at(-1).role === 'tool' ? { words: ['It is ', messages.at(-1).content] } : { words: [], tool_call },
  )
  const id = await newModelAgent(tenant, model, { tools: ['book_slot'] })
  const result = await resultOf(tenant, id, {
    steps: [{ says: 'Book it.', expect: [{ type: 'says', any_of: ['it is booked'] }] }],
    tool_answers: [{ tool: 'book_slot', arguments: { day: 'tue' }, result: 'booked' }],
    expect: [{ type: 'calls_tool', tool: 'book_slot', arguments: { day: 'tue' }, times: 1 }],
  })
  assert.deepEqual([result.status, sentencesIn(result)], ['passed', []])
})

test('a tool that asks first is called after the yes of the contact, and a run that is refused is no call', async () => {
  const tenant = await workspace()
  const fields = { name: 'book_slot', url: 'https://tools.example/book', confirm: true, say_while: 'I book {{day}}.' }
  await create(tenant, '/tools', fields)
  const tool_call = { name: 'book_slot', arguments: { day: 'tue' } }
  const model = await choosingServer(({ tools }) =>
    tools && model.received.length < 4 ? { words: [], tool_call } : { words: ['Booked.'] },
  )
  const id = await newModelAgent(tenant, model, { tools: ['book_slot'] })
  const called = { type: 'calls_tool', tool: 'book_slot', arguments: { day: 'tue' }, times: 1 }
  const result = await resultOf(tenant, id, {
    steps: [
      {
        says: 'Book it.',
        expect: [
          { type: 'says', any_of: ['I book tue. Is that right?'] },
          { type: 'never_calls_tool', tool: 'book_slot' },
        ],
      },
      { says: 'Yes.', expect: [called] },
    ],
    tool_answers: [{ tool: 'book_slot', result: 'booked' }],
    expect: [called],
  })
  assert.deepEqual([result.status, sentencesIn(result)], ['passed', []])
})

test('built-in tools do what they do, and write nothing', async () => {
  const tenant = await workspace()
  const calls = [
    { name: 'update_contact', arguments: { first_name: 'Grace' } },
    { name: 'set_result', arguments: { name: 'wants_callback', value: true } },
    { name: 'opt_out', arguments: {} },
  ]
  const model = await choosingServer(({ messages }) => {
    const done = messages.filter(({ role }: { role: string }) => role === 'tool').length
    const tool_call = calls[done]
    return tool_call ? { words: [], tool_call } : { words: ['Goodbye.'] }
  })
  const results = [{ name: 'wants_callback', type: 'boolean', description: null }]
  const id = await newModelAgent(tenant, model, { contact_fields: ['first_name'], results })
  const contact = { first_name: 'Ada', phone_number: '+14155550111' }
  const { id: contact_id } = await create(tenant, '/contacts', contact)
  const result = await resultOf(tenant, id, {
    contact,
    steps: [{ says: 'Never write to me again.' }],
    expect: [
      { type: 'result', name: 'wants_callback', equals: true },
      { type: 'calls_tool', tool: 'update_contact' },
      { type: 'ends', how: 'opted_out' },
    ],
  })
  assert.deepEqual(sentencesIn(result), [])
  assert.equal((await tenant.call('GET', `/contacts/${contact_id}`)).body.data.first_name, 'Ada')
  assert.equal((await tenant.call('GET', '/suppressions')).body.pagination.total, 0)
  assert.equal((await tenant.call('GET', '/consents')).body.pagination.total, 0)
})

test('a tool is really called only if the test says so', async () => {
  const tenant = await workspace()
  const there = await receiver(respondWith(200, { 'content-type': 'application/json' }, '{"is_booked":true}'))
  const id = await newDesk(tenant, {}, { url: there.url })
  const steps = [{ says: 'I want to book a visit.' }, { says: 'On 2027-03-01.' }]
  assert.equal((await resultOf(tenant, id, { steps })).status, 'failed')
  assert.equal(there.received.length, 0)
  const result = await resultOf(tenant, id, { steps, uses_tools: true }, { repeat: 2 })
  assert.deepEqual([result.status, result.runs, result.is_repeatable], ['passed', 2, false])
  assert.equal(there.received.length, 2)
  const tool_answers = [{ tool: 'book_slot', result: {} }]
  await resultOf(tenant, id, { steps, uses_tools: true, tool_answers })
  assert.equal(there.received.length, 2)
})

test('tests of a script that may call tools are played as often as they have to be', async () => {
  const tenant = await workspace()
  const there = await receiver(respondWith(200, { 'content-type': 'application/json' }, '{"is_booked":true}'))
  const id = await newDesk(tenant, {}, { url: there.url })
  const steps = [{ says: 'I want to book a visit.' }, { says: 'On 2027-03-01.' }]
  const names = ['Asks', 'Books', 'Asks again', 'Books again', 'Books a third time']
  for (const name of names)
    await addTest(tenant, id, { name, uses_tools: true, steps: name.startsWith('Asks') ? steps.slice(0, 1) : steps })
  const run = await runTests(tenant, id, { repeat: 3 })
  const { data: results } = (await tenant.call('GET', `/test_runs/${run.id}/results`)).body
  assert.deepEqual(
    results.map((one: Record<string, unknown>) => [one.name, one.status, one.runs, one.is_repeatable]),
    names.map((name) => [name, 'passed', name.startsWith('Asks') ? 1 : 3, name.startsWith('Asks')]),
  )
  assert.equal(there.received.length, 9)
})

test('a persona is played by a model until it has what it wants', async () => {
  const tenant = await workspace()
  const persona = { goal: 'Find out the opening hours.', facts: 'Free on Fridays.', style: 'In a hurry.' }
  const model = await choosingServer(({ messages }) => {
    const [{ content }] = messages
    if (!content.startsWith('You play a person')) return { words: ['We open at nine.'] }
    return { words: [messages.length > 3 ? 'Thanks! [end]' : 'When do you open?'] }
  })
  const id = await newModelAgent(tenant, model)
  const result = await resultOf(tenant, id, {
    kind: 'simulation',
    persona,
    expect: [{ type: 'says', any_of: ['open at nine'] }],
  })
  assert.deepEqual([result.status, result.is_repeatable], ['passed', false])
  assert.deepEqual(await turnsOf(tenant, result.conversation_id), [
    ['contact', 'When do you open?'],
    ['agent', 'We open at nine.'],
    ['contact', 'Thanks!'],
    ['agent', 'We open at nine.'],
  ])
  assert.deepEqual(result.usage, { input_tokens: 48, output_tokens: 12 })
  const asked = JSON.stringify(askedOf(model)[0])
  for (const part of [persona.goal, persona.facts, persona.style]) assert.ok(asked.includes(part))
})

test('a judge says yes or no, with a reason', async () => {
  const tenant = await workspace()
  let verdict = '{"answer": "yes", "reason": "It is."}'
  const model = await choosingServer(({ messages }) => ({
    words: [messages[0].content.startsWith('You check') ? verdict : 'We open at nine.'],
  }))
  const id = await newModelAgent(tenant, model)
  const judged = { steps: [{ says: 'When?' }], expect: [{ type: 'judge', question: 'Is it polite?' }] }
  const yes = await resultOf(tenant, id, judged)
  assert.deepEqual([yes.status, yes.is_repeatable], ['passed', false])
  verdict = 'Here you are: {"answer": "no", "reason": "It is short."}'
  const no = await resultOf(tenant, id, judged)
  assert.deepEqual(sentencesIn(no), ['The judge said no to "Is it polite?". It is short.'])
  verdict = 'Who knows.'
  const unclear = await resultOf(tenant, id, judged)
  assert.deepEqual([unclear.status, unclear.error], ['error', 'The answer of the judge could not be read.'])
})

test('without a provider, a persona and a judge say so', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant)
  const judge = await resultOf(tenant, id, {
    steps: [{ says: 'When?' }],
    expect: [{ type: 'judge', question: 'Is it polite?' }],
  })
  assert.deepEqual([judge.status, judge.error], ['error', 'A judge needs a model. There is no default provider.'])
  const persona = await resultOf(tenant, id, { kind: 'simulation', persona: { goal: 'Book.' } })
  assert.deepEqual([persona.status, persona.error], ['error', 'A persona needs a model. There is no default provider.'])
})

test('a model that fails is an error of the test, and what was said until then is kept', async () => {
  const tenant = await workspace()
  const id = await newModelAgent(tenant, {
    ...(await openaiServer({ words: ['x'] })),
    base_url: 'http://127.0.0.1:9/v1',
  })
  const result = await resultOf(tenant, id, { steps: [ask_hours] })
  assert.equal(result.status, 'error')
  assert.notEqual(result.error, null)
  assert.deepEqual(result.failures, [])
  assert.deepEqual((await turnsOf(tenant, result.conversation_id))[0], ['contact', 'When are you open?'])
})

test('when a model fails again and again, the other tests are not tried', async () => {
  const tenant = await workspace()
  const model = await choosingServer(() => ({ words: [], finish_reason: 'stop' }))
  const id = await newModelAgent(tenant, { ...model, base_url: 'http://127.0.0.1:9/v1' })
  for (let number = 1; number <= 30; number += 1)
    await addTest(tenant, id, { name: `Test ${number}`, steps: [ask_hours] })
  const run = await runTests(tenant, id)
  assert.deepEqual([run.status, run.done, run.errors], ['completed', 30, 30])
  const { data } = (await tenant.call('GET', `/test_runs/${run.id}/results?limit=100`)).body
  assert.match(data.at(-1).error, /^Not run, because the tests before it could not be run either: /)
  assert.ok(data.filter(({ error }: { error: string }) => !error.startsWith('Not run')).length <= 16)
})

test('tests whose patterns are too much work keep no others from being tried', async () => {
  const tenant = await workspace()
  const id = await newModelAgent(tenant, await openaiServer({ words: ['a'.repeat(4_000)] }))
  const any_of = Array.from({ length: 20 }, () => '/b{240}/')
  const heavy = Array.from({ length: 2 }, () => ({ type: 'never_says', any_of }))
  for (let number = 1; number <= 8; number += 1) await addTest(tenant, id, { steps: [{ says: 'Go' }], expect: heavy })
  await addTest(tenant, id, { name: 'Last', steps: [{ says: 'Go', expect: [{ type: 'says', any_of: ['/a/'] }] }] })
  const run = await runTests(tenant, id)
  const { data } = (await tenant.call('GET', `/test_runs/${run.id}/results`)).body
  assert.match(data[0].error, /too much work/)
  assert.deepEqual([run.passed, run.errors, data.at(-1).error], [1, 8, null])
})

test('a model that hangs ends its test after the time that conversations wait, and the next one is played', async () => {
  const tenant = await workspace()
  const model = await choosingServer(({ messages }) =>
    JSON.stringify(messages).includes('Hang') ? undefined : { words: ['We open at nine.'] },
  )
  const id = await newModelAgent(tenant, model)
  await addTest(tenant, id, { steps: [{ says: 'Hang!' }, { says: 'Hello?' }] })
  await addTest(tenant, id, { steps: [ask_hours] })
  const run = await runTests(tenant, id)
  assert.deepEqual([run.status, run.passed, run.errors], ['completed', 1, 1])
  assert.equal(run.results[0].error, 'The model took too long to answer.')
  assert.equal(model.aborted, 1)
})

test('a workspace that has used its tokens asks no model', async () => {
  const tenant = await workspace()
  const model = await openaiServer({ words: ['We open at nine.'] })
  const id = await newModelAgent(tenant, model)
  await tenant.call('PATCH', '/workspace', { settings: { tokens_per_day_max: 10 } })
  assert.equal((await resultOf(tenant, id, { steps: [ask_hours] })).status, 'passed')
  const result = await resultOf(tenant, id, { steps: [ask_hours] })
  assert.deepEqual(
    [result.status, result.error],
    ['error', 'The workspace has used the tokens that it may use in a day.'],
  )
  assert.equal(model.received.length, 1)
})

test('a run that is canceled while a model is asked ends at once, and keeps only the count of its tokens', async () => {
  const tenant = await workspace()
  const model = await choosingServer(({ messages }) =>
    JSON.stringify(messages).includes('Hang') ? undefined : { words: ['We open at nine.'] },
  )
  const id = await newModelAgent(tenant, model)
  await addTest(tenant, id, { steps: [ask_hours, { says: 'Hang!' }] })
  const { id: run_id } = await startRun(tenant, id)
  const working = tenant.work()
  await until(() => model.received.length > 1)
  assert.equal((await getRun(tenant, run_id)).status, 'running')
  assert.equal((await tenant.call('POST', `/test_runs/${run_id}/cancel`)).status, 200)
  await working
  assert.equal(model.aborted, 1)
  const run = await getRun(tenant, run_id)
  assert.deepEqual([run.status, run.done, run.results[0].status], ['canceled', 0, 'canceled'])
  assert.equal((await tenant.call('GET', '/conversations?is_test=true')).body.pagination.total, 0)
  assert.equal((await server.pool.one<{ tokens: number }>(tokensOf(tenant.id))).tokens, 15)
})

const tokensOf = (workspace_id: string) => sql`select tokens from token_days where workspace_id = ${workspace_id}`
