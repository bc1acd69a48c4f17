import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rankOf } from '../../server/campaigns/enroll.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { patient } from '../support/calls.ts'
import {
  addContacts,
  assertCounted,
  createCampaign,
  createContacts,
  enroll,
  fill,
  getCampaign,
} from '../support/campaigns.ts'
import { type Answer, serve } from '../support/harness.ts'
import { newContact } from '../support/samples.ts'

const server = await serve()
const { workspace, pool } = server
const unknown = '01a1dd18-9904-726a-94bc-9e3b6ab9ad11'

const faultsOf = ({ status, body }: Answer) => [
  status,
  body.error?.details.fields?.map(({ path, code }: Record<string, string>) => [path, code]),
]

test('contacts are enrolled once', async () => {
  const tenant = await workspace()
  const { id } = await createCampaign(tenant)
  const [first = '', second = '', third = ''] = await createContacts(tenant, 3)
  const answer = await enroll(tenant, id, { contact_ids: [first, second, first] })
  assert.deepEqual([answer.status, answer.body.data], [201, { enrolled: 2, already_enrolled: 0 }])
  assert.equal(answer.headers.get('location'), `/api/v1/campaigns/${id}/enrollments`)
  const contacts = [
    { contact_id: second, variables: { a: 1 } },
    { contact_id: third, variables: { a: 2 } },
  ]
  assert.deepEqual((await enroll(tenant, id, { contacts })).body.data, { enrolled: 1, already_enrolled: 1 })
  const variables = async (contact: string) =>
    (await tenant.call('GET', `/campaigns/${id}/enrollments?contact_id=${contact}`)).body.data[0].variables
  assert.deepEqual([await variables(second), await variables(third)], [{}, { a: 2 }])
  assert.deepEqual((await enroll(tenant, id, { contact_ids: [] })).body.data, { enrolled: 0, already_enrolled: 0 })
  await assertCounted(tenant, id)
})

test('a filter finds the same contacts as the list', async () => {
  const tenant = await workspace()
  const { id } = await createCampaign(tenant)
  await createContacts(tenant, 3, { tags: ['VIP'], first_name: 'Ada' })
  await createContacts(tenant, 2, { first_name: 'Grace' })
  const add = async (filter: object) => (await enroll(tenant, id, { filter })).body.data
  assert.deepEqual(await add({ tag: ['vip'] }), { enrolled: 3, already_enrolled: 0 })
  assert.deepEqual(await add({ search: 'grac' }), { enrolled: 2, already_enrolled: 0 })
  assert.deepEqual(await add({ source: 'import' }), { enrolled: 0, already_enrolled: 0 })
  assert.deepEqual(await add({}), { enrolled: 0, already_enrolled: 5 })
})

test('a request must name contacts in one way, and contacts that exist', async () => {
  const tenant = await workspace()
  const { call } = tenant
  const { id } = await createCampaign(tenant)
  const [contact_id = ''] = await createContacts(tenant, 1)
  const [foreign = ''] = await createContacts(await workspace(), 1)
  const post = async (body: object) => faultsOf(await call('POST', `/campaigns/${id}/enrollments`, body))
  for (const body of [{}, { contact_ids: [contact_id], filter: {} }, { contact_ids: [], contacts: [] }])
    assert.deepEqual(await post(body), [400, [['contact_ids', 'required']]])
  assert.deepEqual(await post({ contact_ids: [contact_id, unknown, foreign] }), [
    400,
    [
      ['contact_ids.1', 'unknown'],
      ['contact_ids.2', 'unknown'],
    ],
  ])
  assert.deepEqual(await post({ contacts: [{ contact_id, variables: { a: {} } }, { contact_id: unknown }] }), [
    400,
    [
      ['contacts.0.variables.a', 'type'],
      ['contacts.1.contact_id', 'unknown'],
    ],
  ])
  assert.deepEqual(await post({ filter: { crm_id: '1' } }), [400, [['crm_system', 'required']]])
  assert.deepEqual(await post({ filter: { tags: ['a'] } }), [400, [['filter.tags', 'unknown']]])
  assert.deepEqual(await post({ filter: { tag: 5 } }), [400, [['filter.tag', 'type']]])
  assert.deepEqual(await post({ filter: { tag: '' } }), [400, [['filter.tag', 'too_short']]])
  assert.deepEqual(await post({ filter: { custom_field: ['plan'] } }), [400, [['filter.custom_field.0', 'format']]])
  assert.deepEqual(await post({ filter: { source: ['api'] } }), [400, [['filter.source', 'type']]])
  assert.equal((await getCampaign(tenant, id)).counts.enrolled, 0)
})

test('a filter enrolls by email, tags and custom fields, each of these a text or a list', async () => {
  const tenant = await workspace()
  const tags = ['vip', 'trial']
  const custom_fields = { plan: 'gold', seats: 12 }
  for (const fields of [{ tags, custom_fields, email: 'Ada@example.com' }, { tags: ['vip'] }, { custom_fields }])
    await tenant.call('POST', '/contacts', newContact(fields))
  for (const [filter, enrolled] of [
    [{ tag: 'VIP' }, 2],
    [{ tag: ['vip'] }, 2],
    [{ tag: tags }, 1],
    [{ custom_field: 'plan:gold' }, 2],
    [{ custom_field: ['plan:gold', 'seats:12'] }, 2],
    [{ custom_field: 'plan:gold', tag: 'vip' }, 1],
    [{ email: 'ada@EXAMPLE.com' }, 1],
    [{ phone_number: '+14155550100' }, 0],
  ] as const) {
    const { id } = await createCampaign(tenant)
    const { status, body, text } = await tenant.call('POST', `/campaigns/${id}/enrollments`, { filter })
    assert.deepEqual([status, body.data?.enrolled], [201, enrolled], `${JSON.stringify(filter)} ${text}`)
  }
})

test('nobody is enrolled in a campaign that has ended', async () => {
  const tenant = await workspace()
  const { id } = await createCampaign(tenant)
  const contact_ids = await createContacts(tenant, 1)
  await tenant.call('POST', `/campaigns/${id}/cancel`)
  const { status, body } = await tenant.call('POST', `/campaigns/${id}/enrollments`, { contact_ids })
  assert.deepEqual([status, body.error.details.status], [409, 'canceled'])
})

test('a campaign has at most a million contacts', async () => {
  const tenant = await workspace()
  const { id } = await createCampaign(tenant)
  const contact_ids = await createContacts(tenant, 2)
  await fill(server, tenant, id, 999_999)
  const add = (ids: string[]) => tenant.call('POST', `/campaigns/${id}/enrollments`, { contact_ids: ids })
  assert.deepEqual([(await add(contact_ids)).status, (await add(contact_ids.slice(1))).status], [409, 201])
})

test('two requests at once enroll each contact once', async () => {
  const tenant = await workspace()
  const { id } = await createCampaign(tenant)
  const contact_ids = await createContacts(tenant, 50)
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => tenant.call('POST', `/campaigns/${id}/enrollments`, { contact_ids })),
  )
  assert.deepEqual(
    answers.map(({ body }) => body.data.enrolled).sort((left, right) => left - right),
    [0, 0, 0, 50],
  )
  await assertCounted(tenant, id)
})

test('contacts that are deleted at the same time leave no enrollment', async () => {
  const tenant = patient(await workspace())
  const { call } = tenant
  const { id } = await createCampaign(tenant)
  const contact_ids = await createContacts(tenant, 15)
  const [answers] = await Promise.all([
    Promise.all(contact_ids.map((contact) => call('POST', `/campaigns/${id}/enrollments`, { contact_ids: [contact] }))),
    Promise.all(contact_ids.map((contact) => call('DELETE', `/contacts/${contact}`))),
  ])
  for (const { status, text } of answers) assert.ok(status === 201 || status === 400, text)
  assert.deepEqual((await getCampaign(tenant, id)).counts, { enrolled: 0, by_status: {} })
  await assertCounted(tenant, id)
})

test('more than 1,000 contacts are enrolled in the background', async () => {
  const tenant = await workspace()
  const { id } = await createCampaign(tenant)
  await addContacts(server, tenant.id, 2_200)
  const first = await enroll(tenant, id, { filter: {} })
  assert.deepEqual([first.status, first.body.data], [202, { enrolled: 1_000, already_enrolled: 0 }])
  await createContacts(tenant, 1)
  await tenant.work()
  assert.equal((await getCampaign(tenant, id)).counts.enrolled, 2_200, 'without the contact that was created later')
  await assertCounted(tenant, id)
  const ids = await pool.many<{ id: string }>(
    sql`select id from contacts where workspace_id = ${tenant.id} order by id desc limit 1500`,
  )
  const other = await createCampaign(tenant)
  const contacts = ids.map(({ id: contact_id }, index) => ({ contact_id, variables: { index } }))
  assert.equal((await enroll(tenant, other.id, { contacts })).status, 202)
  // One that is deleted before its turn is left out.
  await tenant.call('DELETE', `/contacts/${contacts.at(-1)?.contact_id}`)
  await tenant.work()
  assert.equal((await getCampaign(tenant, other.id)).counts.enrolled, 1_499)
  const last = contacts.at(-2)
  const found = await tenant.call('GET', `/campaigns/${other.id}/enrollments?contact_id=${last?.contact_id}`)
  assert.deepEqual(found.body.data[0].variables, last?.variables)
  const { count } = await pool.one<{ count: number }>(
    sql`select count(*) from campaign_enrollings where workspace_id = ${tenant.id}`,
  )
  assert.equal(count, 0)
})

test('contacts for which there is no room in the background are counted in the progress', async () => {
  const tenant = await workspace()
  const { id } = await createCampaign(tenant)
  await addContacts(server, tenant.id, 2_200)
  await fill(server, tenant, id, 1_000_000 - 1_200)
  assert.equal((await enroll(tenant, id, { filter: {} })).status, 202)
  await tenant.work()
  const { total, not_enrolled } = (await tenant.call('GET', `/campaigns/${id}/progress`)).body.data
  assert.deepEqual([total, not_enrolled], [1_000_000, 1_000])
})

test('exactly 1,000 contacts are enrolled at once', async () => {
  const tenant = await workspace()
  const { id } = await createCampaign(tenant)
  await addContacts(server, tenant.id, 1_000)
  const answer = await enroll(tenant, id, { filter: {} })
  assert.deepEqual([answer.status, answer.body.data.enrolled], [201, 1_000])
})

test('a cancellation ends the enrolling', async () => {
  const tenant = await workspace()
  const { id } = await createCampaign(tenant)
  await addContacts(server, tenant.id, 1_500)
  assert.equal((await enroll(tenant, id, { filter: {} })).status, 202)
  assert.equal((await tenant.call('POST', `/campaigns/${id}/cancel`)).status, 200)
  await tenant.work()
  assert.equal((await getCampaign(tenant, id)).counts.enrolled, 1_000)
})

test('a campaign has at most 20 enrollings in the background', async () => {
  const tenant = await workspace()
  const { id } = await createCampaign(tenant)
  await addContacts(server, tenant.id, 1_001)
  for (let count = 0; count < 20; count += 1) assert.equal((await enroll(tenant, id, { filter: {} })).status, 202)
  const { status, body } = await tenant.call('POST', `/campaigns/${id}/enrollments`, { filter: {} })
  assert.deepEqual([status, body.error.code], [409, 'INVALID_STATE'])
})

test('the rank depends on the seed and the number only', async () => {
  const tenant = await workspace()
  await tenant.addTestClock(undefined, 7)
  const { id } = await createCampaign(tenant)
  const [contact_id = ''] = await createContacts(tenant, 1)
  await enroll(tenant, id, { contact_ids: [contact_id] })
  const { phone_number } = (await tenant.call('GET', `/contacts/${contact_id}`)).body.data
  const { rank } = await pool.one<{ rank: number }>(sql`select rank from enrollments where campaign_id = ${id}`)
  assert.equal(rank, rankOf(7, phone_number))
  assert.notEqual(rank, rankOf(0, phone_number))
})
