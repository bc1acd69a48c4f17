import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { type Sql, sql } from '../../server/kit/postgres/sql.ts'
import { eventsOf } from '../support/contacts.ts'
import { openServer, serve, type Tenant, testPool } from '../support/harness.ts'
import { recordStatements } from '../support/old-rows.ts'
import { newProvider } from '../support/samples.ts'

const server = await serve()
const { workspace, pool } = server

const script = { start: 'hello', nodes: { hello: { say: 'Hello.', go: '@end' } } }
const neither = 'The agent has no script and no model, and there is no default provider.'
const openai = 'https://api.openai.com/v1'
/** A server of the customer's own may need no key. */
const own = 'https://models.example/v1'

async function create({ call }: Tenant, path: string, input: object) {
  const { status, body, text } = await call('POST', path, input)
  assert.equal(status, 201, text)
  return body.data
}

const createAgent = (tenant: Tenant, input: object = {}) => create(tenant, '/agents', { name: 'Reception', ...input })
const createProvider = (tenant: Tenant, input: object = {}) =>
  create(tenant, '/providers', { ...newProvider(input), name: 'Models', ...input })

const answering = ({
  can_answer,
  cannot_answer_reason,
}: {
  can_answer: boolean
  cannot_answer_reason: string | null
}) => {
  assert.equal(can_answer, cannot_answer_reason === null)
  return cannot_answer_reason
}

/** Why the agent can't answer; null if it can. A get and a list say the same. */
async function reasonFor({ call }: Tenant, id: string): Promise<string | null> {
  const [one, all] = await Promise.all([call('GET', `/agents/${id}`), call('GET', '/agents?limit=100')])
  assert.equal(all.status, 200, all.text)
  const listed = all.body.data.find((agent: { id: string }) => agent.id === id)
  assert.deepEqual(listed, (({ draft: _, ...agent }) => agent)(one.body.data))
  return answering(one.body.data)
}

test('an agent with a script can answer, and one without needs a default provider', async () => {
  const tenant = await workspace()
  assert.equal(answering(await createAgent(tenant, { script })), null)
  const agent = await createAgent(tenant)
  assert.equal(answering(agent), neither)
  assert.equal(await reasonFor(tenant, agent.id), neither)
  const provider = await createProvider(tenant)
  assert.equal(await reasonFor(tenant, agent.id), null)
  await tenant.call('PATCH', `/providers/${provider.id}`, { is_default: false })
  assert.equal(await reasonFor(tenant, agent.id), neither)
  await tenant.call('PATCH', `/providers/${provider.id}`, { is_default: true })
  await tenant.call('DELETE', `/providers/${provider.id}`)
  assert.equal(await reasonFor(tenant, agent.id), neither)
})

test('a provider must hold a key, unless its server may need none', async () => {
  const tenant = await workspace()
  const vendors = { openai_compatible: openai, anthropic: 'https://api.anthropic.com/v1' }
  for (const [kind, base_url] of Object.entries(vendors)) {
    const name = `${kind} models`
    const provider = await createProvider(tenant, { name, kind, base_url, api_key: null, is_default: false })
    const agent = await createAgent(tenant, { model: { provider: name, name: 'small' } })
    assert.equal(await reasonFor(tenant, agent.id), `The provider "${name}" has no API key.`)
    const change = (fields: object) => tenant.call('PATCH', `/providers/${provider.id}`, fields)
    await change({ api_key: 'sk-test' })
    assert.equal(await reasonFor(tenant, agent.id), null)
    await change({ api_key: null })
    assert.equal(await reasonFor(tenant, agent.id), `The provider "${name}" has no API key.`)
    await change({ base_url: own })
    assert.equal(await reasonFor(tenant, agent.id), null)
  }
})

test('the default provider needs a key as well', async () => {
  const tenant = await workspace()
  await createProvider(tenant, { base_url: openai, api_key: null, is_default: true })
  assert.equal(answering(await createAgent(tenant)), 'The provider "Models" has no API key.')
})

test('an agent answers with its fallback model while its model can’t be asked', async () => {
  const tenant = await workspace()
  await createProvider(tenant, { base_url: openai, api_key: null })
  await createProvider(tenant, { name: 'Others', base_url: own, api_key: null })
  const without_key = { provider: 'Models', name: 'small' }
  const usable = { provider: 'Others', name: 'small' }
  const reasons = [
    [{ model: without_key, fallback_model: usable }, null],
    [{ model: usable, fallback_model: without_key }, null],
    [{ fallback_model: usable }, null],
    [{ model: without_key, fallback_model: without_key }, 'The provider "Models" has no API key.'],
  ] as const
  for (const [models, reason] of reasons) {
    const agent = await createAgent(tenant, models)
    assert.equal(await reasonFor(tenant, agent.id), reason, JSON.stringify(models))
  }
})

test('it counts what is deployed, not the draft', async () => {
  const tenant = await workspace()
  const { id } = await createAgent(tenant)
  await tenant.call('PATCH', `/agents/${id}`, { script })
  assert.equal(await reasonFor(tenant, id), neither)
  const { body } = await tenant.call('POST', `/agents/${id}/versions`, {})
  assert.equal(await reasonFor(tenant, id), neither)
  const deployed = await tenant.call('POST', `/agents/${id}/deploy`, { version_id: body.data.id })
  assert.equal(answering(deployed.body.data), null)
  const event = (await eventsOf(pool, tenant)).findLast(({ type }) => type === 'agent.deployed')
  assert.partialDeepStrictEqual(event, {
    data: { can_answer: true, cannot_answer_reason: null },
    previous: { can_answer: false, cannot_answer_reason: neither },
  })
  assert.equal(answering((await tenant.call('POST', `/agents/${id}/rollback`)).body.data), neither)
})

test('a provider that has been removed, and one that only speaks, answer nothing', async () => {
  const tenant = await workspace()
  const { id } = await createProvider(tenant)
  const agent = await createAgent(tenant, { model: { provider: 'Models', name: 'small' } })
  // The agent that names it keeps it from being deleted over the API.
  await pool.run(sql`delete from providers where workspace_id = ${tenant.id} and id = ${id}`)
  assert.equal(await reasonFor(tenant, agent.id), 'There is no provider "Models".')
  await createProvider(tenant, { kind: 'deepgram', base_url: 'https://api.deepgram.com/v1', default_model: null })
  assert.equal(await reasonFor(tenant, agent.id), 'The provider only hears and speaks.')
})

test('providers of the operator count, with the models that may be named', async () => {
  const settings = { openai_api_key: 'sk-operator', openai_model: 'small', openai_models: ['large'] }
  const other = await serve(settings)
  const tenant = await other.workspace()
  const agent = await createAgent(tenant)
  assert.equal(await reasonFor(tenant, agent.id), null)
  const { id } = await createAgent(tenant, { model: { provider: 'openai', name: 'large' } })
  assert.equal(await reasonFor(tenant, id), null)
  // The operator has changed the models since.
  const earlier = await createAgent(tenant)
  await other.pool.run(
    sql`update agent_versions set configuration = ${JSON.stringify({ model: { provider: 'openai', name: 'huge' } })}
      where workspace_id = ${tenant.id} and agent_id = ${earlier.id}`,
  )
  assert.equal(await reasonFor(tenant, earlier.id), 'The operator doesn\'t allow the model "huge".')
  const keyless = await (await serve({ openai_base_url: own, openai_model: 'local' })).workspace()
  assert.equal(answering(await createAgent(keyless)), null)
})

test('a key that can’t be opened is none', async () => {
  const tenant = await workspace()
  await createProvider(tenant)
  const { id } = await createAgent(tenant)
  await pool.run(
    sql`update providers set api_key = ${randomBytes(64).toString('base64')} where workspace_id = ${tenant.id}`,
  )
  const reason = "The provider's API key was encrypted with another SECRETS_KEY. Set it again."
  assert.equal(await reasonFor(tenant, id), reason)
})

test('an ETag changes with it, and an earlier one is refused', async () => {
  const tenant = await workspace()
  const { id } = await createAgent(tenant)
  const etag = async () => (await tenant.call('GET', `/agents/${id}`)).headers.get('etag') ?? ''
  const before = await etag()
  const if_none_match = { 'if-none-match': before }
  assert.equal((await tenant.call('GET', `/agents/${id}`, undefined, if_none_match)).status, 304)
  await createProvider(tenant)
  assert.equal((await tenant.call('GET', `/agents/${id}`, undefined, if_none_match)).status, 200)
  const change = (if_match: string) => tenant.call('PATCH', `/agents/${id}`, { name: 'Desk' }, { 'if-match': if_match })
  assert.equal((await change(before)).status, 412)
  assert.equal((await change(await etag())).status, 200)
  const remove = (if_match: string) => tenant.call('DELETE', `/agents/${id}`, undefined, { 'if-match': if_match })
  assert.equal((await remove(before)).status, 412)
  assert.equal((await remove(await etag())).status, 200)
})

test('a list reads the providers once, however many agents it has', async () => {
  const statements: Sql[] = []
  const recording = await openServer(recordStatements(testPool(), statements))
  after(recording.close)
  const tenant = await recording.workspace()
  const sentBy = async (agents: number) => {
    statements.splice(0)
    const { body } = await tenant.call('GET', '/agents?limit=100')
    assert.equal(body.data.length, agents)
    return statements.filter(({ text }) => text.includes('providers') || text.includes('agent_versions')).length
  }
  await createAgent(tenant)
  const sent = await sentBy(1)
  const names = ['One', 'Two', 'Three', 'Four']
  for (const name of names) {
    await createProvider(tenant, { name, is_default: false })
    const model = { provider: name, name: 'small' }
    await createAgent(tenant, { model, fallback_model: model })
  }
  assert.equal(await sentBy(1 + names.length), sent)
  // The versions are known by now.
  assert.equal(await sentBy(1 + names.length), sent - 1)
})
