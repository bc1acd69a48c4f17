import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { stamp } from '../../server/contacts/rows.ts'
import * as clock from '../../server/kit/clock.ts'
import { openCarrier } from '../peers/carrier.ts'
import { newAgent } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newContact } from '../support/samples.ts'
import { newSmsChannel, text } from '../support/sms.ts'

const server = await serve()
const carrier = await openCarrier()
after(() => carrier.close())

const create = async ({ call }: Tenant) => (await call('POST', '/contacts', newContact())).body.data
const get = ({ call }: Tenant, id: string, headers = {}) => call('GET', `/contacts/${id}`, undefined, headers)

test('a stamp changes the ETag, and is no edit', async () => {
  const tenant = await server.workspace()
  const { id, updated_at } = await create(tenant)
  const before = await get(tenant, id)
  const time = clock.wall()
  await stamp(server.at(tenant.id), [{ contact_id: id, at: time }])
  const stamped = await get(tenant, id)
  assert.notEqual(stamped.headers.get('etag'), before.headers.get('etag'))
  const { first_contact_at, last_contact_at } = stamped.body.data
  assert.deepEqual([first_contact_at, last_contact_at], [clock.iso(time), clock.iso(time)])
  assert.equal(stamped.body.data.updated_at, updated_at)
  const { body } = await tenant.call('GET', '/events?type=contact.updated')
  assert.deepEqual(body.data, [])
  const old = { 'if-match': before.headers.get('etag') ?? '' }
  assert.equal((await tenant.call('PATCH', `/contacts/${id}`, { first_name: 'Ada' }, old)).status, 412)
  const current = { 'if-match': stamped.headers.get('etag') ?? '' }
  assert.equal((await tenant.call('PATCH', `/contacts/${id}`, { first_name: 'Ada' }, current)).status, 200)
})

test('the first stamp is the earliest and the last one the latest, in any order', async () => {
  const tenant = await server.workspace()
  const { id } = await create(tenant)
  const now = clock.wall()
  const times = [now, now - 5_000, now + 5_000, now - 1_000]
  for (const at of times) await stamp(server.at(tenant.id), [{ contact_id: id, at }])
  const { data } = (await get(tenant, id)).body
  assert.deepEqual([data.first_contact_at, data.last_contact_at], [clock.iso(now - 5_000), clock.iso(now + 5_000)])
})

test('contacts are sorted by their last contact, those without one last', async () => {
  const tenant = await server.workspace()
  const contacts = [await create(tenant), await create(tenant), await create(tenant)]
  const ids = contacts.map(({ id }) => id)
  const now = clock.wall()
  await stamp(server.at(tenant.id), [
    { contact_id: ids[0], at: now },
    { contact_id: ids[1], at: now + 1_000 },
  ])
  const sorted = async (sort: string) =>
    (await tenant.call('GET', `/contacts?sort=${sort}`)).body.data.map(({ id }: { id: string }) => id)
  assert.deepEqual(await sorted('-last_contact_at'), [ids[1], ids[0], ids[2]])
  assert.deepEqual(await sorted('last_contact_at'), [ids[0], ids[1], ids[2]])
})

test('a message of the contact, and one that the carrier accepts, are contact', async () => {
  const tenant = await server.workspace()
  const agent_id = await newAgent(tenant, { greeting: 'Hello' })
  const channel = await newSmsChannel(server, tenant, { carrier, agent_id })
  const { id } = await create(tenant)
  await tenant.call('POST', '/conversations', { agent_id, contact_id: id, channel_id: channel.id })
  assert.equal((await get(tenant, id)).body.data.last_contact_at, null)
  await tenant.work()
  const { first_contact_at, last_contact_at, phone_number } = (await get(tenant, id)).body.data
  assert.ok(first_contact_at && first_contact_at === last_contact_at)
  await text(tenant, channel, 'Hi', { from: phone_number })
  const later = (await get(tenant, id)).body.data
  assert.equal(later.first_contact_at, first_contact_at)
  assert.ok(later.last_contact_at > last_contact_at)
})
