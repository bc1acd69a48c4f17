import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as clock from '../../server/kit/clock.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { eventsOf, unknown_id } from '../support/contacts.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newAgent } from '../support/samples.ts'

const { workspace, pool } = await serve({ openai_api_key: 'sk-operator', openai_model: 'small' })

const create = async ({ call }: Tenant, input: object = {}) =>
  (await call('POST', '/agents', newAgent(input))).body.data

/** Publishes the changed draft as the next version. */
async function publish({ call }: Tenant, id: string, change: object = {}, input: object = {}) {
  assert.equal((await call('PATCH', `/agents/${id}`, change)).status, 200)
  const { status, body, text } = await call('POST', `/agents/${id}/versions`, input)
  assert.equal(status, 201, text)
  return body.data
}

const lastWords = (say: string) => ({ say, go: '@end' })

const getAgent = async ({ call }: Tenant, id: string) => (await call('GET', `/agents/${id}`)).body.data

test('the draft is published as the next version, and not deployed', async () => {
  const tenant = await workspace()
  const { id, deployed_version } = await create(tenant, { instructions: 'Greet.' })
  await tenant.call('PATCH', `/agents/${id}`, { instructions: 'Sell.', greeting: 'Hello.' })
  const before = await getAgent(tenant, id)
  const published = await tenant.call('POST', `/agents/${id}/versions`, { note: ' Sells.\nMore. ' })
  assert.equal(published.status, 201)
  const { data: version } = published.body
  assert.equal(published.headers.get('location'), `/api/v1/agents/${id}/versions/${version.id}`)
  const { id: _, created_at, created_by, ...rest } = version
  assert.equal(clock.isIso(created_at), true)
  assert.equal(created_by.kind, 'api_key')
  assert.ok(created_by.name)
  assert.deepEqual(rest, {
    version_label: 'v2',
    instructions: 'Sell.',
    note: 'Sells.\nMore.',
    configuration: before.draft,
    mcp_tools: [],
  })
  assert.deepEqual((await tenant.call('GET', `/agents/${id}/versions/${version.id}`)).body, published.body)
  const after = await getAgent(tenant, id)
  assert.deepEqual(after, { ...before, has_unpublished_changes: false, updated_at: after.updated_at })
  assert.deepEqual([after.deployed_version, after.instructions], [deployed_version, 'Greet.'])
  assert.ok(after.updated_at > before.updated_at)
  const listed = (await tenant.call('GET', `/agents/${id}/versions`)).body
  const { configuration: _configuration, mcp_tools: _mcp_tools, ...in_list } = version
  assert.deepEqual(listed.data[0], in_list)
  assert.deepEqual(
    listed.data.map(({ version_label }: { version_label: string }) => version_label),
    ['v2', 'v1'],
  )
  const events = (await eventsOf(pool, tenant)).filter(({ type }) => type === 'agent.updated')
  const { draft: _draft, ...as_listed } = after
  assert.deepEqual(
    events.map(({ previous }) => previous),
    [{ has_unpublished_changes: false }, { has_unpublished_changes: true }],
  )
  assert.deepEqual(events[1]?.data, as_listed)
})

test('the same content again is the version that exists, and nothing changes', async () => {
  const tenant = await workspace()
  const agent = await create(tenant, { instructions: 'Greet.' })
  const again = await tenant.call('POST', `/agents/${agent.id}/versions`)
  assert.deepEqual([again.status, again.body.data.id], [200, agent.deployed_version.id])
  assert.equal(again.headers.get('location'), null)
  assert.deepEqual(await getAgent(tenant, agent.id), agent)
  await publish(tenant, agent.id, { script: { nodes: { a: lastWords('a'), b: lastWords('b') }, start: 'a' } })
  const reordered = { start: 'a', nodes: { b: lastWords('b'), a: lastWords('a') } }
  const { data } = (await tenant.call('PATCH', `/agents/${agent.id}`, { script: reordered })).body
  assert.equal(data.has_unpublished_changes, false)
  await tenant.call('PATCH', `/agents/${agent.id}`, { script: null })
  const first = await tenant.call('POST', `/agents/${agent.id}/versions`, { note: 'v1 once more' })
  assert.deepEqual([first.status, first.body.data.id], [200, agent.deployed_version.id])
  assert.equal((await tenant.call('GET', `/agents/${agent.id}/versions`)).body.pagination.total, 2)
})

test('a version can be deployed when it is published, also if it exists already', async () => {
  const tenant = await workspace()
  const { id, deployed_version } = await create(tenant, { instructions: 'Greet.' })
  const version = await publish(tenant, id, { instructions: 'Sell.' }, { deploy: true })
  const deployed = await getAgent(tenant, id)
  assert.deepEqual(deployed.deployed_version, { id: version.id, version_label: 'v2' })
  assert.equal(deployed.instructions, 'Sell.')
  await tenant.call('PATCH', `/agents/${id}`, { instructions: 'Greet.' })
  assert.equal((await tenant.call('POST', `/agents/${id}/versions`, { deploy: true })).status, 200)
  assert.deepEqual((await getAgent(tenant, id)).deployed_version, deployed_version)
  const types = (await eventsOf(pool, tenant)).map(({ type }) => type)
  assert.deepEqual(types.sort(), [
    'agent.created',
    'agent.deployed',
    'agent.deployed',
    'agent.updated',
    'agent.updated',
    'agent.updated',
  ])
})

test('two requests at once publish one version', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  for (let round = 0; round < 5; round += 1) {
    await tenant.call('PATCH', `/agents/${id}`, { instructions: `${round}` })
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => tenant.call('POST', `/agents/${id}/versions`, { note: 'now' })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 201])
    assert.equal(new Set(answers.map(({ body }) => body.data.id)).size, 1)
    assert.equal(answers[0]?.body.data.version_label, `v${round + 2}`)
  }
})

test('a version is published once for an Idempotency-Key', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  await tenant.call('PATCH', `/agents/${id}`, { instructions: 'Sell.' })
  const post = () => tenant.call('POST', `/agents/${id}/versions`, { deploy: true }, { 'idempotency-key': 'k' })
  const first = await post()
  await tenant.call('PATCH', `/agents/${id}`, { instructions: 'Greet.' })
  const second = await post()
  assert.deepEqual([second.status, second.text], [201, first.text])
  assert.equal((await tenant.call('GET', `/agents/${id}/versions`)).body.pagination.total, 2)
})

test('an agent can have 10,000 versions', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  await pool.run(sql`update agents set version_count = 9999 where workspace_id = ${tenant.id} and id = ${id}`)
  const last = await publish(tenant, id, { instructions: 'last' })
  assert.equal(last.version_label, 'v10000')
  await tenant.call('PATCH', `/agents/${id}`, { instructions: 'one more' })
  const refused = await tenant.call('POST', `/agents/${id}/versions`)
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'INVALID_STATE'])
  assert.equal((await getAgent(tenant, id)).has_unpublished_changes, true)
  await tenant.call('PATCH', `/agents/${id}`, { instructions: 'last' })
  assert.equal((await tenant.call('POST', `/agents/${id}/versions`)).status, 200)
})

test('an invalid version is rejected', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  for (const [path, input] of [
    ['note', { note: 'x'.repeat(501) }],
    ['note', { note: 5 }],
    ['deploy', { deploy: 'yes' }],
    ['percent', { percent: 5 }],
  ] as const) {
    const { status, body } = await tenant.call('POST', `/agents/${id}/versions`, input)
    assert.deepEqual([status, body.error.details.fields[0].path], [400, path])
  }
})

test('a version of another agent is not found', async () => {
  const tenant = await workspace()
  const [one, other] = [await create(tenant), await create(tenant)]
  for (const version_id of [other.deployed_version.id, unknown_id, 'x']) {
    for (const rest of ['', '/diff'])
      assert.equal((await tenant.call('GET', `/agents/${one.id}/versions/${version_id}${rest}`)).status, 404)
  }
})

const greet = { say: 'Hello.', go: 'ask' }

test('a difference shows fields by path, instructions by line and scripts by node', async () => {
  const tenant = await workspace()
  const { id, deployed_version } = await create(tenant, {
    instructions: 'Greet.\nAsk.\nEnd.',
    tools: ['opt_out'],
    script: { start: 'greet', nodes: { greet, ask: lastWords('Name?'), old: lastWords('Old.') } },
  })
  const version = await publish(tenant, id, {
    instructions: 'Greet.\nAsk for the name.\nEnd.',
    tools: ['opt_out', 'hand_over'],
    language: 'de',
    greeting: 'Hello.',
    limits: { turns_max: 5 },
    script: { start: 'ask', nodes: { ask: lastWords('Your name?'), greet, constructor: lastWords('Hm.') } },
  })
  const diff = async (version_id: string, against = '') => {
    const { status, body, text } = await tenant.call('GET', `/agents/${id}/versions/${version_id}/diff${against}`)
    assert.equal(status, 200, text)
    return body.data
  }
  const from = deployed_version
  const changed = {
    from,
    to: { id: version.id, version_label: 'v2' },
    fields: [
      { path: 'greeting', before: null, after: 'Hello.' },
      { path: 'language', before: 'en', after: 'de' },
      { path: 'tools', before: ['opt_out'], after: ['opt_out', 'hand_over'] },
      { path: 'limits.turns_max', before: 200, after: 5 },
      { path: 'script.start', before: 'greet', after: 'ask' },
    ],
    instructions: [
      { change: 'same', text: 'Greet.\n' },
      { change: 'removed', text: 'Ask.\n' },
      { change: 'added', text: 'Ask for the name.\n' },
      { change: 'same', text: 'End.' },
    ],
    script: [
      { node: 'ask', change: 'changed', before: lastWords('Name?'), after: lastWords('Your name?') },
      { node: 'old', change: 'removed', before: lastWords('Old.'), after: null },
      { node: 'constructor', change: 'added', before: null, after: lastWords('Hm.') },
    ],
  }
  assert.deepEqual(await diff(version.id, `?against=${from.id}`), changed)
  assert.deepEqual(await diff(from.id, `?against=${version.id}`), changed, 'always from the older to the newer')
  const draft = { id: null, version_label: 'draft' }
  assert.deepEqual(await diff(from.id, '?against=draft'), { ...changed, to: draft })
  const same = { from: { id: version.id, version_label: 'v2' }, to: draft, fields: [], instructions: [], script: [] }
  assert.deepEqual(await diff(version.id), same)
  const fallback_model = { provider: 'openai', name: 'small', temperature: null }
  const change = { instructions: null, script: null, fallback_model }
  const cleared = await tenant.call('PATCH', `/agents/${id}`, change)
  assert.equal(cleared.status, 200)
  const { instructions, fields, script } = await diff(version.id)
  assert.deepEqual(instructions, [{ change: 'removed', text: version.instructions }])
  assert.deepEqual(fields, [
    { path: 'fallback_model', before: null, after: fallback_model },
    { path: 'script.start', before: 'ask', after: null },
  ])
  assert.deepEqual(new Set(script.map(({ change }: { change: string }) => change)), new Set(['removed']))
})

test('an unknown version to compare with is rejected', async () => {
  const tenant = await workspace()
  const [one, other] = [await create(tenant), await create(tenant)]
  const path = `/agents/${one.id}/versions/${one.deployed_version.id}/diff`
  for (const against of [other.deployed_version.id, unknown_id, 'v1', 'x', '']) {
    const { status, body } = await tenant.call('GET', `${path}?against=${against}`)
    assert.deepEqual([status, body.error?.details.fields[0].path], [400, 'against'], against)
  }
})

test('up to 150 changed lines are compared one by one', async () => {
  const tenant = await workspace()
  const lines = (changed: number) =>
    Array.from({ length: 5_000 }, (_, index) => (index % 2 === 1 && index < 2 * changed ? 'x' : `${index}`)).join('\n')
  const { id, deployed_version } = await create(tenant, { instructions: lines(0) })
  const diff = async (changed: number) => {
    await tenant.call('PATCH', `/agents/${id}`, { instructions: lines(changed) })
    const { body } = await tenant.call('GET', `/agents/${id}/versions/${deployed_version.id}/diff`)
    return body.data.instructions
  }
  assert.equal((await diff(150)).length, 3 * 150 + 1)
  assert.deepEqual(await diff(151), [
    { change: 'removed', text: lines(0) },
    { change: 'added', text: lines(151) },
  ])
})

test('what a stored configuration lacks has its default', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { instructions: null })
  const limits = { turns_max: 9, tokens_max: 60_000, reply_characters_max: 4_000, idle_seconds: 86_400 }
  const stored = { greeting: 'Hello.', hand_over: { is_allowed: true, on_failure: false }, limits }
  await pool.run(
    sql`update agent_versions set configuration = ${JSON.stringify(stored)}
      where workspace_id = ${tenant.id} and agent_id = ${id}`,
  )
  const { draft } = await getAgent(tenant, id)
  assert.partialDeepStrictEqual(draft, { ...stored, limits: { ...limits, call_seconds_max: 1_800 } })
  const { transfers, opt_out_key, recording } = draft
  assert.deepEqual(
    { transfers, opt_out_key, recording },
    { transfers: [], opt_out_key: '9', recording: { is_on: true, notice: null } },
  )
})

test('settings of calls are compared like other fields', async () => {
  const tenant = await workspace()
  const { id, deployed_version } = await create(tenant)
  const transfers = [{ name: 'Support', phone_number: '+14155550199' }]
  const of_calls = {
    voice: 'rms',
    recording: { notice: 'Recorded.' },
    transfers,
    opt_out_key: null,
    opt_out_notice: true,
  }
  const change = { ...of_calls, limits: { call_seconds_max: 60 } }
  await tenant.call('PATCH', `/agents/${id}`, change)
  const { body } = await tenant.call('GET', `/agents/${id}/versions/${deployed_version.id}/diff`)
  const byPath = (one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1)
  assert.deepEqual(body.data.fields.sort(byPath), [
    { path: 'limits.call_seconds_max', before: 1_800, after: 60 },
    { path: 'opt_out_key', before: '9', after: null },
    { path: 'opt_out_notice', before: false, after: true },
    { path: 'recording.notice', before: null, after: 'Recorded.' },
    { path: 'transfers', before: [], after: transfers },
    { path: 'voice', before: null, after: 'rms' },
  ])
})
