import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readFormParts } from '../../server/kit/http/body/multipart.ts'
import { answerFaults } from '../support/contract.ts'
import { serve } from '../support/harness.ts'
import { anyText, runs } from '../support/property-runs.ts'
import { postForm } from '../support/uploads.ts'

const { workspace, fetch } = await serve()

const operation = { path: '/contacts/imports', method: 'POST' }

const name = fc.constantFrom(
  'file',
  'options',
  'other',
  '',
  '__proto__',
  'constructor',
  'fi\\"le',
  'fi\0le',
  'ü',
  '"',
  ';',
)
const parameter = fc.oneof(
  name.map((said) => `name="${said}"`),
  name.map((said) => `name=${said}`),
  fc.constantFrom('filename="a.csv"', 'filename=""', 'filename="a\0b"', 'filename="C:\\a\\"', 'filename=é', 'filename'),
  fc.constantFrom(
    "filename*=UTF-8''a%00",
    "filename*=UTF-8''%",
    "filename*=utf-8'en'a%20b",
    "filename*=x''a",
    'filename*=',
  ),
)
const disposition = fc
  .tuple(fc.constantFrom('form-data', 'FORM-DATA ', 'attachment', ''), fc.array(parameter, { maxLength: 3 }))
  .map(([kind, parameters]) => `Content-Disposition: ${[kind, ...parameters].join('; ')}`)
const line = fc.oneof(
  { weight: 6, arbitrary: disposition },
  fc.constantFrom(
    ...['Content-Type: text/csv', 'Content-Type: text/csv; charset=koi8-r', 'Content-Type: application/octet-stream;'],
    ...[
      'Content-Transfer-Encoding: base64',
      'Content-Transfer-Encoding: 8bit',
      'X',
      ':',
      ' folded',
      'X: a\nb',
      'X: \0',
    ],
    `X: ${'x'.repeat(17_000)}`,
  ),
)
const content = fc.oneof(
  fc.constantFrom(
    'phone\n+14155550100\n',
    '{"is_dry_run": true}',
    '{}',
    '',
    '\r\n',
    '\r\n--x',
    '"',
    '\n\n\n',
    '\ufeff',
  ),
  anyText({ maxLength: 200 }),
)
const part = fc
  .tuple(fc.array(line, { maxLength: 3 }), content)
  .map(([lines, body]) => `--xx\r\n${[...lines, '', body].join('\r\n')}\r\n`)
const good = 'Content-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nphone\n+14155550100\n\r\n'
const form = fc
  .tuple(
    fc.constantFrom('', 'preamble\r\n', '\r\n', '--xx'),
    fc.array(fc.oneof(part, fc.constant(`--xx\r\n${good}`)), { maxLength: 8 }),
    fc.constantFrom('--xx--\r\n', '--xx--', '--xx-', '--xx', '', '--xx--\r\nepilogue', '--xx--\r\n--xx\r\n'),
  )
  .map(([before, parts, end]) => Buffer.from(before + parts.join('') + end))

/** The position, the number of bytes to remove, and the bytes to insert. */
const damage = fc.tuple(
  fc.nat(),
  fc.constantFrom(0, 0, 1, 2, 10, 100),
  fc.constantFrom(
    '',
    '\0',
    '\r',
    '\n',
    '\r\n',
    '--xx',
    '--',
    '"',
    ';',
    '\xff',
    'Content-Disposition: form-data\r\n\r\n',
  ),
)
const damaged = fc
  .tuple(form, fc.array(damage, { maxLength: 3 }), fc.option(fc.nat(), { nil: undefined }))
  .map(([whole, damages, end]) => {
    let bytes = whole
    for (const [place, length, more] of damages) {
      const at = place % (bytes.length + 1)
      bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(more, 'latin1'), bytes.subarray(at + length)])
    }
    return end === undefined ? bytes : bytes.subarray(0, end % (bytes.length + 1))
  })
const boundary = fc.oneof(
  { weight: 9, arbitrary: fc.constant('xx') },
  fc.constantFrom('"xx"', 'xx; charset=utf-8', 'x', '""', '', 'xx-', '"x x"', 'y'.repeat(71), '\xe9'),
)

test('any form gets an import or a documented error, and the server stays healthy', async () => {
  const tenant = await workspace()
  const seen = new Set<number>()
  await fc.assert(
    fc.asyncProperty(damaged, boundary, async (bytes, said) => {
      const answer = await postForm(tenant, bytes, said)
      seen.add(answer.status)
      assert.ok(answer.status < 500, answer.text)
      assert.deepEqual(answerFaults(operation, answer), [], answer.text)
    }),
    { ...runs(), examples: [[Buffer.from(`--xx\r\n${good}--xx--`), 'xx']] },
  )
  assert.equal((await fetch('GET', '/health')).status, 200)
  assert.ok(seen.has(201) && seen.has(400), [...seen].join())
})

test('a form has the same parts however it is split into chunks', async () => {
  const read = async (bytes: Buffer, size: number) => {
    const pieces = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    }
    const parts: unknown[] = []
    try {
      for await (const { name, file_name, bytes } of readFormParts('multipart/form-data; boundary=xx', pieces())) {
        const content: Buffer[] = []
        for await (const piece of bytes) content.push(piece)
        parts.push([name, file_name, Buffer.concat(content).toString('latin1')])
      }
    } catch (error) {
      parts.push(Object(error).message)
    }
    return parts
  }
  await fc.assert(
    fc.asyncProperty(damaged, fc.integer({ min: 1, max: 40 }), async (bytes, size) => {
      assert.deepEqual(await read(bytes, size), await read(bytes, bytes.length + 1))
    }),
    runs(),
  )
})

test('a reader may stop in the middle of a part and gets the next one', async () => {
  const file = `--xx\r\n${good}`
  const bytes = Buffer.from(`${file}${file.replace('"file"', '"next"')}--xx--`)
  for (let size = 1; size <= bytes.length; size += 1) {
    const pieces = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    }
    for (const pieces_read of [0, 1, Number.POSITIVE_INFINITY]) {
      const names: unknown[] = []
      for await (const part of readFormParts('multipart/form-data; boundary=xx', pieces())) {
        names.push(part.name)
        let left = pieces_read
        if (left === 0) continue
        for await (const _ of part.bytes) {
          left -= 1
          if (left === 0) break
        }
      }
      assert.deepEqual(names, ['file', 'next'], `${size} bytes at a time, ${pieces_read} read`)
    }
  }
})
