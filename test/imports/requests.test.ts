import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { serve } from '../support/harness.ts'
import { fieldsOf, formOf, getImport, importFile, upload } from '../support/uploads.ts'

const { workspace, pool, url } = await serve()

test('a file without phone numbers is refused, but a dry run shows its columns', async () => {
  const tenant = await workspace()
  const refused = await upload(tenant, 'name,size\nAda,1\n')
  assert.equal(refused.status, 400)
  assert.match(fieldsOf(refused)[0]?.message ?? '', /No column is mapped to phone_number. The columns are: name, size/)
  const { import: dry, rows } = await importFile(tenant, 'name,size\nAda,1\n', { is_dry_run: true })
  assert.deepEqual([dry.columns, dry.refused, rows[0].reason], [['name', 'size'], 1, 'phone_number is required.'])
  const mapped = await importFile(tenant, 'name,size\nAda,+14155550100\n', {
    mapping: { 1: 'phone_number', name: null },
  })
  assert.deepEqual(mapped.import.mapping, { name: null, size: 'phone_number' })
  assert.equal(mapped.import.created, 1)
})

test('an invalid mapping is refused', async () => {
  const tenant = await workspace()
  for (const mapping of [
    { nowhere: 'email' },
    { phone: 'shoe_size' },
    { phone: 'email', name: 'email' },
    { 2: null },
  ]) {
    const answer = await upload(tenant, 'phone,name\n+14155550100,Ada\n', { mapping })
    assert.equal(answer.status, 400, JSON.stringify(mapping))
  }
})

test('rows can be sent as JSON', async () => {
  const tenant = await workspace()
  const rows = [
    { phone_number: '+14155550100', first_name: 'Ada' },
    { phone_number: '12', email: 'a@b.org' },
  ]
  const answer = await tenant.call('POST', '/contacts/imports', { rows })
  assert.deepEqual([answer.status, answer.body.data.total], [201, 2])
  assert.deepEqual(answer.body.data.columns, ['phone_number', 'first_name', 'email'])
  await tenant.work()
  const { import: done } = await getImport(tenant, answer.body.data.id)
  assert.deepEqual([done.created, done.refused], [1, 1])
})

test('an upload with the same idempotency key is replayed, and another file is refused', async () => {
  const tenant = await workspace()
  const headers = { 'idempotency-key': 'once' }
  const first = await upload(tenant, 'phone\n+14155550100\n', {}, headers)
  const again = await upload(tenant, 'phone\n+14155550100\n', {}, headers)
  const other = await upload(tenant, 'phone\n+14155550101\n', {}, headers)
  assert.equal(again.text, first.text)
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.equal(other.status, 422)
  const [kept] = await pool.many<{ count: number }>(
    sql`select count(*) as count from import_files where workspace_id = ${tenant.id}`,
  )
  assert.equal(kept?.count, 1, 'the files of replayed uploads are deleted')
})

test('invalid forms are refused, and their files are deleted', async () => {
  const tenant = await workspace()
  const callWith = (change: (form: FormData) => void) => {
    const form = formOf('phone\n+14155550100\n')
    change(form)
    return tenant.call('POST', '/contacts/imports', form)
  }
  const answers = [
    await callWith((form) => form.delete('file')),
    await callWith((form) => form.append('other', 'x')),
    await callWith((form) => form.append('file', new Blob(['phone\n']), 'second.csv')),
    await callWith((form) => form.append('options', 'no JSON')),
    await callWith((form) => form.append('options', '{"on_conflict": "ask"}')),
    await tenant.call('POST', '/contacts/imports', '--x', { 'content-type': 'multipart/form-data; boundary=x' }),
    await upload(tenant, ''),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array(7).fill(400),
  )
  const no_boundary = await tenant.call('POST', '/contacts/imports', 'x', { 'content-type': 'multipart/form-data' })
  assert.equal(no_boundary.status, 415)
  const wrong_path = await tenant.call('POST', '/contacts', formOf('phone\n'))
  assert.equal(wrong_path.status, 415)
  const [kept] = await pool.many<{ count: number }>(
    sql`select count(*) as count from import_files where workspace_id = ${tenant.id}`,
  )
  assert.equal(kept?.count, 0)
})

test('a file with a too large Content-Length is refused before it is sent', async () => {
  const tenant = await workspace()
  const { port, hostname } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  const lines = ['POST /api/v1/contacts/imports HTTP/1.1', 'Host: x', `Authorization: Bearer ${tenant.key}`]
  lines.push('Content-Type: multipart/form-data; boundary=x', `Content-Length: ${513 * 1024 * 1024}`)
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  assert.match(bytes.toString(), /^HTTP\/1.1 413 [\s\S]*PAYLOAD_TOO_LARGE/)
})

test('column names may contain line breaks, but no control characters or lone surrogates', async () => {
  const tenant = await workspace()
  for (const name of ['a\0', '\0', 'a\ud800', '\udfff', 'a\u0007', '\u009f']) {
    const rows = [{ Phone: '+14155550100', [name]: 'x' }]
    const named = await tenant.call('POST', '/contacts/imports', { rows })
    assert.equal(named.status, 400, named.text)
    assert.match(named.body.error.details.fields[0].path, /^rows\.0\./)
    const mapped = await upload(tenant, 'phone\n+14155550100\n', { mapping: { [name]: null } })
    assert.equal(mapped.status, 400, mapped.text)
    assert.match(mapped.body.error.details.fields[0].path, /^mapping\./)
    const field_map = { phone_number: '/phone', crm_ids: { [name]: '/id' } }
    const integration = await tenant.call('POST', '/integrations', { name: 'Form', field_map })
    assert.equal(integration.status, 400, integration.text)
  }
  const rows = [{ 'Phone\nnumber': '+14155550100' }]
  const answer = await tenant.call('POST', '/contacts/imports', { rows, mapping: { 'Phone\nnumber': 'phone_number' } })
  assert.deepEqual([answer.status, answer.body.data?.columns], [201, ['Phone\nnumber']], answer.text)
})
