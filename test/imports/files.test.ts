import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { readRows } from '../../server/imports/parse-csv.ts'
import { serve } from '../support/harness.ts'
import { runs } from '../support/property-runs.ts'
import { contactsOf, fieldsOf, importFile, partOf, postForm, upload } from '../support/uploads.ts'

const { workspace } = await serve()

const utf16 = (text: string, is_big_endian: boolean): Buffer => {
  const bytes = Buffer.from(text, 'utf16le')
  return is_big_endian ? bytes.swap16() : bytes
}
const byte_order_mark = '\ufeff'
const encodings: Record<string, (text: string) => Buffer> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a byte order mark': (text) => Buffer.from(byte_order_mark + text),
  'UTF-16 LE with a byte order mark': (text) => utf16(byte_order_mark + text, false),
  'UTF-16 BE with a byte order mark': (text) => utf16(byte_order_mark + text, true),
  'UTF-16 LE without a byte order mark': (text) => utf16(text, false),
}

/** It has quotes, doubled quotes, line breaks in cells, blank lines, short rows, and no line break at the end. */
const messy = [
  ['"Phone"', 'First Name', '"Notes"'],
  ['+14155550100', '"Zoë, ""Zo"""', '"two\r\nlines; and	more"'],
  ['', '', ''],
  ['+14155550101', 'Émile'],
  ['"+14155550102"', '', '  padded  '],
]

for (const [encoding, encode] of Object.entries(encodings)) {
  for (const delimiter of [',', ';', '\t']) {
    for (const line_break of ['\n', '\r\n']) {
      const name = `${encoding}, ${JSON.stringify(delimiter)} and ${JSON.stringify(line_break)}`
      test(`a messy file is read: ${name}`, async () => {
        const tenant = await workspace()
        const text = messy.map((cells) => cells.join(delimiter)).join(line_break)
        const { import: done } = await importFile(tenant, encode(text))
        assert.deepEqual([done.total, done.created], [3, 3])
        assert.deepEqual(done.columns, ['Phone', 'First Name', 'Notes'])
        const contacts = await contactsOf(tenant)
        const values = contacts.map(({ phone_number, first_name, notes }: Record<string, string>) => [
          phone_number,
          first_name,
          notes,
        ])
        assert.deepEqual(values.sort(), [
          ['+14155550100', 'Zoë, "Zo"', 'two\r\nlines; and\tmore'],
          ['+14155550101', 'Émile', null],
          ['+14155550102', null, 'padded'],
        ])
      })
    }
  }
}

test('columns without a name or with the same name get unique names', async () => {
  const tenant = await workspace()
  const { import: done } = await importFile(tenant, 'phone,,phone,phone\n+14155550100,a,b,c\n')
  assert.deepEqual(done.columns, ['phone', 'Column 2', 'phone (2)', 'phone (3)'])
})

test('a file that is not UTF-8 or has an open quote is refused', async () => {
  const tenant = await workspace()
  const latin = await upload(tenant, Buffer.from('phone,name\n+14155550100,Zo\xeb\n', 'latin1'))
  assert.equal(latin.status, 400)
  assert.match(latin.body.error.message, /UTF-8/)
  const endless = await upload(tenant, `phone\n"${'x'.repeat(300_000)}`)
  assert.deepEqual([endless.status, endless.body.error.details.fields[0].path], [400, 'file'])
  const open = await upload(tenant, 'phone,name\n+14155550100,"Ada"\n+14155550101,"Grace\n+14155550102,Jean\n')
  assert.equal(open.body.error.message, 'A quote is never closed: the one before Grace.')
})

test('the error of an invalid upload names the fault', async () => {
  const tenant = await workspace()
  const bare = await tenant.call('POST', '/contacts/imports', 'phone\n+14155550100\n', { 'content-type': 'text/csv' })
  assert.equal(bare.status, 415)
  assert.match(bare.body.error.message, /multipart\/form-data/)
  const file = partOf(['Content-Disposition: form-data; name="file"; filename="a.csv"'], 'phone\n+14155550100\n')
  const options = partOf(['Content-Disposition: form-data; name="options"'], '{bad')
  assert.match(
    (await postForm(tenant, `${file}${options}--xx--\r\n`)).body.error.message,
    /^options is not valid JSON: /,
  )
  const empty_options = partOf(['Content-Disposition: form-data; name="options"'], '')
  assert.equal(
    (await postForm(tenant, `${file}${empty_options}--xx--\r\n`)).body.error.message,
    'options is empty. Send a JSON object, or leave the part out.',
  )
  const country = await upload(tenant, 'Mobile\n+14155550100\n', { default_country: 'Germany' })
  assert.deepEqual([country.status, fieldsOf(country)[0]?.path], [400, 'default_country'], country.text)
  assert.match(country.body.error.message, /two-letter code of a country, such as US or DE/)
  const unmatched = await upload(tenant, 'Mobile,Name\n+14155550100,Ada\n', { mapping: { Phone: 'phone_number' } })
  assert.equal(unmatched.body.error.message, 'There is no column "Phone". The columns are: Mobile, Name.')
})

test('a file in pieces of any size is parsed like csv-parse does', async () => {
  const cell = fc.oneof(fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', 'é', ' ') }), fc.string())
  const safe = cell.map((text) => text.replaceAll('\0', '').replace(/^\ufeff/, ''))
  const table = fc.array(fc.tuple(fc.constant('x'), safe, safe), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(table, fc.integer({ min: 1, max: 50 }), fc.constantFrom('\n', '\r\n'), async (rows, size, end) => {
      const text = rows.map((cells) => cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(',')).join(end)
      const bytes = Buffer.from(text)
      const pieces = async function* () {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
      }
      const read: string[][] = []
      for await (const some of readRows(pieces())) read.push(...some)
      assert.deepEqual(read, parse(text))
    }),
    runs(),
  )
})
