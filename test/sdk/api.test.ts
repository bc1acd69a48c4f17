import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { ParleyError, SignatureError } from '../../sdk/src/index.ts'
import { newSigningSecret } from '../../server/kit/crypto/signing.ts'
import { signedHeaders } from '../../server/kit/crypto/signing-secrets.ts'
import { serve } from '../support/harness.ts'

const server = await serve()
const tenant = await server.workspace()
const parley = tenant.client

test('data is returned, and with withResponse the envelope and the response', async () => {
  const created = await parley.contacts.create({ phone_number: '+14155550100', first_name: 'Ada' })
  assert.equal(created.first_name, 'Ada')
  const { success, data, response } = await parley.contacts.get(created.id).withResponse()
  assert.deepEqual([success, data.id, response.status], [true, created.id, 200])
  const ifMatch = response.headers.get('etag') ?? ''
  await parley.contacts.update(created.id, { company: 'Engines' }, { ifMatch })
  await assert.rejects(parley.contacts.update(created.id, { company: 'Looms' }, { ifMatch }), {
    code: 'PRECONDITION_FAILED',
    status: 412,
  })
  assert.deepEqual(await parley.contacts.delete(created.id), { deleted: true })
})

test('a refusal has the fields, and the id of the request', async () => {
  const error = await parley.contacts.create({ phone_number: '555' }).catch((error) => error)
  assert.ok(error instanceof ParleyError)
  assert.deepEqual([error.code, error.status, error.fields.length], ['VALIDATION_ERROR', 400, 1])
  assert.equal(error.fields[0]?.path, 'phone_number')
  assert.match(String(error.requestId), /^req_/)
})

test('a list is a page when it is awaited, and all items when it is iterated', async () => {
  const tags = ['listed']
  for (const digit of '12345') await parley.contacts.create({ phone_number: `+1415555020${digit}`, tags })
  const page = await parley.contacts.list({ tag: 'listed', limit: 2 })
  assert.deepEqual([page.data.length, page.pagination.total, page.pagination.has_more], [2, 5, true])
  for (const query of [{ limit: 2 }, { limit: 2, offset: 0 }, {}]) {
    const numbers = []
    for await (const one of parley.contacts.list({ tag: 'listed', sort: 'created_at', ...query }))
      numbers.push(one.phone_number)
    assert.deepEqual(
      numbers,
      [...'12345'].map((digit) => `+1415555020${digit}`),
    )
  }
  const { pagination } = await parley.contacts.list({ tag: 'listed' }).withResponse()
  assert.equal(pagination.total, 5)
})

test('the turns of a conversation are iterated by their numbers', async () => {
  const agent = await parley.agents.create({ name: 'Reception' })
  const { id } = await parley.conversations.create({ agent_id: agent.id, use_draft: true })
  for (const text of ['one', 'two', 'three']) await parley.conversations.say(id, { text })
  const seqs = []
  for await (const { seq } of parley.conversations.listTurns(id, { limit: 2 })) seqs.push(seq)
  assert.ok(seqs.length >= 3, String(seqs))
  assert.deepEqual(
    seqs,
    seqs.map((_, index) => index + 1),
  )
})

const csv = 'phone_number,first_name\n+14155550301,Ada\n'
const stream = () => new Response(csv).body ?? assert.fail('no stream')
for (const [name, toFile] of Object.entries({
  File: () => new File([csv], 'people.csv'),
  Blob: () => new Blob([csv]),
  stream,
  'stream of Node': () => Readable.from([Buffer.from(csv)]),
})) {
  test(`a ${name} is imported`, async () => {
    const options = { is_dry_run: true }
    const { id, is_dry_run } = await parley.imports.create({ file: toFile(), options })
    assert.equal(is_dry_run, true)
    await tenant.work()
    const { status, total } = await parley.imports.get(id)
    assert.deepEqual([status, total], ['finished', 1])
  })
}

test('rows are imported without a file, and a file is downloaded', async () => {
  const { id } = await parley.imports.create({ rows: [{ phone_number: '+14155550302' }] })
  await tenant.work()
  assert.equal((await parley.imports.get(id)).status, 'finished')
  const exported = await parley.contacts.export({ search: '+14155550302' })
  assert.match(await exported.text(), /\+14155550302/)
})

test('a webhook is verified, and everything else is rejected', async () => {
  const secret = newSigningSecret()
  const body = JSON.stringify({ type: 'contact.deleted', data: { id: 'c1' } })
  const headers = signedHeaders([newSigningSecret(), secret], 'evt_1', body)
  for (const given of [headers, new Headers(headers)]) {
    const event = await parley.webhooks.verify(body, given, secret)
    assert.ok(event.type === 'contact.deleted' && event.data.id === 'c1')
  }
  await parley.webhooks.verify(Buffer.from(body), headers, secret)
  const old = { ...headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 301) }
  for (const [text, given, key] of [
    [`${body} `, headers, secret],
    [body, headers, newSigningSecret()],
    [body, old, secret],
    [body, { ...headers, 'webhook-id': 'evt_2' }, secret],
    [body, { ...headers, 'webhook-timestamp': 'now' }, secret],
    [body, { ...headers, 'webhook-signature': 'v1,!! v2,AAAA' }, secret],
    [body, {}, secret],
  ] as const)
    await assert.rejects(parley.webhooks.verify(text, given, key), SignatureError)
  await assert.rejects(parley.webhooks.verify(body, headers, 'secret'), TypeError)
  const parsed = JSON.parse(body)
  await assert.rejects(parley.webhooks.verify(parsed, headers, secret), { name: 'TypeError', message: /raw body/ })
})
