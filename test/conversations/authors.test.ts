import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { begin, create, newAgent } from '../support/conversations.ts'
import { serve } from '../support/harness.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'

const server = await serve()

test('an answer from the dashboard has the name that the person has today', async () => {
  const tenant = await server.workspace()
  const ada = await newPerson(server, { [tenant.id]: 'member' })
  const { id } = await begin(tenant, await newAgent(tenant), { message: 'Hello' })
  await tenant.call('POST', `/conversations/${id}/hand_over`)
  const answer = await ada.go('POST', `/api/v1/conversations/${id}/answers`, { text: 'Hello.' }, inWorkspace(tenant))
  assert.equal(answer.status, 201, answer.text)
  assert.deepEqual(answer.body.data.author, { id: ada.id, name: ada.name })
  const by_key = await create(tenant, `/conversations/${id}/answers`, { text: 'Hello again.' })
  assert.equal(by_key.author, null)
  const authors = async () => {
    const { body } = await tenant.call('GET', `/conversations/${id}/turns`)
    return body.data.map(({ author }: { author: object | null }) => author)
  }
  assert.deepEqual(await authors(), [null, { id: ada.id, name: ada.name }, null])
  await server.pool.run(sql`update people set name = 'Ada King' where id = ${ada.id}`)
  assert.deepEqual(await authors(), [null, { id: ada.id, name: 'Ada King' }, null])
  const { body } = await tenant.call('GET', '/events?type=conversation.turn')
  assert.deepEqual(body.data[1].data.turn.author, { id: ada.id, name: null }, 'events keep no names')
  await server.pool.run(sql`delete from people where id = ${ada.id}`)
  assert.deepEqual(await authors(), [null, { id: ada.id, name: null }, null])
})
