import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resultOf, sentencesIn } from '../support/agent-tests.ts'
import { newAgent } from '../support/conversations.ts'
import { addDocument } from '../support/documents.ts'
import { serve } from '../support/harness.ts'
import { receiver } from '../support/receivers.ts'
import { newProvider } from '../support/samples.ts'

/** Tests of agents that look things up in documents. */

const { workspace } = await serve({ outbound_allow_hosts: ['127.0.0.1'] })

const script = {
  start: 'ask',
  nodes: { ask: { say: 'Hello.', answer_from_knowledge: true, else: { say: 'I do not know that.' } } },
}

test('an answer from a document cites it, and an unanswered question of a test is not listed', async () => {
  const tenant = await workspace()
  const shop = await addDocument(tenant, 'Shop', '# Parking\n\nYou can park in the yard behind the house.', {
    tags: ['shop'],
  })
  const other = await addDocument(tenant, 'Other', '# Vouchers\n\nVouchers are valid for three years.', {
    tags: ['other'],
  })
  const agent_id = await newAgent(tenant, { script, knowledge: { tags: ['shop'] } })
  const cites = (document_id: string) => ({
    steps: [{ says: 'Where can I park?', expect: [{ type: 'cites', document_id }] }],
  })
  const passed = await resultOf(tenant, agent_id, cites(shop.id))
  assert.deepEqual([passed.status, passed.is_repeatable], ['passed', true])
  const failed = await resultOf(tenant, agent_id, cites(other.id))
  assert.deepEqual(sentencesIn(failed), ['The agent cited other documents only.'])
  const silent = await resultOf(tenant, agent_id, {
    steps: [{ says: 'Do you sell vouchers?', expect: [{ type: 'cites', document_id: shop.id }] }],
  })
  assert.deepEqual(sentencesIn(silent), ['The agent cited no document.'])
  const unanswered = await tenant.call('GET', '/documents/unanswered')
  assert.deepEqual(unanswered.body.data, [])
})

test('the expectation cites needs a document', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant, { script, knowledge: { tags: ['shop'] } })
  const body = { name: 'A test', kind: 'conversation', steps: [{ says: 'Hello', expect: [{ type: 'cites' }] }] }
  const { status, body: answer } = await tenant.call('POST', `/agents/${agent_id}/tests`, body)
  assert.equal(status, 400)
  assert.equal(answer.error.details.fields[0].path, 'steps.0.expect.0.document_id')
})

const asks_for_parking = {
  steps: [{ says: 'Where can I park?', expect: [{ type: 'says', any_of: ['behind the house'] }] }],
}

test('a script that looks documents up is repeatable unless a model ranks them', async () => {
  const tenant = await workspace()
  const { id: document_id } = await addDocument(tenant, 'Shop', 'You can park behind the house.')
  const agent_id = await newAgent(tenant, { script, knowledge: { document_ids: [document_id] } })
  const played = async () => {
    const { status, runs, is_repeatable } = await resultOf(tenant, agent_id, asks_for_parking, { repeat: 3 })
    return { status, runs, is_repeatable }
  }
  assert.deepEqual(await played(), { status: 'passed', runs: 1, is_repeatable: true })
  const model = await receiver((response) => {
    const { input } = JSON.parse(model.received.at(-1)?.body ?? '{}')
    const data = input.map((_: string, index: number) => ({ index, embedding: [1, 2] }))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
  })
  const provider = newProvider({ base_url: model.url.replace('/hook', '/v1'), embedding_model: 'words' })
  await tenant.call('POST', '/providers', provider)
  assert.deepEqual(await played(), { status: 'passed', runs: 3, is_repeatable: false })
})
