import assert from 'node:assert/strict'
import { test } from 'node:test'
import { removeOld } from '../../server/agent-tests/retention.ts'
import * as retention from '../../server/conversations/erase.ts'
import * as clock from '../../server/kit/clock.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { desk_script, getRun, newDesk, startRun } from '../support/agent-tests.ts'
import { unknown_id } from '../support/contacts.ts'
import {
  answersAfter,
  becomes,
  begin,
  create,
  newAgent,
  newModelAgent,
  say,
  startAnswering,
  turnsOf,
} from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { choosingServer, openaiServer } from '../support/model-servers.ts'
import { receiver, respondWith } from '../support/receivers.ts'
import { newContact, newTool } from '../support/samples.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
startAnswering(server)
const { workspace, pool } = server

/** A closed conversation with the example agent, in which a contact has asked for the hours. */
async function talked(
  tenant: Tenant,
  agent_id: string,
  { lines = ['When are you open?', 'No'], ...more }: { lines?: string[]; [name: string]: unknown } = {},
) {
  const { id } = await begin(tenant, agent_id, more)
  await answersAfter(tenant, id, 0)
  for (const line of lines) await answersAfter(tenant, id, (await say(tenant, id, line)).seq)
  await tenant.call('POST', `/conversations/${id}/close`)
  await becomes(tenant, id, ({ status }) => status === 'closed')
  return id
}

async function replayed(tenant: Tenant, agent_id: string, body: object = {}, last = 50) {
  const { id } = await startRun(tenant, agent_id, { replay: { last }, ...body })
  await tenant.work()
  return getRun(tenant, id)
}

const changed_script = JSON.parse(JSON.stringify(desk_script).replace('from nine to six', 'from eight to six'))

async function publish({ call }: Tenant, agent_id: string, change: object): Promise<string> {
  await call('PATCH', `/agents/${agent_id}`, change)
  return (await call('POST', `/agents/${agent_id}/versions`)).body.data.id
}

test('the version that is deployed says what it has said', async () => {
  const tenant = await workspace()
  const agent_id = await newDesk(tenant)
  const source = await talked(tenant, agent_id)
  const { results, ...run } = await replayed(tenant, agent_id)
  assert.deepEqual(
    [run.kind, run.status, run.tests, run.done, run.passed, run.failed, run.errors],
    ['replay', 'completed', 1, 1, 1, 0, 0],
  )
  const [result] = results
  assert.deepEqual(
    [
      result.kind,
      result.test_id,
      result.source_conversation_id,
      result.status,
      result.differences,
      result.is_repeatable,
    ],
    ['replay', null, source, 'passed', [], true],
  )
  assert.deepEqual(await turnsOf(tenant, result.conversation_id), await turnsOf(tenant, source))
  const kept = (await tenant.call('GET', `/conversations/${result.conversation_id}`)).body.data
  assert.deepEqual([kept.is_test, kept.contact_id], [true, null])
})

test('a version that answers, ends, collects and calls differently is reported, at the turns', async () => {
  const tenant = await workspace()
  const agent_id = await newDesk(tenant)
  const source = await talked(tenant, agent_id)
  const version_id = await publish(tenant, agent_id, { script: changed_script })
  const [result] = (await replayed(tenant, agent_id, { version_id })).results
  assert.equal(result.status, 'failed')
  assert.deepEqual(result.differences, [
    {
      what: 'answer',
      seq: 2,
      recorded: 'We are open from nine to six. Anything else?',
      replayed: 'We are open from eight to six. Anything else?',
      deployed: 'We are open from nine to six. Anything else?',
      is_by_chance: false,
    },
  ])
  assert.equal(result.failures[0].sentence, 'It differs in an answer. First after turn 2 of the stored conversation.')
  assert.equal(result.conversation_ids.length, 2, 'one of each version')

  const greet = { say: desk_script.nodes.greet.say, else: { say: 'Yes?' } }
  await tenant.call('PATCH', `/agents/${agent_id}`, { script: { start: 'greet', nodes: { greet } } })
  const [draft] = (await replayed(tenant, agent_id, { use_draft: true })).results
  const { differences } = draft
  assert.deepEqual(
    differences.map(({ what, seq }: { what: string; seq: number }) => [what, seq]),
    [
      ['answer', 2],
      ['answer', 4],
      ['end', null],
    ],
  )
  const { recorded, replayed: ended, deployed } = differences[2]
  assert.deepEqual([recorded, ended, deployed], ['agent_ended', null, 'agent_ended'])
  assert.equal(draft.source_conversation_id, source)
})

test('what the deployed version does differently today too is by chance', async () => {
  const tenant = await workspace()
  const agent_id = await newDesk(tenant)
  await talked(tenant, agent_id)
  await publish(tenant, agent_id, { script: changed_script })
  const versions = (await tenant.call('GET', `/agents/${agent_id}/versions`)).body.data
  await tenant.call('POST', `/agents/${agent_id}/deploy`, { version_id: versions[0].id })
  const [result] = (await replayed(tenant, agent_id)).results
  assert.deepEqual([result.status, result.failures], ['passed', []])
  assert.deepEqual(
    result.differences.map(({ what, is_by_chance }: { what: string; is_by_chance: boolean }) => [what, is_by_chance]),
    [['answer', true]],
  )
})

test('the last closed conversations are replayed, and no others', async () => {
  const tenant = await workspace()
  const agent_id = await newDesk(tenant)
  const none = await tenant.call('POST', `/agents/${agent_id}/test_runs`, { replay: { last: 5 } })
  assert.deepEqual([none.status, none.body.error.code], [409, 'INVALID_STATE'])
  const sources: string[] = []
  for (let index = 0; index < 3; index += 1)
    sources.push(await talked(tenant, agent_id, { lines: ['When are you open?'] }))
  await talked(tenant, agent_id, { is_test: true })
  await talked(tenant, agent_id, { lines: [] })
  await tenant.call('POST', `/conversations/${await talked(tenant, agent_id)}/redact`)
  await begin(tenant, agent_id, { message: 'Hello' })
  await talked(tenant, await newAgent(tenant, { script: desk_script, tools: ['book_slot'] }))
  const { results } = await replayed(tenant, agent_id, {}, 2)
  assert.deepEqual(
    results.map((one: { source_conversation_id: string }) => one.source_conversation_id),
    [sources[2], sources[1]],
  )
  assert.equal((await replayed(tenant, agent_id)).tests, 3, 'replays are not replayed')
})

test('tools are answered as they were, and calls that differ are reported', async () => {
  const tenant = await workspace()
  const there = await receiver(respondWith(200, { 'content-type': 'application/json' }, '{"ok":true}'))
  const { name } = await create(tenant, '/tools', newTool({ url: there.url, parameters: { type: 'object' } }))
  const scriptWith = (day: string) => ({
    start: 'day',
    nodes: {
      day: { say: 'Which day?', on: [{ slot: 'date', go: 'book' }], else: { say: 'Sorry?' } },
      book: { tool: name, with: { day }, ok: 'booked', failed: '@hand_over' },
      booked: { say: 'Booked.', go: '@end' },
    },
  })
  const agent_id = await newAgent(tenant, { script: scriptWith('{{date}}'), tools: [name] })
  const { id } = await begin(tenant, agent_id)
  await answersAfter(tenant, id, 0)
  await say(tenant, id, '2027-03-01')
  await becomes(tenant, id, ({ status }) => status === 'closed')
  const version_id = await publish(tenant, agent_id, { script: scriptWith('any') })
  assert.deepEqual((await replayed(tenant, agent_id)).results[0].differences, [])
  const { differences } = (await replayed(tenant, agent_id, { version_id })).results[0]
  assert.deepEqual(differences, [
    {
      what: 'tools',
      seq: 2,
      recorded: [{ name, arguments: { day: '2027-03-01' } }],
      replayed: [{ name, arguments: { day: 'any' } }],
      deployed: [{ name, arguments: { day: '2027-03-01' } }],
      is_by_chance: false,
    },
  ])
  assert.equal(there.received.length, 1, 'it was really called only in the conversation')
})

test('a model is asked again, for both versions, with the recorded answers of tools', async () => {
  const tenant = await workspace()
  const model = await openaiServer({ words: ['Same', ' words.'] })
  const agent_id = await newModelAgent(tenant, model, { instructions: 'Be kind.' })
  const { id } = await begin(tenant, agent_id, { message: 'Hi' })
  await answersAfter(tenant, id, 1)
  await tenant.call('POST', `/conversations/${id}/close`)
  // Besides the summary of the conversation.
  const countAsked = () => model.received.filter(({ body }) => !body.includes('Summarize')).length
  const asked = countAsked()
  const run = await replayed(tenant, agent_id)
  assert.deepEqual([run.results[0].status, run.results[0].is_repeatable], ['passed', false])
  assert.equal(countAsked(), asked + 2)
  assert.ok(run.usage.input_tokens > 0)
})

/** The conversations, and texts in differences, that replays of this agent keep. */
async function keptOf(tenant: Tenant, run_id: string) {
  const [result] = (await getRun(tenant, run_id)).results
  const trials = (await tenant.call('GET', '/conversations?is_test=true')).body.pagination.total
  const rows = await pool.many<{ found: string }>(
    sql`select text as found from conversation_turns where workspace_id = ${tenant.id} and text ilike '%Zerlina%'
      union all select differences::text from test_run_results
      where workspace_id = ${tenant.id} and differences::text ilike '%Zerlina%'`,
  )
  return { result, trials, words: rows.length }
}

const forgets: Record<string, (tenant: Tenant, ids: { source: string; contact_id: string }) => Promise<void>> = {
  'the conversation is redacted': async ({ call }, { source }) => {
    assert.equal((await call('POST', `/conversations/${source}/redact`)).status, 200)
  },
  'the contact is deleted': async ({ call }, { contact_id }) => {
    assert.equal((await call('DELETE', `/contacts/${contact_id}`)).status, 200)
  },
  'the conversation is deleted because it is old': async ({ id }) => {
    const at = server.at(id, clock.wall() + 2 * clock.day_ms)
    await retention.removeOld(at, { conversations_keep_days: 1, tool_runs_keep_days: null })
  },
  'thirty days have gone by': async ({ id, call }, { source }) => {
    await removeOld(server.at(id, clock.wall() + 31 * clock.day_ms))
    await call('POST', `/conversations/${source}/redact`)
  },
}

for (const [what, forget] of Object.entries(forgets)) {
  test(`what was said again is deleted when ${what}`, async () => {
    const tenant = await workspace()
    const agent_id = await newDesk(tenant)
    const contact = await create(tenant, '/contacts', newContact({ first_name: ' Zerlina' }))
    const source = await talked(tenant, agent_id, {
      contact_id: contact.id,
      lines: ['I am Zerlina. When are you open?'],
    })
    const version_id = await publish(tenant, agent_id, {
      script: { start: 'hi', nodes: { hi: { say: 'Good day {{contact.first_name}}', else: { go: 'hi' } } } },
    })
    const run = await replayed(tenant, agent_id, { version_id })
    const before = await keptOf(tenant, run.id)
    assert.ok(before.words > 0 && before.result.differences.length > 0 && before.result.conversation_ids.length === 2)
    await forget(tenant, { source, contact_id: contact.id })
    const { result, words, trials } = await keptOf(tenant, run.id)
    assert.deepEqual(
      [result.status, result.differences, result.conversation_ids, result.conversation_id, trials],
      ['failed', [], [], null, 0],
    )
    // The conversation itself stays when its contact is deleted.
    assert.ok(words <= (what === 'the contact is deleted' ? 2 : 0), String(words))
  })
}

test('the differences go with a conversation of the replay that is redacted', async () => {
  const tenant = await workspace()
  const agent_id = await newDesk(tenant)
  await talked(tenant, agent_id)
  const version_id = await publish(tenant, agent_id, { script: changed_script })
  const run = await replayed(tenant, agent_id, { version_id })
  const [result] = run.results
  assert.equal(result.differences.length, 1)
  await tenant.call('POST', `/conversations/${result.conversation_id}/redact`)
  assert.deepEqual((await getRun(tenant, run.id)).results[0].differences, [])
})

test('of what is redacted while it is said again nothing is kept', async () => {
  const tenant = await workspace()
  const agent_id = await newDesk(tenant)
  const source = await talked(tenant, agent_id)
  const { id } = await startRun(tenant, agent_id, { replay: { last: 1 } })
  await tenant.call('POST', `/conversations/${source}/redact`)
  await tenant.work()
  const { status, errors, results } = await getRun(tenant, id)
  assert.deepEqual([status, errors, results[0].conversation_ids], ['completed', 1, []])
  assert.match(results[0].error, /deleted or redacted/)
})

test('tokens count also if the conversation is redacted while a model says it again', async () => {
  const tenant = await workspace()
  let beforeWord = async () => {}
  const model = await choosingServer(() => ({ words: ['Hello.'], beforeWord }))
  const agent_id = await newModelAgent(tenant, model, { instructions: 'Be kind.' })
  const { id: source } = await begin(tenant, agent_id, { message: 'Hi' })
  await answersAfter(tenant, source, 1)
  await tenant.call('POST', `/conversations/${source}/close`)
  await becomes(tenant, source, ({ status }) => status === 'closed')
  const { id } = await startRun(tenant, agent_id, { replay: { last: 1 } })
  beforeWord = async () => {
    assert.equal((await tenant.call('POST', `/conversations/${source}/redact`)).status, 200)
  }
  await tenant.work()
  const { usage, errors, results } = await getRun(tenant, id)
  assert.match(results[0].error, /deleted or redacted meanwhile/)
  const both = { input_tokens: 24, output_tokens: 6 }
  assert.deepEqual([errors, results[0].conversation_ids, results[0].usage, usage], [1, [], both, both])
})

test('a replay needs the right to read conversations, and shows their words to nobody without it', async () => {
  const tenant = await workspace()
  const agent_id = await newDesk(tenant)
  await talked(tenant, agent_id)
  const version_id = await publish(tenant, agent_id, { script: changed_script })
  const run = await replayed(tenant, agent_id, { version_id })
  const headers = { authorization: `Bearer ${await tenant.newKey({ scopes: ['agents:read', 'agents:write'] })}` }
  const refused = await tenant.call('POST', `/agents/${agent_id}/test_runs`, { replay: { last: 1 } }, headers)
  assert.deepEqual([refused.status, refused.body.error.details.required_scope], [403, 'conversations:read'])
  for (const path of [`/test_runs/${run.id}`, `/test_runs/${run.id}/results`]) {
    const { text, status } = await tenant.call('GET', path, undefined, headers)
    assert.equal(status, 200)
    assert.ok(text.includes('"what":"answer"') && !text.includes('from eight'), text)
  }
})

test('a replay takes no tests and no repeats', async () => {
  const tenant = await workspace()
  const agent_id = await newDesk(tenant)
  for (const more of [{ repeat: 2 }, { test_ids: [agent_id] }]) {
    const { status, body } = await tenant.call('POST', `/agents/${agent_id}/test_runs`, {
      replay: { last: 1 },
      ...more,
    })
    assert.deepEqual([status, body.error.details.fields[0].code], [400, 'conflict'])
  }
})

test('of an agent that does not exist nothing is replayed', async () => {
  const tenant = await workspace()
  for (const id of [unknown_id, 'none']) {
    const refused = await tenant.call('POST', `/agents/${id}/test_runs`, { replay: { last: 1 } })
    assert.equal(refused.status, 404, refused.text)
  }
})
