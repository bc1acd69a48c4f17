import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as agents from '../../server/agents/store.ts'
import { openOwnerLookup } from '../../server/channels/owners.ts'
import type { ChannelChange, NewChannel } from '../../server/channels/schema.ts'
import * as channels from '../../server/channels/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { Problem } from '../../server/kit/problem.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { newAgent, newChannel, phoneNumber } from '../support/samples.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'

const server = await serve()
const { workspace, pool, at } = server
const isCurrent = () => true
const address = at('').tools.address()
const account_sid = `AC${'0a'.repeat(16)}`

const newAgentId = async ({ call }: Tenant): Promise<string> => (await call('POST', '/agents', newAgent())).body.data.id

const twilio = (agent_id: string, fields: Partial<NewChannel> = {}): Partial<NewChannel> => ({
  provider: 'twilio',
  agent_id,
  account_sid,
  auth_token: 'secret-token',
  ...fields,
})

const webChat = (agent_id: string, fields: Partial<NewChannel> = {}): Partial<NewChannel> => ({
  kind: 'web_chat',
  provider: 'web',
  agent_id,
  ...fields,
})

const update = ({ id: workspace }: Tenant, id: string, change: ChannelChange & { is_api_url_trusted?: boolean }) =>
  inTransaction(at(workspace), (at) => channels.update(at, { id, change, isCurrent }))

const remove = ({ id: workspace }: Tenant, id: string) =>
  inTransaction(at(workspace), (at) => channels.remove(at, { id, isCurrent }))

/** Asserts that it is rejected with this code, and returns the details. */
async function rejected(work: Promise<unknown>, code: string): Promise<Record<string, unknown>> {
  const error = await work.then(
    () => assert.fail('it succeeded'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof Problem, String(error))
  assert.equal(error.code, code, error.message)
  return error.details
}

const faultsOf = async (work: Promise<unknown>): Promise<[string, string][]> => {
  const { fields } = await rejected(work, 'VALIDATION_ERROR')
  return (fields as { path: string; code: string }[]).map(({ path, code }) => [path, code])
}

test('a web chat has a public URL, and a Twilio number an inbound URL', async () => {
  const tenant = await workspace()
  const agent_id = await newAgentId(tenant)
  const chat = await tenant.addChannel(webChat(agent_id, { name: 'Web' }))
  const line = await tenant.addChannel(twilio(agent_id, { name: 'Line', address: '+14155550100' }))
  const { data } = (await tenant.call('GET', '/channels')).body
  const common = { agent_id, status: 'active', has_voice: false }
  assert.deepEqual(data, [
    {
      ...common,
      id: line.id,
      name: 'Line',
      kind: 'sms',
      provider: 'twilio',
      address: '+14155550100',
      public_url: null,
      inbound_url: `${address}/sms/${line.id}`,
      capabilities: { inbound: true, outbound: true },
      created_at: line.created_at,
      updated_at: line.created_at,
    },
    {
      ...common,
      id: chat.id,
      name: 'Web',
      kind: 'web_chat',
      provider: 'web',
      address: null,
      public_url: `${address}/chat/${chat.id}`,
      inbound_url: null,
      capabilities: { inbound: true, outbound: false },
      created_at: chat.created_at,
      updated_at: chat.created_at,
    },
  ])
  for (const shown of data) {
    const got = await tenant.call('GET', `/channels/${shown.id}`)
    assert.deepEqual([got.status, got.body.data], [200, shown])
  }
})

test('channels are listed by kind and status', async () => {
  const tenant = await workspace()
  const sms = await tenant.addChannel()
  const voice = await tenant.addChannel({ kind: 'voice' })
  await update(tenant, voice.id, { status: 'disabled' })
  const idsOf = async (query: string) =>
    (await tenant.call('GET', `/channels?${query}`)).body.data.map(({ id }: { id: string }) => id)
  assert.deepEqual(await idsOf(''), [voice.id, sms.id])
  assert.deepEqual(await idsOf('kind=sms'), [sms.id])
  assert.deepEqual(await idsOf('status=disabled'), [voice.id])
  assert.deepEqual(await idsOf('kind=sms&status=disabled'), [])
  assert.equal((await tenant.call('GET', '/channels?kind=fax')).status, 400)
})

test('the public API has no operation that changes a channel', async () => {
  const tenant = await workspace()
  const { id } = await tenant.addChannel()
  for (const [method, path] of [
    ['POST', '/channels'],
    ['PATCH', `/channels/${id}`],
    ['DELETE', `/channels/${id}`],
  ] as const)
    assert.equal((await tenant.call(method, path, method === 'DELETE' ? undefined : { name: 'x' })).status, 405)
  assert.equal((await tenant.call('GET', `/channels/${id}`)).body.data.name, 'SMS')
})

test('people who are not owners see no numbers and no URLs', async () => {
  const tenant = await workspace()
  const agent_id = await newAgentId(tenant)
  const channels = [await tenant.addChannel(twilio(agent_id)), await tenant.addChannel(webChat(agent_id))]
  for (const role of ['owner', 'member', 'viewer'] as const) {
    const { go } = await newPerson(server, { [tenant.id]: role })
    const is_hidden = role !== 'owner'
    const listed = (await go('GET', '/api/v1/channels', undefined, inWorkspace(tenant))).body.data
    for (const { id, name, address, public_url, inbound_url } of channels) {
      const got = (await go('GET', `/api/v1/channels/${id}`, undefined, inWorkspace(tenant))).body.data
      assert.deepEqual(
        got,
        listed.find((one: { id: string }) => one.id === id),
      )
      assert.equal(got.name, name)
      assert.deepEqual(
        [got.address, got.public_url, got.inbound_url],
        is_hidden ? [null, null, null] : [address, public_url, inbound_url],
      )
    }
  }
})

test('credentials are sealed and never shown', async () => {
  const tenant = await workspace()
  const { id } = await tenant.addChannel(twilio(await newAgentId(tenant)))
  const [one, all] = await Promise.all([tenant.call('GET', `/channels/${id}`), tenant.call('GET', '/channels')])
  for (const { text } of [one, all]) assert.ok(text.includes(id) && !/secret-token|AC0a|auth_token/.test(text))
  const { auth_token } = await pool.one<{ auth_token: string }>(sql`select auth_token from channels where id = ${id}`)
  assert.ok(!auth_token.includes('secret-token'))
  const stored = await channels.find(at(tenant.id), id)
  assert.ok(stored)
  assert.equal(channels.openAuthToken(at(tenant.id), stored), 'secret-token')
  assert.equal(stored.api_url, 'https://api.twilio.com')
  const with_other_key = { ...stored, auth_token: 'sealed with another key' }
  assert.equal(channels.openAuthToken(at(tenant.id), with_other_key), undefined)
  assert.equal(channels.openAuthToken(at(tenant.id), { ...stored, auth_token: null }), undefined)
})

test('limits have defaults by provider and kind', async () => {
  const tenant = await workspace()
  const agent_id = await newAgentId(tenant)
  const limitsOf = async (fields: Partial<NewChannel>) => {
    const { id } = await tenant.addChannel(fields)
    const found = await channels.find(at(tenant.id), id)
    return [found?.messages_per_minute_max, found?.messages_per_day_max, found?.tokens_per_day_max]
  }
  assert.deepEqual(await limitsOf({}), [1_000_000, 1_000_000, null])
  assert.deepEqual(await limitsOf(twilio(agent_id)), [60, 10_000, null])
  assert.deepEqual(await limitsOf(webChat(agent_id)), [60, 10_000, 200_000])
  const own = { messages_per_minute_max: 1, messages_per_day_max: 2, tokens_per_day_max: null }
  assert.deepEqual(await limitsOf(webChat(agent_id, own)), [1, 2, null])
})

for (const [what, fields, expected] of [
  ['sms by web', { kind: 'sms', provider: 'web' }, ['kind', 'enum']],
  ['a web chat by Twilio', { kind: 'web_chat', provider: 'twilio', account_sid, auth_token: 'x' }, ['kind', 'enum']],
  [
    'voice with a limit of messages',
    { kind: 'voice', messages_per_day_max: 5 },
    ['messages_per_day_max', 'unexpected'],
  ],
  ['a web chat by a simulator', { kind: 'web_chat', provider: 'simulator' }, ['kind', 'enum']],
  ['Twilio without an account', { provider: 'twilio', auth_token: 'x' }, ['account_sid', 'required']],
  ['Twilio without a token', { provider: 'twilio', account_sid }, ['auth_token', 'required']],
  [
    'a web chat with a number',
    { kind: 'web_chat', provider: 'web', address: '+14155550100' },
    ['address', 'unexpected'],
  ],
  ['a number with origins', { origins: ['https://example.com'] }, ['origins', 'unexpected']],
  ['a simulator with an account', { account_sid }, ['account_sid', 'unexpected']],
] as const satisfies [string, Partial<NewChannel>, [string, string]][]) {
  test(`${what} is refused`, async () => {
    const tenant = await workspace()
    const agent_id = await newAgentId(tenant)
    const faults = await faultsOf(tenant.addChannel({ agent_id, ...fields } as Partial<NewChannel>))
    assert.ok(
      faults.some(([path, code]) => path === expected[0] && code === expected[1]),
      JSON.stringify(faults),
    )
  })
}

test('a channel needs an agent, unless it is a simulator', async () => {
  const tenant = await workspace()
  const agent_id = await newAgentId(tenant)
  const { agent_id: _, ...without_agent } = twilio(agent_id)
  assert.deepEqual(await faultsOf(tenant.addChannel(without_agent)), [['agent_id', 'required']])
  const line = await tenant.addChannel(twilio(agent_id))
  assert.deepEqual(await faultsOf(update(tenant, line.id, { agent_id: null })), [['agent_id', 'required']])
  const simulator = await tenant.addChannel()
  assert.deepEqual([simulator.agent_id, simulator.capabilities], [null, { inbound: false, outbound: true }])
  assert.equal((await update(tenant, simulator.id, { agent_id })).capabilities.inbound, true)
  assert.equal((await update(tenant, simulator.id, { agent_id: null })).capabilities.inbound, false)
})

test('an unknown agent, or one of another workspace, is refused', async () => {
  const [tenant, other] = [await workspace(), await workspace()]
  const { id } = await tenant.addChannel()
  for (const agent_id of [newId(), 'x', await newAgentId(other)]) {
    for (const work of [() => tenant.addChannel({ agent_id }), () => update(tenant, id, { agent_id })])
      assert.deepEqual(await faultsOf(work()), [['agent_id', 'unknown']])
  }
})

test('a number is unique among the channels of a kind', async () => {
  const [tenant, other] = [await workspace(), await workspace()]
  const address = phoneNumber()
  const { id } = await tenant.addChannel({ address })
  const details = await rejected(tenant.addChannel({ address }), 'CONFLICT')
  assert.deepEqual(details, { field: 'address', reason: 'already_exists', existing_id: id })
  await tenant.addChannel({ kind: 'voice', address })
  await other.addChannel({ address })
  const agent_id = await newAgentId(tenant)
  await tenant.addChannel(webChat(agent_id))
  await tenant.addChannel(webChat(agent_id))
})

test('two creations of a number at once make one channel', async () => {
  const tenant = await workspace()
  const address = phoneNumber()
  const results = await Promise.allSettled([1, 2, 3].map(() => tenant.addChannel({ address })))
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal((await tenant.call('GET', '/channels')).body.pagination.total, 1)
})

test('a workspace has at most 100 channels', async () => {
  const tenant = await workspace()
  await inTransaction(at(tenant.id), async (at) => {
    for (let count = 0; count < 99; count += 1) await channels.create(at, newChannel())
  })
  const { id } = await tenant.addChannel()
  await rejected(tenant.addChannel(), 'INVALID_STATE')
  await remove(tenant, id)
  await tenant.addChannel()
})

test('origins are stored as browsers send them', async () => {
  const tenant = await workspace()
  const origins = ['HTTPS://Example.com', 'https://example.com:443/', 'http://localhost:3000', 'https://bücher.example']
  const { id } = await tenant.addChannel(webChat(await newAgentId(tenant), { origins }))
  const originsOf = async () => (await channels.find(at(tenant.id), id))?.origins
  assert.deepEqual(await originsOf(), ['https://example.com', 'http://localhost:3000', 'https://xn--bcher-kva.example'])
  for (const bad of [
    'example.com',
    '*',
    'https://example.com/shop',
    'https://a@b.example',
    'ftp://b.example',
    'https://b?q',
  ])
    assert.deepEqual(await faultsOf(update(tenant, id, { origins: ['https://a.example', bad] })), [
      ['origins.1', 'format'],
    ])
  await update(tenant, id, { origins: [] })
  assert.deepEqual(await originsOf(), [])
})

test('a token is removed when the API moves to another server', async () => {
  const tenant = await workspace()
  const { id } = await tenant.addChannel(twilio(await newAgentId(tenant)))
  const hasToken = async (change: ChannelChange) => (await update(tenant, id, change)).has_auth_token
  assert.equal(await hasToken({ api_url: 'https://api.twilio.com/v2' }), true)
  for (const api_url of ['https://api.twilio.com:8443', 'https://carrier.example']) {
    assert.equal(await hasToken({ api_url }), false, api_url)
    assert.equal(await hasToken({ auth_token: 'again' }), true)
  }
  assert.equal(await hasToken({ api_url: 'https://other.example', auth_token: 'new' }), true)
  assert.equal(await hasToken({ name: 'Renamed' }), true)
})

test('an API that the operator trusts is trusted until someone else changes it', async () => {
  const tenant = await workspace()
  const { id } = await tenant.addChannel(twilio(await newAgentId(tenant)))
  const isTrusted = async (change: Parameters<typeof update>[2]) => {
    await update(tenant, id, change)
    return (await channels.find(at(tenant.id), id))?.is_api_url_trusted
  }
  const api_url = 'http://10.0.0.1'
  assert.equal(await isTrusted({ api_url, is_api_url_trusted: true }), true)
  assert.equal(await isTrusted({ name: 'Renamed' }), true)
  assert.equal(await isTrusted({ api_url }), true)
  assert.equal(await isTrusted({ api_url: 'https://carrier.example' }), false)
})

test('the carrier makes a channel failing and active again, but never enables it', async () => {
  const tenant = await workspace()
  const { id } = await tenant.addChannel(twilio(await newAgentId(tenant)))
  const within = at(tenant.id)
  const state = async () => {
    const { status, error, updated_at } = await channels.get(within, id)
    return [status, error, updated_at]
  }
  const [, , created_at] = await state()
  await channels.setWorking(within, id)
  assert.deepEqual(await state(), ['active', null, created_at])
  await channels.setFailing(within, { id, error: 'x'.repeat(600) })
  const failing = await state()
  assert.deepEqual([failing[0], failing[1]?.length, failing[2] === created_at], ['failing', 500, false])
  await channels.setFailing(within, { id, error: 'x'.repeat(600) })
  assert.deepEqual(await state(), failing)
  await channels.setWorking(within, id)
  assert.deepEqual((await state()).slice(0, 2), ['active', null])
  await channels.setFailing(within, { id, error: 'Suspended.' })
  assert.equal((await update(tenant, id, { name: 'Renamed' })).status, 'failing')
  assert.equal((await update(tenant, id, { auth_token: 'new' })).status, 'active')
  await channels.setFailing(within, { id, error: 'Suspended.' })
  const disabled = await update(tenant, id, { status: 'disabled' })
  assert.deepEqual([disabled.status, disabled.error], ['disabled', null])
  await channels.setFailing(within, { id, error: 'Suspended.' })
  await channels.setWorking(within, id)
  assert.deepEqual(await state(), ['disabled', null, disabled.updated_at])
  assert.equal((await update(tenant, id, { status: 'active' })).status, 'active')
  await channels.setFailing(within, { id: newId(), error: 'There is none.' })
})

test('the workspace of a channel is found by its id alone', async () => {
  const [tenant, test_tenant] = [await workspace(), await workspace()]
  const { id } = await tenant.addChannel()
  await test_tenant.addTestClock()
  const [simulator] = (await test_tenant.call('GET', '/channels')).body.data
  const find = openOwnerLookup(pool)
  const now = clock.wall()
  assert.deepEqual(await find(id, now), { workspace_id: tenant.id, is_test: false })
  assert.deepEqual(await find(simulator.id, now), { workspace_id: test_tenant.id, is_test: true })
  for (const unknown of [newId(), 'x', '']) assert.equal(await find(unknown, now), undefined)
  await remove(tenant, id)
  assert.ok(await find(id, now + 499), 'cached')
  assert.equal(await find(id, now + 500), undefined)
})

test('a test workspace has simulators for calls and SMS', async () => {
  const tenant = await workspace()
  await tenant.addTestClock(Date.parse('2027-03-01T09:00:00Z'))
  const { data } = (await tenant.call('GET', '/channels')).body
  const shown = (data as Record<string, unknown>[]).map(
    ({ name, kind, provider, address, agent_id, status, created_at }) => [
      name,
      kind,
      provider,
      address,
      agent_id,
      status,
      created_at,
    ],
  )
  const rest = [null, 'active', '2027-03-01T09:00:00.000Z']
  assert.deepEqual(shown.sort(), [
    ['SMS simulator', 'sms', 'simulator', '+15550100100', ...rest],
    ['Voice simulator', 'voice', 'simulator', '+15550100101', ...rest],
  ])
})

test('the numbers of a workspace are those of its channels', async () => {
  const [tenant, other] = [await workspace(), await workspace()]
  assert.deepEqual(await channels.ownNumbers(at(tenant.id)), [])
  await tenant.addChannel({ address: '+14155550102' })
  await tenant.addChannel({ address: '+14155550101' })
  await tenant.addChannel({ kind: 'voice', address: '+14155550101' })
  await other.addChannel({ address: '+14155550103' })
  assert.deepEqual(await channels.ownNumbers(at(tenant.id)), ['+14155550101', '+14155550102'])
})

test('an agent that a channel uses is not deleted', async () => {
  const tenant = await workspace()
  const [agent_id, other] = [await newAgentId(tenant), await newAgentId(tenant)]
  const { id } = await tenant.addChannel({ agent_id })
  const { status, body } = await tenant.call('DELETE', `/agents/${agent_id}`)
  assert.deepEqual([status, body.error.code], [409, 'INVALID_STATE'])
  assert.deepEqual(body.error.details.used_by, [{ kind: 'channel', id }])
  await update(tenant, id, { agent_id: other })
  assert.equal((await tenant.call('DELETE', `/agents/${agent_id}`)).status, 200)
  await remove(tenant, id)
  assert.equal((await tenant.call('DELETE', `/agents/${other}`)).status, 200)
})

test('an agent is not deleted while a channel is being created for it', async () => {
  const tenant = await workspace()
  const agent_id = await newAgentId(tenant)
  await using held = await holdTransaction(pool, (db) =>
    channels.create({ ...at(tenant.id), db }, newChannel({ agent_id })),
  )
  const requested = tenant.call('DELETE', `/agents/${agent_id}`)
  await held.waitUntilBlocking(requested)
  await held.end()
  assert.equal((await requested).status, 409)
})

for (const verb of ['create', 'update'] as const) {
  test(`a channel does not get an agent that is deleted during its ${verb}`, async () => {
    const tenant = await workspace()
    const agent_id = await newAgentId(tenant)
    const { id } = await tenant.addChannel()
    await using held = await holdTransaction(pool, (db) =>
      agents.remove({ ...at(tenant.id), db }, { id: agent_id, isCurrent }),
    )
    const faults = faultsOf(verb === 'create' ? tenant.addChannel({ agent_id }) : update(tenant, id, { agent_id }))
    await held.waitUntilBlocking(faults)
    await held.end()
    assert.deepEqual(await faults, [['agent_id', 'unknown']])
  })
}

/** An owner, and functions that set channels up as the dashboard does. */
async function ownerOf(tenant: Tenant) {
  const { go } = await newPerson(server, { [tenant.id]: 'owner' })
  return (method: string, path: string, body?: object, headers = {}) =>
    go(method, `/api/v1/channels${path}`, body, { ...inWorkspace(tenant), ...headers })
}

test('an owner creates, changes and deletes a channel in the dashboard', async () => {
  const tenant = await workspace()
  const agent_id = await newAgentId(tenant)
  const call = await ownerOf(tenant)
  const created = await call('POST', '', { ...newChannel(), ...twilio(agent_id), name: ' Line ' })
  assert.equal(created.status, 201, created.text)
  const { id, ...settings } = created.body.data
  assert.deepEqual(
    [settings.name, settings.account_sid, settings.has_auth_token, settings.api_url, settings.error, settings.origins],
    ['Line', account_sid, true, 'https://api.twilio.com', null, []],
  )
  const got = await call('GET', `/${id}/settings`)
  assert.deepEqual(got.body.data, created.body.data)
  assert.ok(!(got.text + created.text).includes('secret-token'))
  const etag = String(got.headers.get('etag'))
  assert.equal((await call('GET', `/${id}`)).headers.get('etag'), etag)
  const changed = await call('PATCH', `/${id}`, { status: 'disabled', messages_per_day_max: 5 }, { 'if-match': etag })
  assert.deepEqual([changed.body.data.status, changed.body.data.messages_per_day_max], ['disabled', 5], changed.text)
  assert.equal((await call('PATCH', `/${id}`, { name: 'Late' }, { 'if-match': etag })).status, 412)
  assert.equal((await call('DELETE', `/${id}`, undefined, { 'if-match': etag })).status, 412)
  assert.equal((await call('DELETE', `/${id}`)).status, 200)
  assert.equal((await call('GET', `/${id}/settings`)).status, 404)
  assert.equal((await call('DELETE', `/${id}`)).status, 404)
})

test('the fields of a channel are checked', async () => {
  const tenant = await workspace()
  const agent_id = await newAgentId(tenant)
  const call = await ownerOf(tenant)
  const { id } = (await call('POST', '', { ...newChannel(), ...twilio(agent_id) })).body.data
  const bad = [
    ['name', ''],
    ['account_sid', 'AC123'],
    ['account_sid', `AC${'z'.repeat(32)}`],
    ['auth_token', ''],
    ['auth_token', 'two words'],
    ['auth_token', 'x'.repeat(201)],
    ['messages_per_minute_max', 0],
    ['messages_per_day_max', 100_000_001],
    ['tokens_per_day_max', 0],
    ['agent_id', 'none'],
    ['api_url', 'http://carrier.example'],
    ['api_url', 'https://127.0.0.1'],
    ['api_url', 'https://user:key@carrier.example'],
    ['api_url', 'https://carrier.example/?x=1'],
    ['is_api_url_trusted', true],
  ] as const
  for (const [path, value] of bad) {
    for (const answer of [
      await call('POST', '', { ...newChannel(), ...twilio(agent_id), [path]: value }),
      await call('PATCH', `/${id}`, { [path]: value }),
    ]) {
      assert.equal(answer.status, 400, `${path} ${value}: ${answer.text}`)
      assert.equal(answer.body.error.details.fields[0].path, path)
    }
  }
  const private_url = await call('PATCH', `/${id}`, { api_url: 'https://127.0.0.1' })
  assert.match(private_url.body.error.message, /public address\. .*OUTBOUND_ALLOW_HOSTS\. On the command line/)
  const number = await call('POST', '', { ...newChannel(), address: '(415) 555-0100' })
  assert.deepEqual([number.status, number.body.error.details.fields[0].path], [400, 'address'])
  const status = await call('PATCH', `/${id}`, { status: 'failing' })
  assert.equal(status.status, 400)
  const url = await call('PATCH', `/${id}`, { api_url: 'https://carrier.example' })
  assert.deepEqual([url.status, url.body.data.has_auth_token], [200, false])
})

test('a web chat has at most 50 origins', async () => {
  const tenant = await workspace()
  const call = await ownerOf(tenant)
  const { id } = await tenant.addChannel(webChat(await newAgentId(tenant)))
  const origins = Array.from({ length: 51 }, (_, index) => `https://${index}.example`)
  assert.equal((await call('PATCH', `/${id}`, { origins })).status, 400)
  const kept = await call('PATCH', `/${id}`, { origins: origins.slice(1) })
  assert.deepEqual([kept.status, kept.body.data.origins], [200, origins.slice(1)])
})
