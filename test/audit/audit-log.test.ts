import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as audit from '../../server/audit/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { create } from '../support/conversations.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { command } from '../support/process.ts'
import { addRecordedCall, one_word, untilRendered } from '../support/recorded-calls.ts'
import { newAgent, newApiKey, newContact, newWebhook, phoneNumber } from '../support/samples.ts'

const server = await serve({ trust_proxy: ['127.0.0.1'] })
const { workspace, pool, at, fetch } = server
const unknown = '01a1dd18-9904-726a-94bc-9e3b6ab9ad11'

async function entries({ call }: Tenant, query = '') {
  const { status, body, text } = await call('GET', `/audit_log?limit=100${query}`)
  assert.equal(status, 200, text)
  return body.data
}

const actions = async (tenant: Tenant, query = ''): Promise<string[]> =>
  (await entries(tenant, query)).map(({ action }: { action: string }) => action)

test('an entry says who has done what to what, from where and when', async () => {
  const tenant = await workspace()
  const began = clock.wall()
  const forwarded = { 'x-forwarded-for': '203.0.113.7' }
  const { body, headers } = await tenant.call('POST', '/agents', newAgent(), forwarded)
  const [entry, ...others] = await entries(tenant)
  const { id, at, ...rest } = entry
  const key = await pool.one<{ id: string; name: string }>(
    sql`select id, name from api_keys where workspace_id = ${tenant.id}`,
  )
  assert.deepEqual(others, [])
  assert.deepEqual(rest, {
    actor: { type: 'key', ...key },
    action: 'agents.create',
    subject: { type: 'agent', id: body.data.id, name: 'Reception' },
    ip: '203.0.113.7',
    request_id: headers.get('x-request-id'),
    count: 1,
  })
  assert.ok(clock.parse(at) >= began && clock.parse(at) <= clock.wall())
  assert.match(id, /^[0-9a-f-]{36}$/)
})

test('the time is real, also in a test workspace', async () => {
  const tenant = await workspace(clock.parse('2020-01-01T00:00:00Z'))
  await create(tenant, '/agents', newAgent())
  const [{ at }] = await entries(tenant)
  assert.ok(clock.parse(at) > clock.parse('2026-01-01T00:00:00Z'))
})

test('entries are listed newest first, by page, and can be filtered', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, '/agents', newAgent())
  await tenant.call('PATCH', `/agents/${id}`, { name: 'Front desk' })
  await tenant.call('PATCH', '/workspace', { name: newId() })
  const all = await entries(tenant)
  assert.deepEqual(await actions(tenant), ['workspace.update', 'agents.update', 'agents.create'])
  assert.deepEqual(all[0].subject.id, tenant.id)
  assert.deepEqual(await actions(tenant, '&action=agents.update'), ['agents.update'])
  assert.deepEqual(await actions(tenant, `&subject_id=${id}`), ['agents.update', 'agents.create'])
  assert.equal((await actions(tenant, `&actor_id=${all[0].actor.id}`)).length, 3)
  assert.deepEqual(await actions(tenant, `&actor_id=${unknown}`), [])
  assert.deepEqual(await actions(tenant, '&actor_id=nobody'), [])
  const [last, middle, first] = all
  await pool.run(
    sql`update audit_log set at = ${'2026-01-01T00:00:00.000Z'} where workspace_id = ${tenant.id} and id = ${first.id}`,
  )
  await pool.run(
    sql`update audit_log set at = ${'2026-01-02T00:00:00.000Z'} where workspace_id = ${tenant.id} and id = ${middle.id}`,
  )
  const idsIn = async (query: string) => (await entries(tenant, query)).map(({ id }: { id: string }) => id)
  assert.deepEqual(await idsIn('&from=2026-01-02T00:00:00Z'), [last.id, middle.id])
  assert.deepEqual(await idsIn('&to=2026-01-02T00:00:00Z'), [first.id])
  const page = (await tenant.call('GET', '/audit_log?limit=2')).body
  assert.deepEqual([page.pagination.total, page.pagination.has_more], [3, true])
  const rest = (await tenant.call('GET', `/audit_log?limit=2&cursor=${page.pagination.next_cursor}`)).body.data
  assert.deepEqual(
    rest.map(({ id }: { id: string }) => id),
    [first.id],
  )
})

test('a key has the scope only if it lists it', async () => {
  const tenant = await workspace()
  const read = async (token: string) =>
    (await fetch('GET', '/api/v1/audit_log', undefined, { authorization: `Bearer ${token}` })).status
  assert.equal(await read(await tenant.newKey({ scopes: null })), 403)
  assert.equal(await read(await tenant.newKey({ scopes: ['workspace:read'] })), 403)
  assert.equal(await read(await tenant.newKey({ scopes: ['audit:read'] })), 200)
})

test('names of contacts are for those who may read contacts', async () => {
  const tenant = await workspace()
  const { id: contact_id } = await create(tenant, '/contacts', { ...newContact(), first_name: 'Ada', last_name: null })
  const { id: agent_id } = await create(tenant, '/agents', newAgent())
  const { id } = await create(tenant, '/conversations', { agent_id, contact_id })
  assert.equal((await tenant.call('POST', `/conversations/${id}/redact`)).status, 200)
  const nameFor = async (scopes: string[]) => {
    const authorization = `Bearer ${await tenant.newKey({ scopes })}`
    const { body } = await fetch('GET', `/api/v1/audit_log?subject_id=${id}`, undefined, { authorization })
    return body.data[0].subject.name
  }
  assert.equal(await nameFor(['audit:read', 'contacts:read']), 'Ada')
  assert.equal(await nameFor(['audit:read']), null)
})

test('a workspace sees its own entries only', async () => {
  const [tenant, other] = [await workspace(), await workspace()]
  const { id } = await create(other, '/agents', newAgent())
  assert.deepEqual(await entries(tenant), [])
  assert.deepEqual(await entries(tenant, `&subject_id=${id}`), [])
})

test('a request that is repeated with its key leaves one entry', async () => {
  const tenant = await workspace()
  const headers = { 'idempotency-key': newId() }
  for (const is_replayed of [false, true]) {
    const answer = await tenant.call('POST', '/agents', newAgent(), headers)
    assert.deepEqual([answer.status, answer.headers.has('idempotent-replayed')], [201, is_replayed])
  }
  assert.deepEqual(await actions(tenant), ['agents.create'])
})

test('a write that fails leaves no entry', async () => {
  const tenant = await workspace()
  const keyed = () => ({ 'idempotency-key': newId() })
  assert.equal((await tenant.call('POST', '/agents', {}, keyed())).status, 400)
  assert.equal((await tenant.call('PATCH', `/agents/${unknown}`, { name: 'A' })).status, 404)
  const { id } = await create(tenant, '/agents', newAgent())
  assert.equal((await tenant.call('POST', `/agents/${id}/rollback`, undefined, keyed())).status, 409)
  assert.equal((await tenant.call('PATCH', `/agents/${id}`, { name: 'A' }, { 'if-match': '"stale"' })).status, 412)
  assert.deepEqual(await actions(tenant), ['agents.create'])
})

test('a batch is one entry, and its contacts are none', async () => {
  for (const atomic of [true, false]) {
    const tenant = await workspace()
    const operations = [newContact(), newContact()].map((data) => ({ op: 'create', data }))
    const headers = { 'idempotency-key': newId() }
    for (const _ of [1, 2]) {
      const { status, text } = await tenant.call('POST', '/contacts/batch', { operations, atomic }, headers)
      assert.equal(status, 200, text)
    }
    assert.deepEqual(await actions(tenant), ['contacts.batch'])
    const more = [{ op: 'create', data: newContact() }]
    await tenant.call('POST', '/contacts/batch', { operations: more, atomic })
    assert.deepEqual(await actions(tenant), ['contacts.batch', 'contacts.batch'])
    const [{ subject }] = await entries(tenant)
    assert.equal(subject, null)
  }
})

test('an atomic batch that fails leaves no entry', async () => {
  const tenant = await workspace()
  const phone_number = phoneNumber()
  const operations = [1, 2].map(() => ({ op: 'create', data: { phone_number } }))
  const { status } = await tenant.call('POST', '/contacts/batch', { operations, atomic: true })
  assert.equal(status, 409)
  assert.deepEqual(await actions(tenant), [])
})

test('downloads of one file by one actor are an entry for each minute, with a count, and HEAD is none', async () => {
  const tenant = await workspace()
  await tenant.call('HEAD', '/contacts/export')
  assert.deepEqual(await actions(tenant), [])
  const times = 3
  await Promise.all(Array.from({ length: times }, () => tenant.call('GET', '/contacts/export')))
  const all = await entries(tenant)
  assert.ok(all.length <= 2, 'a minute may have ended meanwhile')
  assert.equal(
    all.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
    times,
  )
  const other = await tenant.newKey()
  await fetch('GET', '/api/v1/contacts/export', undefined, { authorization: `Bearer ${other}` })
  assert.equal((await entries(tenant)).length, all.length + 1, 'another actor has another entry')
})

test('listening to a recording leaves an entry, and one that is not there leaves none', async () => {
  const tenant = await workspace()
  assert.equal((await tenant.call('GET', `/calls/${unknown}/recording`)).status, 404)
  const id = await addRecordedCall(pool, tenant, one_word)
  const range = { range: 'bytes=0-99' }
  const { status } = await untilRendered(() => tenant.call('GET', `/calls/${id}/recording`, undefined, range))
  assert.equal(status, 206)
  const [entry, ...others] = await entries(tenant, '&action=calls.get_recording')
  assert.deepEqual([entry.subject.type, entry.subject.id, entry.count], ['call', id, 1])
  assert.deepEqual(others, [])
})

test('a player that seeks leaves no further entry within an hour', async () => {
  const tenant = await workspace()
  const id = await addRecordedCall(pool, tenant, one_word)
  const listen = (range: string, by = tenant.call) =>
    untilRendered(() => by('GET', `/calls/${id}/recording`, undefined, { range }))
  const counts = async (): Promise<number[]> =>
    (await entries(tenant, '&action=calls.get_recording')).map(({ count }: { count: number }) => count)
  assert.equal((await listen('bytes=100-199')).status, 206, 'a part alone is listened to as well')
  assert.deepEqual(await counts(), [1])
  for (const range of ['bytes=200-299', 'bytes=300-', 'bytes=-100', 'bytes=100-199'])
    assert.equal((await listen(range)).status, 206)
  assert.deepEqual(await counts(), [1])
  const before_ms = (ms: number) =>
    pool.run(
      sql`update audit_log set at = ${clock.iso(clock.wall() - ms)}
        where workspace_id = ${tenant.id} and action = ${'calls.get_recording'} and count = 1`,
    )
  await before_ms(59 * 60_000)
  await listen('bytes=1-')
  assert.deepEqual(await counts(), [1])
  await before_ms(61 * 60_000)
  await listen('bytes=1-')
  assert.deepEqual(
    (await counts()).reduce((sum, count) => sum + count),
    2,
  )
  const authorization = `Bearer ${await tenant.newKey()}`
  const path = `/api/v1/calls/${id}/recording`
  const all = await entries(tenant)
  assert.equal((await fetch('GET', path, undefined, { authorization, range: 'bytes=1-' })).status, 206)
  assert.equal((await entries(tenant)).length, all.length + 1, 'another actor has another entry')
})

test('what gives out no byte of a recording leaves no entry', async () => {
  const tenant = await workspace()
  const id = await addRecordedCall(pool, tenant, one_word)
  const path = `/calls/${id}/recording`
  const { headers } = await untilRendered(() => tenant.call('HEAD', path))
  const etag = headers.get('etag') ?? ''
  assert.equal((await tenant.call('GET', path, undefined, { 'if-none-match': etag })).status, 304)
  assert.equal((await tenant.call('GET', path, undefined, { 'if-match': '"another"' })).status, 412)
  assert.equal((await tenant.call('GET', path, undefined, { range: 'bytes=99999999-' })).status, 416)
  assert.deepEqual(await actions(tenant, '&action=calls.get_recording'), [])
})

test('an entry stays when what it is about is deleted, without its name', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, '/webhooks', newWebhook({ description: 'Orders' }))
  assert.equal((await entries(tenant))[0].subject.name, 'Orders')
  await tenant.call('DELETE', `/webhooks/${id}`)
  const all = await entries(tenant)
  assert.deepEqual(
    all.map(({ action, subject }: { action: string; subject: object }) => [action, subject]),
    ['webhooks.delete', 'webhooks.create'].map((action) => [action, { type: 'webhook', id, name: null }]),
  )
})

test('the log has no secret and no name', async () => {
  const tenant = await workspace()
  const { key } = (await tenant.call('POST', '/api_keys', newApiKey())).body.data
  const rows = await pool.many<{ row: string }>(
    sql`select to_jsonb(audit_log)::text as row from audit_log where workspace_id = ${tenant.id}`,
  )
  assert.equal(rows.length, 1)
  assert.ok(!rows[0]?.row.includes(key) && !rows[0]?.row.includes('CRM sync'))
})

test('entries are deleted after 365 days', async () => {
  const tenant = await workspace()
  await create(tenant, '/agents', newAgent())
  await inTransaction(at(tenant.id), (at) => audit.record(at, { action: 'agents.create' }))
  const [, oldest] = await entries(tenant)
  const old = clock.iso(clock.wall() - 365 * clock.day_ms - 1_000)
  await pool.run(sql`update audit_log set at = ${old} where workspace_id = ${tenant.id} and id = ${oldest.id}`)
  await audit.removeOld(at(tenant.id))
  assert.equal((await entries(tenant)).length, 1)
})

test('a command that writes directly is the operator, without an address', async () => {
  const tenant = await workspace()
  const { name } = await pool.one<{ name: string }>(sql`select name from workspaces where id = ${tenant.id}`)
  const environment = { DATABASE_URL: process.env.TEST_DATABASE_URL ?? '' }
  const words = ['key', 'create', '--workspace', name, '--name', 'By hand', '--json']
  const { code, stdout, stderr } = await command(words, environment).ended
  assert.equal(code, 0, stderr)
  const { key } = JSON.parse(stdout)
  const [entry] = await entries(tenant)
  assert.deepEqual(entry.actor, { type: 'operator', id: null, name: null })
  assert.deepEqual(
    [entry.action, entry.subject.id, entry.ip, entry.request_id],
    ['api_keys.create', key.id, null, null],
  )
  const [event] = (await tenant.call('GET', '/events?type=api_key.created')).body.data
  assert.equal(event.actor.type, 'operator')
})
