import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { serve, type Tenant } from '../support/harness.ts'
import { type LongRequest, sendFirst } from '../support/sent-first.ts'
import { fieldsOf, partOf, upload } from '../support/uploads.ts'

const { workspace, url } = await serve()

const many_bytes = 24 * 1024 * 1024
const rows = Buffer.from('+14155550100,Ada\n'.repeat(many_bytes / 17))
const head = 'Content-Disposition: form-data; name="file"; filename="a.csv"'

/** Returns the response. */
async function sendForm({ key }: Tenant, begin: string | Buffer, sending: Partial<LongRequest>): Promise<string> {
  const { answer, socket } = await sendFirst(url, {
    request_line: 'POST /api/v1/contacts/imports',
    headers: [`Authorization: Bearer ${key}`, 'Content-Type: multipart/form-data; boundary=xx'],
    body: [Buffer.from(begin), rows, Buffer.from('\r\n--xx--\r\n')],
    ...sending,
  })
  if (!sending.is_last) {
    socket.write(`GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    const [next] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
    assert.match(String(next), /^HTTP\/1.1 200 /, 'the connection serves the next request')
  }
  socket.destroy()
  return answer
}

const refused: [name: string, begin: string | Buffer, status: number, said: RegExp][] = [
  [
    'invalid UTF-8',
    Buffer.concat([Buffer.from(partOf([head], 'phone\n').slice(0, -2)), Buffer.from([0xff, 0x41])]),
    400,
    /UTF-8/,
  ],
  ['an open quote', partOf([head], 'phone\n"').slice(0, -2), 400, /quote is never closed/],
  ['too many columns', partOf([head], `${'a,'.repeat(300)}\n`).slice(0, -2), 400, /at most 200 columns/],
  ['an unknown part', partOf(['Content-Disposition: form-data; name="other"'], '').slice(0, -2), 400, /is unknown/],
  ['too long options', partOf(['Content-Disposition: form-data; name="options"'], '').slice(0, -2), 413, /65536 bytes/],
]

for (const [name, begin, status, said] of refused) {
  for (const is_chunked of [false, true]) {
    const how = is_chunked ? 'in chunks' : 'with its length'
    test(`${name}, rejected while it arrives ${how}: a client that sends everything first still gets the reason`, async () => {
      const tenant = await workspace()
      const answer = await sendForm(tenant, begin, { is_chunked })
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `))
      assert.match(answer, said)
      assert.equal((await tenant.call('GET', '/contacts/imports')).body.pagination.total, 0)
    })
  }
}

for (const version of ['1.1', '1.0']) {
  test(`a client that sends everything first over HTTP/${version} with Connection: close still gets the reason`, async () => {
    const tenant = await workspace()
    const begin = partOf([head], 'phone\n"').slice(0, -2)
    const answer = await sendForm(tenant, begin, { is_chunked: false, is_last: true, version })
    assert.match(answer, /^HTTP\/1.1 400 /)
    assert.match(answer, /quote is never closed/)
  })
}

test('a client that reads while it sends gets the reason', async () => {
  const tenant = await workspace()
  const answer = await upload(tenant, Buffer.concat([Buffer.from('phone\n\xff', 'latin1'), rows]))
  assert.deepEqual([answer.status, fieldsOf(answer)[0]?.path], [400, 'file'], answer.text)
  assert.match(answer.body.error.message, /UTF-8/)
  const bad_key = await upload(tenant, rows, {}, { 'idempotency-key': 'x'.repeat(300) })
  assert.deepEqual([bad_key.status, fieldsOf(bad_key)[0]?.path], [400, 'Idempotency-Key'], bad_key.text)
})
