import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTransaction, on, openHooks } from '../../server/kit/at.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import * as providers from '../../server/models/store.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { anthropicServer, openaiServer } from '../support/model-servers.ts'
import { receiver, respondWith } from '../support/receivers.ts'
import { newProvider } from '../support/samples.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const { workspace, pool, at } = server
const configured = await serve({
  openai_api_key: 'sk-operator',
  openai_model: 'small',
  openai_models: ['large'],
  anthropic_api_key: 'sk-ant-operator',
})

async function create(tenant: Tenant, fields: object = {}) {
  const created = await tenant.call('POST', '/providers', newProvider(fields))
  assert.equal(created.status, 201, created.text)
  return created.body.data
}

const sealedKeyOf = async (id: string) =>
  (await pool.one<{ api_key: string | null }>(sql`select api_key from providers where id = ${id}`)).api_key

test('a provider is created with an encrypted key that is never shown', async () => {
  const tenant = await workspace()
  const created = await create(tenant, { name: 'OpenAI', api_key: 'sk-secret' })
  const { id, created_at, updated_at, ...rest } = created
  assert.deepEqual(rest, {
    name: 'OpenAI',
    kind: 'openai_compatible',
    base_url: 'https://models.example/v1',
    default_model: 'small',
    embedding_model: null,
    is_default: true,
    has_api_key: true,
    source: 'workspace',
  })
  assert.equal(updated_at, created_at)
  const shown = await Promise.all([tenant.call('GET', `/providers/${id}`), tenant.call('GET', '/providers')])
  for (const { text } of shown) assert.ok(!text.includes('sk-secret') && text.includes(id))
  const sealed = await sealedKeyOf(id)
  assert.equal(at(tenant.id).tools.seal.open(sealed ?? ''), 'sk-secret')
})

test('base_url is the vendor’s own by default', async () => {
  const tenant = await workspace()
  for (const [kind, base_url] of Object.entries({
    openai_compatible: 'https://api.openai.com/v1',
    anthropic: 'https://api.anthropic.com/v1',
    elevenlabs: 'https://api.elevenlabs.io/v1',
    deepgram: 'https://api.deepgram.com/v1',
  }))
    assert.equal((await create(tenant, { kind, base_url: undefined })).base_url, base_url)
})

test('a name is unique in its workspace', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { name: 'One' })
  const other = await create(tenant, { name: 'Two' })
  for (const refused of [
    await tenant.call('POST', '/providers', newProvider({ name: 'One' })),
    await tenant.call('PATCH', `/providers/${other.id}`, { name: 'One' }),
  ]) {
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'CONFLICT'], refused.text)
    assert.equal(refused.body.error.details.existing_id, id)
  }
  assert.equal((await tenant.call('PATCH', `/providers/${id}`, { name: 'One' })).status, 200)
  await create(await workspace(), { name: 'One' })
})

const refused_urls = [
  'http://127.0.0.2/v1',
  'http://169.254.169.254/v1',
  'http://[::1]/v1',
  'http://localhost/v1',
  'ftp://a.example/',
  'https://user:key@models.example/v1',
  'https://models.example/v1?key=1',
  'https://models.example/#v1',
  'models',
]
for (const base_url of refused_urls) {
  test(`the base_url ${base_url} is refused`, async () => {
    const tenant = await workspace()
    const { id } = await create(tenant)
    for (const answer of [
      await tenant.call('POST', '/providers', newProvider({ base_url })),
      await tenant.call('PATCH', `/providers/${id}`, { base_url }),
    ]) {
      assert.equal(answer.status, 400, answer.text)
      assert.equal(answer.body.error.details.fields[0].path, 'base_url')
    }
  })
}

test('invalid fields are refused', async () => {
  const tenant = await workspace()
  for (const fields of [
    { api_key: 'two words' },
    { api_key: 'ä' },
    { api_key: 'x'.repeat(501) },
    { default_model: '' },
    { default_model: 'two words' },
    { embedding_model: 'two words' },
    { kind: 'other' },
    { name: null },
    { key: 'sk-test' },
  ]) {
    const answer = await tenant.call('POST', '/providers', newProvider(fields))
    assert.equal(answer.status, 400, JSON.stringify(fields))
  }
})

test('a provider for speech needs no default model, and is never the default', async () => {
  const tenant = await workspace()
  for (const kind of ['elevenlabs', 'deepgram']) {
    const created = await create(tenant, { kind, default_model: undefined })
    assert.deepEqual([created.default_model, created.is_default], [null, false])
    const changed = await tenant.call('PATCH', `/providers/${created.id}`, { default_model: 'nova-3' })
    assert.equal(changed.body.data.default_model, 'nova-3', changed.text)
    for (const refused of [
      await tenant.call('POST', '/providers', newProvider({ kind, is_default: true })),
      await tenant.call('PATCH', `/providers/${created.id}`, { is_default: true }),
    ]) {
      assert.equal(refused.status, 400, refused.text)
      assert.equal(refused.body.error.details.fields[0].path, 'is_default')
    }
  }
  assert.equal((await create(tenant)).is_default, true, 'the first that can answer')
})

test('a provider whose models answer needs a default model', async () => {
  const tenant = await workspace()
  for (const kind of ['openai_compatible', 'anthropic']) {
    const { id } = await create(tenant, { kind })
    for (const refused of [
      await tenant.call('POST', '/providers', newProvider({ kind, default_model: undefined })),
      await tenant.call('PATCH', `/providers/${id}`, { default_model: null }),
    ]) {
      assert.equal(refused.status, 400, refused.text)
      const [fault] = refused.body.error.details.fields
      assert.deepEqual([fault.path, fault.code], ['default_model', 'required'])
    }
  }
})

test('only an OpenAI-compatible provider has an embedding model', async () => {
  const tenant = await workspace()
  const { id, embedding_model } = await create(tenant, { embedding_model: 'text-embedding-3-small' })
  assert.equal(embedding_model, 'text-embedding-3-small')
  const cleared = await tenant.call('PATCH', `/providers/${id}`, { embedding_model: null })
  assert.equal(cleared.body.data.embedding_model, null, cleared.text)
  for (const kind of ['anthropic', 'elevenlabs', 'deepgram']) {
    const refused = await tenant.call('POST', '/providers', newProvider({ kind, embedding_model: 'small' }))
    assert.equal(refused.status, 400, refused.text)
    assert.equal(refused.body.error.details.fields[0].path, 'embedding_model')
  }
})

test('an agent can’t answer with a provider for speech', async () => {
  const tenant = await workspace()
  const { name } = await create(tenant, { kind: 'deepgram', default_model: undefined })
  const refused = await tenant.call('POST', '/agents', { name: 'A', model: { provider: name, name: 'nova-3' } })
  assert.equal(refused.status, 400, refused.text)
  assert.equal(refused.body.error.details.fields[0].path, 'model.provider')
})

test('at most one provider is the default: the first, or the last that was made the default', async () => {
  const tenant = await workspace()
  const defaults = async () =>
    (await tenant.call('GET', '/providers')).body.data
      .filter(({ is_default }: { is_default: boolean }) => is_default)
      .map(({ id }: { id: string }) => id)
  const first = await create(tenant)
  const second = await create(tenant)
  assert.deepEqual(await defaults(), [first.id])
  const third = await create(tenant, { is_default: true })
  assert.deepEqual(await defaults(), [third.id])
  const cleared = (await tenant.call('GET', `/providers/${first.id}`)).body.data
  assert.ok(cleared.updated_at > first.updated_at, 'its ETag changes')
  await Promise.all(
    [first, second, third].map(({ id }) => tenant.call('PATCH', `/providers/${id}`, { is_default: true })),
  )
  assert.equal((await defaults()).length, 1)
  const [last] = await defaults()
  await tenant.call('PATCH', `/providers/${last}`, { is_default: false })
  assert.deepEqual(await defaults(), [])
})

test('a change of scheme, host or port removes the stored key, unless it is sent again', async () => {
  const tenant = await workspace()
  const changed = async (change: object) => {
    const { id } = await create(tenant)
    const answer = await tenant.call('PATCH', `/providers/${id}`, change)
    assert.equal(answer.status, 200, answer.text)
    await tenant.call('DELETE', `/providers/${id}`)
    return answer.body.data.has_api_key
  }
  const moved = ['http://models.example/v1', 'https://other.example/v1', 'https://models.example:8443/v1']
  for (const base_url of moved) {
    assert.equal(await changed({ base_url }), false, base_url)
    assert.equal(await changed({ base_url, api_key: 'sk-new' }), true, base_url)
  }
  const kept = ['https://models.example/v2', 'https://MODELS.example:443/v1', 'https://models.example/v1']
  for (const base_url of kept) assert.equal(await changed({ base_url }), true, base_url)
  assert.equal(await changed({ api_key: null }), false)
  assert.equal(await changed({ default_model: 'large' }), true)
})

test('the body of a get can be sent back, and changes nothing', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  const { updated_at: _, ...shown } = (await tenant.call('GET', `/providers/${id}`)).body.data
  const { updated_at: _later, ...after } = (await tenant.call('PATCH', `/providers/${id}`, shown)).body.data
  assert.deepEqual(after, shown)
  const empty = await tenant.call('PATCH', `/providers/${id}`, {})
  assert.equal(empty.body.data.updated_at, _later)
})

test('a workspace can have 20 providers', async () => {
  const tenant = await workspace()
  for (let count = 0; count < 19; count += 1) await create(tenant)
  const last = await Promise.all([0, 1].map(() => tenant.call('POST', '/providers', newProvider())))
  assert.deepEqual(last.map(({ status }) => status).sort(), [201, 409])
  assert.equal(last.find(({ status }) => status === 409)?.body.error.code, 'INVALID_STATE')
})

test('a provider that is used is neither deleted nor renamed', async () => {
  const tenant = await workspace()
  const { id, name } = await create(tenant)
  const use = { kind: 'agent', id }
  const hooks = openHooks([on(providers.findingUses, async (_at, input) => (input.name === name ? [use] : []))])
  const isCurrent = () => true
  const inUse = { code: 'INVALID_STATE', details: { used_by: [use] } }
  const run = <T>(work: Parameters<typeof inTransaction<ReturnType<typeof at>, T>>[1]) =>
    inTransaction({ ...at(tenant.id), hooks }, work)
  await assert.rejects(
    run((at) => providers.remove(at, { id, isCurrent })),
    inUse,
  )
  await assert.rejects(
    run((at) => providers.update(at, { id, change: { name: 'Other' }, isCurrent })),
    inUse,
  )
  await run((at) => providers.update(at, { id, change: { name, default_model: 'large' }, isCurrent }))
  assert.equal((await tenant.call('DELETE', `/providers/${id}`)).status, 200)
  assert.equal((await tenant.call('GET', `/providers/${id}`)).status, 404)
})

test('providers from the environment are in every workspace, last, and cannot be changed', async () => {
  const tenant = await configured.workspace()
  const { data, pagination } = (await tenant.call('GET', '/providers')).body
  const openai = {
    id: 'openai',
    name: 'openai',
    kind: 'openai_compatible',
    base_url: null,
    default_model: 'small',
    embedding_model: null,
    is_default: true,
    has_api_key: true,
    source: 'environment',
    created_at: null,
    updated_at: null,
  }
  const anthropic = {
    ...openai,
    id: 'anthropic',
    name: 'anthropic',
    kind: 'anthropic',
    default_model: null,
    is_default: false,
  }
  assert.deepEqual([data, pagination.total], [[openai, anthropic], 2])
  const own = await create(tenant)
  assert.equal(own.is_default, false, 'there is a default')
  const ids: string[] = []
  for (let cursor = ''; ids.length < 4; ) {
    const { body } = await tenant.call('GET', `/providers?limit=1${cursor && `&cursor=${cursor}`}`)
    ids.push(body.data[0].id)
    cursor = body.pagination.next_cursor
    if (!cursor) break
  }
  assert.deepEqual(ids, [own.id, 'openai', 'anthropic'])
  for (const [method, body] of [['PATCH', { name: 'Mine' }], ['DELETE']] as const) {
    const answer = await tenant.call(method, '/providers/openai', body)
    assert.deepEqual([answer.status, answer.body.error.code], [409, 'INVALID_STATE'])
  }
  const taken = await tenant.call('POST', '/providers', newProvider({ name: 'openai' }))
  assert.deepEqual([taken.status, taken.body.error.details.existing_id], [409, 'openai'])
})

test('a provider from the environment that has no model is not the default', async () => {
  const { call } = await (
    await serve({ openai_api_key: 'sk-operator', anthropic_api_key: 'sk-ant-operator', anthropic_model: 'small' })
  ).workspace()
  const { data } = (await call('GET', '/providers')).body
  assert.deepEqual(
    data.map((one: { id: string; is_default: boolean }) => [one.id, one.is_default]),
    [
      ['openai', false],
      ['anthropic', true],
    ],
  )
})

test('the default of the workspace comes before one from the environment', async () => {
  const tenant = await configured.workspace()
  const get = async () => tenant.call('GET', '/providers/openai')
  const before = await get()
  const { id } = await create(tenant, { is_default: true })
  const after = await get()
  assert.deepEqual([before.body.data.is_default, after.body.data.is_default], [true, false])
  assert.notEqual(before.headers.get('etag'), after.headers.get('etag'))
  await tenant.call('DELETE', `/providers/${id}`)
  assert.equal((await get()).body.data.is_default, true)
})

test('without a configured account there is none, and unknown ids are not found', async () => {
  const tenant = await workspace()
  assert.equal((await tenant.call('GET', '/providers')).body.pagination.total, 0)
  for (const id of ['openai', 'anthropic', 'other', '00000000-0000-0000-0000-000000000001'])
    assert.equal((await tenant.call('GET', `/providers/${id}`)).status, 404, id)
  const other = await configured.workspace()
  assert.equal((await other.call('GET', '/providers/00000000-0000-0000-0000-000000000002')).status, 404)
})

test('only the models that the operator names may be chosen; of a workspace’s own provider any', async () => {
  const tenant = await configured.workspace()
  const { name } = await create(tenant)
  const fault = (provider: string, model: string) =>
    providers.choiceFault(configured.at(tenant.id), { provider, name: model })
  for (const model of ['small', 'large']) assert.equal(await fault('openai', model), undefined)
  assert.equal(await fault(name, 'any'), undefined)
  assert.deepEqual([(await fault('openai', 'huge'))?.path, (await fault('none', 'small'))?.path], ['name', 'provider'])
})

test('members and viewers see providers without their address', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  for (const role of ['member', 'viewer', 'owner'] as const) {
    const person = await newPerson(server, { [tenant.id]: role })
    const list = await person.go('GET', '/api/v1/providers', undefined, inWorkspace(tenant))
    const one = await person.go('GET', `/api/v1/providers/${id}`, undefined, inWorkspace(tenant))
    for (const { base_url, default_model } of [list.body.data[0], one.body.data])
      assert.deepEqual([base_url, default_model], [role === 'owner' ? 'https://models.example/v1' : null, 'small'])
  }
})

test('a key needs the scope, and a key that may only read sees the address', async () => {
  const tenant = await workspace()
  const { id, base_url } = await create(tenant)
  const reader = { authorization: `Bearer ${await tenant.newKey({ scopes: ['providers:read'] })}` }
  const shown = await tenant.call('GET', `/providers/${id}`, undefined, reader)
  assert.equal(shown.body.data.base_url, base_url)
  assert.equal((await tenant.call('POST', '/providers', newProvider(), reader)).status, 403)
  assert.equal((await tenant.call('POST', `/providers/${id}/test`, undefined, reader)).status, 403)
})

async function testOf(base_url: string, fields: object = {}) {
  const tenant = await workspace()
  const { id } = await create(tenant, { base_url, ...fields })
  const answer = await tenant.call('POST', `/providers/${id}/test`)
  assert.equal(answer.status, 200, answer.text)
  const { duration_ms, ...result } = answer.body.data
  assert.ok(Number.isInteger(duration_ms))
  return { result, text: answer.text }
}

test('a test sends one short request with the key', async () => {
  const openai = await openaiServer({ words: ['OK'] })
  const anthropic = await anthropicServer({ words: ['OK'] })
  const succeeded = { is_ok: true, status: 200, error: null }
  assert.deepEqual((await testOf(openai.base_url)).result, succeeded)
  assert.deepEqual((await testOf(anthropic.base_url, { kind: 'anthropic' })).result, succeeded)
  const [asked] = openai.received
  assert.deepEqual([asked?.path, asked?.headers.authorization], ['/v1/chat/completions', 'Bearer sk-test'])
  assert.deepEqual([JSON.parse(asked?.body ?? '').model, openai.received.length], ['small', 1])
  assert.deepEqual(
    [anthropic.received[0]?.path, anthropic.received[0]?.headers['x-api-key']],
    ['/v1/messages', 'sk-test'],
  )
})

const body = 'the body is SECRET'
const failures: [string, Parameters<typeof receiver>[0], number | null, RegExp][] = [
  ['401', respondWith(401, {}, body), 401, /rejected the API key/],
  ['404', respondWith(404, {}, body), 404, /no such model/],
  ['429', respondWith(429, {}, JSON.stringify({ error: { message: body } })), 429, /limiting requests/],
  ['500', respondWith(500, {}, body), 500, /status 500/],
  ['a redirect', respondWith(302, { location: 'http://127.0.0.1:1/' }, body), 302, /status 302/],
  ['broken JSON', respondWith(200, { 'content-type': 'application/json' }, `{"choices": [${body}`), 200, /not what/],
  ['other JSON', respondWith(200, { 'content-type': 'application/json' }, JSON.stringify({ body })), 200, /not what/],
  ['an empty body', respondWith(200), 200, /not what/],
  ['a reset', (response) => response.socket?.resetAndDestroy(), null, /closed before the whole response/],
  ['10 MB', respondWith(200, {}, 'SECRET'.repeat(1_700_000)), 200, /more than 262144 bytes/],
]
for (const [name, answer, status, error] of failures) {
  test(`a test reports ${name}, and nothing that the server sent`, async () => {
    const there = await receiver(answer)
    for (const kind of ['openai_compatible', 'anthropic']) {
      const { result, text } = await testOf(there.url, { kind })
      assert.deepEqual([result.is_ok, result.status], [false, status], text)
      assert.match(result.error, error)
      assert.ok(!text.includes('SECRET'))
    }
    assert.equal(there.received.length, 2, 'each is asked once')
  })
}

test('the turn of an agent whose provider became private names the setting', async () => {
  const tenant = await configured.workspace()
  const { name } = await create(tenant)
  const agent = await tenant.call('POST', '/agents', { name: 'Reception', model: { provider: name, name: 'small' } })
  await configured.pool.run(sql`update providers set base_url = 'http://10.0.0.1/v1' where workspace_id = ${tenant.id}`)
  const begun = await tenant.call('POST', '/conversations', { agent_id: agent.body.data.id, message: 'Hello' })
  await tenant.work()
  const { body } = await tenant.call('GET', `/conversations/${begun.body.data.id}/turns`)
  assert.match(body.data[1].error, /OUTBOUND_ALLOW_HOSTS/)
  assert.doesNotMatch(body.data[1].error, /10\.0/)
})

test('a test of a private address that was allowed before is refused at the connection', async () => {
  const there = await openaiServer({ words: ['OK'] })
  const tenant = await configured.workspace()
  const { id } = await create(tenant)
  await configured.pool.run(sql`update providers set base_url = ${there.base_url} where workspace_id = ${tenant.id}`)
  const answer = await tenant.call('POST', `/providers/${id}/test`)
  assert.equal(answer.body.data.is_ok, false)
  assert.match(answer.body.data.error, /^The URL must lead to a public address\. .*OUTBOUND_ALLOW_HOSTS/)
  assert.deepEqual(there.received, [])
})

test('a workspace can test once a second, and a repeated request is not sent again', async () => {
  const there = await openaiServer({ words: ['OK'] })
  const tenant = await workspace()
  const { id } = await create(tenant, { base_url: there.base_url })
  const key = { 'idempotency-key': 'one' }
  const first = await tenant.call('POST', `/providers/${id}/test`, undefined, key)
  const repeated = await tenant.call('POST', `/providers/${id}/test`, undefined, key)
  assert.deepEqual([repeated.text, repeated.headers.get('idempotent-replayed')], [first.text, 'true'])
  assert.equal(there.received.length, 1)
  const many = await Promise.all(Array.from({ length: 5 }, () => tenant.call('POST', `/providers/${id}/test`)))
  const rejected = many.filter(({ status }) => status === 429)
  assert.ok(rejected.length >= 3, 'five at once take less than three seconds')
  assert.equal(rejected[0]?.body.error.code, 'RATE_LIMITED')
})
