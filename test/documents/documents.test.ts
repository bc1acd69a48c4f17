import assert from 'node:assert/strict'
import { test } from 'node:test'
import { raw, sql } from '../../server/kit/postgres/sql.ts'
import {
  addDocument,
  addSimilarWords,
  find,
  pdfOf,
  readDocument,
  unknown_similar_words,
  uploadDocument,
  wordOf,
} from '../support/documents.ts'
import { serve } from '../support/harness.ts'
import { receiver, respondWith } from '../support/receivers.ts'
import { fieldsOf } from '../support/uploads.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const { workspace, pool } = server

const hours =
  '# Shop\n\n## Opening hours\n\nWe are open from Monday to Friday, 9:00 to 18:00.\n\n## Returns\n\nReturn it within 30 days.\n'

test('a text becomes passages with their headings, and an event says that it is ready', async () => {
  const tenant = await workspace()
  const created = await tenant.call('POST', '/documents', { name: 'Shop', text: hours, tags: ['shop', 'shop'] })
  const { status, source, tags, passages, language } = created.body.data
  assert.deepEqual(
    [created.status, status, source, tags, passages, language],
    [201, 'processing', 'text', ['shop'], 0, 'en'],
  )
  const ready = await readDocument(tenant, created)
  assert.deepEqual([ready.status, ready.passages, ready.error], ['ready', 2, null])
  const [first] = await find(tenant, 'When are you open?')
  assert.deepEqual([first?.title, first?.heading], ['Shop', 'Shop › Opening hours'])
  assert.equal(first?.text, 'We are open from Monday to Friday, 9:00 to 18:00.')
  const events = (await tenant.call('GET', '/events?type=document.ready')).body.data
  assert.deepEqual([events.length, events[0].data.id], [1, ready.id])
})

const files: [name: string, file: string | Buffer][] = [
  ['hours.txt', 'Visit us.\n\nThe shop opens at nine.'],
  ['hours.md', '# Hours\n\nThe shop *opens* at [nine](https://a.example).'],
  [
    'hours.html',
    '<html><head><title>x</title></head><body><h1>Hours</h1><p>The shop <b>opens</b> at nine.<script>let shop</script></body></html>',
  ],
  ['hours.csv', 'Place,Opens\nThe shop,at nine\nThe bar,at six\n'],
  ['hours.pdf', pdfOf([['# Hours', 'The shop opens at nine.'], ['The bar opens at six.']])],
  ['hours.docx', wordOf(['# Hours', 'The shop opens at nine.', 'The bar & grill opens at six.'])],
]
for (const [name, file] of files)
  test(`${name} is read`, async () => {
    const tenant = await workspace()
    const read = await readDocument(tenant, await uploadDocument(tenant, file, name))
    assert.deepEqual([read.status, read.error, read.name, read.source], ['ready', null, name, 'file'])
    const [found] = await find(tenant, 'When does the shop open?')
    assert.match(found?.text ?? '', /shop/)
    assert.match(found?.text ?? '', /nine/)
    assert.doesNotMatch(found?.text ?? '', /let shop|\[nine\]|<b>/)
    if (!/txt|csv/.test(name)) assert.equal(found?.heading, 'Hours')
  })

test('the name is unique, and that of a file by default', async () => {
  const tenant = await workspace()
  const first = await addDocument(tenant, 'hours.md', 'Open.')
  const again = await uploadDocument(tenant, 'Open at nine.', 'hours.md')
  assert.deepEqual([again.status, again.body.error.code], [409, 'CONFLICT'])
  assert.equal(again.body.error.details.existing_id, first.id)
  assert.equal((await uploadDocument(tenant, 'Open.', 'hours.md', { name: 'Other' })).status, 201)
  const renamed = await tenant.call('PATCH', `/documents/${first.id}`, { name: 'Other' })
  assert.equal(renamed.status, 409)
  const left = await pool.many(sql`select id from document_files where workspace_id = ${tenant.id}`)
  assert.equal(left.length, 2)
})

test('a body needs either a text with a name, or a URL', async () => {
  const tenant = await workspace()
  const both = await tenant.call('POST', '/documents', { name: 'a', text: 'b', url: 'https://pages.example' })
  const neither = await tenant.call('POST', '/documents', { name: 'a' })
  const nameless = await tenant.call('POST', '/documents', { text: 'b' })
  assert.deepEqual([both.status, neither.status, nameless.status], [400, 400, 400])
  assert.deepEqual(fieldsOf(nameless), [{ path: 'name', code: 'required', message: 'name is required.' }])
})

test('a new name or language is found at once, and the passages are replaced', async () => {
  const tenant = await workspace()
  const { id } = await addDocument(tenant, 'Preise', 'Die Häuser kosten viel.')
  assert.equal((await find(tenant, 'Haus')).length, 0)
  const changed = await tenant.call('PATCH', `/documents/${id}`, { language: 'de' })
  assert.equal(changed.body.data.status, 'ready')
  await tenant.work()
  assert.equal((await find(tenant, 'Haus')).length, 1)
  await tenant.call('PATCH', `/documents/${id}`, { name: 'Mietkosten' })
  await tenant.work()
  assert.equal((await find(tenant, 'Mietkosten'))[0]?.title, 'Mietkosten')
  assert.equal((await find(tenant, 'Preise')).length, 0)
  const rows = await pool.many(sql`select id from document_passages where workspace_id = ${tenant.id}`)
  assert.equal(rows.length, 1)
})

test('a tag has no comma, which separates tags in a search', async () => {
  const tenant = await workspace()
  const refused = await tenant.call('POST', '/documents', { name: 'A', text: 'B', tags: ['a,b'] })
  assert.deepEqual(fieldsOf(refused), [{ path: 'tags.0', code: 'format', message: 'tags.0 must not contain a comma.' }])
})

test('tags and ids narrow the search', async () => {
  const tenant = await workspace()
  const a = await addDocument(tenant, 'A', 'The parcel arrives on Monday.', { tags: ['one'] })
  const b = await addDocument(tenant, 'B', 'The parcel arrives on Friday.', { tags: ['two', 'three'] })
  const titles = async (more: string) => (await find(tenant, 'parcel', more)).map(({ title }) => title).sort()
  assert.deepEqual(await titles(''), ['A', 'B'])
  assert.deepEqual(await titles('&tags=one'), ['A'])
  assert.deepEqual(await titles('&tags=one,three'), ['A', 'B'])
  assert.deepEqual(await titles(`&document_ids=${b.id}`), ['B'])
  assert.deepEqual(await titles(`&document_ids=${a.id}&tags=two`), [])
})

test('a word with a typo is found', async () => {
  const tenant = await workspace()
  await addDocument(tenant, 'Delivery', 'We deliver to Reykjavik within five days.')
  assert.equal((await find(tenant, 'delivery to Reykjavick'))[0]?.title, 'Delivery')
})

test('a question is answered though very many words begin like its unknown ones', async () => {
  const tenant = await workspace()
  const { id } = await addDocument(tenant, 'Delivery', 'We deliver to Reykjavik within five days.')
  await addSimilarWords(pool, { workspace: tenant.id, document_id: id, count: 25_000 })
  assert.equal((await find(tenant, `Reykjavik ${unknown_similar_words}`))[0]?.title, 'Delivery')
})

test('a deleted document is not found any more, and nothing of it is left', async () => {
  const tenant = await workspace()
  const { id } = await addDocument(tenant, 'Hours', 'Open at nine.')
  assert.equal((await tenant.call('DELETE', `/documents/${id}`)).status, 200)
  assert.deepEqual(await find(tenant, 'open'), [])
  await tenant.work()
  for (const table of ['document_files', 'document_chunks', 'document_passages', 'document_words', 'deleted_documents'])
    assert.deepEqual(await pool.many(sql`select from ${raw(table)} where workspace_id = ${tenant.id}`), [], table)
})

test('a page is fetched from its URL, and again when it is refreshed', async () => {
  const tenant = await workspace()
  let text = '<h1>Hours</h1><p>We open at nine.'
  const page = await receiver((response) => response.writeHead(200, { 'content-type': 'text/html' }).end(text))
  const read = await readDocument(tenant, await tenant.call('POST', '/documents', { url: page.url }))
  assert.deepEqual([read.status, read.source, read.url, read.error], ['ready', 'url', page.url, null])
  assert.ok(read.fetched_at)
  text = '<h1>Hours</h1><p>We open at ten.'
  const refreshed = await tenant.call('POST', `/documents/${read.id}/refresh`)
  assert.deepEqual([refreshed.status, refreshed.body.data.status], [202, 'ready'])
  await tenant.work()
  assert.match((await find(tenant, 'open'))[0]?.text ?? '', /ten/)
  const files = await pool.many(sql`select id from document_files where workspace_id = ${tenant.id}`)
  assert.equal(files.length, 1)
})

test('what was read before stays when a refresh fails', async () => {
  const tenant = await workspace()
  let status = 200
  const page = await receiver((response) =>
    response.writeHead(status, { 'content-type': 'text/plain' }).end('Open at nine.'),
  )
  const { id } = await readDocument(tenant, await tenant.call('POST', '/documents', { url: page.url, name: 'Page' }))
  status = 404
  await tenant.call('POST', `/documents/${id}/refresh`)
  await tenant.work()
  const { status: after, error } = (await tenant.call('GET', `/documents/${id}`)).body.data
  assert.deepEqual([after, error], ['ready', 'The server has answered with 404.'])
  assert.equal((await find(tenant, 'open')).length, 1)
  const failed = (await tenant.call('GET', '/events?type=document.failed')).body.data
  assert.equal(failed.length, 1)
})

test('a page that could not be fetched is fetched when the document changes', async () => {
  const tenant = await workspace()
  let status = 404
  const page = await receiver((response) =>
    response.writeHead(status, { 'content-type': 'text/plain' }).end('Open at nine.'),
  )
  const read = await readDocument(tenant, await tenant.call('POST', '/documents', { url: page.url, name: 'Page' }))
  assert.deepEqual([read.status, read.error], ['failed', 'The server has answered with 404.'])
  status = 200
  const changed = await tenant.call('PATCH', `/documents/${read.id}`, { name: 'Hours' })
  assert.deepEqual([changed.body.data.status, changed.body.data.error], ['processing', null])
  await tenant.work()
  assert.equal((await find(tenant, 'open'))[0]?.title, 'Hours')
})

test('a document in another language takes nothing from what an English question finds', async () => {
  const tenant = await workspace()
  await addDocument(tenant, 'Hours', '# Hours\n\nWe are open on Sundays from ten to four.')
  const scoreOf = async () => (await find(tenant, 'When are you open on Sundays?'))[0]?.score
  const alone = await scoreOf()
  await addDocument(tenant, 'Preise', 'Die Häuser kosten viel. Sie sind am Sonntag offen.', { language: 'de' })
  await addDocument(tenant, '価格', '価格は高いです。 When the', { language: 'ja' })
  assert.equal(await scoreOf(), alone)
  assert.equal((await find(tenant, 'Haus'))[0]?.title, 'Preise')
})

test('words are found however they are written', async () => {
  const tenant = await workspace()
  const texts: [language: string, text: string, queries: string[]][] = [
    ['fr', "Les horaires d'ouverture de l’hôtel sont affichés.", ['hôtel', 'ouverture', "l'ouverture de l'hôtel"]],
    ['it', "L'ufficio è aperto. L'albergo no.", ['ufficio', 'albergo']],
    ['de', 'Für Gäste ist geöffnet.'.normalize('NFD'), ['Gäste']],
    [
      'de',
      'Das ist eine Donaudampfschifffahrtsgesellschaftskapitänsmütze.',
      ['Donaudampfschifffahrtsgesellschaftskapitänsmütze'],
    ],
    ['zh', '停车场在房子后面。营业时间为九点至六点。', ['停车', '营业时间']],
    ['ja', '駐車場は裏にあります。', ['駐車場']],
    ['th', 'ที่จอดรถอยู่หลังบ้าน', ['ที่จอดรถ']],
  ]
  for (const [index, [language, text, queries]] of texts.entries()) {
    await addDocument(tenant, `T${index}`, text, { language })
    for (const query of queries) {
      const [best] = await find(tenant, query)
      assert.deepEqual([best?.title, (best?.score ?? 0) >= 0.6], [`T${index}`, true], query)
    }
  }
})

test('nothing is lost that stands behind a tag without an end, or in a heading alone', async () => {
  const tenant = await workspace()
  const texts = {
    'Press the <button> to begin.\n\n# Hours\n\nWe are open for an elephant.': 'elephant',
    'A <script> is a text.\n\nThe <head> comes before the ostrich.': 'ostrich',
    '# Intro\n\nSome text.\n\n## Closed on Sundays for the flamingo\n\n## Parking is free\n\nYes.': 'flamingo',
    '# Only\n\n## The penguin\n': 'penguin',
    'A PDF begins with %PDF-1.7, says the pelican.': 'pelican',
  }
  for (const [text, word] of Object.entries(texts)) {
    await addDocument(tenant, word, text)
    assert.equal((await find(tenant, `the ${word}`))[0]?.title, word, text)
  }
  const html =
    '<!doctype html>\n<title>Shop</title>\n<html><head><meta charset=utf-8><title>Shop</title>\n<body><p>A heron.'
  await readDocument(tenant, await uploadDocument(tenant, html, 'heron.html'))
  assert.match((await find(tenant, 'heron'))[0]?.text ?? '', /A heron/)
})

test('a page is read in the encoding that it has', async () => {
  const tenant = await workspace()
  // "парковка" in KOI8-R
  const koi8 = Buffer.from([0xd0, 0xc1, 0xd2, 0xcb, 0xcf, 0xd7, 0xcb, 0xc1])
  const header = await receiver((response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=koi8-r' }).end(koi8),
  )
  await readDocument(
    tenant,
    await tenant.call('POST', '/documents', { url: header.url, name: 'Header', language: 'ru' }),
  )
  const meta = Buffer.concat([Buffer.from('<meta charset="koi8-r"><p>'), koi8])
  await readDocument(tenant, await uploadDocument(tenant, meta, 'meta.html', { name: 'Meta', language: 'ru' }))
  assert.deepEqual((await find(tenant, 'парковка')).map(({ title }) => title).sort(), ['Header', 'Meta'])
})

test('only documents from a URL can be refreshed', async () => {
  const tenant = await workspace()
  const { id } = await addDocument(tenant, 'Hours', 'Open at nine.')
  const answer = await tenant.call('POST', `/documents/${id}/refresh`)
  assert.deepEqual([answer.status, answer.body.error.code], [409, 'INVALID_STATE'])
})

test('redirects are followed, and each is checked', async () => {
  const tenant = await workspace()
  const page = await receiver((response, { url }) =>
    url === '/hook'
      ? respondWith(302, { location: '/there' })(response, {} as never)
      : respondWith(200, { 'content-type': 'text/plain' }, 'Open at nine.')(response, {} as never),
  )
  const read = await readDocument(tenant, await tenant.call('POST', '/documents', { url: page.url }))
  assert.deepEqual([read.status, read.error], ['ready', null])
  const inward = await receiver(respondWith(302, { location: 'http://10.0.0.1/secret' }))
  const refused = await readDocument(tenant, await tenant.call('POST', '/documents', { url: inward.url }))
  assert.equal(refused.status, 'failed')
  assert.match(refused.error ?? '', /^The URL must lead to a public address/)
})

test('documents and searches of one workspace never appear in another', async () => {
  const [one, other] = [await workspace(), await workspace()]
  const mine = await addDocument(one, 'Hours', 'The bakery opens at nine.')
  await addDocument(other, 'Hours', 'The bakery opens at ten.')
  assert.deepEqual(
    (await find(one, 'bakery opens')).map(({ text }) => text),
    ['The bakery opens at nine.'],
  )
  assert.deepEqual(
    (await find(other, 'bakery opens')).map(({ text }) => text),
    ['The bakery opens at ten.'],
  )
  assert.deepEqual(await find(other, 'bakery opens', `&document_ids=${mine.id}`), [])
  assert.equal((await other.call('GET', `/documents/${mine.id}`)).status, 404)
  assert.equal((await other.call('GET', '/documents')).body.data.length, 1)
})

test('a workspace has no more documents and bytes than it may', async () => {
  const tenant = await workspace()
  await pool.run(
    sql`insert into documents (workspace_id, id, name, language, source, status, bytes, created_at, updated_at)
      select ${tenant.id}, gen_random_uuid(), 'Document ' || number, 'en', 'text', 'ready', 1, '2026-11-15', '2026-11-15'
      from generate_series(1, 999) as number`,
  )
  assert.equal((await uploadDocument(tenant, 'a', 'last.txt')).status, 201)
  const one_more = await uploadDocument(tenant, 'a', 'more.txt')
  assert.deepEqual(
    [one_more.status, one_more.body.error.message],
    [409, 'A workspace can have at most 1,000 documents.'],
  )
  await pool.run(sql`delete from documents where workspace_id = ${tenant.id} and name like 'Document 9%'`)
  await pool.run(
    sql`update documents set bytes = ${500 * 1024 * 1024 - 1000} where workspace_id = ${tenant.id} and name = 'Document 1'`,
  )
  const too_large = await uploadDocument(tenant, 'a'.repeat(1000), 'large.txt')
  assert.match(too_large.body.error.message, /at most 500 MB/)
})

test('a workspace has no more passages than it may: then reading fails, and nothing of it is left', async () => {
  const tenant = await workspace()
  await addDocument(tenant, 'Old', 'Open at nine.')
  await pool.run(sql`update documents set passages = 199999 where workspace_id = ${tenant.id}`)
  const fits = await addDocument(tenant, 'Fits', 'One passage.')
  const fails = await addDocument(tenant, 'Fails', 'Another passage.')
  assert.deepEqual([fits.status, fails.status], ['ready', 'failed'])
  assert.match(fails.error ?? '', /at most 200,000 passages/)
  await tenant.work()
  const left = await pool.many(
    sql`select id from document_passages where workspace_id = ${tenant.id} and document_id = ${fails.id}`,
  )
  assert.deepEqual(left, [])
})
