import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import net from 'node:net'
import { test } from 'node:test'
import { readForm } from '../../server/kit/http/body/form.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { type Answer, openServer, serve, type Tenant, testPool } from '../support/harness.ts'
import { fieldsOf, partOf, postForm, upload } from '../support/uploads.ts'

const { workspace, pool } = await serve()

const csv = 'phone\n+14155550100\n'
const file = partOf(['Content-Disposition: form-data; name="file"; filename="a.csv"'], csv)
const named = (name: string) => partOf([`Content-Disposition: form-data; ${name}`], csv)

const filesOf = async ({ id }: Tenant): Promise<unknown> =>
  (await pool.one<{ count: number }>(sql`select count(*) as count from import_files where workspace_id = ${id}`)).count

async function assertRefused(tenant: Tenant, answer: Answer, message: RegExp): Promise<void> {
  assert.equal(answer.status, 400, answer.text)
  assert.match(answer.body.error.message, message)
  assert.equal(await filesOf(tenant), 0, 'no file is stored')
}

test('a part without a name is rejected with a clear message', async () => {
  const tenant = await workspace()
  for (const disposition of [
    'Content-Disposition: form-data',
    'Content-Disposition: form-data; filename="a.csv"',
    'Content-Disposition: attachment; name="file"',
    'Content-Type: text/csv',
    'X: y',
  ]) {
    await assertRefused(tenant, await postForm(tenant, `${partOf([disposition], 'x')}--xx--\r\n`), /part has no name/)
    await assertRefused(
      tenant,
      await postForm(tenant, `${file}${partOf([disposition], 'x')}--xx--\r\n`),
      /part has no name/,
    )
  }
  await assertRefused(tenant, await postForm(tenant, '--xx\r\n\r\nx\r\n--xx--\r\n'), /part has no name/)
  await assertRefused(tenant, await postForm(tenant, `${named('name=""')}--xx--\r\n`), /part has no name/)
})

test('a form that ends before its closing boundary is rejected, wherever it is cut', async () => {
  const tenant = await workspace()
  const options = partOf(['Content-Disposition: form-data; name="options"'], '{"is_dry_run": true}')
  const many = named('name="other"').repeat(10)
  for (const whole of [file + options, options + file, file + file, many, `preamble\r\n${file}`]) {
    const bytes = `${whole}--xx--`
    for (let length = 0; length < bytes.length; length += length < 20 || length > bytes.length - 40 ? 1 : 7) {
      const answer = await postForm(tenant, bytes.slice(0, length))
      assert.equal(answer.status, 400, `${JSON.stringify(bytes.slice(0, length))}: ${answer.text}`)
    }
  }
  await assertRefused(tenant, await postForm(tenant, file), /ends before its closing boundary/)
})

test('preambles, epilogues and unusual but valid spellings are accepted', async () => {
  const forms: [string, string?][] = [
    [`${file}--xx--`],
    [`a preamble\r\n--yy\r\n${file}--xx--\r\nan epilogue`],
    [file.replace('--xx\r\n', '--xx \t\r\n').concat('--xx--  \r\n')],
    [`${partOf(['content-type: text/csv', 'CONTENT-DISPOSITION:form-data;NAME=file;FileName=a.csv'], csv)}--xx--`],
    [`${partOf(['Content-Disposition: form-data; name="file";', ' filename="a.csv"'], csv)}--xx--`],
    [`${named('name="file"; filename="C:\\\\people\\\\a.csv"')}--xx--`],
    [`${named('name="file"; filename="b"; filename*=UTF-8\'\'a.csv')}--xx--`],
    [`${file}--xx--`.replaceAll('--xx', '--x y'), '"x y"'],
  ]
  for (const [bytes, boundary] of forms) {
    const tenant = await workspace()
    const answer = await postForm(tenant, bytes, boundary)
    assert.deepEqual([answer.status, answer.body.data?.file_name, answer.body.data?.total], [201, 'a.csv', 1], bytes)
  }
  const tenant = await workspace()
  const answer = await postForm(tenant, `${named('name="file"')}--xx--`)
  assert.deepEqual([answer.status, answer.body.data?.file_name], [201, null], 'a file needs no name')
})

test('an invalid file name is rejected, and a long one is cut between two characters', async () => {
  const tenant = await workspace()
  const starred = (value: string) => postForm(tenant, `${named(`name="file"; filename*=${value}`)}--xx--`)
  for (const value of ["UTF-8''a%00b", "UTF-8''a%", "UTF-8''%ff", "UTF-8''%ED%A0%80", "koi8-r''a", 'a', "UTF-8''%0a"]) {
    await assertRefused(tenant, await starred(value), /file name/)
  }
  const nul = await postForm(tenant, `${named('name="file"; filename="a\0b"')}--xx--`)
  await assertRefused(tenant, nul, /file name/)
  const long = await upload(tenant, csv, { is_dry_run: true }, {}, `${'x'.repeat(254)}😀.csv`)
  assert.equal(long.body.data.file_name, 'x'.repeat(254))
})

test('encoded, repeated, too long and unknown parts are rejected', async () => {
  const tenant = await workspace()
  const packed = partOf(
    ['Content-Disposition: form-data; name="file"', 'Content-Transfer-Encoding: base64'],
    Buffer.from(csv).toString('base64'),
  )
  await assertRefused(tenant, await postForm(tenant, `${packed}--xx--`), /Content-Transfer-Encoding/)
  const twice = await postForm(tenant, `${file}${file}--xx--`)
  assert.deepEqual(
    [twice.status, fieldsOf(twice)[0]?.path, fieldsOf(twice)[0]?.message],
    [400, 'file', 'file must be sent only once.'],
  )
  const unknown = await postForm(tenant, `${file}${named('name="x\0y"')}--xx--`)
  assert.deepEqual([unknown.status, fieldsOf(unknown)[0]?.path], [400, 'x\0y'])
  const long_head = partOf([`X-Long: ${'x'.repeat(20_000)}`, 'Content-Disposition: form-data; name="file"'], csv)
  await assertRefused(tenant, await postForm(tenant, `${long_head}--xx--`), /headers of a part/)
  const long = partOf(['Content-Disposition: form-data; name="options"'], JSON.stringify({ x: 'x'.repeat(70_000) }))
  assert.equal((await postForm(tenant, `${long}${file}--xx--`)).status, 413)
  for (const boundary of ['', '""', 'x'.repeat(71)]) {
    await assertRefused(tenant, await postForm(tenant, `${file}--xx--`, boundary), /boundary/)
  }
  await assertRefused(tenant, await postForm(tenant, `--xxx\r\n${file}--xx--`), /boundary/)
})

test('an upload succeeds even if its file cannot be removed afterwards', async () => {
  const own = testPool()
  const failing: Pool = {
    ...own,
    run: (statement) =>
      statement.text.startsWith('delete from import_files')
        ? Promise.reject(Object.assign(new Error('terminating connection'), { code: '57P01' }))
        : own.run(statement),
  }
  const server = await openServer(failing)
  try {
    const tenant = await server.workspace()
    const headers = { 'idempotency-key': 'once' }
    const first = await upload(tenant, csv, {}, headers)
    assert.equal(first.status, 201, first.text)
    const again = await upload(tenant, csv, {}, headers)
    assert.deepEqual(
      [again.status, again.text],
      [201, first.text],
      'a replay succeeds although its file was not removed',
    )
    const refused = await upload(tenant, csv, { on_conflict: 'ask' })
    assert.equal(refused.status, 400, 'the response reports the first error')
    const unread = await upload(tenant, 'phone\n"x')
    assert.deepEqual([unread.status, fieldsOf(unread)[0]?.path], [400, 'file'])
    const extra = await postForm(tenant, `${file}${named('name="other"')}--xx--`)
    assert.deepEqual([extra.status, fieldsOf(extra)[0]?.path], [400, 'other'])
  } finally {
    await server.close()
  }
})

test('a form that arrives byte by byte is read in a few chunks', async (t) => {
  const content = csv.repeat(1_000)
  const form = `${partOf(['Content-Disposition: form-data; name="file"'], content)}--xx--`
  const pieces: Buffer[] = []
  const store = async (bytes: AsyncIterable<Buffer>) => {
    for await (const piece of bytes) pieces.push(piece)
    return 'kept'
  }
  const limits = { bytes_max: form.length, store, discard: async () => {} }
  const receiver = createServer((request, response) => {
    void readForm(request.headers, request, limits).then(() => response.end())
  }).listen(0, '127.0.0.1')
  t.after(() => receiver.close())
  await once(receiver, 'listening')
  const socket = net.connect(Object(receiver.address()).port, '127.0.0.1')
  const head = ['POST / HTTP/1.1', 'Host: x', 'Content-Type: multipart/form-data; boundary=xx', 'Connection: close']
  socket.write(`${head.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\n`)
  socket.end(`${Array.from(form, (sign) => `1\r\n${sign}\r\n`).join('')}0\r\n\r\n`)
  await once(socket, 'data')
  assert.equal(Buffer.concat(pieces).toString(), content)
  assert.ok(pieces.length < form.length / 10, `${pieces.length} pieces of ${form.length} bytes`)
})
