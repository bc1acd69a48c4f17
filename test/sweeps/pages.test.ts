import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations, owner_operations, person_operations } from '../../server/api.ts'
import type { Operation } from '../../server/kit/http/operation.ts'
import { type Answer, serve, type Tenant } from '../support/harness.ts'
import { makeSample, pathFor } from '../support/operations.ts'
import {
  newAgent,
  newAgentTest,
  newCampaign,
  newConsent,
  newContact,
  newIntegration,
  newWebhook,
  phoneNumber,
} from '../support/samples.ts'
import { inWorkspace, newPerson, newSessionToken } from '../support/sessions.ts'

const server = await serve()
const { workspace } = server

const items_min = 4
/** The last page is full with one of them, and not with the other. */
const limits = [2, 3]

const isList = ({ kind }: Operation): boolean => kind === 'list'

async function create({ call }: Tenant, path: string, body: object = {}): Promise<string> {
  const { status, text, body: answer } = await call('POST', path, body)
  assert.ok(status < 300, text)
  return answer.data.id
}

async function createMany(tenant: Tenant, path: string, makeBody: () => object = () => ({})): Promise<void> {
  for (let made = 0; made < items_min; made += 1) await create(tenant, path, makeBody())
}

async function agentWithVersions(tenant: Tenant): Promise<string> {
  const id = await create(tenant, '/agents', newAgent())
  for (let version = 1; version < items_min; version += 1) {
    await tenant.call('PATCH', `/agents/${id}`, { instructions: `Version ${version}` })
    await create(tenant, `/agents/${id}/versions`, { deploy: true })
  }
  return id
}

async function testedAgent(tenant: Tenant): Promise<string> {
  const id = await create(tenant, '/agents', {
    name: 'Desk',
    script: { start: 'hello', nodes: { hello: { say: 'Hello.', go: '@end' } } },
  })
  await createMany(tenant, `/agents/${id}/tests`, () => newAgentTest({ name: `Test ${phoneNumber()}` }))
  return id
}

async function webhookWithDeliveries(tenant: Tenant): Promise<string> {
  const id = await create(tenant, '/webhooks', newWebhook({ url: 'inbox' }))
  await createMany(tenant, `/webhooks/${id}/test`)
  await tenant.work()
  return id
}

/** Makes the items of lists for which the maker of one, called several times, is not enough. Returns the id of the path. */
const fills: Record<string, (tenant: Tenant) => Promise<string>> = {
  'agents.list_versions': agentWithVersions,
  'agents.list_deployments': agentWithVersions,
  'agent_tests.list': testedAgent,
  'test_runs.list': async (tenant) => {
    const id = await testedAgent(tenant)
    await createMany(tenant, `/agents/${id}/test_runs`)
    return id
  },
  'test_runs.list_results': async (tenant) => {
    const id = await create(tenant, `/agents/${await testedAgent(tenant)}/test_runs`)
    await tenant.work()
    return id
  },
  'conversations.list_turns': async (tenant) => {
    const agent_id = await create(tenant, '/agents', newAgent())
    const id = await create(tenant, '/conversations', { agent_id, message: 'Hello' })
    await createMany(tenant, `/conversations/${id}/messages`, () => ({ text: 'And on Sundays?' }))
    return id
  },
  'calls.list_events': async (tenant) => (await tenant.addCall({ is_over: true })).id,
  'imports.list_rows': async (tenant) => {
    const rows = Array.from({ length: items_min }, () => ({ Phone: phoneNumber() }))
    const id = await create(tenant, '/contacts/imports', { rows })
    await tenant.work()
    return id
  },
  'integrations.list_receipts': async (tenant) => {
    const { id, url } = (await tenant.call('POST', '/integrations', newIntegration())).body.data
    for (let sent = 0; sent < items_min; sent += 1) await tenant.send(url, { phone: phoneNumber() })
    return id
  },
  'webhooks.list_deliveries': webhookWithDeliveries,
  'webhooks.list_inbox': webhookWithDeliveries,
  'consents.list_of_contact': async (tenant) => {
    const id = await create(tenant, '/contacts', newContact())
    await createMany(tenant, `/contacts/${id}/consents`, newConsent)
    return id
  },
  'enrollments.list': async (tenant) => {
    const agent_id = await create(tenant, '/agents', newAgent())
    await tenant.addChannel({ kind: 'voice' })
    const id = await create(tenant, '/campaigns', newCampaign({ agent_id }))
    await createMany(tenant, '/contacts', newContact)
    await tenant.call('POST', `/campaigns/${id}/enrollments`, { filter: {} })
    return id
  },
  'enrollments.list_of_contact': async (tenant) => {
    const agent_id = await create(tenant, '/agents', newAgent())
    await tenant.addChannel({ kind: 'voice' })
    const contact_id = await create(tenant, '/contacts', newContact())
    for (let made = 0; made < items_min; made += 1) {
      const id = await create(tenant, '/campaigns', newCampaign({ agent_id }))
      await tenant.call('POST', `/campaigns/${id}/enrollments`, { contact_ids: [contact_id] })
    }
    return contact_id
  },
}

async function fill(operation: Operation, tenant: Tenant): Promise<string> {
  const fillList = fills[operation.id]
  if (fillList) return fillList(tenant)
  for (let made = 1; made < items_min; made += 1) await makeSample(operation, tenant)
  return makeSample(operation, tenant)
}

interface Paging {
  limit?: number
  offset?: number
  cursor?: string | null
}

type Read = (paging: Paging) => Promise<Answer>

const reads =
  (address: string, get: (path: string) => Promise<Answer>): Read =>
  (paging) => {
    const values = Object.entries(paging).map(([name, value]): [string, string] => [name, String(value)])
    return get(`${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(values)}`)
  }

/** Follows a list as a client does that knows no list in particular. */
async function follow(
  read: Read,
  limit: number,
  next: (page: Answer['body']['pagination']) => Paging,
): Promise<unknown[]> {
  const items: unknown[] = []
  let paging: Paging = {}
  for (let pages = 1; ; pages += 1) {
    const { status, text, body } = await read({ limit, ...paging })
    assert.equal(status, 200, text)
    const { data, pagination } = body
    items.push(...data)
    assert.equal(pagination.has_more, pagination.next_cursor !== null, 'a page that is not the last has a cursor')
    if (!pagination.has_more) return items
    assert.equal(data.length, limit)
    assert.ok(pages < 100, 'the list ends')
    paging = next(pagination)
  }
}

async function assertPages(read: Read): Promise<void> {
  const whole = (await read({ limit: 100 })).body
  assert.ok(whole.data.length >= items_min, `${whole.data.length} items`)
  assert.equal(new Set(whole.data.map((item: object) => JSON.stringify(item))).size, whole.data.length)
  assert.deepEqual(whole.pagination, {
    total: whole.data.length,
    limit: 100,
    offset: 0,
    has_more: false,
    next_cursor: null,
  })
  for (const limit of limits) {
    const by_cursor = await follow(read, limit, ({ next_cursor }) => ({ cursor: next_cursor }))
    assert.deepEqual(by_cursor, whole.data, `by cursor, ${limit} on a page`)
    const by_offset = await follow(read, limit, ({ offset }) => ({ offset: offset + limit }))
    assert.deepEqual(by_offset, whole.data, `by offset, ${limit} on a page`)
  }
  for (const offset of [whole.data.length, 3_000_000_000]) {
    const { status, body } = await read({ offset })
    assert.deepEqual([status, body.data, body.pagination.has_more], [200, [], false], `offset ${offset}`)
    assert.deepEqual([body.pagination.total, body.pagination.offset], [whole.data.length, offset])
  }
  const { next_cursor } = (await read({ limit: 1 })).body.pagination
  for (const refused of [
    { cursor: next_cursor, offset: 1 },
    { cursor: 'nonsense' },
    { limit: 0 },
    { limit: 101 },
    { offset: -1 },
  ]) {
    const { status, body } = await read(refused)
    assert.deepEqual([status, body.error?.code], [400, 'VALIDATION_ERROR'], JSON.stringify(refused))
  }
}

for (const operation of [...operations, ...owner_operations].filter(isList)) {
  test(`${operation.id} gives each item once, by cursor and by offset`, async () => {
    const tenant = await workspace()
    const address = pathFor(operation, await fill(operation, tenant))
    await assertPages(reads(address, (path) => tenant.call('GET', path)))
  })
}

/** Makes the items of the lists that people see in the dashboard only. */
const person_fills: Record<string, (tenant: Tenant, person: { id: string }) => Promise<unknown>> = {
  'sessions.list': async (_tenant, { id }) => {
    for (let made = 1; made < items_min; made += 1) await newSessionToken(server, id)
  },
  'members.list': async ({ id }) => {
    for (let made = 1; made < items_min; made += 1) await newPerson(server, { [id]: 'member' })
  },
  'invitations.list': async () => {},
}

for (const operation of person_operations.filter(isList)) {
  test(`${operation.id} of the dashboard gives each item once, by cursor and by offset`, async () => {
    const tenant = await workspace()
    const here = inWorkspace(tenant)
    const owner = await newPerson(server, { [tenant.id]: 'owner' })
    const fillList = person_fills[operation.id]
    assert.ok(fillList, `person_fills has nothing for ${operation.id}`)
    await fillList(tenant, owner)
    if (operation.id === 'invitations.list')
      for (let made = 0; made < items_min; made += 1) {
        const { status, text } = await owner.go('POST', '/invitations', { role: 'member' }, here)
        assert.equal(status, 201, text)
      }
    await assertPages(reads(operation.path, (path) => owner.go('GET', path, undefined, here)))
  })
}
