import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { find, pdfOf, readDocument, uploadDocument, zipOf } from '../support/documents.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { receiver } from '../support/receivers.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const { workspace, pool } = server
const megabyte = 1024 * 1024

const word_parts = { '[Content_Types].xml': '<Types/>', '_rels/.rels': '<Relationships/>' }

/** Files that are taken, and can't be read. */
const unreadable: [what: string, name: string, file: () => Buffer, error: RegExp][] = [
  ['a PDF with a password', 'a.pdf', () => pdfOf([['Open at nine.']], { has_password: true }), /has a password/],
  [
    'a PDF of 5,000 pages',
    'a.pdf',
    () => pdfOf(Array.from({ length: 5_000 }, (_, page) => [`Page ${page}`])),
    /has 5,000 pages\. At most 2,000/,
  ],
  ['a damaged PDF', 'a.pdf', () => Buffer.from('%PDF-1.7\nnothing of the kind'), /is damaged/],
  ['a PDF without text', 'a.pdf', () => pdfOf([[]]), /has no text/],
  [
    'a zip bomb in a Word file',
    'a.docx',
    () => zipOf({ ...word_parts, 'word/document.xml': Buffer.alloc(200 * megabyte, 'x') }),
    /unpacks to more than 64 MB/,
  ],
  [
    'a Word file that is cut off',
    'a.docx',
    () => zipOf({ ...word_parts, 'word/document.xml': 'x' }).subarray(0, 200),
    /is damaged/,
  ],
  ['an archive without a document', 'a.docx', () => zipOf(word_parts), /has no Word document/],
  ['HTML of one deep nest without words', 'a.html', () => Buffer.from('<div>'.repeat(1_000_000)), /has no text/],
  ['a text of millions of paragraphs', 'a.txt', () => Buffer.alloc(20 * megabyte, 'a\n\n'), /needs too much memory/],
  ['a file of blanks', 'a.txt', () => Buffer.from('   \n\n  '), /has no text/],
]

for (const [what, name, file, error] of unreadable)
  test(`${what} fails with a clear error, and leaves nothing`, async () => {
    const tenant = await workspace()
    const read = await readDocument(tenant, await uploadDocument(tenant, file(), name))
    assert.deepEqual([read.status, read.passages], ['failed', 0])
    assert.match(read.error ?? '', error)
    await assertNothingFound(tenant)
    assert.equal((await tenant.call('GET', '/events?type=document.failed')).body.data.length, 1)
  })

async function assertNothingFound(tenant: Tenant): Promise<void> {
  assert.deepEqual(await find(tenant, 'open nine page words'), [])
  for (const rows of [
    await pool.many(sql`select id from document_passages where workspace_id = ${tenant.id}`),
    await pool.many(sql`select word from document_words where workspace_id = ${tenant.id}`),
  ])
    assert.deepEqual(rows, [])
}

test('words in HTML of one deep nest are found', async () => {
  const tenant = await workspace()
  const read = await readDocument(
    tenant,
    await uploadDocument(tenant, `${'<div>'.repeat(200_000)}Open at nine.`, 'a.html'),
  )
  assert.deepEqual([read.status, read.error], ['ready', null])
  assert.equal((await find(tenant, 'open'))[0]?.text, 'Open at nine.')
})

test('Markdown of one deep nest is read, as far as it can be', async () => {
  const tenant = await workspace()
  const read = await readDocument(tenant, await uploadDocument(tenant, `${'> '.repeat(20_000)}Open at nine.`, 'a.md'))
  assert.notEqual(read.status, 'processing')
})

/** Files that are not taken. */
const refused: [what: string, name: string, file: Buffer, error: RegExp][] = [
  ['an old Word file, or one with a password', 'a.doc', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /Save it as \.docx/],
  ['a picture', 'a.png', Buffer.from('89504e470d0a1a0a0000', 'hex'), /not a document that can be read/],
  ['an archive', 'a.zip', zipOf({ 'a.txt': 'x' }), /is an archive/],
  ['a PDF that is none', 'a.pdf', Buffer.from('hello'), /it is no PDF/],
  ['an empty file', 'a.txt', Buffer.alloc(0), /is empty/],
]
for (const [what, name, file, error] of refused)
  test(`${what} is refused, and nothing of it is stored`, async () => {
    const tenant = await workspace()
    const answer = await uploadDocument(tenant, file, name)
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.body.error.details.fields[0].message, error)
    assert.deepEqual(await pool.many(sql`select id from document_files where workspace_id = ${tenant.id}`), [])
  })

test('20 MB are taken, and one byte more is refused', async () => {
  const tenant = await workspace()
  const too_long = await uploadDocument(tenant, Buffer.alloc(20 * megabyte + 1, 'a b\n'), 'a.txt')
  assert.deepEqual([too_long.status, too_long.body.error.code], [413, 'PAYLOAD_TOO_LARGE'])
  assert.deepEqual(await pool.many(sql`select id from document_files where workspace_id = ${tenant.id}`), [])
  const fits = await uploadDocument(tenant, Buffer.alloc(20 * megabyte, 'a b\n'), 'a.txt')
  assert.deepEqual([fits.status, fits.body.data.bytes], [201, 20 * megabyte])
  await tenant.call('DELETE', `/documents/${fits.body.data.id}`)
})

test('a URL that leads inward is refused', async () => {
  const tenant = await workspace()
  for (const url of ['http://169.254.169.254/latest', 'http://[::1]/', 'http://10.1.2.3/a', 'file:///etc/passwd'])
    assert.equal((await tenant.call('POST', '/documents', { url })).status, 400, url)
})

test('a page that is longer than 20 MB, or redirects in a circle, fails', async () => {
  const tenant = await workspace()
  const endless = await receiver((response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const write = (): void => {
      while (!response.destroyed && response.write('word '.repeat(10_000)));
      if (!response.destroyed) response.once('drain', write)
    }
    write()
  })
  const circle = await receiver((response) => response.writeHead(302, { location: '/again' }).end())
  const errors = []
  for (const { url } of [endless, circle]) {
    const { status, error } = await readDocument(tenant, await tenant.call('POST', '/documents', { url }))
    errors.push([status, error])
  }
  assert.deepEqual(errors, [
    ['failed', 'The response has more than 20 MB.'],
    ['failed', 'The URL redirects more than 5 times.'],
  ])
  await assertNothingFound(tenant)
})

test('nobody waits while a large file is read', async (t) => {
  const tenant = await workspace()
  const created = await uploadDocument(tenant, 'Some words of a long text follow here.\n\n'.repeat(50_000), 'a.txt')
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  const read = await readDocument(tenant, created)
  delay.disable()
  assert.equal(read.status, 'ready')
  t.diagnostic(`the event loop was held for ${Math.round(delay.max / 1e6)} ms at most`)
})
