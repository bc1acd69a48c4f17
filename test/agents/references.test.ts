import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as agents from '../../server/agents/store.ts'
import type { At } from '../../server/kit/at.ts'
import * as providers from '../../server/models/store.ts'
import * as tools from '../../server/tools/store.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { newAgent, newProvider, newTool } from '../support/samples.ts'

const { workspace, pool, at } = await serve({
  openai_api_key: 'sk-operator',
  openai_model: 'small',
  openai_models: ['large'],
})
/** The operator has removed the key from the environment. */
const without_models = await serve()

async function create({ call }: Tenant, path: string, input: object) {
  const { status, body, text } = await call('POST', path, input)
  assert.equal(status, 201, text)
  return body.data
}

const createTool = (tenant: Tenant) => create(tenant, '/tools', newTool())
const createProvider = (tenant: Tenant) => create(tenant, '/providers', newProvider())
const createAgent = (tenant: Tenant, input: object = {}) => create(tenant, '/agents', newAgent(input))

async function change({ call }: Tenant, id: string, draft: object) {
  const { status, text } = await call('PATCH', `/agents/${id}`, draft)
  assert.equal(status, 200, text)
}

/** Publishes a draft with this change, and returns the version. */
async function publish(tenant: Tenant, id: string, draft: object, input: object = {}) {
  await change(tenant, id, draft)
  return create(tenant, `/agents/${id}/versions`, input)
}

const callTool = (tool: string) => ({
  start: 'book',
  nodes: { book: { tool, ok: 'done', failed: '@hand_over' }, done: { say: 'Booked.', go: '@end' } },
})

const model = { provider: 'openai', name: 'small' }
const unknown_names: [path: string, change: object][] = [
  ['tools.0', { tools: ['book_slot'] }],
  ['tools.1', { tools: ['opt_out', 'book_slot'] }],
  ['model.provider', { model: { ...model, provider: 'OpenAI' } }],
  ['model.name', { model: { ...model, name: 'huge' } }],
  ['fallback_model.provider', { fallback_model: { ...model, provider: 'anthropic' } }],
  ['script.nodes.book.tool', { script: callTool('book_slot') }],
]

test('a tool, provider or model that the workspace does not have is rejected', async () => {
  const [tenant, other] = [await workspace(), await workspace()]
  await create(other, '/tools', newTool({ name: 'book_slot' }))
  await create(other, '/providers', newProvider({ name: 'OpenAI' }))
  const agent = await createAgent(tenant)
  for (const [path, change] of unknown_names) {
    for (const [method, address, body, at] of [
      ['POST', '/agents', newAgent(change), path],
      ['PATCH', `/agents/${agent.id}`, change, path],
      ['PATCH', `/agents/${agent.id}`, { draft: change }, `draft.${path}`],
    ] as const) {
      const answer = await tenant.call(method, address, body)
      assert.equal(answer.status, 400, answer.text)
      const [fault, ...more] = answer.body.error.details.fields
      assert.deepEqual([fault.path, fault.code, more], [at, 'unknown', []])
      assert.ok(fault.message.startsWith(`${at} is "`), fault.message)
    }
  }
  assert.deepEqual((await tenant.call('GET', `/agents/${agent.id}`)).body.data, agent)
  assert.equal((await tenant.call('GET', '/agents')).body.pagination.total, 1)
})

test('all unknown names are reported at once', async () => {
  const tenant = await workspace()
  const input = newAgent({ tools: ['a', 'b'], model: { provider: 'x', name: 'y' }, results: [] })
  const { body } = await tenant.call('POST', '/agents', input)
  const paths = body.error.details.fields.map(({ path }: { path: string }) => path)
  assert.deepEqual(paths, ['model.provider', 'tools.0', 'tools.1'])
})

test('tools and models of the workspace, of the operator and built-in tools can be named', async () => {
  const tenant = await workspace()
  const { name: tool } = await createTool(tenant)
  const { name: provider } = await createProvider(tenant)
  const named = {
    model: { provider, name: 'any' },
    fallback_model: { ...model, name: 'large' },
    tools: [tool, 'opt_out'],
  }
  assert.partialDeepStrictEqual((await createAgent(tenant, named)).draft, named)
  await createAgent(tenant, { tools: [tool], script: callTool(tool) })
  await createAgent(tenant, { script: callTool('opt_out') })
  const unlisted = await tenant.call('POST', '/agents', newAgent({ script: callTool(tool) }))
  assert.deepEqual(unlisted.body.error.details.fields[0].path, 'script.nodes.book.tool')
})

interface Named {
  path: string
  /** A configuration that names it. */
  draft: object
  /** A configuration that doesn't. */
  cleared: object
  remove: (at: At) => Promise<unknown>
}

const nameables: Record<string, (tenant: Tenant) => Promise<Named>> = {
  tool: async (tenant) => {
    const { id, name } = await createTool(tenant)
    const remove = (at: At) => tools.remove(at, { id, isCurrent: () => true })
    return { path: `/tools/${id}`, draft: { tools: ['opt_out', name] }, cleared: { tools: [] }, remove }
  },
  'model provider': async (tenant) => {
    const { id, name } = await createProvider(tenant)
    const remove = (at: At) => providers.remove(at, { id, isCurrent: () => true })
    const draft = { model: { provider: name, name: 'x' } }
    return { path: `/providers/${id}`, draft, cleared: { model: null }, remove }
  },
  'fallback provider': async (tenant) => {
    const { id, name } = await createProvider(tenant)
    const draft = { fallback_model: { provider: name, name: 'x' } }
    const remove = (at: At) => providers.remove(at, { id, isCurrent: () => true })
    return { path: `/providers/${id}`, draft, cleared: { fallback_model: null }, remove }
  },
}

for (const [noun, make] of Object.entries(nameables)) {
  test(`a ${noun} is not deleted while a draft, a deployed version or a candidate names it`, async () => {
    const tenant = await workspace()
    const { path, draft, cleared } = await make(tenant)
    const { id, deployed_version } = await createAgent(tenant)
    const assertUsed = async () => {
      const { status, body } = await tenant.call('DELETE', path)
      assert.deepEqual([status, body.error?.code], [409, 'INVALID_STATE'])
      assert.deepEqual(body.error.details.used_by, [{ kind: 'agent', id }])
    }
    const deploy = async (version_id: string, percent: number) =>
      assert.equal((await tenant.call('POST', `/agents/${id}/deploy`, { version_id, percent })).status, 200)
    await change(tenant, id, draft)
    await assertUsed()
    const version = await publish(tenant, id, {})
    await change(tenant, id, cleared)
    await deploy(version.id, 20)
    await assertUsed()
    await deploy(version.id, 100)
    await assertUsed()
    await deploy(deployed_version.id, 100)
    assert.equal((await tenant.call('DELETE', path)).status, 200)
  })

  test(`a version that names a deleted ${noun} is not deployed`, async () => {
    const tenant = await workspace()
    const { path, draft, cleared } = await make(tenant)
    const { id, deployed_version } = await createAgent(tenant, draft)
    const later = await publish(tenant, id, cleared, { deploy: true })
    assert.equal((await tenant.call('DELETE', path)).status, 200)
    const version_id = deployed_version.id
    for (const [verb, input] of [
      ['deploy', { version_id }],
      ['deploy', { version_id, percent: 20 }],
      ['rollback', undefined],
    ] as const) {
      const { status, body } = await tenant.call('POST', `/agents/${id}/${verb}`, input)
      assert.deepEqual([status, body.error?.code], [409, 'INVALID_STATE'])
      assert.match(
        body.error.message,
        /^v1 can't be deployed: [a-z_.1]+ is ".+", which is not the name of a (tool|provider)\.$/,
      )
    }
    const { data } = (await tenant.call('GET', `/agents/${id}`)).body
    assert.deepEqual([data.deployed_version.id, data.candidate], [later.id, null])
  })

  for (const [verb, expected_status] of [
    ['create', 400],
    ['update', 400],
    ['deploy', 409],
    ['rollback', 409],
  ] as const) {
    test(`a ${noun} that is deleted during agents.${verb} is not named afterwards`, async () => {
      const tenant = await workspace()
      const { path, draft, cleared, remove } = await make(tenant)
      const { id, deployed_version } = await createAgent(tenant, draft)
      await publish(tenant, id, cleared, { deploy: true })
      await using held = await holdTransaction(pool, (db) => remove({ ...at(tenant.id), db }))
      const requested = {
        create: () => tenant.call('POST', '/agents', newAgent(draft)),
        update: () => tenant.call('PATCH', `/agents/${id}`, draft),
        deploy: () => tenant.call('POST', `/agents/${id}/deploy`, { version_id: deployed_version.id }),
        rollback: () => tenant.call('POST', `/agents/${id}/rollback`),
      }[verb]()
      await held.waitUntilBlocking(requested)
      await held.end()
      assert.equal((await requested).status, expected_status)
      assert.equal((await tenant.call('GET', path)).status, 404)
    })
  }

  test(`a ${noun} is not deleted if an agent that names it is being created`, async () => {
    const tenant = await workspace()
    const { path, draft } = await make(tenant)
    const by = { kind: 'command' as const, id: null }
    await using held = await holdTransaction(pool, (db) =>
      agents.create({ ...at(tenant.id), db }, { input: newAgent(draft), by }),
    )
    const requested = tenant.call('DELETE', path)
    await held.waitUntilBlocking(requested)
    await held.end()
    assert.equal((await requested).status, 409)
    assert.equal((await tenant.call('GET', path)).status, 200)
  })
}

test('a provider that an agent names is not renamed, and can be changed', async () => {
  const tenant = await workspace()
  const { id, name } = await createProvider(tenant)
  const agent = await createAgent(tenant, { model: { provider: name, name: 'x' } })
  const rename = () => tenant.call('PATCH', `/providers/${id}`, { name: 'Other' })
  const { status, body } = await rename()
  assert.deepEqual([status, body.error?.details.used_by], [409, [{ kind: 'agent', id: agent.id }]])
  assert.equal((await tenant.call('PATCH', `/providers/${id}`, { name, default_model: 'large' })).status, 200)
  assert.equal((await tenant.call('DELETE', `/agents/${agent.id}`)).status, 200)
  assert.equal((await rename()).status, 200)
})

test('agents of another workspace and agents that name something else do not count', async () => {
  const [tenant, other] = [await workspace(), await workspace()]
  const { id, name } = await createTool(tenant)
  await createAgent(tenant, { instructions: name, tools: ['opt_out'], greeting: name })
  await create(other, '/tools', newTool({ name }))
  await createAgent(other, { tools: [name] })
  assert.equal((await tenant.call('DELETE', `/tools/${id}`)).status, 200)
})

test('two agents that name a tool are both reported', async () => {
  const tenant = await workspace()
  const { id, name } = await createTool(tenant)
  const named = [await createAgent(tenant, { tools: [name] }), await createAgent(tenant, { tools: [name] })]
  const { used_by } = (await tenant.call('DELETE', `/tools/${id}`)).body.error.details
  assert.deepEqual(
    used_by,
    named.map((agent) => ({ kind: 'agent', id: agent.id })),
  )
})

test('a draft is not published when the operator no longer allows its model', async () => {
  const tenant = await workspace()
  const { id } = await createAgent(tenant)
  await change(tenant, id, { model })
  const headers = { authorization: `Bearer ${tenant.key}` }
  const { status, body } = await without_models.fetch('POST', `/api/v1/agents/${id}/versions`, {}, headers)
  assert.deepEqual([status, body.error?.details.fields[0].path], [400, 'draft.model.provider'])
})
