import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTest, newDesk, resultOf, runTests, sentencesIn } from '../support/agent-tests.ts'
import { turnsOf } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'

const server = await serve()
const { workspace } = server

const patient_script = {
  start: 'greet',
  nodes: {
    greet: {
      say: 'Hello, how can I help?',
      on: [
        { hear: ['opening hours', 'are open'], say: 'We are open from nine to six.', go: 'more' },
        { intent: 'human', say: 'One moment, I will connect you.', go: '@hand_over' },
      ],
      else: { say: 'How can I help you today?' },
      silence: { say: 'Goodbye.', go: '@end' },
    },
    more: {
      say: 'Is there anything else?',
      on: [{ intent: 'no', say: 'Goodbye!', go: '@end' }],
      else: { say: 'Goodbye!', go: '@end' },
    },
  },
}

const person = (number: string, more: object = {}) => ({ kind: 'simulation', person: { number }, ...more })

test('a simulated person writes until the conversation ends', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant, { script: patient_script })
  const expect = [
    { type: 'says', any_of: ['open from nine'] },
    { type: 'ends', how: 'agent_ended' },
  ]
  const result = await resultOf(tenant, id, person('00', { expect }))
  assert.deepEqual([result.status, sentencesIn(result)], ['passed', []])
  const turns = await turnsOf(tenant, result.conversation_id)
  assert.deepEqual(
    turns.map(([role]) => role),
    ['agent', 'contact', 'agent', 'contact', 'agent'],
  )
})

test('someone who wants a person gets one, and someone who opts out does', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant, { script: patient_script })
  const handed_over = await resultOf(tenant, id, person('10', { expect: [{ type: 'ends', how: 'handed_over' }] }))
  assert.deepEqual(sentencesIn(handed_over), [])
  const silent = await resultOf(tenant, id, person('09'))
  assert.deepEqual(await turnsOf(tenant, silent.conversation_id), [['agent', 'Hello, how can I help?']])
})

test('a simulation ends after so many turns of the person', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant, { script: patient_script })
  const expect = [{ type: 'ends', how: 'limit' }]
  const result = await resultOf(tenant, id, person('00', { turns_max: 1, expect }))
  assert.deepEqual([result.status, sentencesIn(result)], ['passed', []])
  assert.equal((await turnsOf(tenant, result.conversation_id)).length, 3)
})

test('the seed of a person decides what it says', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant, { script: patient_script })
  const said = new Set<string>()
  for (let seed = 1; seed <= 8; seed += 1) {
    const { conversation_id } = await resultOf(tenant, id, { kind: 'simulation', person: { number: '00', seed } })
    said.add(JSON.stringify(await turnsOf(tenant, conversation_id)))
  }
  assert.ok(said.size > 1)
})

test('a simulated person is called, and what was heard is checked', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant, { script: patient_script })
  const expect = [
    { type: 'says', any_of: ['open from nine'] },
    { type: 'ends', how: 'agent_ended', end_reason: 'agent_hung_up' },
    { type: 'at_most', turns: 10, latency_ms: 5_000, tokens: 0 },
  ]
  const result = await resultOf(tenant, id, person('00', { medium: 'voice', expect }))
  assert.deepEqual([result.status, sentencesIn(result)], ['passed', []])
  const kept = (await tenant.call('GET', `/conversations/${result.conversation_id}`)).body.data
  assert.deepEqual([kept.kind, kept.is_test, kept.status, kept.contact_id], ['voice', true, 'closed', null])
  assert.equal((await tenant.call('GET', '/calls')).body.pagination.total, 0)
  const slow = await resultOf(
    tenant,
    id,
    person('00', { medium: 'voice', expect: [{ type: 'at_most', latency_ms: 1 }] }),
  )
  assert.match(sentencesIn(slow)[0] ?? '', /^It took \d+ ms for the slowest answer, and at most 1 are allowed\.$/)
})

test('nobody answers, or someone opts out, in a simulated call', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant, { script: patient_script })
  const unanswered = await resultOf(
    tenant,
    id,
    person('01', { medium: 'voice', expect: [{ type: 'ends', how: 'agent_ended' }] }),
  )
  assert.deepEqual(sentencesIn(unanswered), ['How it ended: it did not end by itself, and not: the agent ended it.'])
  const opted_out = await resultOf(
    tenant,
    id,
    person('11', { medium: 'voice', expect: [{ type: 'ends', how: 'opted_out' }] }),
  )
  assert.deepEqual(sentencesIn(opted_out), [])
  assert.equal((await tenant.call('GET', '/suppressions')).body.pagination.total, 0)
  assert.equal((await tenant.call('GET', '/consents')).body.pagination.total, 0)
  const limit = { type: 'ends', how: 'limit', end_reason: 'contact_hung_up' }
  const short = await resultOf(tenant, id, person('00', { medium: 'voice', turns_max: 1, expect: [limit] }))
  assert.deepEqual(sentencesIn(short), [])
})

test('a tool that is called in a simulated call is answered by the test', async () => {
  const tenant = await workspace()
  const script = {
    start: 'book',
    nodes: {
      book: { tool: 'book_slot', with: { day: '2027-03-01' }, ok: 'done', failed: '@end' },
      done: { say: 'It is booked for {{book_slot.at}}. Goodbye.', go: '@end' },
    },
  }
  const id = await newDesk(tenant, { script })
  const expect = [
    { type: 'calls_tool', tool: 'book_slot' },
    { type: 'says', any_of: ['booked for nine'] },
  ]
  const tool_answers = [{ tool: 'book_slot', result: { at: 'nine' } }]
  const answered = await resultOf(tenant, id, person('00', { medium: 'voice', expect, tool_answers }))
  assert.deepEqual(sentencesIn(answered), [])
  const unanswered = await resultOf(tenant, id, person('00', { medium: 'voice' }))
  assert.deepEqual(sentencesIn(unanswered), [
    'The agent called book_slot with {"day":"2027-03-01"}, and no tool answer fits.',
  ])
})

const steps = [
  { says: 'What are your opening hours?', expect: [{ type: 'says', any_of: ['nine to seven'] }] },
  { says: 'No, thanks.' },
]

/** Everything that a run shows and keeps, without ids and times. */
async function everythingOf(tenant: Tenant, id: string): Promise<string> {
  const run = await runTests(tenant, id)
  const junit = await tenant.call('GET', `/test_runs/${run.id}?format=junit`)
  const { data: results } = (await tenant.call('GET', `/test_runs/${run.id}/results?limit=100`)).body
  const conversations = []
  for (const { conversation_ids } of results)
    for (const one of conversation_ids) {
      const { data: conversation } = (await tenant.call('GET', `/conversations/${one}`)).body
      const { data: turns } = (await tenant.call('GET', `/conversations/${one}/turns?limit=100`)).body
      conversations.push({ conversation, turns })
    }
  const is_named = /(^id|_id|_ids|_at)$/
  const all = JSON.stringify({ run, results, conversations }, (name, value) =>
    is_named.test(name) && value !== null ? 'any' : value,
  )
  return `${all}\n${junit.text}`
}

test('the same run twice gives the same, but for ids and times', async () => {
  const tenant = await workspace()
  const id = await newDesk(tenant, { script: patient_script })
  await addTest(tenant, id, { name: 'Opening hours', steps })
  for (const number of ['00', '09', '10', '11', '12', '19']) {
    await addTest(tenant, id, { name: `Writes with ${number}`, ...person(number) })
    await addTest(tenant, id, { name: `Calls ${number}`, ...person(number, { medium: 'voice' }) })
  }
  const first = await everythingOf(tenant, id)
  assert.equal(await everythingOf(tenant, id), first)
  const other = await workspace()
  await other.addTestClock(Date.parse('2031-05-01T10:00:00Z'), 99)
  const copy = await newDesk(other, { script: patient_script })
  await addTest(other, copy, { name: 'Opening hours', steps })
  for (const number of ['00', '09', '10', '11', '12', '19']) {
    await addTest(other, copy, { name: `Writes with ${number}`, ...person(number) })
    await addTest(other, copy, { name: `Calls ${number}`, ...person(number, { medium: 'voice' }) })
  }
  assert.equal(await everythingOf(other, copy), first)
})
