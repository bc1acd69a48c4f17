import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { pdfOf, zipOf } from '../../support/documents.ts'
import { formOf } from '../../support/uploads.ts'
import type { Attack } from './attack.ts'
import { listen, sendLong } from './listen.ts'

const megabyte = 1024 * 1024
const file_max = 20 * megabyte
const read_within_ms = 180_000
const poll_every_ms = 250
const endless = { bytes: 100 * megabyte, piece: Buffer.from('word '.repeat(10_000)) }

const word_parts = { '[Content_Types].xml': '<Types/>', '_rels/.rels': '<Relationships/>' }
const filled = (piece: string, bytes: number) => Buffer.alloc(bytes, piece)

/** Words of seven or eight characters, separated by blanks. */
function differentWords(bytes: number): string {
  const words = Array.from({ length: Math.floor(bytes / 9) }, (_, index) =>
    ((index * 2_654_435_761) % 2 ** 32).toString(36).padStart(7, 'x'),
  )
  return words.join(' ')
}

/** `share` is the part of its size that a file has in the short form. */
const files: [name: string, file: (share: number) => Buffer][] = [
  ['password.pdf', () => pdfOf([['Open at nine.']], { has_password: true })],
  ['5,000 pages.pdf', (share) => pdfOf(Array.from({ length: 5_000 * share }, (_, page) => [`Page ${page}`]))],
  ['full pages.pdf', (share) => pdfOf(Array.from({ length: 2_000 * share }, () => Array(50).fill('word '.repeat(30))))],
  ['damaged.pdf', (share) => Buffer.concat([Buffer.from('%PDF-1.7\n'), filled('obj << [ ( ', file_max * share - 10)])],
  ['bomb.docx', (share) => zipOf({ ...word_parts, 'word/document.xml': Buffer.alloc(500 * megabyte * share, 'x') })],
  [
    'paragraphs.docx',
    (share) =>
      zipOf({ ...word_parts, 'word/document.xml': `<w:p><w:r><w:t>a</w:t></w:r></w:p>`.repeat(1_500_000 * share) }),
  ],
  ['nest.html', (share) => filled('<div>', file_max * share)],
  ['tables.html', (share) => filled('<table><tr><td>a', file_max * share)],
  ['entities.html', (share) => filled('&amp;', file_max * share)],
  ['quotes.md', (share) => filled('> ', file_max * share)],
  ['lists.md', (share) => filled('- a\n  ', file_max * share)],
  ['quotes.csv', (share) => filled('"",', file_max * share)],
  ['tiny words.txt', (share) => filled('a b\n', file_max * share)],
  ['one word.txt', (share) => filled('x', file_max * share)],
  ['headings.md', (share) => filled('# a\n', file_max * share)],
  ['different words.txt', (share) => Buffer.from(differentWords(file_max * share))],
  [
    'tiny passages.md',
    (share) => Buffer.from(`# ${'title '.repeat(50)}\n${'## a\nb\n'.repeat((file_max * share) / 7 - 50)}`),
  ],
  ['accents.txt', (share) => filled('e\u0301\u0301 ', file_max * share)],
]

const paragraph = `${'Open at **nine**, say [the rules](https://pages.example/rules), '.repeat(12)}\n\n`
const section = `## Hours\n\n${paragraph.repeat(4)}- Monday\n- Tuesday\n\n| day | from |\n| --- | --- |\n| Monday | 9 |\n\n`
const heading = '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Hours</w:t></w:r></w:p>'
const row = `<w:tr>${'<w:tc><w:p><w:r><w:t>Monday at nine</w:t></w:r></w:p></w:tc>'.repeat(4)}</w:tr>`
const word_section = `${heading}${`<w:p><w:r><w:t>${'Open at nine. '.repeat(60)}</w:t></w:r></w:p>`.repeat(4)}<w:tbl>${row.repeat(4)}</w:tbl>`
const inline_code = (bytes: number) => filled('`a` **b** ', bytes)

/** Usual ones, as large as they may be, and two that are one paragraph. */
const large_files: typeof files = [
  ['large.md', (share) => filled(section, file_max * share)],
  ['long line.md', (share) => inline_code(file_max * share)],
  ['large.docx', (share) => zipOf({ ...word_parts, 'word/document.xml': word_section.repeat((5_000 * share) | 0) })],
  [
    'one paragraph.docx',
    (share) => zipOf({ ...word_parts, 'word/document.xml': `<w:p>${'<w:t>a </w:t>'.repeat(4_500_000 * share)}</w:p>` }),
  ],
]

const attackWith = (name: string, files_sent: typeof files, { are_read = false } = {}): Attack => ({
  name,
  async run({ stack, url, attacker, is_long, print }) {
    const share = is_long ? 1 : 0.02
    const headers = { authorization: `Bearer ${attacker.key}` }
    const send = async (method: string, path: string, body?: FormData | object) => {
      const is_form = body instanceof FormData
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { ...headers, ...(!is_form && { 'content-type': 'application/json' }) },
        body: is_form ? body : body === undefined ? null : JSON.stringify(body),
      })
      const text = await response.text()
      return { status: response.status, text, data: text === '' ? undefined : JSON.parse(text).data }
    }
    const ids: string[] = []
    const take = ({ status, text, data }: Awaited<ReturnType<typeof send>>, name: string) => {
      assert.equal(status, 201, `${name}: ${text}`)
      ids.push(data.id)
    }
    for (const [name, file] of files_sent)
      take(await send('POST', '/documents', formOf(file(share), { name }, name)), name)
    const address = await listen(stack, (response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      sendLong(response, endless)
    })
    take(await send('POST', '/documents', { name: 'endless', url: `${address}/page` }), 'endless')
    const larger = await send('POST', '/documents', formOf(filled('a', file_max + 1), { name: 'large' }, 'large.txt'))
    assert.equal(larger.status, 413)

    const begun_at = performance.now()
    const counts: Record<string, number> = {}
    for (const id of ids) {
      for (;;) {
        const { data } = await send('GET', `/documents/${id}`)
        assert.ok(performance.now() - begun_at < read_within_ms, `${data.name} is ${data.status}`)
        if (data.status !== 'processing') {
          counts[data.status] = (counts[data.status] ?? 0) + 1
          assert.ok(data.status === 'ready' || data.error, `${data.name} has no error`)
          assert.ok(data.status === 'ready' || !are_read || data.name === 'endless', `${data.name}: ${data.error}`)
          break
        }
        await send('GET', '/documents/search?query=word')
        await sleep(poll_every_ms)
      }
    }
    for (const id of ids) assert.equal((await send('DELETE', `/documents/${id}`)).status, 200)
    print(`documents: ${JSON.stringify(counts)} in ${Math.round((performance.now() - begun_at) / 1_000)} s`)
  },
})

/** A tenant uploads documents that are hard to read, and one whose page never ends. */
export const attacks: Attack[] = [
  attackWith('documents that are hard to read', files),
  attackWith('large Markdown and Word files', large_files, { are_read: true }),
]
