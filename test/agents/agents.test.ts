import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as agents from '../../server/agents/store.ts'
import { inTransaction, on, openHooks } from '../../server/kit/at.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { Problem } from '../../server/kit/problem.ts'
import { eventsOf, unknown_id } from '../support/contacts.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newAgent, newProvider, newTool } from '../support/samples.ts'

const { workspace, fetch, pool, at } = await serve({
  openai_api_key: 'sk-operator',
  openai_model: 'gpt-5-mini',
  openai_models: ['other'],
  anthropic_api_key: 'sk-ant-operator',
  anthropic_model: 'claude',
})

const defaults = {
  instructions: null,
  greeting: null,
  language: 'en',
  model: null,
  fallback_model: null,
  model_settings: { temperature: null, max_tokens: null, top_p: null, reasoning_effort: null, stop: null },
  script: null,
  tools: [],
  results: [],
  contact_fields: [],
  knowledge: null,
  hand_over: { is_allowed: true, on_failure: false, message: null },
  limits: {
    turns_max: 200,
    tokens_max: 60_000,
    reply_characters_max: 4_000,
    idle_seconds: 86_400,
    tool_timeout_ms: 20_000,
    call_seconds_max: 1_800,
  },
  voicemail_message: null,
  voice: null,
  speech: { listen: null, speak: null },
  transfers: [],
  opt_out_key: '9',
  opt_out_notice: false,
  recording: { is_on: true, notice: null },
}

/** The agent as in a list. */
const listed = ({ draft: _, ...agent }: { draft: unknown }) => agent

async function create({ call }: Tenant, input: object = {}) {
  const { status, body } = await call('POST', '/agents', newAgent(input))
  assert.equal(status, 201)
  return body.data
}

test('an agent is created with its version v1 deployed', async () => {
  const { call, key } = await workspace()
  const input = { name: ' Reception ', description: 'Answers\nthe main line.', instructions: 'Greet.\n\tThen ask.' }
  const created = await call('POST', '/agents', input)
  assert.equal(created.status, 201)
  const { id, created_at, updated_at, deployed_version, draft, ...rest } = created.body.data
  assert.deepEqual(rest, {
    ...input,
    name: 'Reception',
    candidate: null,
    has_unpublished_changes: false,
    deploy_requires: 'none',
    can_answer: true,
    cannot_answer_reason: null,
  })
  assert.deepEqual(draft, { ...defaults, instructions: input.instructions })
  assert.deepEqual(Object.keys(deployed_version).sort(), ['id', 'version_label'])
  assert.equal(deployed_version.version_label, 'v1')
  assert.notEqual(deployed_version.id, id)
  assert.equal(created_at, updated_at)
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal(created.headers.get('location'), `/api/v1/agents/${id}`)
  const fetched = await fetch('GET', `/api/v1/agents/${id}`, undefined, { authorization: `Bearer ${key}` })
  assert.equal(fetched.status, 200)
  assert.deepEqual(fetched.body, created.body)
})

test('unset fields are "" and null', async () => {
  const tenant = await workspace()
  for (const input of [{}, { description: null, instructions: null }, { description: ' ', instructions: '' }]) {
    const { body } = await tenant.call('POST', '/agents', { name: 'Reception', ...input })
    assert.partialDeepStrictEqual(body.data, { description: '', instructions: null })
    assert.deepEqual((await tenant.call('GET', `/agents/${body.data.id}`)).body, body)
  }
})

test('create ignores read-only fields, so the body of GET can be sent', async () => {
  const tenant = await workspace()
  const first = await create(tenant)
  const { status, body } = await tenant.call('POST', '/agents', { ...first, workspace_id: unknown_id })
  assert.equal(status, 201)
  assert.notEqual(body.data.id, first.id)
  assert.notEqual(body.data.deployed_version.id, first.deployed_version.id)
  assert.equal(body.data.name, first.name)
})

test('two agents can have the same name', async () => {
  const tenant = await workspace()
  const [first, second] = [await create(tenant), await create(tenant)]
  assert.equal(first.name, second.name)
})

test('name, description and instructions can be as long as their limits, not longer', async () => {
  const tenant = await workspace()
  const limits = { name: 200, description: 2_000, instructions: 32_000 }
  for (const [field, limit] of Object.entries(limits)) {
    for (const character of ['x', '🙂']) {
      const longest = character.repeat(limit)
      assert.equal((await create(tenant, { [field]: ` ${longest} ` }))[field], longest)
      const { status, body } = await tenant.call('POST', '/agents', newAgent({ [field]: `${longest}x` }))
      assert.deepEqual([status, body.error.details.fields[0].path], [400, field])
    }
  }
})

test('an invalid agent is rejected and nothing is created', async () => {
  const tenant = await workspace()
  for (const [path, input] of [
    ['name', {}],
    ['name', { name: '' }],
    ['name', { name: '  ' }],
    ['name', { name: null }],
    ['name', { name: 5 }],
    ['name', { name: ['Reception'] }],
    ['name', { name: 'two\nlines' }],
    ['name', { name: 'nul\0' }],
    ['instructions', { name: 'Reception', instructions: 5 }],
    ['instructions', { name: 'Reception', instructions: 'nul\0' }],
    ['description', { name: 'Reception', description: {} }],
    ['description', { name: 'Reception', description: '\ud800' }],
    ['prompt', { name: 'Reception', prompt: 'x' }],
    ['Name', { name: 'Reception', Name: 'x' }],
  ] as const) {
    const { status, body } = await tenant.call('POST', '/agents', input)
    assert.deepEqual([status, body.error?.code], [400, 'VALIDATION_ERROR'], JSON.stringify(input))
    assert.equal(body.error.details.fields[0].path, path)
  }
  assert.equal((await tenant.call('GET', '/agents')).body.pagination.total, 0)
  assert.deepEqual(await eventsOf(pool, tenant), [])
})

test('agents are listed newest first with their pagination', async () => {
  const tenant = await workspace()
  const empty = await tenant.call('GET', '/agents')
  const pagination = { total: 0, limit: 20, offset: 0, has_more: false, next_cursor: null }
  assert.deepEqual(empty.body, { success: true, data: [], pagination })
  for (let count = 0; count < 5; count += 1) await create(tenant, { name: `${count}` })
  const all = await tenant.call('GET', '/agents')
  const keys = all.body.data.map(({ created_at, id }: { created_at: string; id: string }) => `${created_at} ${id}`)
  assert.deepEqual(keys, keys.toSorted().reverse())
  const page = await tenant.call('GET', '/agents?limit=2&offset=1')
  assert.deepEqual(page.body.data, all.body.data.slice(1, 3))
  assert.partialDeepStrictEqual(page.body.pagination, { total: 5, limit: 2, offset: 1, has_more: true })
  const past = await tenant.call('GET', '/agents?offset=5')
  assert.deepEqual([past.body.data, past.body.pagination.has_more, past.body.pagination.total], [[], false, 5])
})

test("an agent's versions are listed", async () => {
  const tenant = await workspace()
  const { id, deployed_version, created_at } = await create(tenant, { instructions: 'Greet.' })
  await create(tenant)
  const versions = await tenant.call('GET', `/agents/${id}/versions`)
  assert.equal(versions.status, 200)
  const { created_by } = versions.body.data[0]
  assert.equal(created_by.kind, 'api_key')
  assert.deepEqual(versions.body, {
    success: true,
    data: [
      { id: deployed_version.id, version_label: 'v1', instructions: 'Greet.', note: null, created_by, created_at },
    ],
    pagination: { total: 1, limit: 20, offset: 0, has_more: false, next_cursor: null },
  })
  const past = await tenant.call('GET', `/agents/${id}/versions?limit=1&offset=1`)
  assert.deepEqual([past.body.data, past.body.pagination.total], [[], 1])
  assert.equal((await tenant.call('GET', `/agents/${id}/versions?limit=0`)).status, 400)
})

test('an agent of another workspace, an unknown id and an invalid id give the same 404', async () => {
  const tenant = await workspace()
  const { id } = await create(await workspace())
  const seen = new Set<string>()
  for (const other of [id, unknown_id, unknown_id.toUpperCase(), 'x', '%00', '%20', `${unknown_id}0`]) {
    for (const path of ['', '/versions', '/deployments'].map((rest) => `/agents/${other}${rest}`)) {
      const { status, body } = await tenant.call('GET', path)
      assert.equal(status, 404, path)
      seen.add(`${body.error.code} ${body.error.message}`)
    }
  }
  assert.equal(seen.size, 1)
  assert.deepEqual((await tenant.call('GET', '/agents')).body.data, [])
})

test('creating an agent records an event in the same transaction', async () => {
  const tenant = await workspace()
  const agent = await create(tenant)
  const [event, ...none] = await eventsOf(pool, tenant)
  assert.deepEqual(none, [])
  assert.deepEqual([event?.type, event?.resource_id, event?.data], ['agent.created', agent.id, listed(agent)])
  const rows = await pool.many<{ written_by: string }>(
    sql`select xmin::text as written_by from agents where workspace_id = ${tenant.id}
      union all select xmin::text from agent_versions where workspace_id = ${tenant.id}
      union all select xmin::text from agent_deployments where workspace_id = ${tenant.id}`,
  )
  assert.deepEqual(
    rows.map(({ written_by }) => written_by),
    [event?.written_by, event?.written_by, event?.written_by],
  )
})

test('an agent is created once for an Idempotency-Key', async () => {
  const tenant = await workspace()
  const input = newAgent()
  const first = await tenant.call('POST', '/agents', input, { 'idempotency-key': 'a' })
  const second = await tenant.call('POST', '/agents', input, { 'idempotency-key': 'a' })
  assert.deepEqual([second.status, second.text], [201, first.text])
  assert.equal(second.headers.get('location'), first.headers.get('location'))
  assert.equal((await tenant.call('GET', '/agents')).body.pagination.total, 1)
  assert.equal((await eventsOf(pool, tenant)).length, 1)
})

test('lists have no draft', async () => {
  const tenant = await workspace()
  const agent = await create(tenant)
  assert.deepEqual((await tenant.call('GET', '/agents')).body.data, [listed(agent)])
})

const configured = {
  instructions: 'Greet.',
  greeting: 'Hello.\nHow can I help?',
  language: 'pt-BR',
  model: { provider: 'openai', name: 'gpt-5-mini', temperature: 0.5 },
  fallback_model: { provider: 'anthropic', name: 'claude', temperature: null },
  model_settings: { temperature: null, max_tokens: 16_000, top_p: null, reasoning_effort: null, stop: ['\n', 'a b '] },
  tools: ['opt_out'],
  results: [{ name: 'day', type: 'date', description: 'The day.' }],
  contact_fields: ['email', 'tags', 'custom_fields.plan'],
  knowledge: { tags: ['shop'] },
  hand_over: { is_allowed: false, on_failure: true, message: 'One moment.' },
  voicemail_message: 'Please call us back.\nThank you.',
  voice: 'slt',
  speech: {
    listen: { provider: 'openai', model: 'gpt-5-mini', language: 'pt' },
    speak: { provider: 'openai', model: 'gpt-5-mini', voice: 'alloy', speed: 1.25 },
  },
  transfers: [{ name: 'Support', phone_number: '+14155550199' }],
  opt_out_key: '#',
  opt_out_notice: true,
  recording: { is_on: false, notice: 'This call is recorded.' },
  limits: {
    turns_max: 1,
    tokens_max: 2,
    reply_characters_max: 3,
    idle_seconds: 4,
    tool_timeout_ms: 5,
    call_seconds_max: 7_200,
  },
}

test('an agent is created with its whole configuration, which can be sent back', async () => {
  const tenant = await workspace()
  const agent = await create(tenant, configured)
  assert.deepEqual(agent.draft, { ...configured, script: null })
  const again = await create(tenant, agent)
  assert.deepEqual(again.draft, agent.draft)
  assert.deepEqual((await tenant.call('GET', `/agents/${again.id}`)).body.data, again)
})

test('a PATCH changes the name at once and the configuration only in the draft', async () => {
  const tenant = await workspace()
  const before = await create(tenant, { ...configured, description: 'Main line.' })
  const change = { name: 'Sales', description: null, instructions: 'Sell.', limits: { turns_max: 9 } }
  const { status, body } = await tenant.call('PATCH', `/agents/${before.id}`, change)
  assert.equal(status, 200)
  const limits = { ...configured.limits, turns_max: 9 }
  assert.ok(body.data.updated_at > before.updated_at)
  assert.deepEqual(body.data, {
    ...before,
    name: 'Sales',
    description: '',
    has_unpublished_changes: true,
    draft: { ...before.draft, instructions: 'Sell.', limits },
    updated_at: body.data.updated_at,
  })
  assert.deepEqual((await tenant.call('GET', `/agents/${before.id}`)).body, body)
  const [, event, ...none] = await eventsOf(pool, tenant)
  assert.deepEqual(none, [])
  assert.deepEqual([event?.type, event?.data], ['agent.updated', listed(body.data)])
  const { name, description } = before
  assert.deepEqual(event?.previous, { name, description, has_unpublished_changes: false })
})

test('lists, models and scripts are replaced as a whole, and cleared with null or []', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, configured)
  const patch = async (change: object) => (await tenant.call('PATCH', `/agents/${id}`, change)).body.data.draft
  const model = { provider: 'openai', name: 'other' }
  assert.deepEqual((await patch({ model })).model, { ...model, temperature: null })
  const cleared = { model: null, fallback_model: null, tools: [], results: [], contact_fields: [], greeting: '' }
  assert.partialDeepStrictEqual(await patch(cleared), { ...cleared, greeting: null })
  await patch({ model_settings: { max_tokens: null, stop: [] } })
  const script = { start: 'greet', nodes: { greet: { say: 'Hello.', go: 'bye' }, bye: { say: 'Bye.', go: '@end' } } }
  assert.deepEqual((await patch({ script })).script, script)
  assert.deepEqual((await patch({ script: small_script })).script, small_script)
  assert.deepEqual(
    (await patch({ tools: ['opt_out', 'hand_over', 'opt_out'], contact_fields: ['tags', 'tags'] })).tools,
    ['opt_out', 'hand_over'],
  )
})

test('the body of a GET can be sent back, and its draft is the configuration', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { instructions: 'Deployed.' })
  const { data } = (await tenant.call('PATCH', `/agents/${id}`, { instructions: 'Draft.' })).body
  assert.equal(data.instructions, 'Deployed.')
  const same = await tenant.call('PATCH', `/agents/${id}`, data)
  assert.deepEqual([same.status, same.body.data.draft], [200, data.draft])
  assert.ok(same.body.data.updated_at > data.updated_at)
  const partial = { instructions: 'Ignored.', draft: { greeting: 'Hello.' } }
  const { draft } = (await tenant.call('PATCH', `/agents/${id}`, partial)).body.data
  assert.deepEqual(draft, { ...data.draft, greeting: 'Hello.' })
})

test('what a PATCH leaves out of recording keeps its value', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { recording: { notice: 'This call is recorded.' } })
  const patch = async (change: object) => (await tenant.call('PATCH', `/agents/${id}`, change)).body.data.draft
  const { recording, voice, transfers } = await patch({ recording: { is_on: false }, voice: 'rms' })
  assert.deepEqual([recording, voice, transfers], [{ is_on: false, notice: 'This call is recorded.' }, 'rms', []])
  const cleared = await patch({ recording: { notice: '' }, voice: null, voicemail_message: ' ' })
  assert.deepEqual([cleared.recording, cleared.voice], [{ is_on: false, notice: null }, null])
  assert.equal(cleared.voicemail_message, null)
})

test('what a PATCH leaves out of model_settings keeps its value, and null clears it', async () => {
  const tenant = await workspace()
  const { id, draft } = await create(tenant, { model_settings: { temperature: 0, stop: ['\n', ' b '] } })
  const before = { temperature: 0, max_tokens: null, top_p: null, reasoning_effort: null, stop: ['\n', ' b '] }
  assert.deepEqual(draft.model_settings, before)
  const { data } = (await tenant.call('PATCH', `/agents/${id}`, { model_settings: { top_p: 1, stop: null } })).body
  assert.deepEqual(data.draft.model_settings, { ...before, top_p: 1, stop: null })
  assert.equal(data.has_unpublished_changes, true)
  const { fields } = (await tenant.call('GET', `/agents/${id}/versions/${data.deployed_version.id}/diff`)).body.data
  assert.deepEqual(
    fields.map(({ path }: { path: string }) => path),
    ['model_settings.top_p', 'model_settings.stop'],
  )
})

test('settings that Anthropic refuses together are rejected, whichever model they are for', async () => {
  const tenant = await workspace()
  const claude = { provider: 'anthropic', name: 'claude' }
  const both = { temperature: 0, top_p: 1 }
  const warm = { temperature: 0, reasoning_effort: 'low' }
  const settled = async (configuration: object) => {
    const { status, body } = await tenant.call('POST', '/agents', newAgent(configuration))
    return [status, body.error?.details.fields[0].path]
  }
  assert.deepEqual(await settled({ model, model_settings: { ...both, ...warm } }), [201, undefined])
  assert.deepEqual(await settled({ model: claude, model_settings: both }), [400, 'model_settings.top_p'])
  const effort = 'model_settings.reasoning_effort'
  assert.deepEqual(await settled({ model, fallback_model: claude, model_settings: warm }), [400, effort])
  const model_settings = { reasoning_effort: 'low' }
  assert.deepEqual(await settled({ model: { ...claude, temperature: 0 }, model_settings }), [400, effort])
  assert.deepEqual(await settled({ model: claude, model_settings }), [201, undefined])
  assert.deepEqual(await settled({ model_settings: both }), [201, undefined])
  await tenant.call('POST', '/providers', newProvider({ kind: 'anthropic', is_default: true }))
  assert.deepEqual(await settled({ model_settings: both }), [400, 'model_settings.top_p'])
})

test('an empty PATCH changes nothing', async () => {
  const tenant = await workspace()
  const agent = await create(tenant)
  assert.deepEqual((await tenant.call('PATCH', `/agents/${agent.id}`, {})).body.data, agent)
  assert.equal((await eventsOf(pool, tenant)).length, 1)
})

test('has_unpublished_changes is false again when the draft is changed back', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { instructions: 'Greet.' })
  const patch = async (change: object) =>
    (await tenant.call('PATCH', `/agents/${id}`, change)).body.data.has_unpublished_changes
  assert.equal(await patch({ instructions: 'Sell.' }), true)
  assert.equal(await patch({ name: 'Sales' }), true)
  assert.equal(await patch({ instructions: 'Greet.' }), false)
  assert.equal(await patch({ limits: { turns_max: 200 } }), false)
  assert.equal(await patch({ script: small_script }), true)
})

const model = { provider: 'openai', name: 'gpt-5-mini' }
const small_script = { start: 'a', nodes: { a: { say: 'Hello.', go: '@end' } } }
/** A script may have 256 kB. */
const longScript = (nodes: number) => ({
  start: 'n0',
  nodes: Object.fromEntries(
    Array.from({ length: nodes }, (_, index) => [`n${index}`, { say: 'x'.repeat(4_000), go: '@end' }]),
  ),
})
const tools = Array.from({ length: 33 }, (_, index) => `tool_${index}`)
const results = tools.map((name) => ({ name, type: 'text' }))
const transferTo = (name: string) => ({ name, phone_number: '+14155550199' })
const invalid_fields: [path: string, change: object][] = [
  ['greeting', { greeting: 'x'.repeat(1_001) }],
  ['language', { language: 'x' }],
  ['language', { language: 'en_US' }],
  ['language', { language: 'en-aaaaaaaaa' }],
  ['language', { language: null }],
  ['model', { model: 'gpt' }],
  ['model.name', { model: { provider: 'openai' } }],
  ['model.provider', { model: { ...model, provider: '' } }],
  ['model.temperature', { model: { ...model, temperature: 2.1 } }],
  ['model.temperature', { model: { ...model, temperature: '1' } }],
  ['model.top_p', { model: { ...model, top_p: 1 } }],
  ['fallback_model.name', { fallback_model: { provider: 'openai' } }],
  ['script', { script: 'greet' }],
  ['script', { script: [] }],
  ['script', { script: small_script, model }],
  ['script', { script: small_script, fallback_model: model }],
  ['script', { script: small_script, model_settings: { max_tokens: 1 } }],
  ['model_settings', { model_settings: null }],
  ['model_settings.seed', { model_settings: { seed: 1 } }],
  ['model_settings.temperature', { model_settings: { temperature: 2.1 } }],
  ['model_settings.max_tokens', { model_settings: { max_tokens: 0 } }],
  ['model_settings.max_tokens', { model_settings: { max_tokens: 16_001 } }],
  ['model_settings.max_tokens', { model_settings: { max_tokens: 1.5 } }],
  ['model_settings.top_p', { model_settings: { top_p: 1.1 } }],
  ['model_settings.reasoning_effort', { model_settings: { reasoning_effort: 'none' } }],
  ['model_settings.stop', { model_settings: { stop: ['a', 'b', 'c', 'd', 'e'] } }],
  ['model_settings.stop', { model_settings: { stop: 'a' } }],
  ['model_settings.stop.0', { model_settings: { stop: [''] } }],
  ['model_settings.stop.0', { model_settings: { stop: ['x'.repeat(101)] } }],
  ['model_settings.stop.0', { model_settings: { stop: ['nul\0'] } }],
  ['script.nodes', { script: { start: 'a' } }],
  ['script.start', { script: { ...small_script, start: 'b' } }],
  ['script.nodes.a.go', { script: { start: 'a', nodes: { a: { say: 'Hello.', go: 'b' } } } }],
  ['script.nodes.a.say', { script: { start: 'a', nodes: { a: { say: 'nul\0' } } } }],
  ['script', { script: longScript(65) }],
  ['tools', { tools }],
  ['tools.0', { tools: ['Book Slot'] }],
  ['results', { results }],
  ['results.0.type', { results: [{ name: 'day' }] }],
  ['results.0.type', { results: [{ name: 'day', type: 'time' }] }],
  ['results.1.name', { results: [results[0], results[0]] }],
  ['contact_fields.0', { contact_fields: ['phone_number'] }],
  ['contact_fields.0', { contact_fields: ['custom_fields.Plan'] }],
  ['hand_over.message', { hand_over: { message: 5 } }],
  ['hand_over.is_on', { hand_over: { is_on: true } }],
  ['hand_over.is_allowed', { hand_over: { is_allowed: null } }],
  ['limits.turns_max', { limits: { turns_max: 201 } }],
  ['limits.turns_max', { limits: { turns_max: 0 } }],
  ['limits.tokens_max', { limits: { tokens_max: 60_001 } }],
  ['limits.reply_characters_max', { limits: { reply_characters_max: 4_001 } }],
  ['limits.idle_seconds', { limits: { idle_seconds: 86_401 } }],
  ['limits.tool_timeout_ms', { limits: { tool_timeout_ms: 20_001 } }],
  ['limits.call_seconds_max', { limits: { call_seconds_max: 7_201 } }],
  ['limits.call_seconds_max', { limits: { call_seconds_max: 0 } }],
  ['voicemail_message', { voicemail_message: 'x'.repeat(501) }],
  ['voice', { voice: 'awb_time' }],
  ['voice', { voice: 5 }],
  ['recording', { recording: null }],
  ['recording.is_on', { recording: { is_on: null } }],
  ['recording.is_allowed', { recording: { is_allowed: true } }],
  ['recording.notice', { recording: { notice: 'x'.repeat(501) } }],
  ['transfers', { transfers: Array.from({ length: 11 }, (_, index) => transferTo(`Support ${index}`)) }],
  ['transfers.0.phone_number', { transfers: [{ name: 'Support' }] }],
  ['transfers.0.phone_number', { transfers: [{ name: 'Support', phone_number: '4155550199' }] }],
  ['transfers.0.name', { transfers: [transferTo('')] }],
  ['transfers.1.name', { transfers: [transferTo('Support'), transferTo('Support')] }],
  ['opt_out_key', { opt_out_key: '10' }],
  ['opt_out_key', { opt_out_key: 9 }],
  ['opt_out_notice', { opt_out_notice: null }],
]

test('an invalid configuration is rejected on create and on update, also in a draft', async () => {
  const tenant = await workspace()
  const agent = await create(tenant)
  for (const [path, change] of invalid_fields) {
    for (const [method, address, body, at] of [
      ['POST', '/agents', newAgent(change), path],
      ['PATCH', `/agents/${agent.id}`, change, path],
      ['PATCH', `/agents/${agent.id}`, { draft: change }, `draft.${path}`],
    ] as const) {
      const answer = await tenant.call(method, address, body)
      const name = `${method} ${JSON.stringify(body).slice(0, 200)} ${answer.text}`
      assert.deepEqual([answer.status, answer.body.error?.details.fields?.[0].path], [400, at], name)
      const { message } = answer.body.error
      const [named = ''] = message.split(/[: ]/)
      assert.ok(at.startsWith(named) || /is unknown|must not contain/.test(message), `${at}: ${message}`)
    }
  }
  assert.deepEqual((await tenant.call('GET', `/agents/${agent.id}`)).body.data, agent)
})

test('names of other services are suggested: model.model is its name, and a prompt the instructions', async () => {
  const { call } = await workspace()
  const messageOf = async (change: object) => (await call('POST', '/agents', newAgent(change))).body.error.message
  assert.match(await messageOf({ model: { provider: 'openai', model: 'gpt-5-mini' } }), /Did you mean name\?/)
  assert.match(await messageOf({ system_prompt: 'Greet.' }), /Did you mean instructions\?/)
})

test('limits of the configuration are accepted', async () => {
  const tenant = await workspace()
  for (const name of tools.slice(1)) assert.equal((await tenant.call('POST', '/tools', newTool({ name }))).status, 201)
  const longest = {
    greeting: 'x'.repeat(1_000),
    tools: tools.slice(1),
    results: results.slice(1),
    script: longScript(63),
    model: null,
    voicemail_message: 'x'.repeat(500),
    transfers: Array.from({ length: 10 }, (_, index) => transferTo(`Support ${index}`)),
  }
  const { draft } = await create(tenant, longest)
  assert.deepEqual(draft.tools, longest.tools)
  assert.deepEqual(draft.script, longest.script)
  assert.deepEqual([draft.transfers, draft.voicemail_message], [longest.transfers, longest.voicemail_message])
  const { temperature } = (await create(tenant, { model: { ...model, temperature: 2 } })).draft.model
  assert.equal(temperature, 2)
})

test('a script and a model exclude each other, whichever came first', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { model })
  const patch = async (change: object) => (await tenant.call('PATCH', `/agents/${id}`, change)).status
  assert.equal(await patch({ script: small_script }), 400)
  assert.equal(await patch({ script: small_script, model: null }), 200)
  assert.equal(await patch({ model }), 400)
  assert.equal(await patch({ name: 'Sales' }), 200)
})

test('a script keeps the order of its members', async () => {
  const tenant = await workspace()
  const text =
    '{"start":"zzz","nodes":{"zzz":{"say":"1","go":"@end"},"b":{"say":"2","go":"@end"},"constructor":{"say":"3","go":"b"}}}'
  const { id } = await create(tenant, { script: JSON.parse(text) })
  assert.ok((await tenant.call('GET', `/agents/${id}`)).text.includes(`"script":${text}`))
})

test('an agent is deleted with everything that belongs to it', async () => {
  const tenant = await workspace()
  const agent = await create(tenant)
  const other = await create(tenant)
  const answer = await tenant.call('DELETE', `/agents/${agent.id}`)
  assert.deepEqual([answer.status, answer.body.data], [200, { deleted: true }])
  for (const path of ['', '/versions', '/deployments', `/versions/${agent.deployed_version.id}`])
    assert.equal((await tenant.call('GET', `/agents/${agent.id}${path}`)).status, 404)
  assert.equal((await tenant.call('DELETE', `/agents/${agent.id}`)).status, 404)
  assert.equal((await tenant.call('GET', `/agents/${other.id}`)).status, 200)
  const event = (await eventsOf(pool, tenant)).find(({ type }) => type === 'agent.deleted')
  assert.deepEqual(event?.data, listed(agent))
  const rows = await pool.many(
    sql`select agent_id from agent_versions where workspace_id = ${tenant.id}
      union all select agent_id from agent_deployments where workspace_id = ${tenant.id}`,
  )
  assert.deepEqual(rows, [{ agent_id: other.id }, { agent_id: other.id }])
})

test('an agent that is in use is not deleted', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  const use = { kind: 'channel', id: unknown_id }
  const seen: string[] = []
  const hooks = openHooks([
    on(agents.findingUses, async (_, { agent_id }) => (seen.length === 0 && agent_id === id ? [use] : [])),
    on(agents.deleted, async (_, agent_id) => void seen.push(agent_id)),
  ])
  const remove = () =>
    inTransaction({ ...at(tenant.id), hooks }, (at) => agents.remove(at, { id, isCurrent: () => true }))
  await assert.rejects(remove(), (error) => {
    assert.ok(error instanceof Problem)
    assert.deepEqual([error.code, error.details], ['INVALID_STATE', { used_by: [use] }])
    return true
  })
  assert.deepEqual([seen, (await tenant.call('GET', `/agents/${id}`)).status], [[], 200])
  seen.push('not in use from now on')
  await remove()
  assert.deepEqual([seen.at(-1), (await tenant.call('GET', `/agents/${id}`)).status], [id, 404])
})

test('a workspace can have 1,000 agents', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  await pool.run(
    sql`insert into agents (workspace_id, id, name, description, deployed_version_id, created_at, updated_at)
      select workspace_id, gen_random_uuid(), name, description, deployed_version_id, created_at, updated_at
      from agents cross join generate_series(1, 998) where workspace_id = ${tenant.id}`,
  )
  await create(tenant)
  const refused = await tenant.call('POST', '/agents', newAgent())
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'INVALID_STATE'])
  await tenant.call('DELETE', `/agents/${id}`)
  await create(tenant)
})

test('If-Match protects an agent against lost updates', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  const path = `/agents/${id}`
  const etag = String((await tenant.call('GET', path)).headers.get('etag'))
  const first = await tenant.call('PATCH', path, { greeting: 'Hello.' }, { 'if-match': etag })
  assert.equal(first.status, 200)
  assert.notEqual(first.headers.get('etag'), etag)
  for (const [method, body] of [['PATCH', { greeting: 'Bye.' }], ['DELETE']] as const)
    assert.equal((await tenant.call(method, path, body, { 'if-match': etag })).status, 412)
  assert.equal((await tenant.call('GET', path)).body.data.draft.greeting, 'Hello.')
})
