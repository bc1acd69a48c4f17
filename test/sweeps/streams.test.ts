import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../server/api.ts'
import { schemaFaults } from '../support/contract.ts'
import { followStream } from '../support/conversation-streams.ts'
import { begin, newModelAgent, say, startAnswering } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { openaiServer } from '../support/model-servers.ts'
import { newContact } from '../support/samples.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
startAnswering(server)

const follow = ({ key }: Tenant, path: string) =>
  followStream(`${server.url}/api/v1${path}`, key, path.startsWith('/events') ? {} : { 'last-event-id': '0' })

type Events = Awaited<ReturnType<typeof follow>>['events']

/** The component of the document that describes these events. */
function faultsOf(component: string, events: Events): string[] {
  return events.flatMap(({ id, name, data }) => schemaFaults(component, { type: name, ...(id && { id }), data }))
}

test('every stream is checked here', () => {
  const streams = operations.filter(({ kind }) => kind === 'stream').map(({ id }) => id)
  assert.deepEqual(streams.sort(), ['calls.live', 'conversations.stream', 'events.stream'])
})

test('the document describes the events of a conversation', async () => {
  const tenant = await server.workspace()
  const hold = Promise.withResolvers<void>()
  const model = await openaiServer({ words: ['Nine', ' to six.'], beforeWord: (index) => index === 1 && hold.promise })
  const { id } = await begin(tenant, await newModelAgent(tenant, model))
  using stream = await follow(tenant, `/conversations/${id}/stream`)
  await say(tenant, id, 'When?')
  await stream.waitFor('turn.delta')
  hold.resolve()
  await stream.waitFor('turn.finished', 2)
  assert.deepEqual(faultsOf('ConversationsStreamEvent', stream.events), [])
  const names = new Set(stream.events.map(({ name }) => name))
  assert.deepEqual([...names].sort(), ['conversation.updated', 'turn.delta', 'turn.finished', 'turn.started'])
  const [first] = stream.events
  assert.notDeepEqual(schemaFaults('ConversationsStreamEvent', { type: 'turn.finished', data: first?.data }), [])
})

test('the document describes the events of a call', async () => {
  const tenant = await server.workspace()
  const { id } = await tenant.addCall()
  using stream = await follow(tenant, `/calls/${id}/live`)
  await stream.waitFor('call.updated')
  assert.deepEqual(faultsOf('CallsLiveEvent', stream.events), [])
})

test('the document describes the events of a workspace, each with its own data', async () => {
  const tenant = await server.workspace()
  using stream = await follow(tenant, '/events/stream')
  const { id } = (await tenant.call('POST', '/contacts', newContact())).body.data
  await tenant.call('PATCH', `/contacts/${id}`, { first_name: 'Ada' })
  await tenant.call('POST', '/agents', { name: 'Reception' })
  await stream.waitFor('agent.created')
  assert.deepEqual(faultsOf('EventsStreamEvent', stream.events), [])
  const [contact] = stream.events
  const data = { ...contact?.data, type: 'agent.created' }
  assert.notDeepEqual(schemaFaults('EventsStreamEvent', { type: 'agent.created', data }), [])
})
