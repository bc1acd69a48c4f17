import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import * as clock from '../../server/kit/clock.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import * as retention from '../../server/webhooks/retention.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { waitingFor } from '../support/lock-waits.ts'
import { newContact, newWebhook } from '../support/samples.ts'

const { workspace, pool, at, fetch, url: origin } = await serve()
const check_every_ms = 20

const create = async (tenant: Tenant, fields: object = {}, headers = {}) => {
  const created = await tenant.call('POST', '/webhooks', newWebhook(fields), headers)
  assert.equal(created.status, 201, created.text)
  return created.body.data
}

const faultOf = ({
  status,
  body,
}: {
  status: number
  body: { error: { details: { fields?: { path: string }[] } } }
}) => [status, body.error.details.fields?.[0]?.path]

test('the secret is returned once and stored encrypted', async () => {
  const tenant = await workspace()
  const created = await create(tenant)
  assert.match(created.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const address = `/webhooks/${created.id}`
  for (const answer of [await tenant.call('GET', address), await tenant.call('GET', '/webhooks')]) {
    assert.ok(!answer.text.includes(created.secret.slice(6)))
  }
  const stored = await pool.many(sql`select * from webhooks where workspace_id = ${tenant.id}`)
  assert.ok(!JSON.stringify(stored).includes(created.secret.slice(6)))
})

test('the same Idempotency-Key returns the same secret and creates one webhook', async () => {
  const tenant = await workspace()
  const headers = { 'idempotency-key': 'one' }
  const fields = newWebhook()
  const [first, second] = [
    await tenant.call('POST', '/webhooks', fields, headers),
    await tenant.call('POST', '/webhooks', fields, headers),
  ]
  assert.equal(second.text, first.text)
  assert.equal((await tenant.call('GET', '/webhooks')).body.pagination.total, 1)
  const stored = await pool.many(sql`select body from idempotency_keys where workspace_id = ${tenant.id}`)
  assert.ok(!JSON.stringify(stored).includes(first.body.data.secret.slice(6)))
  const address = `/webhooks/${first.body.data.id}/rotate_secret`
  const rotated = [
    await tenant.call('POST', address, undefined, { 'idempotency-key': 'two' }),
    await tenant.call('POST', address, undefined, { 'idempotency-key': 'two' }),
  ]
  assert.equal(rotated[0]?.text, rotated[1]?.text)
})

test('event patterns come from the catalog, at least one, without duplicates', async () => {
  const tenant = await workspace()
  for (const events of [[], ['contact'], ['contact.*.*'], ['nothing.*'], [''], ['Contact.*'], null]) {
    const refused = await tenant.call('POST', '/webhooks', newWebhook({ events }))
    assert.equal(refused.status, 400, JSON.stringify(events))
  }
  const created = await create(tenant, { events: ['contact.*', '*', 'contact.*', 'agent.created'] })
  assert.deepEqual(created.events, ['contact.*', '*', 'agent.created'])
})

test('a workspace has at most 100 webhooks', async () => {
  const tenant = await workspace()
  const createMany = async (count: number) => {
    const answers = await Promise.all(
      Array.from({ length: count }, () => tenant.call('POST', '/webhooks', newWebhook())),
    )
    return answers.map(({ status }) => status).sort()
  }
  // Not all at once: on a busy machine the last of them would wait too long, and get 503.
  for (let total = 0; total < 95; total += 5) assert.deepEqual(await createMany(5), Array(5).fill(201))
  assert.deepEqual(await createMany(8), [...Array(5).fill(201), ...Array(3).fill(409)])
  assert.equal((await tenant.call('GET', '/webhooks')).body.pagination.total, 100)
})

test('an update changes the given fields, and accepts a webhook as a get returned it', async () => {
  const tenant = await workspace()
  const { secret: _, ...created } = await create(tenant, { description: 'one' })
  const address = `/webhooks/${created.id}`
  const same = await tenant.call('PATCH', address, {})
  assert.deepEqual(same.body.data, created)
  const sent_back = await tenant.call('PATCH', address, created)
  assert.deepEqual({ ...sent_back.body.data, updated_at: '' }, { ...created, updated_at: '' })
  const changed = await tenant.call('PATCH', address, { url: 'https://8.8.8.8/', description: '', status: 'disabled' })
  const { url, description, status, disabled_reason } = changed.body.data
  assert.deepEqual([url, description, status, disabled_reason], ['https://8.8.8.8/', null, 'disabled', 'asked'])
  const stale = await tenant.call('PATCH', address, { description: 'x' }, { 'if-match': `"${created.updated_at}"` })
  assert.equal(stale.status, 412)
  assert.deepEqual(faultOf(await tenant.call('PATCH', address, { inbox_answer: '500' })), [400, 'inbox_answer'])
  assert.deepEqual(faultOf(await tenant.call('PATCH', address, { url: 'inbox' })), [400, 'url'])
  assert.deepEqual(faultOf(await tenant.call('PATCH', address, { events: [] })), [400, 'events'])
})

test('an inbox shows its requests and the steps of the signature check', async () => {
  const tenant = await workspace()
  const { id, url, secret, inbox_answer } = await create(tenant, { url: 'inbox' })
  assert.equal(inbox_answer, '200')
  await tenant.call('POST', '/contacts', newContact({ first_name: 'Ada' }))
  await tenant.work()
  const [received] = (await tenant.call('GET', `/webhooks/${id}/inbox`)).body.data
  assert.deepEqual(
    received.steps.map(({ name, is_ok }: { name: string; is_ok: boolean }) => [name, is_ok]),
    [
      ['headers', true],
      ['timestamp', true],
      ['content', true],
      ['expected', true],
      ['signature', true],
    ],
  )
  assert.equal(JSON.parse(received.body).data.first_name, 'Ada')
  assert.ok(new Webhook(secret).verify(received.body, received.headers))
  // Anyone may send to an inbox, but the check shows that the signature is missing.
  const forged = await fetch('POST', url, received.body, {
    'content-type': 'application/json',
    'webhook-id': received.id,
  })
  assert.equal(forged.status, 200)
  const [forged_request] = (await tenant.call('GET', `/webhooks/${id}/inbox`)).body.data
  assert.deepEqual(
    forged_request.steps.filter(({ is_ok }: { is_ok: boolean }) => !is_ok).map(({ name }: { name: string }) => name),
    ['headers', 'timestamp', 'signature'],
  )
})

test('an inbox answers as inbox_answer says', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { url: 'inbox', inbox_answer: 'hang' })
  const address = `/webhooks/${id}`
  const attempted = async (timeout_ms?: number) => {
    const { id: delivery } = (await tenant.call('POST', `${address}/test`)).body.data
    await tenant.work(undefined, timeout_ms)
    const { status, attempts } = (await tenant.call('GET', `${address}/deliveries/${delivery}`)).body.data
    return [status, attempts[0].status]
  }
  assert.deepEqual(await attempted(1_000), ['pending', null])
  await tenant.call('PATCH', address, { inbox_answer: '500' })
  assert.deepEqual(await attempted(), ['pending', 500])
  await tenant.call('PATCH', address, { inbox_answer: '410' })
  assert.deepEqual(await attempted(), ['failed', 410])
  assert.equal((await tenant.call('GET', address)).body.data.disabled_reason, 'gone')
  assert.deepEqual(faultOf(await tenant.call('PATCH', address, { inbox_answer: null })), [400, 'inbox_answer'])
  assert.deepEqual(faultOf(await tenant.call('PATCH', address, { url: 'https://8.8.8.8/' })), [400, 'url'])
})

test('an inbox that hangs holds at most 20 connections', async () => {
  const tenant = await workspace()
  const { id, url } = await create(tenant, { url: 'inbox', inbox_answer: 'hang' })
  const other = await create(tenant, { url: 'inbox' })
  const leaving = new AbortController()
  const refused = Promise.withResolvers<void>()
  const statuses: number[] = []
  const send = async () => {
    const { status } = await globalThis.fetch(origin + url, { method: 'POST', signal: leaving.signal })
    if (statuses.push(status) === 10) refused.resolve()
  }
  const sent = Array.from({ length: 30 }, send)
  await refused.promise
  assert.deepEqual([...new Set(statuses)], [503])
  assert.equal((await fetch('POST', other.url, '{}')).status, 200, 'other inboxes are not affected')
  leaving.abort()
  await Promise.allSettled(sent)
  assert.equal(statuses.length, 10)
  await tenant.call('PATCH', `/webhooks/${id}`, { inbox_answer: '200' })
  // As soon as the server has noticed that the clients disconnected.
  while ((await fetch('POST', url, '{}')).status !== 200) await sleep(check_every_ms)
})

test('an inbox stores the last 50 requests', async () => {
  const tenant = await workspace()
  const { id, url } = await create(tenant, { url: 'inbox' })
  for (let count = 0; count < 52; count += 1) await fetch('POST', url, `number ${count}`)
  const { data, pagination } = (await tenant.call('GET', `/webhooks/${id}/inbox?limit=100`)).body
  assert.equal(pagination.total, 50)
  assert.deepEqual([data[0].body, data[49].body], ['number 51', 'number 2'])
})

test('an inbox does not store data of a contact that was deleted while the request was in flight', async () => {
  const tenant = await workspace()
  const { id, url } = await create(tenant, { url: 'inbox' })
  const contact = (await tenant.call('POST', '/contacts', newContact())).body.data
  const [{ id: delivery }] = (await tenant.call('GET', `/webhooks/${id}/deliveries`)).body.data
  const { body } = (await tenant.call('GET', `/webhooks/${id}/deliveries/${delivery}`)).body.data
  await tenant.call('DELETE', `/contacts/${contact.id}`)
  await fetch('POST', url, body, { 'webhook-id': delivery })
  const received = await tenant.call('GET', `/webhooks/${id}/inbox`)
  assert.equal(received.body.data.length, 1)
  assert.ok(!received.text.includes(contact.phone_number), received.text)
})

test('an inbox accepts any bytes', async () => {
  const tenant = await workspace()
  const { id, url } = await create(tenant, { url: 'inbox' })
  for (const body of [Buffer.of(0, 0xff, 0xd8), Buffer.alloc(0), Buffer.from('{')]) {
    assert.equal((await fetch('POST', url, body, { 'webhook-id': 'none', 'webhook-timestamp': 'x' })).status, 200)
  }
  const { data } = (await tenant.call('GET', `/webhooks/${id}/inbox`)).body
  assert.deepEqual(
    data.map(({ body }: { body: string }) => body),
    ['{', '', '\ufffd\ufffd\ufffd'],
  )
})

test('an inbox stores a body of any content type, and the headers as they were sent', async () => {
  const tenant = await workspace()
  const { id, url } = await create(tenant, { url: 'inbox' })
  const form = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n'
  const requests: [string | undefined, string][] = [
    ['multipart/form-data; boundary=x', form],
    ['multipart/form-data', 'no boundary'],
    ['application/x-www-form-urlencoded', 'a=1'],
    ['application/json', '{'],
    ['no type', 'x'],
    [undefined, 'bytes'],
  ]
  for (const [type, body] of requests) {
    const headers = { 'x-custom': 'a, b', ...(type !== undefined && { 'content-type': type }) }
    assert.equal((await fetch('POST', url, Buffer.from(body), headers)).status, 200, String(type))
  }
  const { data } = (await tenant.call('GET', `/webhooks/${id}/inbox`)).body
  assert.deepEqual(
    data
      .reverse()
      .map(({ headers, body }: { headers: Record<string, string>; body: string }) => [
        headers['content-type'],
        headers['x-custom'],
        body,
      ]),
    requests.map(([type, body]) => [type, 'a, b', body]),
  )
})

test('an inbox truncates the signed content between characters', async () => {
  const tenant = await workspace()
  const { id, url } = await create(tenant, { url: 'inbox' })
  const signed = `\u{1f600}`.repeat(400)
  for (const body of [signed, `a${signed}`]) assert.equal((await fetch('POST', url, body)).status, 200)
  const { data } = (await tenant.call('GET', `/webhooks/${id}/inbox`)).body
  for (const { steps } of data) {
    const { detail } = steps.find(({ name }: { name: string }) => name === 'content')
    assert.ok(detail.isWellFormed() && detail.endsWith('\u{1f600}…'), detail)
  }
})

test('an inbox whose webhook is being deleted is not found', async () => {
  const tenant = await workspace()
  const { id, url } = await create(tenant, { url: 'inbox' })
  await using deleting = await holdTransaction(pool, (db) =>
    db.run(sql`delete from webhooks where workspace_id = ${tenant.id} and id = ${id}`),
  )
  const sent = fetch('POST', url, '{}')
  await waitingFor(pool, deleting.pid)
  await deleting.end()
  assert.equal((await sent).status, 404)
})

test('an inbox is found at its own path only', async () => {
  const tenant = await workspace()
  const { url } = await create(tenant, { url: 'inbox' })
  const other = await workspace()
  const other_paths = [
    url.slice(0, -1),
    `${url}x`,
    `${url}/`,
    url.replace(tenant.id, other.id),
    '/inbox/',
    `/inbox/${tenant.id}`,
    '/inbox/none/of/these',
    '/inbox/%00/%00',
  ]
  for (const address of other_paths) assert.equal((await fetch('POST', address, '{}')).status, 404, address)
  assert.equal((await fetch('GET', url)).status, 405)
})

test('deleting a webhook deletes its deliveries and its inbox', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { url: 'inbox' })
  await tenant.call('POST', `/webhooks/${id}/test`)
  await tenant.work()
  await tenant.call('POST', `/webhooks/${id}/test`)
  assert.deepEqual((await tenant.call('DELETE', `/webhooks/${id}`)).body.data, { deleted: true })
  await tenant.work()
  await retention.removeDeleted(at(tenant.id))
  const left = await pool.one(
    sql`select (select count(*) from webhook_deliveries where workspace_id = ${tenant.id}) as deliveries,
      (select count(*) from inbox_requests where workspace_id = ${tenant.id}) as requests`,
  )
  assert.deepEqual(left, { deliveries: 0, requests: 0 })
  assert.equal((await tenant.call('GET', `/webhooks/${id}`)).status, 404)
})

test('a delivery is found below its own webhook only', async () => {
  const tenant = await workspace()
  const [one, other] = [await create(tenant, { url: 'inbox' }), await create(tenant, { url: 'inbox' })]
  const { id } = (await tenant.call('POST', `/webhooks/${one.id}/test`)).body.data
  assert.equal((await tenant.call('GET', `/webhooks/${one.id}/deliveries/${id}`)).status, 200)
  assert.equal((await tenant.call('GET', `/webhooks/${other.id}/deliveries/${id}`)).status, 404)
  assert.equal((await tenant.call('POST', `/webhooks/${other.id}/deliveries/${id}/resend`)).status, 404)
})

test('old deliveries are deleted', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { url: 'inbox' })
  const { created_at } = (await tenant.call('POST', `/webhooks/${id}/test`)).body.data
  const total = async () => (await tenant.call('GET', `/webhooks/${id}/deliveries`)).body.pagination.total
  await retention.removeOld(at(tenant.id), clock.parse(created_at))
  assert.equal(await total(), 1)
  await retention.removeOld(at(tenant.id), clock.parse(created_at) + 1)
  assert.equal(await total(), 0)
})

test('a key subscribes only to what it may read; what a webhook has, it keeps', async () => {
  const tenant = await workspace()
  const limitedTo = async (...scopes: string[]) => {
    const authorization = `Bearer ${await tenant.newKey({ scopes: ['webhooks:read', 'webhooks:write', ...scopes] })}`
    return (method: string, path: string, body?: object) => tenant.call(method, path, body, { authorization })
  }
  const call = await limitedTo('contacts:read')
  const refused: [string, string][] = [
    ['call.*', 'calls:read'],
    ['call.ended', 'calls:read'],
    ['api_key.created', 'api_keys:read'],
    ['*', 'agents:read'],
  ]
  for (const [pattern, required_scope] of refused) {
    const { status, body } = await call('POST', '/webhooks', { url: 'inbox', events: ['contact.*', pattern] })
    assert.deepEqual([status, body.error?.code], [403, 'FORBIDDEN'], pattern)
    assert.match(body.error.details.required_scope, /:read$/)
    if (pattern !== '*') assert.equal(body.error.details.required_scope, required_scope)
  }
  const own = await call('POST', '/webhooks', { url: 'https://hooks.example.com/a', events: ['contact.*'] })
  assert.equal(own.status, 201, own.text)
  const added = await call('PATCH', `/webhooks/${own.body.data.id}`, { events: ['contact.*', 'call.ended'] })
  assert.deepEqual([added.status, added.body.error?.details.required_scope], [403, 'calls:read'])
  const other = await create(tenant, { url: 'https://hooks.example.com/b', events: ['call.*', '*'] })
  const renamed = await call('PATCH', `/webhooks/${other.id}`, { description: 'Ours', events: ['call.*', 'contact.*'] })
  assert.deepEqual([renamed.status, renamed.body.data?.events], [200, ['call.*', 'contact.*']], renamed.text)
  const moved = await call('PATCH', `/webhooks/${other.id}`, { url: 'https://hooks.example.com/c' })
  assert.deepEqual([moved.status, moved.body.error?.details.required_scope], [403, 'calls:read'])
  const open = await tenant.call('POST', '/webhooks', { url: 'inbox', events: ['*'] })
  assert.equal(open.status, 201)
})
