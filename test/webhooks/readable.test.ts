import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve, type Tenant } from '../support/harness.ts'
import { type Received, receiver, respondWith } from '../support/receivers.ts'
import { newApiKey, newContact } from '../support/samples.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'
import { createWebhook, deliveriesOf, recover } from '../support/webhook-calls.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const { workspace } = server

const limitedTo = async (tenant: Tenant, scopes: string[] | null): Promise<Tenant> => {
  const key = await tenant.newKey({ scopes })
  const call: Tenant['call'] = (method, path, body, headers) =>
    tenant.call(method, path, body, { authorization: `Bearer ${key}`, ...headers })
  return { ...tenant, key, call }
}

const typesIn = (requests: Pick<Received, 'body'>[]): string[] => requests.map(({ body }) => JSON.parse(body).type)

const refusal = ({ status, body }: Awaited<ReturnType<Tenant['call']>>) => [status, body.error?.details.required_scope]

async function recordBoth({ call, work }: Tenant): Promise<void> {
  await call('POST', '/contacts', newContact())
  await call('POST', '/agents', { name: 'Reception' })
  await work()
}

/** A webhook whose deliveries of agents and contacts have failed, and which now subscribes to contacts only. */
async function narrowedWebhook(tenant: Tenant) {
  const gone = await receiver(respondWith(410))
  const { id } = await createWebhook(tenant, gone.url, { events: ['agent.*', 'contact.*'] })
  await recordBoth(tenant)
  const change = { events: ['contact.*'], status: 'active' }
  const limited = await limitedTo(tenant, ['webhooks:read', 'webhooks:write', 'contacts:read'])
  assert.equal((await limited.call('PATCH', `/webhooks/${id}`, change)).status, 200)
  return { id, limited }
}

test('an inbox shows a key only the requests of events that it may read', async () => {
  const tenant = await workspace()
  const { id, url } = await createWebhook(tenant, 'inbox', { events: ['*'] })
  await recordBoth(tenant)
  const { body } = await tenant.call('GET', `/webhooks/${id}/inbox`)
  assert.deepEqual(typesIn(body.data).sort(), ['agent.created', 'contact.created'])
  const cases: [string[] | null, string[]][] = [
    [['webhooks:read'], []],
    [['webhooks:read', 'agents:read'], ['agent.created']],
    [null, ['agent.created', 'contact.created']],
  ]
  for (const [scopes, expected] of cases) {
    const { call } = await limitedTo(tenant, scopes)
    const { data, pagination } = (await call('GET', `/webhooks/${id}/inbox`)).body
    assert.deepEqual(typesIn(data).sort(), expected)
    assert.equal(pagination.total, expected.length)
  }
  await tenant.send(new URL(url, 'http://inbox').href, { type: 'anything' })
  await tenant.call('POST', `/webhooks/${id}/test`)
  await tenant.work()
  const { call } = await limitedTo(tenant, ['webhooks:read'])
  assert.deepEqual(typesIn((await call('GET', `/webhooks/${id}/inbox`)).body.data), ['webhook.test', 'anything'])
})

test('a delivery with its body requires the scope of its event', async () => {
  const tenant = await workspace()
  const { id } = await createWebhook(tenant, 'inbox', { events: ['agent.*'] })
  await recordBoth(tenant)
  const [delivery] = await deliveriesOf(tenant, id)
  const address = `/webhooks/${id}/deliveries/${delivery.id}`
  const { call } = await limitedTo(tenant, ['webhooks:read', 'contacts:read'])
  const refused = await call('GET', address)
  assert.deepEqual(refusal(refused), [403, 'agents:read'])
  assert.equal(refused.body.error.message, 'agent.created events require the scope "agents:read".')
  const reader = await limitedTo(tenant, ['webhooks:read', 'agents:read'])
  assert.equal((await reader.call('GET', address)).status, 200)
})

test("a key can't move pending deliveries that it may not read to its own URL", async () => {
  const tenant = await workspace()
  const failing = await receiver(respondWith(500))
  const own = await receiver()
  const { id } = await createWebhook(tenant, failing.url, { events: ['agent.*', 'contact.*'] })
  await recordBoth(tenant)
  const { call } = await limitedTo(tenant, ['webhooks:write', 'contacts:read'])
  const at_once = await call('PATCH', `/webhooks/${id}`, { events: ['contact.*'], url: own.url })
  assert.deepEqual(refusal(at_once), [403, 'agents:read'])
  assert.equal((await call('PATCH', `/webhooks/${id}`, { events: ['contact.*'] })).status, 200)
  assert.deepEqual(refusal(await call('PATCH', `/webhooks/${id}`, { url: own.url })), [403, 'agents:read'])
  assert.equal((await tenant.call('PATCH', `/webhooks/${id}`, { url: own.url })).status, 200)
})

test('a delivery of a type that the webhook has left is resent by keys that may read it', async () => {
  const tenant = await workspace()
  const { id, limited } = await narrowedWebhook(tenant)
  const own = await receiver()
  assert.equal((await limited.call('PATCH', `/webhooks/${id}`, { url: own.url })).status, 200)
  const resend = async ({ call }: Tenant, type: string) => {
    const delivery = (await deliveriesOf(tenant, id)).find((one: { type: string }) => one.type === type)
    return call('POST', `/webhooks/${id}/deliveries/${delivery.id}/resend`)
  }
  assert.deepEqual(refusal(await resend(limited, 'agent.created')), [403, 'agents:read'])
  assert.equal((await resend(limited, 'contact.created')).status, 200)
  await tenant.work()
  assert.deepEqual(typesIn(own.received), ['contact.created'])
  assert.equal((await resend(tenant, 'agent.created')).status, 200)
})

test('a recovery sends only what the webhook subscribes to', async () => {
  const tenant = await workspace()
  const { id, limited } = await narrowedWebhook(tenant)
  const own = await receiver()
  await limited.call('PATCH', `/webhooks/${id}`, { url: own.url })
  await recover(limited, id, { since: '2020-01-01T00:00:00Z' })
  assert.deepEqual(typesIn(own.received), ['contact.created'])
})

test('the pattern * stands for all events that a key with all scopes may read', async () => {
  const tenant = await workspace()
  const { call } = await limitedTo(tenant, null)
  const { id } = (await call('POST', '/webhooks', { url: 'inbox', events: ['*'] })).body.data
  assert.deepEqual(refusal(await call('PATCH', `/webhooks/${id}`, { events: ['*', 'api_key.*'] })), [
    403,
    'api_keys:read',
  ])
  const some = await limitedTo(tenant, ['webhooks:read', 'webhooks:write', 'contacts:read'])
  assert.equal((await some.call('POST', '/webhooks', { url: 'inbox', events: ['*'] })).status, 403)
  const named = await createWebhook(tenant, 'inbox', { events: ['*', 'api_key.*'] })
  await tenant.call('POST', '/api_keys', newApiKey())
  await recordBoth(tenant)
  const inboxOf = async (webhook: string) => typesIn((await tenant.call('GET', `/webhooks/${webhook}/inbox`)).body.data)
  assert.deepEqual((await inboxOf(id)).sort(), ['agent.created', 'contact.created'])
  assert.deepEqual((await inboxOf(named.id)).sort(), ['agent.created', 'api_key.created', 'contact.created'])
})

test('an owner in the dashboard subscribes to all events, and reads them', async () => {
  const tenant = await workspace()
  const { go } = await newPerson(server, { [tenant.id]: 'owner' })
  const input = { url: 'inbox', events: ['*'] }
  const created = await go('POST', '/api/v1/webhooks', input, inWorkspace(tenant))
  assert.equal(created.status, 201, created.text)
  const address = `/api/v1/webhooks/${created.body.data.id}`
  assert.equal((await go('PATCH', address, { events: ['api_key.*'] }, inWorkspace(tenant))).status, 200)
  await tenant.call('POST', '/api_keys', newApiKey())
  await tenant.work()
  const { data } = (await go('GET', `${address}/inbox`, undefined, inWorkspace(tenant))).body
  assert.deepEqual(typesIn(data), ['api_key.created'])
  const [delivery] = (await go('GET', `${address}/deliveries`, undefined, inWorkspace(tenant))).body.data
  assert.equal((await go('GET', `${address}/deliveries/${delivery.id}`, undefined, inWorkspace(tenant))).status, 200)
})

test('a list shows a key the last attempt only of events that it may read', async () => {
  const tenant = await workspace()
  const failing = await receiver(respondWith(500, {}, '{"error":"database is locked"}'))
  const { id } = await createWebhook(tenant, failing.url, { events: ['agent.*', 'contact.*'] })
  await recordBoth(tenant)
  const limited = await limitedTo(tenant, ['webhooks:read', 'contacts:read'])
  const byType = new Map<string, { last_attempt: { status: number; answer: string } | null }>(
    (await deliveriesOf(limited, id)).map((one: { type: string }) => [one.type, one]),
  )
  assert.equal(byType.get('contact.created')?.last_attempt?.status, 500)
  assert.match(byType.get('contact.created')?.last_attempt?.answer ?? '', /database is locked/)
  assert.equal(byType.get('agent.created')?.last_attempt, null)
})
