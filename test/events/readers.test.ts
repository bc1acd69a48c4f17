import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import * as events from '../../server/events/store.ts'
import { event_types as import_events } from '../../server/imports/event-types.ts'
import { inTransaction } from '../../server/kit/at.ts'
import { newId } from '../../server/kit/id.ts'
import { event_types as webhook_events } from '../../server/webhooks/event-types.ts'
import { openStream } from '../support/event-streams.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newAgent, newContact } from '../support/samples.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'

const server = await serve()

interface Listed {
  id: string
  type: string
}

/** A workspace with an event about each kind of resource. */
async function workspaceWithEvents(): Promise<Tenant> {
  const tenant = await server.workspace()
  await tenant.call('POST', '/contacts', newContact())
  await tenant.call('POST', '/agents', newAgent())
  await inTransaction(server.at(tenant.id), async (at) => {
    for (const type of [import_events.finished, webhook_events.disabled])
      await events.record(at, type, [{ data: { id: newId() } }])
  })
  return tenant
}

const contact_scope_types = ['contact.created', 'import.finished']
const viewer_types = ['agent.created', ...contact_scope_types]

const typesOf = (events: Listed[]) => events.map(({ type }) => type).sort()

test('owners see every event; members and viewers see events of resources that they may read', async () => {
  const tenant = await workspaceWithEvents()
  const all: Listed[] = (await tenant.call('GET', '/events')).body.data
  assert.deepEqual(typesOf(all), ['agent.created', 'api_key.created', ...contact_scope_types, 'webhook.disabled'])
  for (const [role, expected] of [
    ['owner', typesOf(all)],
    ['member', viewer_types],
    ['viewer', viewer_types],
  ] as const) {
    const person = await newPerson(server, { [tenant.id]: role })
    const go = async (path: string) => (await person.go('GET', `/api/v1${path}`, undefined, inWorkspace(tenant))).body
    const { data, pagination } = await go('/events')
    assert.deepEqual([typesOf(data), pagination.total], [expected, expected.length], role)
    const first = await go('/events?limit=1')
    const rest = await go(`/events?limit=100&cursor=${first.pagination.next_cursor}`)
    assert.deepEqual(typesOf([...first.data, ...rest.data]), expected)
    const after = await go(`/events?after=${all.at(-1)?.id}`)
    assert.deepEqual(
      typesOf(after.data),
      expected.filter((type) => type !== 'api_key.created'),
    )
    assert.equal(after.pagination.total, after.data.length)
    const of_webhooks = (await go('/events?type=webhook.*')).pagination.total
    assert.equal(of_webhooks, role === 'owner' ? 1 : 0)
    assert.deepEqual(typesOf((await go('/overview')).data.events), expected)
    for (const { id, type } of all) {
      const got = await person.go('GET', `/api/v1/events/${id}`, undefined, inWorkspace(tenant))
      assert.equal(got.status, expected.includes(type) ? 200 : 404, `${role} ${type}`)
    }
  }
})

test('a key sees events of resources that its scopes let it read', async () => {
  const tenant = await workspaceWithEvents()
  for (const [scopes, expected] of [
    [null, [...viewer_types, 'webhook.disabled']],
    [['events:read', 'overview:read', 'contacts:read'], contact_scope_types],
    [['events:read', 'overview:read', 'webhooks:read', 'agents:write'], ['webhook.disabled']],
    [['events:read', 'overview:read'], []],
  ] as const) {
    const key = await tenant.newKey({ scopes: scopes && [...scopes] })
    const call = async (path: string) =>
      (await tenant.call('GET', path, undefined, { authorization: `Bearer ${key}` })).body
    const { data, pagination } = await call('/events')
    assert.deepEqual([typesOf(data), pagination.total], [[...expected], expected.length], String(scopes))
    assert.deepEqual(typesOf((await call('/overview')).data.events), expected)
  }
})

test('a stream sends a member no events of webhooks and keys', async () => {
  const tenant = await workspaceWithEvents()
  const [oldest] = (await tenant.call('GET', '/events')).body.data.reverse()
  const member = await newPerson(server, { [tenant.id]: 'member' })
  const address = `${server.url}/app/api/v1/events/stream?workspace=${tenant.id}&after=${oldest.id}`
  const stream = await openStream(address, { cookie: member.cookie() })
  await tenant.newKey()
  await tenant.call('POST', '/contacts', newContact())
  assert.deepEqual(typesOf(await stream.waitFor(4)), [...viewer_types, 'contact.created'].sort())
  stream.close()
})

test('a stream ends when the role of its reader changes', async () => {
  const tenant = await workspaceWithEvents()
  const owner = await newPerson(server, { [tenant.id]: 'owner' })
  const other = await newPerson(server, { [tenant.id]: 'owner' })
  const stream = await openStream(`${server.url}/app/api/v1/events/stream?workspace=${tenant.id}`, {
    cookie: other.cookie(),
  })
  const role = { role: 'member' }
  assert.equal((await owner.go('PATCH', `/members/${other.id}`, role, inWorkspace(tenant))).status, 200)
  let is_over = false
  const ended = stream.ended.then(() => {
    is_over = true
  })
  for (; !is_over; await sleep(20)) await tenant.newKey()
  await ended
  const { total } = (await tenant.call('GET', '/events?type=api_key.*')).body.pagination
  assert.ok(stream.received.length < total)
})
