import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as deployments from '../../server/agents/deployments.ts'
import { inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { patient } from '../support/calls.ts'
import { eventsOf, unknown_id } from '../support/contacts.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newAgent } from '../support/samples.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'

const server = await serve()
const { workspace, pool } = server

interface Version {
  id: string
  version_label: string
}

/** Creates an agent with this many versions, the first of which is deployed. */
async function agentWith(tenant: Tenant, count: number) {
  const { id, deployed_version } = (await tenant.call('POST', '/agents', newAgent())).body.data
  const versions: Version[] = [deployed_version]
  for (let number = 2; number <= count; number += 1) {
    await tenant.call('PATCH', `/agents/${id}`, { instructions: `v${number}` })
    const { id: version_id, version_label } = (await tenant.call('POST', `/agents/${id}/versions`)).body.data
    versions.push({ id: version_id, version_label })
  }
  const deploy = (number: number, percent?: number) =>
    tenant.call('POST', `/agents/${id}/deploy`, { version_id: versions[number - 1]?.id, ...(percent && { percent }) })
  const rollback = () => tenant.call('POST', `/agents/${id}/rollback`)
  const get = async () => (await tenant.call('GET', `/agents/${id}`)).body.data
  const history = async (): Promise<[string, number][]> =>
    (await tenant.call('GET', `/agents/${id}/deployments`)).body.data.map(
      ({ version, percent }: { version: Version; percent: number }) => [version.version_label, percent],
    )
  return { id, versions, deploy, rollback, get, history }
}

test('a deployment changes the version in use, and is listed with who did it', async () => {
  const tenant = await workspace()
  const { id, versions, deploy, get } = await agentWith(tenant, 2)
  const before = await get()
  const { status, body } = await deploy(2)
  assert.equal(status, 200)
  const { data: after } = body
  assert.deepEqual(after, {
    ...before,
    instructions: 'v2',
    deployed_version: versions[1],
    updated_at: after.updated_at,
  })
  assert.ok(after.updated_at > before.updated_at)
  assert.deepEqual(await get(), after)
  const deployments = await tenant.call('GET', `/agents/${id}/deployments`)
  const [deployed, first] = deployments.body.data
  assert.equal(deployments.body.pagination.total, 2)
  assert.deepEqual(Object.keys(deployed).sort(), ['created_at', 'created_by', 'id', 'is_forced', 'percent', 'version'])
  assert.deepEqual([deployed.version, deployed.percent, deployed.created_by.kind], [versions[1], 100, 'api_key'])
  assert.deepEqual([first.version, first.percent], [versions[0], 100])
  const person = await newPerson(server, { [tenant.id]: 'member' })
  await person.go('POST', `/api/v1/agents/${id}/rollback`, undefined, inWorkspace(tenant))
  const [by_person] = (await tenant.call('GET', `/agents/${id}/deployments`)).body.data
  assert.deepEqual(by_person.created_by, { kind: 'person', id: person.id, name: 'Ada' })
})

test('a deployment records an event', async () => {
  const tenant = await workspace()
  const { versions, deploy } = await agentWith(tenant, 2)
  const { draft: _, ...after } = (await deploy(2)).body.data
  const events = (await eventsOf(pool, tenant)).filter(({ type }) => type === 'agent.deployed')
  assert.deepEqual(
    events.map(({ data, previous }) => [data, previous]),
    [
      [
        { ...after, is_forced: false },
        { instructions: 'Greet the caller.', deployed_version: versions[0] },
      ],
    ],
  )
})

test('to deploy what is deployed already changes nothing', async () => {
  const tenant = await workspace()
  const { deploy, get, history } = await agentWith(tenant, 2)
  const before = await get()
  assert.deepEqual((await deploy(1)).body.data, before)
  const candidate = (await deploy(2, 20)).body.data
  assert.deepEqual((await deploy(2, 20)).body.data, candidate)
  assert.deepEqual(await history(), [
    ['v2', 20],
    ['v1', 100],
  ])
})

test('a candidate stands beside the deployed version until it ends', async () => {
  const tenant = await workspace()
  const { versions, deploy, get, history } = await agentWith(tenant, 3)
  const tried = (await deploy(2, 20)).body.data
  assert.deepEqual(tried.candidate, { version: versions[1], percent: 20 })
  assert.deepEqual([tried.deployed_version, tried.instructions], [versions[0], 'Greet the caller.'])
  assert.deepEqual((await tenant.call('GET', '/agents')).body.data[0].candidate, tried.candidate)
  assert.deepEqual((await deploy(2, 99)).body.data.candidate, { version: versions[1], percent: 99 })
  assert.deepEqual((await deploy(3, 1)).body.data.candidate, { version: versions[2], percent: 1 })
  const chosen = (await deploy(3, 100)).body.data
  assert.deepEqual([chosen.candidate, chosen.deployed_version], [null, versions[2]])
  await deploy(2, 50)
  const refused = await deploy(3, 50)
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'INVALID_STATE'])
  const ended = (await deploy(3)).body.data
  assert.deepEqual([ended.candidate, ended.deployed_version], [null, versions[2]])
  assert.deepEqual((await get()).candidate, null)
  assert.deepEqual(await history(), [
    ['v3', 100],
    ['v2', 50],
    ['v3', 100],
    ['v3', 1],
    ['v2', 99],
    ['v2', 20],
    ['v1', 100],
  ])
})

test('a rollback deploys the version before the current one, and the next goes further back', async () => {
  const tenant = await workspace()
  const { id, versions, deploy, rollback, history } = await agentWith(tenant, 3)
  const none = await rollback()
  assert.deepEqual([none.status, none.body.error.code], [409, 'INVALID_STATE'])
  await deploy(2)
  await deploy(3)
  await deploy(1, 10)
  const first = await rollback()
  assert.equal(first.status, 200)
  assert.partialDeepStrictEqual(first.body.data, { deployed_version: versions[1], candidate: null, instructions: 'v2' })
  assert.deepEqual((await tenant.call('GET', `/agents/${id}`)).body, first.body)
  assert.deepEqual((await rollback()).body.data.deployed_version, versions[0])
  assert.equal((await rollback()).status, 409)
  assert.deepEqual(await history(), [
    ['v1', 100],
    ['v2', 100],
    ['v1', 10],
    ['v3', 100],
    ['v2', 100],
    ['v1', 100],
  ])
  await deploy(3)
  assert.deepEqual((await rollback()).body.data.deployed_version, versions[0])
})

test('a rollback after a candidate has ended skips the version that stayed', async () => {
  const tenant = await workspace()
  const { versions, deploy, rollback } = await agentWith(tenant, 2)
  await deploy(2)
  await deploy(1, 10)
  await deploy(2)
  assert.deepEqual((await rollback()).body.data.deployed_version, versions[0])
})

test('an invalid deployment is rejected', async () => {
  const tenant = await workspace()
  const { id, versions } = await agentWith(tenant, 2)
  const other = await agentWith(tenant, 1)
  const [, version] = versions
  for (const [path, code, input] of [
    ['version_id', 'required', {}],
    ['version_id', 'format', { version_id: 'v2' }],
    ['version_id', 'unknown', { version_id: unknown_id }],
    ['version_id', 'unknown', { version_id: other.versions[0]?.id }],
    ['percent', 'minimum', { version_id: version?.id, percent: 0 }],
    ['percent', 'maximum', { version_id: version?.id, percent: 101 }],
    ['percent', 'type', { version_id: version?.id, percent: 1.5 }],
  ] as const) {
    const { status, body } = await tenant.call('POST', `/agents/${id}/deploy`, input)
    const [fault] = body.error.details.fields
    assert.deepEqual([status, fault.path, fault.code], [400, path, code], JSON.stringify(input))
  }
})

test('state verbs ignore If-Match', async () => {
  const tenant = await workspace()
  const { id, versions } = await agentWith(tenant, 2)
  const stale = { 'if-match': '"x"' }
  const deployed = await tenant.call('POST', `/agents/${id}/deploy`, { version_id: versions[1]?.id }, stale)
  assert.equal(deployed.status, 200)
  assert.equal((await tenant.call('POST', `/agents/${id}/rollback`, undefined, stale)).status, 200)
})

test('a rollback happens once for an Idempotency-Key', async () => {
  const tenant = await workspace()
  const { id, versions, deploy, get } = await agentWith(tenant, 3)
  await deploy(2)
  await deploy(3)
  const post = () => tenant.call('POST', `/agents/${id}/rollback`, undefined, { 'idempotency-key': 'k' })
  const [first, second] = await Promise.all([post(), post()])
  assert.equal(first?.text, second?.text)
  assert.deepEqual((await get()).deployed_version, versions[1])
})

test('deployments, rollbacks, changes and a deletion at once leave a consistent agent, or none', async () => {
  const tenant = patient(await workspace())
  const agents = [await agentWith(tenant, 4), await agentWith(tenant, 4)]
  for (const [index, { id, deploy, rollback, get, history }] of agents.entries()) {
    const is_deleted = index % 2 === 0
    const requests = [
      deploy(2),
      deploy(3, 30),
      rollback(),
      deploy(4),
      tenant.call('PATCH', `/agents/${id}`, { greeting: `${index}` }),
      tenant.call('POST', `/agents/${id}/versions`, { deploy: true }),
      ...(is_deleted ? [tenant.call('DELETE', `/agents/${id}`)] : []),
      rollback(),
      deploy(1),
    ]
    for (const { status, text } of await Promise.all(requests))
      assert.ok([200, 201, ...(is_deleted ? [404] : []), 409].includes(status), text)
    if (is_deleted) {
      assert.equal((await tenant.call('GET', `/agents/${id}`)).status, 404)
      continue
    }
    const { deployed_version, candidate, instructions } = await get()
    const [last] = (await history()).filter(([, percent]) => percent === 100)
    assert.equal(deployed_version.version_label, last?.[0])
    const version = await tenant.call('GET', `/agents/${id}/versions/${deployed_version.id}`)
    assert.equal(version.body.data.instructions, instructions)
    if (candidate) assert.notEqual(candidate.version.id, deployed_version.id)
  }
})

test('a deployment that began earlier and got the lock later is listed last', async () => {
  const tenant = await workspace()
  const { id, versions, deploy, history } = await agentWith(tenant, 2)
  await deploy(2)
  const earlier = server.at(tenant.id, clock.wall() - 60_000)
  const by = { kind: 'command', id: null } as const
  await inTransaction(earlier, (at) =>
    deployments.deploy(at, { agent_id: id, version_id: versions[0]?.id ?? '', percent: 100, is_forced: false, by }),
  )
  assert.deepEqual(await history(), [
    ['v1', 100],
    ['v2', 100],
    ['v1', 100],
  ])
})
