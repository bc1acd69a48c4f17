import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bounded } from '../../server/agent-tests/play/results.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { addTest, desk_script, newDesk, resultOf, runTests, sentencesIn } from '../support/agent-tests.ts'
import { create, turnsOf } from '../support/conversations.ts'
import { serve } from '../support/harness.ts'
import { mcpServer } from '../support/mcp-servers.ts'

const server = await serve()
const { workspace, pool } = server

const ask_hours = { says: 'When are you open?', expect: [{ type: 'says', any_of: ['open from nine'] }] }

test('what a result holds is bounded in bytes and number, and the first is in any case', () => {
  const limits = { items_max: 3, bytes_max: 20 }
  assert.deepEqual(bounded(['a'.repeat(6), 'b'.repeat(10), 'c'], limits), ['a'.repeat(6), 'b'.repeat(10)])
  assert.deepEqual(bounded(['語語', '語語', '語語'], limits), ['語語', '語語'])
  assert.deepEqual(bounded(['語語', '語語語語語'], limits), ['語語'])
  assert.deepEqual(bounded(['語'.repeat(7), 'b'], limits), ['語'.repeat(7)])
  assert.deepEqual(bounded([1, 2, 3, 4], limits), [1, 2, 3])
})

test('a conversation is played, checked, and kept as a trial', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant)
  const result = await resultOf(tenant, id, {
    steps: [ask_hours, { says: 'No, thank you.', expect: [{ type: 'ends', how: 'agent_ended' }] }],
    contact: { first_name: ' Ada' },
  })
  assert.deepEqual(result, {
    id: result.id,
    test_id: result.test_id,
    source_conversation_id: null,
    name: 'A test',
    kind: 'conversation',
    status: 'passed',
    passes: 1,
    runs: 1,
    is_repeatable: true,
    failures: [],
    differences: [],
    error: null,
    has_test_changed: false,
    conversation_id: result.conversation_id,
    conversation_ids: [result.conversation_id],
    usage: { input_tokens: 0, output_tokens: 0 },
  })
  assert.deepEqual(await turnsOf(tenant, result.conversation_id), [
    ['agent', 'HelloAda, this is the front desk.'],
    ['contact', 'When are you open?'],
    ['agent', 'We are open from nine to six. Anything else?'],
    ['contact', 'No, thank you.'],
    ['agent', 'Goodbye!'],
  ])
  const kept = (await tenant.call('GET', `/conversations/${result.conversation_id}`)).body.data
  const { status, kind, is_test, close_reason, contact_id, turn_count } = kept
  assert.deepEqual(
    { status, kind, is_test, close_reason, contact_id, turn_count },
    {
      status: 'closed',
      kind: 'api',
      is_test: true,
      close_reason: 'agent_ended',
      contact_id: null,
      turn_count: 5,
    },
  )
  assert.equal((await tenant.call('GET', '/conversations')).body.pagination.total, 0)
  assert.equal((await tenant.call('GET', '/conversations?is_test=true')).body.pagination.total, 1)
  const types: string[] = (await tenant.call('GET', '/events?limit=100')).body.data.map(
    ({ type }: { type: string }) => type,
  )
  assert.deepEqual(
    types.filter((type) => /^(conversation|turn|test_run)/.test(type)),
    ['test_run.completed'],
  )
})

test('a line whose expectation does not hold fails at its turn', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant)
  const wrong = { type: 'says', any_of: ['open at seven'] }
  const result = await resultOf(tenant, id, {
    steps: [{ says: 'When are you open?', expect: [wrong] }, { says: 'No.' }],
  })
  assert.equal(result.status, 'failed')
  assert.deepEqual(result.failures, [
    {
      expectation: wrong,
      sentence: 'The agent did not say "open at seven".',
      step: 1,
      seq: 3,
      conversation_id: result.conversation_id,
    },
  ])
})

test('lines that can no longer be said fail', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant)
  const result = await resultOf(tenant, id, { steps: [ask_hours, { says: 'No.' }, { says: 'Wait!' }, { says: 'Oh.' }] })
  assert.deepEqual(
    result.failures.map(({ sentence, step }: { sentence: string; step: number }) => [sentence, step]),
    [['The conversation had ended before the contact could say this.', 3]],
  )
})

test('a reply is one answer after what was said before', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant)
  const turns = [
    { role: 'agent', text: 'Hello.' },
    { role: 'contact', text: 'I want to book a visit.' },
  ]
  const says = 'On the first of March 2027, please.'
  const tool_answers = [{ tool: 'book_slot', result: { is_booked: true } }]
  const expect = [
    { type: 'says', any_of: ['booked for'] },
    { type: 'never_says', any_of: ['front desk'] },
    { type: 'calls_tool', tool: 'book_slot', arguments: { day: '2027-03-01' }, times: 1 },
    { type: 'at_most', turns: 1 },
  ]
  const result = await resultOf(tenant, id, {
    kind: 'reply',
    turns,
    says,
    tool_answers,
    expect,
    now: '2027-01-05T10:00:00Z',
  })
  assert.deepEqual([result.status, result.failures], ['passed', []])
})

test('a call of a tool without an answer fails the test, and nothing is called', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant)
  const steps = [{ says: 'I want to book a visit.' }, { says: 'On 2027-03-01.' }]
  const none = await resultOf(tenant, id, { steps })
  assert.deepEqual(sentencesIn(none), [
    'The agent called book_slot with {"day":"2027-03-01"}, and no tool answer fits.',
  ])
  assert.notEqual(none.failures[0].seq, null)
  const other = { tool: 'book_slot', arguments: { day: '2027-03-02' }, result: 'Done.' }
  assert.equal((await resultOf(tenant, id, { steps, tool_answers: [other] })).status, 'failed')
  const any = { tool: 'book_slot', arguments: { day: { $any: true } }, error: 'The day is full.' }
  const expect = [{ type: 'ends', how: 'handed_over' }]
  assert.deepEqual(sentencesIn(await resultOf(tenant, id, { steps, tool_answers: [other, any], expect })), [])
})

test('an answer that is given once is used once', async () => {
  const tenant = await workspace()
  const loop = {
    start: 'ask',
    nodes: {
      ask: { say: 'Which day?', on: [{ slot: 'date', go: 'book' }] },
      book: { tool: 'book_slot', with: { day: '{{date}}' }, ok: 'done', failed: 'full' },
      full: { say: 'That day is full.', go: 'ask' },
      done: { say: 'Booked.', go: '@end' },
    },
  }
  const id = await newDesk(tenant, { script: loop })
  const result = await resultOf(tenant, id, {
    steps: [
      { says: 'On 2027-03-01.', expect: [{ type: 'says', any_of: ['full'] }] },
      { says: 'On 2027-03-02.', expect: [{ type: 'says', any_of: ['booked'] }] },
    ],
    tool_answers: [
      { tool: 'book_slot', error: 'full', once: true },
      { tool: 'book_slot', result: 'ok' },
    ],
    expect: [{ type: 'calls_tool', tool: 'book_slot', times: 2 }],
  })
  assert.deepEqual([result.status, sentencesIn(result)], ['passed', []])
})

const expectations: [string, object, string | undefined][] = [
  ['all words of a phrase', { type: 'says', any_of: ['open at nine'] }, 'The agent did not say "open at nine".'],
  ['one of several phrases', { type: 'says', any_of: ['seven', 'nine to six'] }, undefined],
  [
    'none of them',
    { type: 'says', any_of: ['seven', 'eight', 'ten'] },
    'The agent said none of "seven", "eight" and 1 other phrase.',
  ],
  ['numbers and words', { type: 'says', any_of: ['9 to 6'] }, undefined],
  ['words with a typo', { type: 'says', any_of: ['opening desks', 'opne from nine', 'front dexk'] }, undefined],
  ['a pattern', { type: 'says', any_of: ['/FROM (nine|9)/'] }, undefined],
  ['a pattern that fails', { type: 'says', any_of: ['/^from/'] }, 'The agent did not say "/^from/".'],
  [
    'words that must not be said',
    { type: 'never_says', any_of: ['open from nine'] },
    'The agent said "open from nine".',
  ],
  ['a tool that must be called', { type: 'calls_tool', tool: 'book_slot' }, 'The agent did not call book_slot.'],
  ['a tool that must not', { type: 'never_calls_tool', tool: 'book_slot' }, undefined],
  ['a result', { type: 'result', name: 'date', equals: '2027-03-01' }, 'The result date was not collected.'],
  ['no result', { type: 'result', name: 'date', equals: null }, undefined],
  [
    'an end',
    { type: 'ends', how: 'handed_over' },
    'How it ended: it did not end by itself, and not: it was handed over.',
  ],
  ['a limit of turns', { type: 'at_most', turns: 1 }, 'It took 2 turns, and at most 1 are allowed.'],
  ['a limit of tokens', { type: 'at_most', tokens: 0, cost_micros: 0 }, undefined],
]

for (const [what, expectation, sentence] of expectations)
  test(`an expectation checks ${what}`, async () => {
    const tenant = await workspace()
    const id = await newDesk(tenant)
    const result = await resultOf(tenant, id, { steps: [{ says: 'When are you open?' }], expect: [expectation] })
    assert.deepEqual(sentencesIn(result), sentence === undefined ? [] : [sentence])
    assert.equal(result.status, sentence === undefined ? 'passed' : 'failed')
  })

test('the contact may begin', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant)
  const { conversation_id } = await resultOf(tenant, id, { begins: 'contact', steps: [ask_hours] })
  const [[first]] = (await turnsOf(tenant, conversation_id)) as [[string, string]]
  assert.equal(first, 'contact')
})

test('a test that gives the same each time is played once, however often it is to be repeated', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant)
  const result = await resultOf(tenant, id, { steps: [ask_hours] }, { repeat: 20 })
  assert.deepEqual([result.status, result.passes, result.runs], ['passed', 1, 1])
})

test('a run counts its results', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant)
  await addTest(tenant, id, { name: 'Good', steps: [ask_hours] })
  await addTest(tenant, id, { name: 'Bad', steps: [{ says: 'Hi', expect: [{ type: 'says', any_of: ['seven'] }] }] })
  await addTest(tenant, id, { name: 'Fine', steps: [ask_hours] })
  const run = await runTests(tenant, id)
  const { status, tests, done, passed, failed, errors } = run
  assert.deepEqual(
    { status, tests, done, passed, failed, errors },
    {
      status: 'completed',
      tests: 3,
      done: 3,
      passed: 2,
      failed: 1,
      errors: 0,
    },
  )
  assert.deepEqual(
    run.results.map(({ name }: { name: string }) => name),
    ['Bad', 'Good', 'Fine'],
  )
  assert.ok(run.created_at <= run.started_at && run.started_at <= run.ended_at)
  const failures = await tenant.call('GET', `/test_runs/${run.id}/results?status=failed`)
  assert.equal(failures.body.pagination.total, 1)
})

test('a tool of the workspace that has the name of a later built-in one is answered by the test', async () => {
  const tenant = await workspace()
  const nodes = {
    look: { say: 'Hello.', on: [{ hear: ['hours'], go: 'find' }], else: { say: 'Sorry?' } },
    find: { tool: 'search_knowledge', with: { day: 'Monday' }, ok: 'done', failed: 'done' },
    done: { say: 'Goodbye!', go: '@end' },
  }
  const id = await newDesk(tenant, { script: { start: 'look', nodes }, tools: ['search_knowledge'] })
  await pool.run(sql`update tools set name = 'search_knowledge' where workspace_id = ${tenant.id}`)
  const result = await resultOf(tenant, id, { steps: [{ says: 'The hours' }] })
  assert.deepEqual(sentencesIn(result), [
    'The agent called search_knowledge with {"day":"Monday"}, and no tool answer fits.',
  ])
})

test('a tool of a server whose schema makes no sense is answered by the test all the same', async () => {
  const near = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
  const tenant = await near.workspace()
  const inputSchema = { type: 'object' as const, required: 'x', properties: { day: { anyOf: {}, type: 7 } } }
  const { url } = await mcpServer({ tools: [{ name: 'book', inputSchema }] })
  await create(tenant, '/tools', { kind: 'mcp', name: 'crm', url })
  const book = { ...desk_script.nodes.book, tool: 'crm__book' }
  const script = { ...desk_script, nodes: { ...desk_script.nodes, book } }
  const id = (await create(tenant, '/agents', { name: 'Desk', script, tools: ['crm__book'] })).id
  const result = await resultOf(tenant, id, {
    steps: [
      { says: 'I want an appointment' },
      { says: 'tomorrow', expect: [{ type: 'says', any_of: ['Booked for'] }] },
    ],
    tool_answers: [{ tool: 'crm__book', result: { is_booked: true } }],
  })
  assert.deepEqual([result.status, sentencesIn(result)], ['passed', []])
})
