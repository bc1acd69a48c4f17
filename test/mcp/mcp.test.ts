import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { operations } from '../../server/api.ts'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newContact, phoneNumber } from '../support/samples.ts'

/** Assistants get worse when they have to choose among more. */
const tools_max = 25

const server = await serve({ cors_origins: ['https://app.example'] })
const { workspace, pool } = server
const url = new URL('/mcp', server.url)

type Era = 'legacy' | 'auto'

/** Connects the official client. */
async function connect(key: string, mode: Era = 'auto'): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  return client
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)

/** Calls a tool and returns its answer as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests read any field
async function ask(client: Client, name: string, values: Record<string, unknown> = {}): Promise<any> {
  const { content, isError = false } = await client.callTool({ name, arguments: values })
  const [part] = content
  assert.equal(part?.type, 'text')
  const text = part?.type === 'text' ? part.text : ''
  return {
    is_error: isError,
    text,
    data: /^[[{]/.test(text) && !text.includes('\n[cut') ? JSON.parse(text) : undefined,
  }
}

/** Sends one message as it is. */
async function post(key: string, message: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const list_tools = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

for (const mode of ['legacy', 'auto'] as const) {
  test(`the official client finds, changes and reads contacts (${mode})`, async () => {
    const tenant = await workspace()
    const client = await connect(tenant.key, mode)
    assert.equal(client.getServerVersion()?.name, 'parley')
    const phone_number = phoneNumber()
    const made = await ask(client, 'upsert_contact', { phone_number, first_name: 'Ada', tags: ['vip', 'new'] })
    assert.deepEqual([made.is_error, made.data.first_name, made.data.source], [false, 'Ada', 'api'])
    const changed = await ask(client, 'upsert_contact', { phone_number, first_name: 'Augusta' })
    assert.equal(changed.data.id, made.data.id)
    const found = await ask(client, 'find_contacts', { search: 'augusta', tag: ['vip', 'new'], limit: 5 })
    assert.deepEqual([found.data.data.length, found.data.pagination.total], [1, 1])
    const got = await ask(client, 'get_contact', { contact_id: made.data.id })
    assert.equal(got.data.first_name, 'Augusta')
    await client.close()
  })
}

test('all tools are listed to a key with all scopes, with schemas and hints', async () => {
  const client = await connect((await workspace()).key)
  const { tools } = await client.listTools()
  assert.deepEqual(
    tools.map(({ name }) => name),
    operations.flatMap((operation) => ('tool' in operation && operation.tool ? [operation.tool.name] : [])),
  )
  assert.ok(tools.length <= tools_max)
  const deploy = tools.find(({ name }) => name === 'deploy_agent')
  assert.deepEqual(deploy?.inputSchema.required, ['agent_id', 'version_id'])
  assert.deepEqual(deploy?.annotations?.readOnlyHint, false)
  const find = tools.find(({ name }) => name === 'find_contacts')
  assert.equal(find?.annotations?.readOnlyHint, true)
  assert.equal(find?.inputSchema.properties?.idempotency_key, undefined)
  const text = JSON.stringify(tools)
  for (const word of ['multiline', 'Set by the server', '$ref']) assert.ok(!text.includes(word), word)
  assert.ok(text.length < 60_000)
})

test('a key sees only the tools that its scopes allow, and the others refuse it', async () => {
  const tenant = await workspace()
  const client = await connect(await tenant.newKey({ scopes: ['contacts:read', 'calls:read'] }))
  assert.deepEqual(await namesOf(client), [
    'find_contacts',
    'get_contact',
    'list_calls',
    'get_call',
    'list_call_events',
    'get_call_transcript',
  ])
  const { is_error, data } = await ask(client, 'upsert_contact', { phone_number: phoneNumber() })
  assert.deepEqual([is_error, data.code, data.details.required_scope], [true, 'FORBIDDEN', 'contacts:write'])
  const { resourceTemplates } = await client.listResourceTemplates()
  assert.deepEqual(
    resourceTemplates.map(({ name }) => name),
    ['call_transcript'],
  )
  const none = await connect(await tenant.newKey({ scopes: ['webhooks:write'] }))
  assert.deepEqual([await namesOf(none), (await none.listPrompts()).prompts], [[], []])
})

test('without a valid key nothing is answered', async () => {
  for (const key of ['', 'pk_unknown']) {
    const { status, headers } = await post(key, list_tools)
    assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Bearer'])
  }
})

test('other methods are not allowed, also with a slash at the end', async () => {
  const { key } = await workspace()
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const response = await fetch(url, { method, headers: { authorization: `Bearer ${key}` } })
    assert.deepEqual([response.status, response.headers.get('allow')?.includes('POST')], [405, true])
  }
  const response = await fetch(`${url}/`, { method: 'GET' })
  assert.equal(response.status, 405)
})

test('pages of other origins are refused, unless the operator allows them', async () => {
  const { key } = await workspace()
  const statuses = async (origins: string[]) =>
    Promise.all(origins.map(async (origin) => (await post(key, list_tools, { origin })).status))
  assert.deepEqual(await statuses(['https://evil.example', 'null', 'http://localhost']), [403, 403, 403])
  assert.deepEqual(await statuses(['https://app.example', server.url]), [200, 200])
  const preflight = await fetch(url, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
  })
  assert.equal(preflight.status, 204)
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /mcp-protocol-version/i)
})

test('what is no message is refused, and batches are too', async () => {
  const { key } = await workspace()
  const statusOf = async (message: unknown) => (await post(key, message)).status
  assert.equal(await statusOf('{'), 400)
  assert.equal(await statusOf('[['.repeat(40)), 400)
  assert.equal(await statusOf([list_tools, list_tools]), 400)
  assert.equal(await statusOf({ hello: 'world' }), 400)
  assert.equal(await statusOf('x'.repeat(2_000_000)), 413)
  const withTags = (count: number) => {
    const params = { name: 'find_contacts', arguments: { tag: Array.from({ length: count }, () => 'vip') } }
    return { ...list_tools, method: 'tools/call', params }
  }
  assert.deepEqual([await statusOf(withTags(900)), await statusOf(withTags(1_100))], [200, 400])
  const { status } = await post(key, list_tools, { 'content-type': 'text/plain' })
  assert.equal(status, 415)
})

test('a stream of news is not opened', async () => {
  const { key } = await workspace()
  const { status, text } = await post(key, { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} })
  assert.notEqual(status, 202)
  assert.match(text, /"error"/)
})

test('errors of the API are errors of the tool', async () => {
  const client = await connect((await workspace()).key)
  const unknown = await ask(client, 'get_contact', { contact_id: newId() })
  assert.deepEqual([unknown.is_error, unknown.data.code], [true, 'NOT_FOUND'])
  const invalid = await ask(client, 'find_contacts', { limit: 1_000_000 })
  assert.deepEqual([invalid.is_error, invalid.data.details.fields[0].path], [true, 'limit'])
  assert.equal((await ask(client, 'get_contact', {})).text, 'contact_id is required.')
  assert.equal((await ask(client, 'get_contact', { id: newId() })).text, 'id is unknown. Did you mean contact_id?')
  await assert.rejects(client.callTool({ name: 'delete_everything', arguments: {} }), /There is no tool/)
})

test('an error suggests what the API suggests', async () => {
  const tenant = await workspace()
  const client = await connect(tenant.key)
  for (const [name, by] of [
    ['limt', 'Did you mean limit?'],
    ['page_size', 'Did you mean limit?'],
    ['xyz', ''],
  ] as const) {
    const { body } = await tenant.call('GET', `/contacts?${name}=5`)
    const { is_error, text } = await ask(client, 'find_contacts', { [name]: 5 })
    assert.deepEqual([is_error, text], [true, body.error.details.fields[0].message])
    assert.ok(text.endsWith(by), text)
  }
  const phone = { phone_number: '+1 (415) 555-0100' }
  const { body } = await tenant.call('POST', '/contacts', phone)
  const { data } = await ask(client, 'upsert_contact', phone)
  assert.equal(data.details.fields[0].suggestion, body.error.details.fields[0].suggestion)
  const unknown = client.callTool({ name: 'find_contact', arguments: {} })
  await assert.rejects(unknown, /There is no tool find_contact\. Did you mean find_contacts\?/)
})

test('arguments can not lead to another operation', async () => {
  const tenant = await workspace()
  const client = await connect(tenant.key)
  for (const contact_id of ['.', '..', '../agents', '%2e%2e', 'x?search=a', 'x/y', '', 'a\u0000b']) {
    const { is_error, text } = await ask(client, 'get_contact', { contact_id })
    assert.ok(is_error && /NOT_FOUND|not valid|VALIDATION/.test(text), `${contact_id}: ${text}`)
  }
})

test('an agent is published and deployed, and the audit log names the key', async () => {
  const tenant = await workspace()
  const client = await connect(tenant.key)
  const { id } = (await tenant.call('POST', '/agents', { name: 'Reception' })).body.data
  await tenant.call('PATCH', `/agents/${id}`, { instructions: 'Greet the caller.' })
  const version = (await ask(client, 'publish_agent', { agent_id: id, note: 'Greets' })).data
  assert.equal(version.version_label, 'v2')
  const deployed = (await ask(client, 'deploy_agent', { agent_id: id, version_id: version.id })).data
  assert.equal(deployed.deployed_version.version_label, 'v2')
  const compared = await ask(client, 'compare_agent_versions', { agent_id: id, version_id: version.id })
  assert.deepEqual(compared.data.fields, [])
  const back = (await ask(client, 'roll_back_agent', { agent_id: id })).data
  assert.equal(back.deployed_version.version_label, 'v1')
  const entries = await pool.many<{ action: string; ip: string; actor_type: string }>(
    sql`select action, ip, actor_type from audit_log where workspace_id = ${tenant.id}`,
  )
  const actions = entries.map(({ action }) => action)
  for (const action of ['agents.publish', 'agents.deploy', 'agents.rollback']) assert.ok(actions.includes(action))
  assert.ok(entries.every(({ ip, actor_type }) => ip.includes('127.0.0.1') && actor_type === 'key'))
})

test('a repeated request with an idempotency key is done once', async () => {
  const tenant = await workspace()
  const client = await connect(tenant.key)
  const { id } = (await tenant.call('POST', '/agents', { name: 'Reception' })).body.data
  const values = { agent_id: id, to: phoneNumber(), simulate: { person: 'answers' }, idempotency_key: 'call-1' }
  const call = { agent_id: id, to: phoneNumber(), idempotency_key: 'call-1' }
  const first = await ask(client, 'place_call', call)
  const second = await ask(client, 'place_call', call)
  assert.equal(first.text, second.text)
  const other = await ask(client, 'place_call', { ...call, to: values.to })
  assert.equal(other.data.code, 'IDEMPOTENCY_KEY_REUSED')
})

test('an idempotency key that the API would not take is an error, and no call is placed', async () => {
  const tenant = await workspace()
  const client = await connect(tenant.key)
  const { id: agent_id } = (await tenant.call('POST', '/agents', { name: 'Reception' })).body.data
  const place = (idempotency_key: unknown) =>
    ask(client, 'place_call', { agent_id, to: phoneNumber(), simulate: '00', idempotency_key })
  for (const key of [4711, true, null, ['k'], { a: 1 }, '', ' ', 'é', 'k'.repeat(256)]) {
    const { is_error, text } = await place(key)
    assert.ok(is_error && /idempotency_key must be a text of 1 to 255/.test(text), `${key}: ${text}`)
  }
  assert.equal((await tenant.call('GET', '/calls')).body.data.length, 0)
  for (const key of ['k', 'k'.repeat(255), '"k 1"']) {
    const { is_error, text } = await place(key)
    assert.equal(is_error, false, text)
  }
  const { is_error, text } = await ask(client, 'find_contacts', { idempotency_key: 'k' })
  assert.deepEqual([is_error, text], [true, 'idempotency_key is unknown.'])
})

async function conversation(tenant: Tenant) {
  const { id: agent_id } = (await tenant.call('POST', '/agents', { name: 'Reception' })).body.data
  const begun = await tenant.call('POST', '/conversations', { agent_id, message: 'When are you open?' })
  return begun.body.data.id
}

async function readText(client: Client, uri: string): Promise<string> {
  const [read] = (await client.readResource({ uri })).contents
  return read && 'text' in read ? read.text : ''
}

test('conversations and transcripts are resources', async () => {
  const tenant = await workspace()
  const client = await connect(tenant.key)
  const uri = `parley://conversations/${await conversation(tenant)}`
  const { conversation: one, turns } = JSON.parse(await readText(client, uri))
  assert.deepEqual([one.kind, turns.data[0].text], ['api', 'When are you open?'])
  for (let index = 0; index < 25; index += 1)
    await tenant.call('POST', `/conversations/${one.id}/messages`, { text: `Question ${index}` })
  const latest = await readText(client, uri)
  assert.deepEqual(
    JSON.parse(latest).turns.data.map(({ text }: { text: string }) => text),
    Array.from({ length: 20 }, (_, index) => `Question ${index + 5}`),
  )
  const call = await tenant.addCall()
  const transcript = await client.readResource({ uri: `parley://calls/${call.id}/transcript` })
  assert.equal(transcript.contents[0]?.mimeType, 'text/plain')
  for (const missing of [`parley://calls/${newId()}/transcript`, 'parley://calls/../transcript', 'file:///etc/passwd'])
    await assert.rejects(client.readResource({ uri: missing }))
})

test('the prompt has the call, its events and its transcript', async () => {
  const tenant = await workspace()
  const client = await connect(tenant.key)
  const call = await tenant.addCall()
  const { prompts } = await client.listPrompts()
  assert.deepEqual(
    prompts.map(({ name }) => name),
    ['why_did_this_call_fail'],
  )
  const { messages } = await client.getPrompt({ name: 'why_did_this_call_fail', arguments: { call_id: call.id } })
  assert.match(JSON.stringify(messages), new RegExp(`Why did this call fail.*${call.id}`))
  await assert.rejects(
    client.getPrompt({ name: 'why_did_this_call_fail', arguments: { call_id: newId() } }),
    /NOT_FOUND/,
  )
})

test('two workspaces never see what belongs to the other', async () => {
  const [one, other] = [await workspace(), await workspace()]
  const client = await connect(other.key)
  const contact = (await one.call('POST', '/contacts', newContact({ first_name: 'Secretive' }))).body.data
  const agent = (await one.call('POST', '/agents', { name: 'Secretive' })).body.data
  const talk = await conversation(one)
  const call = await one.addCall()
  const ids = { contact_id: contact.id, agent_id: agent.id, conversation_id: talk, call_id: call.id }
  const { tools } = await client.listTools()
  for (const { name, inputSchema } of tools) {
    const named = Object.keys(inputSchema.properties ?? {}).filter((argument) => argument in ids)
    const values = Object.fromEntries(named.map((argument) => [argument, ids[argument as keyof typeof ids]]))
    const answer = await client.callTool({
      name,
      arguments: { ...values, ...(name === 'find_contacts' && { search: 'secretive' }) },
    })
    const text = JSON.stringify(answer.content)
    assert.ok(!text.includes('Secretive') && !text.includes('When are you open'), name)
  }
  for (const uri of [`parley://conversations/${talk}`, `parley://calls/${call.id}/transcript`])
    await assert.rejects(client.readResource({ uri }))
  const unchanged = (await one.call('GET', `/agents/${agent.id}`)).body.data
  assert.deepEqual(unchanged, agent)
})

test('a long answer is cut', async () => {
  const tenant = await workspace()
  const notes = 'x'.repeat(2_000)
  for (let count = 0; count < 60; count += 1) {
    const { status } = await tenant.call('POST', '/contacts', newContact({ notes }))
    assert.equal(status, 201)
  }
  const { text } = await ask(await connect(tenant.key), 'find_contacts', { limit: 100 })
  assert.ok(text.length < 100_200)
  assert.match(text, /\[cut: the answer is longer/)
})

test('ids that no path can have are refused', async () => {
  const { key } = await workspace()
  const client = await connect(key)
  for (const contact_id of ['\ud800', { toString: 1 }, ['a'], null, true, {}, '']) {
    const { is_error, text } = await ask(client, 'get_contact', { contact_id })
    assert.deepEqual([is_error, text], [true, 'contact_id is not valid.'])
  }
  const params = { name: 'why_did_this_call_fail', arguments: { call_id: '\ud800' } }
  const { text } = await post(key, { jsonrpc: '2.0', id: 1, method: 'prompts/get', params })
  assert.match(text, /-32602.*call_id is not valid/)
})

test('a long name of an argument is cut in the answer', async () => {
  const client = await connect((await workspace()).key)
  const { is_error, text } = await ask(client, 'get_contact', { ['x'.repeat(100_000)]: 1 })
  assert.deepEqual([is_error, text], [true, `${'x'.repeat(100)}... is unknown.`])
})

test('compressed messages are not supported', async () => {
  const { key } = await workspace()
  const { status, text } = await post(key, list_tools, { 'content-encoding': 'gzip' })
  assert.deepEqual([status, JSON.parse(text).error.code], [415, 'UNSUPPORTED_MEDIA_TYPE'])
  assert.equal((await post(key, list_tools, { 'content-encoding': 'identity' })).status, 200)
})

test('requests of tools count for the rate limit of the key', async () => {
  const limited = await serve({ rate_limit_per_second: 3 })
  const tenant = await limited.workspace()
  const statuses: string[] = []
  for (let count = 0; count < 8; count += 1) {
    const response = await fetch(new URL('/mcp', limited.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tenant.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ ...list_tools, method: 'tools/call', params: { name: 'list_agents', arguments: {} } }),
    })
    statuses.push(response.status === 429 ? '429' : /RATE_LIMITED/.test(await response.text()) ? 'tool' : 'ok')
  }
  assert.ok(statuses.includes('429') && statuses.includes('ok'), statuses.join())
})

test('an assistant runs the tests of an agent, and sees what has failed', async () => {
  const tenant = await workspace()
  const client = await connect(tenant.key)
  const script = { start: 'hi', nodes: { hi: { say: 'Hello.', else: { say: 'We open at nine.' } } } }
  const { id } = (await tenant.call('POST', '/agents', { name: 'Desk', script })).body.data
  const steps = [{ says: 'When are you open?', expect: [{ type: 'says', any_of: ['at ten'] }] }]
  await tenant.call('POST', `/agents/${id}/tests`, { name: 'Opens at ten', kind: 'conversation', steps })
  const { data: begun, text } = await ask(client, 'run_agent_tests', { agent_id: id, use_draft: true })
  assert.equal(begun?.status, 'queued', JSON.stringify(text))
  await tenant.work()
  const { data: run } = await ask(client, 'get_test_run', { test_run_id: begun.id })
  assert.deepEqual([run.status, run.failed], ['completed', 1])
  assert.match(run.results[0].failures[0].sentence, /did not say "at ten"/)
  await client.close()
})

test('an assistant searches the documents of its own workspace only', async () => {
  const [own, other] = [await workspace(), await workspace()]
  for (const [tenant, text] of [
    [own, '# Parking\n\nYou can park in the yard.'],
    [other, '# Parking\n\nYou can park in the street.'],
  ] as const) {
    await tenant.call('POST', '/documents', { name: 'Parking', text })
    await tenant.work()
  }
  const client = await connect(own.key)
  const { text } = await ask(client, 'search_documents', { query: 'Where can I park?' })
  assert.match(text, /in the yard/)
  assert.doesNotMatch(text, /in the street/)
  await client.close()
})
