import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve, type Tenant } from './support/harness.ts'

const server = await serve()

const script = {
  start: 'greet',
  nodes: {
    greet: {
      say: 'Hello {{contact.first_name|there}}, is Tuesday all right?',
      on: [
        { hear: ['yes', 'sure'], go: 'done' },
        { hear: ['opening hours', 'when are you open'], say: 'Nine to six.', go: 'greet' },
        { intent: 'human', go: '@hand_over' },
      ],
      else: { say: 'Sorry?', go: 'greet' },
    },
    done: { say: 'Booked. Goodbye.', go: '@end' },
  },
}

async function newAgent(tenant: Tenant, configuration: object): Promise<string> {
  const { body, status } = await tenant.call('POST', '/agents', { name: 'Reception', ...configuration })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data.id
}

async function turnsOf(tenant: Tenant, id: string) {
  const { body } = await tenant.call('GET', `/conversations/${id}/turns`)
  return body.data.map(({ seq, role, text }: { seq: number; role: string; text: string }) => [seq, role, text])
}

test('an agent with a script greets, answers and ends the conversation', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { script })
  const { status, body } = await tenant.call('POST', '/conversations', { agent_id })
  assert.equal(status, 201, JSON.stringify(body))
  const { id } = body.data
  await tenant.work()
  assert.deepEqual(await turnsOf(tenant, id), [[1, 'agent', 'Hello there, is Tuesday all right?']])
  const said = await tenant.call('POST', `/conversations/${id}/messages`, { text: 'When are you open?' })
  assert.equal(said.status, 201, said.text)
  assert.equal(said.body.data.seq, 2)
  await tenant.work()
  assert.deepEqual((await turnsOf(tenant, id)).slice(2), [
    [3, 'agent', 'Nine to six. Hello there, is Tuesday all right?'],
  ])
  await tenant.call('POST', `/conversations/${id}/messages`, { text: 'yes' })
  await tenant.work()
  const after = await tenant.call('GET', `/conversations/${id}`)
  assert.equal(after.body.data.status, 'closed')
  assert.equal(after.body.data.close_reason, 'agent_ended')
  assert.equal(after.body.data.turn_count, 5)
})
