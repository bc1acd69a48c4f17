import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { unknown_id } from '../support/contacts.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newAgent, newAgentTest } from '../support/samples.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'

const server = await serve()
const { workspace } = server

async function withAgent() {
  const tenant = await workspace()
  const { id } = (await tenant.call('POST', '/agents', newAgent())).body.data
  const path = `/agents/${id}/tests`
  const add = (fields: object = {}) => tenant.call('POST', path, newAgentTest(fields))
  return { tenant, id, path, add }
}

/** Adds 498 copies of a test. */
const fill = (workspace_id: string, test_id: string) =>
  sql`insert into agent_tests (workspace_id, id, agent_id, name, kind, is_enabled, content, content_hash, created_at, updated_at)
    select workspace_id, gen_random_uuid(), agent_id, name, kind, is_enabled, content, content_hash, created_at, updated_at
    from agent_tests cross join generate_series(1, 498)
    where workspace_id = ${workspace_id} and id = ${test_id}`

const countTests = (workspace_id: string) =>
  sql`select count(*) as total from agent_tests where workspace_id = ${workspace_id}`

const faultsIn = (body: { error: { details: { fields: { path: string; code: string }[] } } }) =>
  body.error.details.fields.map(({ path, code }) => [path, code])

test('a test is created with defaults, read, changed and deleted', async () => {
  const { tenant, id, path, add } = await withAgent()
  const { status, body, headers } = await add()
  assert.equal(status, 201)
  const created = body.data
  assert.equal(headers.get('location'), `/api/v1${path}/${created.id}`)
  assert.deepEqual(created, {
    id: created.id,
    agent_id: id,
    ...newAgentTest(),
    is_enabled: true,
    begins: 'agent',
    turns: [],
    says: null,
    person: null,
    persona: null,
    medium: 'text',
    turns_max: 20,
    variables: {},
    contact: null,
    now: null,
    uses_tools: false,
    tool_answers: [],
    expect: [],
    created_at: created.created_at,
    updated_at: created.created_at,
  })
  const one = `${path}/${created.id}`
  assert.deepEqual((await tenant.call('GET', one)).body.data, created)
  const changed = (await tenant.call('PATCH', one, { is_enabled: false, name: 'Says nothing' })).body.data
  assert.deepEqual([changed.is_enabled, changed.name], [false, 'Says nothing'])
  assert.ok(changed.updated_at > created.updated_at)
  const { body: listed } = await tenant.call('GET', path)
  assert.deepEqual([listed.data, listed.pagination.total], [[changed], 1])
  assert.equal((await tenant.call('DELETE', one)).status, 200)
  assert.equal((await tenant.call('GET', one)).status, 404)
})

test('what a client got can be sent back', async () => {
  const { tenant, path, add } = await withAgent()
  const created = (await add({ contact: { first_name: 'Ada' }, variables: { order: '12' } })).body.data
  const changed = await tenant.call('PATCH', `${path}/${created.id}`, created)
  assert.equal(changed.status, 200)
  assert.deepEqual({ ...changed.body.data, updated_at: created.updated_at }, created)
  const copied = await tenant.call('POST', path, created)
  assert.equal(copied.status, 201)
  assert.notEqual(copied.body.data.id, created.id)
})

test('a change that is based on an old version of a test is refused', async () => {
  const { tenant, path, add } = await withAgent()
  const { body, headers } = await add()
  const one = `${path}/${body.data.id}`
  await tenant.call('PATCH', one, { is_enabled: false })
  const match = { 'if-match': headers.get('etag') ?? '' }
  assert.equal((await tenant.call('PATCH', one, { is_enabled: true }, match)).status, 412)
  assert.equal((await tenant.call('DELETE', one, undefined, match)).status, 412)
})

const says = { type: 'says', any_of: ['nine'] }
const person = { number: '00' }
const persona = { goal: 'Book a visit.' }
const reply = { kind: 'reply', steps: [], says: 'Hello?' }
const simulation = { kind: 'simulation', steps: [], person }
const faults: [string, object, [string, string][]][] = [
  ['a reply needs words', { ...reply, says: null }, [['says', 'required']]],
  ['a reply has no steps', { kind: 'reply', says: 'Hello?' }, [['steps', 'not_allowed']]],
  ['a conversation needs steps', { steps: [] }, [['steps', 'required']]],
  ['a conversation has no turns before', { turns: [{ role: 'agent', text: 'Hi' }] }, [['turns', 'not_allowed']]],
  ['a simulation needs someone', { ...simulation, person: null }, [['person', 'required']]],
  ['a simulation has one person', { ...simulation, persona }, [['person', 'required']]],
  ['a conversation has no person', { person }, [['person', 'not_allowed']]],
  ['a person has a number', { ...simulation, person: { number: '20' } }, [['person.number', 'format']]],
  ['a persona has no voice', { ...simulation, person: null, persona, medium: 'voice' }, [['medium', 'not_allowed']]],
  ['phrases have words', { expect: [{ type: 'says', any_of: ['?!'] }] }, [['expect.0.any_of', 'format']]],
  ['says needs phrases', { expect: [{ type: 'says' }] }, [['expect.0.any_of', 'required']]],
  ['says takes no tool', { expect: [{ ...says, tool: 'book' }] }, [['expect.0.tool', 'not_allowed']]],
  ['a result needs a value', { expect: [{ type: 'result', name: 'x' }] }, [['expect.0.equals', 'required']]],
  ['ends says how', { expect: [{ type: 'ends' }] }, [['expect.0', 'required']]],
  ['at_most has a limit', { expect: [{ type: 'at_most' }] }, [['expect.0', 'required']]],
  ['judge has a question', { expect: [{ type: 'judge' }] }, [['expect.0.question', 'required']]],
  ['text has no latency', { expect: [{ type: 'at_most', latency_ms: 5 }] }, [['expect.0.latency_ms', 'not_allowed']]],
  ['a pattern is one', { expect: [{ type: 'says', any_of: ['/(/'] }] }, [['expect.0.any_of.0', 'format']]],
  [
    'a pattern has no look-behind',
    { expect: [{ type: 'says', any_of: ['/(?<=a)b/'] }] },
    [['expect.0.any_of.0', 'format']],
  ],
  [
    'a pattern is small',
    { expect: [{ type: 'says', any_of: ['/((a{10}){10}){9}/'] }] },
    [['expect.0.any_of.0', 'format']],
  ],
  [
    'a step has expectations, too',
    { steps: [{ says: 'Hi', expect: [{ type: 'says' }] }] },
    [['steps.0.expect.0.any_of', 'required']],
  ],
  ['a tool answer has a result or an error', { tool_answers: [{ tool: 'book' }] }, [['tool_answers.0', 'required']]],
  ['not both', { tool_answers: [{ tool: 'book', result: 1, error: 'No' }] }, [['tool_answers.0', 'required']]],
  ['variables have names', { variables: { Ärger: 1 } }, [['variables', 'format']]],
  ['a contact has its fields', { contact: { shoe: 44 } }, [['contact.shoe', 'unknown']]],
  ['of their types', { contact: { phone_number: '12' } }, [['contact.phone_number', 'format']]],
  [
    'texts can be stored',
    { tool_answers: [{ tool: 'book', result: 'a\u0000' }] },
    [['tool_answers.0.result', 'invalid_characters']],
  ],
]

for (const [what, fields, expected] of faults)
  test(`${what}`, async () => {
    const { add } = await withAgent()
    const { status, body } = await add(fields)
    assert.equal(status, 400, JSON.stringify(body))
    assert.deepEqual(faultsIn(body), expected)
  })

test('a test names tools as agents do, also those of MCP servers', async () => {
  const { add } = await withAgent()
  const naming = (tool: string) => ({
    tool_answers: [{ tool, result: 1 }],
    expect: [
      { type: 'calls_tool', tool },
      { type: 'never_calls_tool', tool },
    ],
  })
  for (const tool of ['book_slot', 'crm__getContact', 'crm__list-items', 'a'.repeat(64)])
    assert.equal((await add(naming(tool))).status, 201, tool)
  for (const tool of ['', 'list items', 'a'.repeat(65)])
    assert.deepEqual(
      faultsIn((await add(naming(tool))).body).map(([path]) => path),
      ['tool_answers.0.tool', 'expect.0.tool', 'expect.1.tool'],
      tool,
    )
})

test('a change is checked together with what stays', async () => {
  const { tenant, path, add } = await withAgent()
  const { id } = (await add()).body.data
  const refused = await tenant.call('PATCH', `${path}/${id}`, { kind: 'simulation' })
  assert.deepEqual(faultsIn(refused.body), [
    ['steps', 'not_allowed'],
    ['person', 'required'],
  ])
  const changed = await tenant.call('PATCH', `${path}/${id}`, { kind: 'simulation', steps: [], person })
  assert.equal(changed.status, 200)
})

const both_sides: [string, (count: number) => object, number][] = [
  ['steps', (count) => ({ steps: Array.from({ length: count }, () => ({ says: 'Hi' })) }), 50],
  ['kB of tool answers', (count) => ({ tool_answers: [{ tool: 'book', result: 'x'.repeat(count * 1024 - 35) }] }), 32],
  ['patterns', (count) => ({ expect: patternsIn(count) }), 50],
  ['turns of a person', (count) => ({ ...simulation, turns_max: count }), 200],
]

const patternsIn = (count: number) =>
  Array.from({ length: Math.ceil(count / 10) }, (_, index) => ({
    type: 'says',
    any_of: Array.from({ length: Math.min(10, count - index * 10) }, () => '/nine/'),
  }))

for (const [what, fields, most] of both_sides)
  test(`a test has at most ${most} ${what}`, async () => {
    const { add } = await withAgent()
    assert.equal((await add(fields(most))).status, 201)
    assert.equal((await add(fields(most + 1))).status, 400)
  })

test('10,000 turns are refused', async () => {
  const { add } = await withAgent()
  const turns = Array.from({ length: 10_000 }, () => ({ role: 'contact', text: 'Hi' }))
  assert.deepEqual(faultsIn((await add({ ...reply, turns })).body), [['turns', 'too_many']])
  assert.deepEqual(faultsIn((await add({ ...simulation, turns_max: 10_000 })).body), [['turns_max', 'maximum']])
})

test('an agent has at most 500 tests', async () => {
  const { tenant, id, add } = await withAgent()
  const { id: first } = (await add()).body.data
  await server.pool.run(fill(tenant.id, first))
  assert.equal((await add()).status, 201)
  const refused = await add()
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'INVALID_STATE'])
  assert.equal((await tenant.call('GET', `/agents/${id}/tests`)).body.pagination.total, 500)
})

test('a test of another agent, or of another workspace, is not found', async () => {
  const { tenant, path, add } = await withAgent()
  const { id } = (await add()).body.data
  const other = await withAgent()
  const { id: second } = (await tenant.call('POST', '/agents', newAgent())).body.data
  const addresses: [Tenant, string][] = [
    [tenant, `/agents/${second}/tests/${id}`],
    [tenant, `${path}/${unknown_id}`],
    [other.tenant, `${path}/${id}`],
    [other.tenant, path],
  ]
  for (const [caller, address] of addresses) assert.equal((await caller.call('GET', address)).status, 404)
  assert.equal((await other.tenant.call('POST', path, newAgentTest())).status, 404)
})

test('tests go with their agent', async () => {
  const { tenant, id, path, add } = await withAgent()
  await add()
  assert.equal((await tenant.call('DELETE', `/agents/${id}`)).status, 200)
  assert.equal((await tenant.call('GET', path)).status, 404)
  const { total } = await server.pool.one<{ total: number }>(countTests(tenant.id))
  assert.equal(total, 0)
})

test('viewers read tests, and members write them', async () => {
  const { tenant, path, add } = await withAgent()
  const { id } = (await add()).body.data
  const viewer = await newPerson(server, { [tenant.id]: 'viewer' })
  const member = await newPerson(server, { [tenant.id]: 'member' })
  const own = inWorkspace(tenant)
  assert.equal((await viewer.go('GET', `/api/v1${path}/${id}`, undefined, own)).status, 200)
  assert.equal((await viewer.go('PATCH', `/api/v1${path}/${id}`, { is_enabled: false }, own)).status, 403)
  assert.equal((await member.go('PATCH', `/api/v1${path}/${id}`, { is_enabled: false }, own)).status, 200)
})

test('the audit log has who has changed a test', async () => {
  const { tenant, id: agent_id, path, add } = await withAgent()
  const { id } = (await add()).body.data
  await tenant.call('PATCH', `${path}/${id}`, { is_enabled: false })
  const { data } = (await tenant.call('GET', `/audit_log?subject_id=${agent_id}&limit=2`)).body
  assert.deepEqual(
    data.map(({ action, subject }: { action: string; subject: { name: string } }) => [action, subject.name]),
    [
      ['agent_tests.update', 'Reception'],
      ['agent_tests.create', 'Reception'],
    ],
  )
})
