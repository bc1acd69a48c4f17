import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uniqueColumnNames } from '../../server/imports/match-columns.ts'
import { readRows } from '../../server/imports/parse-csv.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { serve } from '../support/harness.ts'
import { fieldsOf, getImport, importFile, upload } from '../support/uploads.ts'

const { workspace, pool } = await serve()

test('200 columns are accepted and 201 refused, also with the same name', async () => {
  const tenant = await workspace()
  const { import: done } = await importFile(tenant, `phone,${'a,'.repeat(198)}a\n+14155550100\n`)
  assert.deepEqual([done.columns.length, done.columns[1], done.columns[199]], [200, 'a', 'a (199)'])
  for (const header of [`phone,${'a,'.repeat(199)}a`, 'a,'.repeat(120_000), ','.repeat(250_000)]) {
    const answer = await upload(tenant, `${header}x\n+14155550100\n`)
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.body.error.message, /at most 200 columns/)
  }
})

test('unique column names are made in linear time', () => {
  const names = uniqueColumnNames(['a', 'a (2)', ...Array(200_000).fill('a')])
  assert.deepEqual(names.slice(0, 4), ['a', 'a (2)', 'a (3)', 'a (4)'])
  assert.equal(new Set(names).size, names.length)
})

test('a row of more than 200 cells is refused, and its first 200 cells are kept', async () => {
  const tenant = await workspace()
  const cells = (count: number) => Array.from({ length: count }, (_, index) => (index === 0 ? '' : `c${index}`))
  const file = [
    'phone,name',
    `+14155550100,${','.repeat(197)}`,
    `+14155550101,Ada${','.repeat(199)}`,
    `+14155550102,Ada${','.repeat(250_000)}`,
    `+14155550103,${cells(250).join(',')}`,
    ','.repeat(250_000),
    `+14155550104,${'"x",'.repeat(40_000)}"two\nlines"`,
    '+14155550105,Eva',
  ].join('\n')
  const { import: done, id, rows } = await importFile(tenant, file)
  assert.deepEqual([done.total, done.created, done.refused], [6, 2, 4], 'a row without text is left out')
  const reason = 'The row has more than 200 cells.'
  assert.deepEqual(
    rows.map(({ reason }: { reason: string }) => reason),
    [null, reason, reason, reason, reason, null],
  )
  const kept = await pool.many<{ rows: string[][] }>(
    sql`select rows from import_chunks where workspace_id = ${tenant.id}`,
  )
  const lengths = kept.flatMap(({ rows }) => rows.map(({ length }) => length))
  assert.ok(Math.max(...lengths) <= 201, `${lengths}`)
  const { text } = await tenant.call('GET', `/contacts/imports/${id}/rows.csv?outcome=refused`)
  const lines = text.trim().split('\r\n')
  assert.equal(lines[3], ['+14155550103', '', reason, ...cells(250).slice(1, 199)].join(','), 'the first 200')
})

test('the size of a chunk is limited by its text and by its cells', async () => {
  const tenant = await workspace()
  const line = `,${','.repeat(190)}`
  const file = `phone${line}\n${Array.from({ length: 3_000 }, (_, index) => `${index}${line}\n`).join('')}`
  await upload(tenant, file, { is_dry_run: true })
  const wide = await upload(tenant, `phone\n${`"${'ü'.repeat(200_000)}"\n`.repeat(12)}`, { is_dry_run: true })
  assert.equal(wide.status, 201, wide.text)
  const chunks = await pool.many<{ length: number }>(
    sql`select length(rows::text) as length from import_chunks where workspace_id = ${tenant.id}`,
  )
  for (const { length } of chunks) assert.ok(length < 1_400_000, `${length}`)
})

test('millions of empty lines are left out', async () => {
  const tenant = await workspace()
  const file = `phone\n${'\n'.repeat(4_000_000)}${'\r\n'.repeat(4_000_000)}${' \t\n'.repeat(10_000)}+14155550100\n`
  const { import: done } = await importFile(tenant, file)
  assert.deepEqual([done.total, done.created], [1, 1])
})

test('a row of 256 k characters is parsed and a longer one refused, in pieces of any size', async () => {
  const longest = 256 * 1024
  for (const [extra, is_read] of [
    [0, true],
    [1, false],
  ] as const) {
    for (const size of [1, 1_000, 70_000, 1_000_000]) {
      for (const cell of ['x'.repeat(longest + extra), `"${'é'.repeat(longest + extra - 2)}"`]) {
        // Only the end comes in pieces of one byte, to save time.
        const bytes = Buffer.from(`a\n${cell}\nb\n`)
        const pieces = async function* () {
          const from = size === 1 ? bytes.length - 1_000 : 0
          if (from > 0) yield bytes.subarray(0, from)
          for (let at = from; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
        }
        const read = async () => {
          const rows: string[][] = []
          for await (const some of readRows(pieces())) rows.push(...some)
          return rows.length
        }
        if (is_read) assert.equal(await read(), 3)
        else await assert.rejects(read(), /too long/)
      }
    }
  }
})

test('a file that is not text is refused at the upload', async () => {
  const tenant = await workspace()
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const utf16 = Buffer.from('\ufeffphone,name\n+14155550100,A\0B\n', 'utf16le')
  const files = [
    png,
    Buffer.concat([png, Buffer.alloc(100_000)]),
    Buffer.from('phone,name\n+14155550100,A\0B\n'),
    Buffer.from(`phone\n${'+14155550100\n'.repeat(20_000)}\0`),
    utf16,
    Buffer.alloc(5_000),
    Buffer.from('PK\u0003\u0004 phone,name\n+14155550100,Ada\n'),
  ]
  for (const file of files) {
    const answer = await upload(tenant, file, { is_dry_run: true })
    assert.deepEqual([answer.status, fieldsOf(answer)[0]?.path], [400, 'file'], answer.text)
    assert.match(
      answer.body.error.message,
      /not text|neither UTF-8 nor UTF-16|looks like a PNG image|looks like an Excel file/,
    )
  }
})

test('a long column name in a file is cut, and in JSON refused', async () => {
  const tenant = await workspace()
  const name = `${'x'.repeat(199)}😀y`
  const { import: done } = await importFile(tenant, `phone,${name},${name}\n+14155550100,1,2\n`)
  assert.deepEqual(done.columns, ['phone', 'x'.repeat(199), `${'x'.repeat(199)} (2)`])
  const rows = [{ phone: '+14155550101', ['x'.repeat(201)]: '' }]
  const answer = await tenant.call('POST', '/contacts/imports', { rows })
  assert.deepEqual([answer.status, fieldsOf(answer)[0]?.path], [400, 'rows'], answer.text)
})

test('a list shortens long values, and the CSV has all of them', async () => {
  const tenant = await workspace()
  const lines = Array.from({ length: 60 }, (_, index) => `${index},${'x'.repeat(250_000)}\n`)
  const { import: done, id } = await importFile(tenant, `phone,name\n${lines.join('')}`)
  assert.equal(done.refused, 60)
  const { rows } = await getImport(tenant, id)
  assert.deepEqual(
    rows.map(({ values }: { values: { phone: string } }) => values.phone),
    Array.from({ length: 60 }, (_, index) => String(index)),
  )
  assert.deepEqual(
    rows.map(({ values }: { values: { name: string } }) => values.name.length),
    rows.map(({ row_number }: { row_number: number }) => 10_000 - String(row_number - 1).length),
  )
  const { text } = await tenant.call('GET', `/contacts/imports/${id}/rows.csv`)
  assert.equal(text.split('\r\n').length, 62)
  assert.ok(text.length > 60 * 250_000, 'the CSV has all values')
})
