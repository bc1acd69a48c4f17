import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resultOf } from '../support/agent-tests.ts'
import { newAgent } from '../support/conversations.ts'
import { addDocument } from '../support/documents.ts'
import { serve } from '../support/harness.ts'
import { receiver } from '../support/receivers.ts'
import { newProvider } from '../support/samples.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })

const script = {
  start: 'ask',
  nodes: { ask: { say: 'Hello.', answer_from_knowledge: true, else: { say: 'I do not know that.' } } },
}
const asks_for_parking = {
  steps: [{ says: 'Where can I park?', expect: [{ type: 'says', any_of: ['behind the house'] }] }],
}

test('a script that looks documents up is repeatable unless a model ranks them', async () => {
  const tenant = await server.workspace()
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
