import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, serve } from '../support/harness.ts'
import { createRejectionCheck, statusAndCode, statusAndFault } from '../support/rejections.ts'
import { newContact } from '../support/samples.ts'

const server = await serve()
const { workspace } = server
const refuses = createRejectionCheck(server)

const json = { 'content-type': 'application/json' }
const mebibyte = 1024 * 1024

const reasonOf = ({ status, body }: Answer) => [status, body?.error?.code, body?.error?.details.reason]

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const nestedObjects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

test('a body that is not JSON is rejected', () =>
  refuses(
    [
      '',
      ' ',
      '{',
      '}',
      '{]',
      'phone_number=1',
      'nul',
      'NaN',
      'Infinity',
      "{'notes':'x'}",
      '{notes:"x"}',
      '{"notes":"x",}',
      '{"notes":}',
      '{"notes":"x"} {}',
      '{"notes":"x"}}',
      '{"notes":"x" /* */}',
      '{"notes":01}',
      '{"notes":"\t"}',
      '{"notes":"\\x"}',
      '{"notes":"\\u12"}',
      '{"notes":"x',
      '\ufeff\ufeff{}',
      '\0{}',
      '{}\0',
      Buffer.from([...Buffer.from('{"notes":"'), 0xff, ...Buffer.from('"}')]),
      Buffer.from([...Buffer.from('{"notes":"'), 0xc3, ...Buffer.from('"}')]),
      Buffer.from([...Buffer.from('{"notes":"'), 0xc0, 0xaf, ...Buffer.from('"}')]),
      Buffer.from([...Buffer.from('{"notes":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')]),
      Buffer.from('{"notes":"é"}', 'latin1'),
      Buffer.from('\ufeff{"notes":"x"}', 'utf16le'),
    ],
    reasonOf,
    [400, 'VALIDATION_ERROR', 'invalid_json'],
  ))

test('a body that is not an object is rejected', () =>
  refuses(
    ['[]', '[{}]', '5', '-0', '1e999', '"text"', 'null', 'true', nested(5_000)],
    (answer) => [...statusAndCode(answer), answer.body.error.details.fields.length],
    [400, 'VALIDATION_ERROR', 1],
  ))

test('a byte order mark is accepted', async () => {
  const { call } = await workspace()
  assert.equal((await call('POST', '/contacts', `\ufeff${JSON.stringify(newContact())}`, json)).status, 201)
})

test('nesting in a field is rejected at any depth', async () => {
  const { phone_number } = newContact()
  const within = (name: string, value: string) => `{"phone_number":"${phone_number}","${name}":${value}}`
  await refuses([within('notes', nested(5_000))], statusAndFault, [400, 'notes', 'type'])
  await refuses([within('tags', `[${nested(5_000)}]`)], statusAndFault, [400, 'tags.0', 'type'])
  await refuses([within('unknown', nested(5_000))], statusAndFault, [400, 'unknown', 'unknown'])
  await refuses([nestedObjects(5_000)], statusAndFault, [400, 'a', 'unknown'])
})

test('a large body with deep nesting or very many lists and objects is rejected before it is parsed', async () => {
  const { phone_number } = newContact()
  const within = (name: string, value: string) => `{"phone_number":"${phone_number}","${name}":${value}}`
  const many = (item: string) => `[${`${item},`.repeat(20_000)}0]`
  const deep = ['notes', 'created_at', 'unknown'].map((name) => within(name, nested(400_000)))
  await refuses(
    [
      ...deep,
      nested(400_000),
      nestedObjects(150_000),
      within('created_at', many('{"a":1}')),
      within('created_at', many('[1,2]')),
    ],
    reasonOf,
    [400, 'VALIDATION_ERROR', 'invalid_json'],
  )
  const { call } = await workspace()
  const taken = [
    `{"created_at":["${'[{\\"'.repeat(20_000)}"],"phone_number":"${phone_number}"}`,
    `{"created_at":[${'{},'.repeat(19_000)}0],"phone_number":"${newContact().phone_number}","notes":${JSON.stringify(' '.repeat(70_000))}}`,
  ]
  for (const body of taken) assert.equal((await call('POST', '/contacts', body, json)).status, 201, body.slice(0, 100))
})

test('an ignored field may be nested up to the limit', async () => {
  const { call } = await workspace()
  const within = (value: string) => `{"phone_number":"${newContact().phone_number}","created_at":${value}}`
  assert.equal((await call('POST', '/contacts', within(nested(10)), { ...json, 'idempotency-key': 'a' })).status, 201)
  await refuses([within(nested(5_000)), within(nestedObjects(5_000)), within(nested(400_000))], statusAndCode, [
    400,
    'VALIDATION_ERROR',
  ])
})

test('a body of 1 MiB is accepted, one more byte gets 413', async () => {
  const { call } = await workspace()
  const said = JSON.stringify(newContact())
  assert.equal((await call('POST', '/contacts', said.padEnd(mebibyte), json)).status, 201)
  await refuses([said.padEnd(mebibyte + 1), said.padEnd(2 * mebibyte)], statusAndCode, [413, 'PAYLOAD_TOO_LARGE'])
})

test('another type, charset or encoding of the body gets 415', async () => {
  const body = JSON.stringify(newContact())
  for (const type of [
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '*/*',
    'json',
    'application/jsonp',
    'application/ld+json',
    'application/merge-patch+json',
    'application/json, text/plain',
    '',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json;charset="utf-16"',
  ]) {
    await refuses([body], statusAndCode, [415, 'UNSUPPORTED_MEDIA_TYPE'], { 'content-type': type })
  }
  for (const encoding of ['gzip', 'deflate', 'br', 'gzip, identity']) {
    await refuses([body], statusAndCode, [415, 'UNSUPPORTED_MEDIA_TYPE'], { 'content-encoding': encoding })
  }
  const { call } = await workspace()
  const untyped = await call('POST', '/contacts', Buffer.from(body))
  assert.deepEqual(statusAndCode(untyped), [415, 'UNSUPPORTED_MEDIA_TYPE'])
})

test('JSON in UTF-8 is accepted with any spelling of its type', async () => {
  const { call } = await workspace()
  const charsets = [
    '; charset=utf-8',
    ';charset=UTF-8',
    '; charset="utf-8"',
    ' ; Charset="UTF-8"',
    '; charset=utf-8;',
    ';',
  ]
  for (const type of ['APPLICATION/JSON', ...['', ...charsets].map((charset) => `application/json${charset}`)]) {
    const { status } = await call('POST', '/contacts', JSON.stringify(newContact()), { 'content-type': type })
    assert.equal(status, 201, type)
  }
  const encoded = await call('POST', '/contacts', newContact(), { 'content-encoding': 'identity' })
  assert.equal(encoded.status, 201)
})
