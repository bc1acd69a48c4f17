import assert from 'node:assert/strict'
import { candidatesFor } from '../../../server/documents/search.ts'
import * as unanswered from '../../../server/documents/unanswered.ts'
import { work } from '../../../server/documents/work.ts'
import { inTransaction } from '../../../server/kit/at.ts'
import * as clock from '../../../server/kit/clock.ts'
import { newId } from '../../../server/kit/id.ts'
import { addDocument, find, readDocument, uploadDocument } from '../documents.ts'
import type { Server } from '../harness.ts'
import { receiver } from '../receivers.ts'
import { newProvider } from '../samples.ts'

/** Documents from their creation to their deletion, and what agents look up in them. */
export async function lookUp(server: Server): Promise<void> {
  const tenant = await server.workspace()
  const { call } = tenant
  const model = await receiver((response) => {
    const { input = [] } = JSON.parse(model.received.at(-1)?.body || '{}')
    const data = input.map((_: string, index: number) => ({ index, embedding: [1, 2] }))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
  })
  let status = 200
  const page = await receiver((response) => response.writeHead(status).end('We open at nine.'))
  const shop = await addDocument(tenant, 'Shop', 'You can park in the yard.', { tags: ['shop'] })
  const fetched = await readDocument(tenant, await call('POST', '/documents', { url: page.url, name: 'Page' }))
  for (const next of [200, 404]) {
    status = next
    await call('POST', `/documents/${fetched.id}/refresh`)
    await tenant.work()
  }
  await call('PATCH', `/documents/${shop.id}`, { name: 'The shop', language: 'de' })
  await call('PATCH', `/documents/${shop.id}`, { tags: ['shop', 'yard'] })
  await tenant.work()
  await call('POST', '/documents', { name: 'Page', text: 'A name in use.' })
  await find(tenant, 'Where may I parck?')
  const base_url = model.url.replace('/hook', '/v1')
  await call('POST', '/providers', newProvider({ base_url, embedding_model: 'words' }))
  await tenant.work()
  assert.ok((await find(tenant, 'park and open', `&tags=yard&document_ids=${shop.id}`)).length > 0)
  await candidatesFor(server.at(tenant.id), { query: 'park', scope: {} })
  for (const query of ['status=ready&tag=shop', 'search=sho'])
    assert.equal((await call('GET', `/documents?${query}`)).status, 200)
  const nodes = { ask: { say: 'Yes?', answer_from_knowledge: true, else: { say: 'No.' } } }
  const knowledge = { document_ids: [shop.id] }
  const agent = { name: 'Shop', knowledge, script: { start: 'ask', nodes } }
  const agent_id = (await call('POST', '/agents', agent)).body.data.id
  for (const message of ['Where can I park in the yard?', 'Vouchers?'])
    await call('POST', '/conversations', { agent_id, message })
  await tenant.work()
  assert.equal((await call('GET', `/documents/unanswered?agent_id=${agent_id}`)).body.data.length, 1)
  await uploadDocument(tenant, 'A name in use.', 'Page')
  const due = clock.iso(0)
  const lease = { workspace: tenant.id, id: shop.id, due_at: due, token: newId() }
  await inTransaction(server.at(tenant.id), (at) => work.giveUp?.(at, lease) ?? Promise.resolve())
  await call('DELETE', `/documents/${shop.id}`)
  await call('DELETE', `/documents/${fetched.id}`)
  await unanswered.removeOld(server.at(tenant.id, clock.wall() + 40 * clock.day_ms))
}
