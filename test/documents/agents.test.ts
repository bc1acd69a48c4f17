import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  answersAfter,
  askedOf,
  becomes,
  begin,
  newAgent,
  newModelAgent,
  say,
  startAnswering,
} from '../support/conversations.ts'
import { addDocument, find, readDocument } from '../support/documents.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { openaiServer } from '../support/model-servers.ts'
import { receiver, respondWith } from '../support/receivers.ts'
import { newProvider } from '../support/samples.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
startAnswering(server)

const shop =
  '# Shop\n\n## Parking\n\nYou can park in the yard behind the house. It costs nothing.\n\n## Returns\n\nReturn shoes within 30 days.\n'

const script = {
  start: 'ask',
  nodes: {
    ask: {
      say: 'Hello. What would you like to know?',
      answer_from_knowledge: true,
      on: [{ intent: 'goodbye', say: 'Goodbye!', go: '@end' }],
      else: { say: 'I do not know that.' },
    },
  },
}

const asking = async (tenant: Tenant, knowledge: object = { tags: ['shop'] }): Promise<string> =>
  newAgent(tenant, { script, knowledge })

/** Begins a conversation, and waits for the greeting. */
async function greeted(tenant: Tenant, agent_id: string): Promise<string> {
  const { id } = await begin(tenant, agent_id)
  await becomes(tenant, id, ({ turn_count }) => turn_count === 1)
  return id
}

/** Says something and returns the answer. */
async function ask(tenant: Tenant, id: string, text: string) {
  const { seq } = await say(tenant, id, text)
  return (await answersAfter(tenant, id, seq)).at(-1)
}

test('a script answers from documents, word for word, and names the passage', async () => {
  const tenant = await server.workspace()
  const document = await addDocument(tenant, 'Shop', shop, { tags: ['shop'] })
  const id = await greeted(tenant, await asking(tenant))
  const turn = await ask(tenant, id, 'Where can I park?')
  assert.equal(turn.text, 'You can park in the yard behind the house. It costs nothing.')
  const [passage] = await find(tenant, 'Where can I park?')
  assert.deepEqual(turn.citations, [
    { document_id: document.id, passage_id: Object(passage).id, title: 'Shop › Parking', url: null },
  ])
  assert.deepEqual([turn.script.step, turn.script.reason], ['ask', 'knowledge'])
  const events = (await tenant.call('GET', '/events?type=conversation.turn')).body.data
  assert.ok(events.some(({ data }: { data: { turn: { citations: unknown[] } } }) => data.turn.citations.length === 1))
  const next = await ask(tenant, id, 'How long can I return shoes?')
  assert.equal(next.text, 'Return shoes within 30 days.')
  assert.equal((await ask(tenant, id, 'Goodbye')).citations.length, 0)
})

test('a script that finds nothing goes to else, and the question is listed until the conversation is redacted', async () => {
  const tenant = await server.workspace()
  await addDocument(tenant, 'Shop', shop, { tags: ['shop'] })
  const agent_id = await asking(tenant)
  const id = await greeted(tenant, agent_id)
  const turn = await ask(tenant, id, 'Do you sell gift vouchers?')
  assert.deepEqual([turn.text, turn.citations], ['I do not know that.', []])
  const listed = (await tenant.call('GET', '/documents/unanswered')).body.data
  assert.equal(listed.length, 1)
  const { question, ...about } = listed[0]
  assert.equal(question, 'Do you sell gift vouchers?')
  assert.deepEqual([about.agent_id, about.conversation_id], [agent_id, id])
  await ask(tenant, id, 'Where can I park?')
  assert.equal((await tenant.call('GET', '/documents/unanswered')).body.data.length, 1)
  await tenant.call('POST', `/conversations/${id}/redact`)
  assert.deepEqual((await tenant.call('GET', '/documents/unanswered')).body.data, [])
  const turns = (await tenant.call('GET', `/conversations/${id}/turns`)).body.data
  assert.ok(turns.every(({ citations }: { citations: unknown[] }) => citations.length === 0))
})

test('the first words of the contact may be the question', async () => {
  const tenant = await server.workspace()
  await addDocument(tenant, 'Shop', shop, { tags: ['shop'] })
  const { id } = await begin(tenant, await asking(tenant), { message: 'Where can I park?' })
  assert.equal(
    (await answersAfter(tenant, id, 1))[0].text,
    'You can park in the yard behind the house. It costs nothing.',
  )
})

test('an agent looks up only what it was given', async () => {
  const tenant = await server.workspace()
  await addDocument(tenant, 'Shop', shop, { tags: ['other'] })
  const mine = await addDocument(tenant, 'Mine', 'You can park at the church.')
  const by_tag = await begin(tenant, await asking(tenant), { message: 'Where can I park?' })
  assert.equal((await answersAfter(tenant, by_tag.id, 1))[0].text, 'Hello. What would you like to know?')
  const by_id = await begin(tenant, await asking(tenant, { document_ids: [mine.id] }), { message: 'Where can I park?' })
  assert.equal((await answersAfter(tenant, by_id.id, 1))[0].text, 'You can park at the church.')
})

test('a model gets the tool, and the turn cites what the answer is based on', async () => {
  const tenant = await server.workspace()
  const document = await addDocument(tenant, 'Shop', shop, { tags: ['shop'] })
  const model = await openaiServer({
    words: ['You can park ', 'behind the house.'],
    tool_call: { name: 'search_knowledge', arguments: { query: 'parking and shoes' } },
    calls_once: true,
  })
  const agent_id = await newModelAgent(tenant, model, { knowledge: { document_ids: [document.id] } })
  const { id } = await begin(tenant, agent_id, { message: 'Where can I park?' })
  await becomes(tenant, id, ({ is_answering }) => !is_answering)
  const turn = (await tenant.call('GET', `/conversations/${id}/turns`)).body.data.at(-1)
  assert.deepEqual([turn.tools[0].name, turn.tools[0].status], ['search_knowledge', 'succeeded'])
  assert.equal(turn.tools[0].result.passages.length, 2)
  assert.deepEqual(
    turn.citations.map(({ title }: { title: string }) => title),
    ['Shop › Parking'],
  )
  const [asked] = askedOf(model)
  assert.ok(asked.tools.some((tool: { function: { name: string } }) => tool.function.name === 'search_knowledge'))
  assert.match(asked.messages[0].content, /Call search_knowledge/)
})

test('a model without knowledge does not get the tool', async () => {
  const tenant = await server.workspace()
  const model = await openaiServer({ words: ['Hello.'] })
  const { id } = await begin(tenant, await newModelAgent(tenant, model), { message: 'Hello' })
  await becomes(tenant, id, ({ is_answering }) => !is_answering)
  assert.doesNotMatch(model.received[0]?.body ?? '', /search_knowledge/)
})

test('what an agent names must exist, and is not deleted', async () => {
  const tenant = await server.workspace()
  const { id: document_id } = await addDocument(tenant, 'Shop', shop)
  const unknown = '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'
  const refused = await tenant.call('POST', '/agents', {
    name: 'A',
    knowledge: { document_ids: [document_id, unknown] },
  })
  assert.deepEqual([refused.status, refused.body.error.details.fields[0].path], [400, 'knowledge.document_ids.1'])
  const both = await tenant.call('POST', '/agents', {
    name: 'A',
    knowledge: { tags: ['a'], document_ids: [document_id] },
  })
  assert.deepEqual([both.status, both.body.error.details.fields[0].code], [400, 'conflict'])
  const script_without = await tenant.call('POST', '/agents', { name: 'A', script })
  assert.deepEqual([script_without.status, script_without.body.error.details.fields[0].path], [400, 'knowledge'])
  const agent_id = await newAgent(tenant, { knowledge: { document_ids: [document_id] } })
  const kept = await tenant.call('DELETE', `/documents/${document_id}`)
  assert.deepEqual([kept.status, kept.body.error.details.used_by], [409, [{ kind: 'agent', id: agent_id }]])
  await tenant.call('PATCH', `/agents/${agent_id}`, { knowledge: null })
  await tenant.call('POST', `/agents/${agent_id}/versions`, { deploy: true })
  assert.equal((await tenant.call('DELETE', `/documents/${document_id}`)).status, 200)
})

test('knowledge is part of a version', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant)
  await tenant.call('PATCH', `/agents/${agent_id}`, { knowledge: { tags: ['shop'] } })
  const agent = (await tenant.call('GET', `/agents/${agent_id}`)).body.data
  assert.deepEqual([agent.has_unpublished_changes, agent.draft.knowledge], [true, { tags: ['shop'] }])
})

test('a web chat gets links to documents from a URL, and no others', async () => {
  const tenant = await server.workspace()
  const page = await receiver(respondWith(200, { 'content-type': 'text/plain' }, 'You can park behind the house.'))
  await readDocument(tenant, await tenant.call('POST', '/documents', { url: page.url, name: 'Page', tags: ['shop'] }))
  await addDocument(tenant, 'Shop', 'Return shoes within 30 days.', { tags: ['shop'] })
  const { public_url } = await tenant.addChannel({
    kind: 'web_chat',
    provider: 'web',
    agent_id: await asking(tenant),
  })
  const path = new URL(String(public_url)).pathname
  const { token } = (await server.fetch('POST', `${path}/sessions`, {})).body.data
  const headers = { authorization: `Bearer ${token}` }
  const links: Record<string, unknown> = {}
  for (const text of ['Where can I park?', 'How long can I return shoes?']) {
    const { conversation_id } = (await server.fetch('POST', `${path}/messages`, { text }, headers)).body.data
    await becomes(tenant, conversation_id, ({ is_answering }) => !is_answering)
    const { turns } = (await server.fetch('GET', `${path}/session`, undefined, headers)).body.data
    links[turns.at(-1).text] = turns.at(-1).links
  }
  assert.deepEqual(links, {
    'You can park behind the house.': [{ title: 'Page', url: page.url }],
    'Return shoes within 30 days.': undefined,
  })
})

test('with an embedding model, passages are ranked by what they mean', async () => {
  const tenant = await server.workspace()
  // The first number says how much a text is about money.
  const model = await receiver((response) => {
    const { input } = JSON.parse(model.received.at(-1)?.body ?? '{}')
    const data = input.map((text: string, index: number) => ({
      index,
      embedding: /price|fee/.test(text) ? [3, 1] : [0, 2],
    }))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
  })
  await addDocument(tenant, 'A', 'Membership, membership and membership: all about the membership.')
  await addDocument(tenant, 'B', 'The fee of a membership is five euros.')
  const titles = async () => (await find(tenant, 'price of the membership')).map(({ title }) => title)
  assert.deepEqual(await titles(), ['A', 'B'])
  const provider = newProvider({ base_url: model.url.replace('/hook', '/v1'), embedding_model: 'words' })
  const { id } = (await tenant.call('POST', '/providers', provider)).body.data
  await tenant.work()
  assert.deepEqual(await titles(), ['B', 'A'])
  assert.equal(model.received[0]?.path, '/v1/embeddings')
  await tenant.call('PATCH', `/providers/${id}`, { embedding_model: null })
  assert.deepEqual(await titles(), ['A', 'B'])
})

test('an embedding model that answers with far more than vectors is not used', async () => {
  const tenant = await server.workspace()
  const model = await receiver((response) => {
    const { input } = JSON.parse(model.received.at(-1)?.body ?? '{}')
    const data = input.map((text: string) => ({ embedding: /price|fee/.test(text) ? [3, 1] : [0, 2] }))
    const more = Array(200_000).fill(0)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data, more }))
  })
  await addDocument(tenant, 'A', 'Membership, membership and membership: all about the membership.')
  await addDocument(tenant, 'B', 'The fee of a membership is five euros.')
  const provider = newProvider({ base_url: model.url.replace('/hook', '/v1'), embedding_model: 'words' })
  await tenant.call('POST', '/providers', provider)
  await tenant.work()
  assert.deepEqual(
    (await find(tenant, 'price of the membership')).map(({ title }) => title),
    ['A', 'B'],
  )
  assert.ok(model.received.length > 0)
})

test('what has no vectors yet keeps its place among what has', async () => {
  const tenant = await server.workspace()
  const model = await receiver((response) => {
    const { input } = JSON.parse(model.received.at(-1)?.body ?? '{}')
    if (input.some((text: string) => text.startsWith('Late'))) return response.writeHead(500).end()
    const data = input.map((text: string) => ({ embedding: /price|fee/.test(text) ? [3, 1] : [0, 2] }))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
  })
  await addDocument(tenant, 'A', 'Membership, membership and membership: all about the membership.')
  await addDocument(tenant, 'B', 'The fee of a membership is five euros.')
  const provider = newProvider({ base_url: model.url.replace('/hook', '/v1'), embedding_model: 'words' })
  await tenant.call('POST', '/providers', provider)
  await tenant.work()
  await addDocument(tenant, 'C', '# Late\n\nThe price of the membership, and the membership.')
  assert.deepEqual(
    (await find(tenant, 'price of the membership')).map(({ title }) => title),
    ['C', 'B', 'A'],
  )
})

test('a question is not listed if its conversation was redacted while it was looked up', async () => {
  const tenant = await server.workspace()
  await addDocument(tenant, 'Shop', shop, { tags: ['shop'] })
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>()
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const model = await receiver(async (response) => {
    isAsked()
    await held
    response.writeHead(500).end()
  })
  const agent_id = await asking(tenant)
  const id = await greeted(tenant, agent_id)
  const provider = newProvider({ base_url: model.url.replace('/hook', '/v1'), embedding_model: 'words' })
  await tenant.call('POST', '/providers', provider)
  const { seq } = await say(tenant, id, 'Do you sell gift vouchers?')
  await asked
  assert.equal((await tenant.call('POST', `/conversations/${id}/redact`)).status, 200)
  release()
  await answersAfter(tenant, id, seq).catch(() => {})
  assert.deepEqual((await tenant.call('GET', '/documents/unanswered')).body.data, [])
})

test('without an answer of the embedding model, words alone are found', async () => {
  const tenant = await server.workspace()
  const model = await receiver(respondWith(500))
  const provider = newProvider({ base_url: model.url.replace('/hook', '/v1'), embedding_model: 'words' })
  await tenant.call('POST', '/providers', provider)
  const document = await addDocument(tenant, 'Shop', shop)
  assert.equal(document.status, 'ready')
  assert.equal((await find(tenant, 'Where can I park?'))[0]?.title, 'Shop')
})
