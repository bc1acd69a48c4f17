import assert from 'node:assert/strict'
import { deflateRawSync } from 'node:zlib'
import type { Document } from '../../server/documents/schema.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import type { Answer, Tenant } from './harness.ts'
import { formOf } from './uploads.ts'

export const uploadDocument = (
  tenant: Tenant,
  file: string | Buffer,
  name: string,
  options?: object,
): Promise<Answer> => tenant.call('POST', '/documents', formOf(file, options, name))

/** Adds a document from a text, and has it read. */
export async function addDocument(tenant: Tenant, name: string, text: string, fields: object = {}): Promise<Document> {
  const answer = await tenant.call('POST', '/documents', { name, text, ...fields })
  assert.equal(answer.status, 201, answer.text)
  return readDocument(tenant, answer)
}

/** Has a document read that was created, and returns it. */
export async function readDocument(tenant: Tenant, { body, text }: Answer): Promise<Document> {
  assert.ok(body?.data?.id, text)
  await tenant.work()
  return (await tenant.call('GET', `/documents/${body.data.id}`)).body.data
}

/** Returns the passages that are found. */
export async function find(tenant: Tenant, query: string, more = '') {
  const answer = await tenant.call('GET', `/documents/search?query=${encodeURIComponent(query)}${more}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.passages as {
    document_id: string
    title: string
    heading: string
    text: string
    score: number
  }[]
}

const similar_words_batch = 25_000

interface SimilarWords {
  workspace: string
  document_id: string
  count: number
}

/** Adds words to a document that all have the same beginning. */
export async function addSimilarWords(pool: Pool, { workspace, document_id, count }: SimilarWords): Promise<void> {
  for (let first = 0; first < count; first += similar_words_batch) {
    const last = Math.min(first + similar_words_batch, count) - 1
    await pool.run(
      sql`insert into document_words (workspace_id, document_id, edition_id, word, passages)
        select workspace_id, id, edition_id, 'deliberately' || position, 1
        from documents, generate_series(${first}::integer, ${last}::integer) as position
        where workspace_id = ${workspace} and id = ${document_id}`,
    )
  }
}

/** Words that begin as those of `addSimilarWords` do, but are none of them. */
export const unknown_similar_words = ['aa', 'bb', 'cc', 'dd'].map((end) => `deliberately${end}`).join(' ')

/** A PDF with a text on each page, one line after the other. */
export function pdfOf(pages: string[][], { has_password = false } = {}): Buffer {
  const objects: string[] = []
  const add = (object: string): number => objects.push(object)
  add('<< /Type /Catalog /Pages 2 0 R >>')
  add('')
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  const kids = pages.map((lines) => {
    const shown = lines.map((line, index) => {
      const is_heading = line.startsWith('# ')
      const text = line.replace(/^# /, '').replace(/[()\\]/g, '\\$&')
      return `BT /F1 ${is_heading ? 20 : 11} Tf 50 ${780 - index * 14} Td (${text}) Tj ET`
    })
    const content = shown.join('\n')
    const contents = add(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`)
    return add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 842] /Contents ${contents} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    )
  })
  objects[1] = `<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] >>`
  const encryption = has_password
    ? add(`<< /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> >>`)
    : 0
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const start = text.length
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join('')}`
  const encrypt = has_password ? `/Encrypt ${encryption} 0 R /ID [<${'01'.repeat(16)}> <${'01'.repeat(16)}>]` : ''
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${encrypt} >>\nstartxref\n${start}\n%%EOF`
  return Buffer.from(text, 'latin1')
}

/** A Word file. Lines that begin with `# ` are headings. */
export function wordOf(lines: string[]): Buffer {
  const paragraphs = lines.map((line) => {
    const style = line.startsWith('# ') ? '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' : ''
    return `<w:p>${style}<w:r><w:t>${line.replace(/^# /, '').replaceAll('&', '&amp;')}</w:t></w:r></w:p>`
  })
  return zipOf({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels':
      '<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    'word/document.xml': `<?xml version="1.0"?><w:document><w:body>${paragraphs.join('')}</w:body></w:document>`,
    'word/styles.xml':
      '<w:styles><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>',
  })
}

/** A ZIP archive. Readers of Word files don't look at its checksums. */
export function zipOf(files: Record<string, string | Buffer>): Buffer {
  const parts: Buffer[] = []
  const entries: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50)
    local.writeUInt16LE(8, 8)
    local.writeUInt32LE(packed.length, 18)
    local.writeUInt32LE(bytes.length, 22)
    local.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50)
    entry.writeUInt16LE(8, 10)
    entry.writeUInt32LE(packed.length, 20)
    entry.writeUInt32LE(bytes.length, 24)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(offset, 42)
    parts.push(local, Buffer.from(name), packed)
    entries.push(entry, Buffer.from(name))
    offset += local.length + name.length + packed.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(Object.keys(files).length, 8)
  end.writeUInt16LE(Object.keys(files).length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, directory, end])
}
