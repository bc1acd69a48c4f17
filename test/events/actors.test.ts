import assert from 'node:assert/strict'
import { test } from 'node:test'
import { event_types as contact_events } from '../../server/contacts/event-types.ts'
import * as events from '../../server/events/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { begin, create, newAgent, say, startAnswering } from '../support/conversations.ts'
import { openStream } from '../support/event-streams.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { createIntegration } from '../support/integrations.ts'
import { until } from '../support/model-servers.ts'
import { type Received, receiver, respondWith } from '../support/receivers.ts'
import { newApiKey, newContact, phoneNumber } from '../support/samples.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'
import { createWebhook } from '../support/webhook-calls.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const { workspace, pool, at } = server

const named = newContact({ first_name: 'Grace', last_name: 'Hopper' })

async function newest({ call }: Tenant, query = '') {
  const { status, body, text } = await call('GET', `/events?${query}`)
  assert.equal(status, 200, text)
  return body.data[0]
}

const keyOf = async ({ id }: Tenant) =>
  pool.one<{ id: string; name: string }>(
    sql`select id, name from api_keys where workspace_id = ${id} order by created_at, id limit 1`,
  )

test('an event of a key says which key has caused it, and what it is about', async () => {
  const tenant = await workspace()
  const contact = await create(tenant, '/contacts', { ...named, phone_number: phoneNumber() })
  const key = await keyOf(tenant)
  const event = await newest(tenant)
  assert.deepEqual(event.actor, { type: 'key', id: key.id, name: key.name })
  assert.deepEqual(event.subject, { type: 'contact', id: contact.id, name: 'Grace Hopper' })
  const single = (await tenant.call('GET', `/events/${event.id}`)).body.data
  assert.deepEqual(single, event)
})

test('an event of a person in the dashboard says who it was', async () => {
  const tenant = await workspace()
  const person = await newPerson(server, { [tenant.id]: 'member' })
  const agent = { name: 'Reception' }
  const { status, body } = await person.go('POST', '/api/v1/agents', agent, inWorkspace(tenant))
  assert.equal(status, 201)
  const { actor, subject } = await newest(tenant)
  assert.deepEqual(actor, { type: 'person', id: person.id, name: person.name })
  assert.deepEqual(subject, { type: 'agent', id: body.data.id, name: 'Reception' })
})

test('an event of an integration names it', async () => {
  const tenant = await workspace()
  const { id, url } = await createIntegration(tenant, { name: 'Web form' })
  const phone_number = phoneNumber()
  await tenant.send(url, { phone: phone_number })
  const { actor } = await newest(tenant, 'type=contact.created')
  assert.deepEqual(actor, { type: 'integration', id, name: 'Web form' })
})

test('the words of an agent are caused by the agent, and those of the contact are not', async () => {
  startAnswering(server)
  const tenant = await workspace()
  const agent_id = await newAgent(tenant, { script: { start: 'a', nodes: { a: { say: 'Hello.', go: '@end' } } } })
  const { id } = await begin(tenant, agent_id)
  await until(async () => (await newest(tenant)).type === 'conversation.closed')
  const { data } = (await tenant.call('GET', `/events?resource_id=${id}`)).body
  const actors = data.map(({ type, actor }: { type: string; actor: { type: string } }) => [type, actor.type])
  assert.deepEqual(actors, [
    ['conversation.closed', 'agent'],
    ['conversation.turn', 'agent'],
    ['conversation.started', 'key'],
  ])
  assert.deepEqual(data[1].actor, { type: 'agent', id: agent_id, name: 'Reception' })
  const other = await begin(tenant, await newAgent(tenant))
  await say(tenant, other.id, 'Hi.')
  const said = (await tenant.call('GET', `/events?type=conversation.turn&resource_id=${other.id}`)).body.data.at(-1)
  assert.equal(said.actor.type, 'key')
})

test('what many events at once are caused by is recorded too', async () => {
  const tenant = await workspace()
  const actor = { type: 'operator', id: null }
  const inputs = Array.from({ length: 3 }, () => ({ data: { id: newId() } }))
  await inTransaction({ ...at(tenant.id), actor }, (at) => events.recordMany(at, contact_events.created, inputs))
  const { data } = (await tenant.call('GET', '/events?type=contact.created')).body
  assert.deepEqual(
    data.map(({ actor }: { actor: object }) => actor),
    inputs.map(() => ({ ...actor, name: null })),
  )
})

test('names are those of now, and null when the thing is gone', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, '/contacts', { ...named, phone_number: phoneNumber() })
  const created = await newest(tenant)
  const subject = async () => (await tenant.call('GET', `/events/${created.id}`)).body.data.subject
  await tenant.call('PATCH', `/contacts/${id}`, { first_name: 'Ada' })
  assert.deepEqual(await subject(), { type: 'contact', id, name: 'Ada Hopper' })
  await tenant.call('DELETE', `/contacts/${id}`)
  assert.deepEqual(await subject(), { type: 'contact', id, name: null })
})

test('no name of another workspace is found by its id', async () => {
  const [tenant, other] = [await workspace(), await workspace()]
  const { id } = await create(other, '/contacts', { ...named, phone_number: phoneNumber() })
  const actor = { type: 'key', id: (await keyOf(other)).id }
  const foreign = { ...at(tenant.id), actor }
  await inTransaction(foreign, (at) => events.record(at, contact_events.deleted, [{ data: { id } }]))
  const event = await newest(tenant)
  assert.deepEqual([event.actor.name, event.subject.name], [null, null])
})

test('an event from before actors were recorded has neither actor nor subject', async () => {
  const tenant = await workspace()
  await create(tenant, '/contacts', newContact())
  await pool.run(sql`update events set actor_type = null, actor_id = null where workspace_id = ${tenant.id}`)
  const { actor, subject } = await newest(tenant)
  assert.deepEqual([actor, subject], [null, null])
})

test('a key that may not read contacts gets no names of contacts', async () => {
  const tenant = await workspace()
  const { id: contact_id } = await create(tenant, '/contacts', { ...named, phone_number: phoneNumber() })
  await begin(tenant, await newAgent(tenant), { contact_id })
  const limited = await tenant.newKey({ scopes: ['events:read', 'conversations:read'] })
  const read = async (token: string) => {
    const { body } = await server.fetch('GET', '/api/v1/events?type=conversation.*', undefined, {
      authorization: `Bearer ${token}`,
    })
    return body.data[0]
  }
  assert.equal((await read(tenant.key)).subject.name, 'Grace Hopper')
  const { type, subject, actor } = await read(limited)
  assert.deepEqual([type, subject.name, actor.type], ['conversation.started', null, 'key'])
})

test('the stream has the events of the list', async () => {
  const tenant = await workspace()
  await create(tenant, '/contacts', newContact())
  const { id: first } = await newest(tenant)
  await create(tenant, '/contacts', { ...named, phone_number: phoneNumber() })
  const authorization = `Bearer ${tenant.key}`
  const stream = await openStream(`${server.url}/api/v1/events/stream?after=${first}`, { authorization })
  const [received] = await stream.waitFor(1)
  stream.close()
  assert.deepEqual(received?.event, await newest(tenant))
})

test('a webhook gets actor and subject without names, and each attempt has the same bytes', async () => {
  const tenant = await workspace()
  const target = await receiver(respondWith(500))
  await createWebhook(tenant, target.url, { events: ['contact.created'] })
  const { id } = await create(tenant, '/contacts', { ...named, phone_number: phoneNumber() })
  await tenant.work()
  await pool.run(sql`update api_keys set name = 'Renamed' where workspace_id = ${tenant.id}`)
  await tenant.call('PATCH', `/contacts/${id}`, { first_name: 'Ada' })
  await tenant.work(Date.now() + 60_000)
  const [first, second] = target.received as [Received, Received]
  assert.equal(target.received.length, 2)
  assert.equal(first.body, second.body)
  const { actor, subject } = JSON.parse(first.body)
  assert.deepEqual(actor, { type: 'key', id: (await keyOf(tenant)).id })
  assert.deepEqual(subject, { type: 'contact', id })
})

test('a delivery of an event from before actors were recorded has the bytes that it had', async () => {
  const tenant = await workspace()
  const target = await receiver()
  await createWebhook(tenant, target.url, { events: ['contact.created'] })
  await create(tenant, '/contacts', newContact())
  await pool.run(sql`update events set actor_type = null, actor_id = null where workspace_id = ${tenant.id}`)
  await tenant.work()
  const [sent] = target.received as [Received]
  const { id, created_at, data } = await newest(tenant)
  const members = { id, type: 'contact.created', timestamp: created_at, workspace_id: tenant.id, data }
  assert.equal(sent.body, JSON.stringify(members))
})

test('an event that a key was created names the key as its subject', async () => {
  const tenant = await workspace()
  const token = await tenant.newKey({ scopes: ['api_keys:read', 'api_keys:write', 'events:read', 'contacts:read'] })
  const authorization = { authorization: `Bearer ${token}` }
  const { body } = await server.fetch('POST', '/api/v1/api_keys', newApiKey(), authorization)
  const [event] = (await server.fetch('GET', '/api/v1/events', undefined, authorization)).body.data
  assert.deepEqual(event.subject, { type: 'api_key', id: body.data.id, name: 'CRM sync' })
})

test('concurrent requests of several keys are each recorded for their own key', async () => {
  const tenant = await workspace()
  const tokens = [tenant.key, await tenant.newKey({ name: 'second' }), await tenant.newKey({ name: 'third' })]
  const sent = Array.from({ length: 30 }, (_, index) => tokens[index % tokens.length] ?? '')
  const created = await Promise.all(
    sent.map(async (token) => {
      const authorization = { authorization: `Bearer ${token}` }
      const { status, body, text } = await server.fetch('POST', '/api/v1/contacts', newContact(), authorization)
      assert.equal(status, 201, text)
      return [body.data.id, token] as const
    }),
  )
  const names = new Map([
    [tenant.key, (await keyOf(tenant)).name],
    [tokens[1], 'second'],
    [tokens[2], 'third'],
  ])
  const { data } = (await tenant.call('GET', '/events?type=contact.created&limit=100')).body
  const actors = data.map(({ resource_id, actor }: { resource_id: string; actor: { name: string } }) => [
    resource_id,
    actor.name,
  ])
  assert.deepEqual(new Map(actors), new Map(created.map(([id, token]) => [id, names.get(token)])))
})
