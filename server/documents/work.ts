import { type At, type AtOutside, atLater, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { selectRows } from '../kit/postgres/tenants.ts'
import { assertHeld, isHeld, type Lease, type RowWork } from '../kit/work/rows.ts'
import type { RunContext } from '../kit/work/work.ts'
import { openEmbedder } from '../models/embedding.ts'
import { type FetchedFile, fetchDocument } from './fetch.ts'
import * as files from './files.ts'
import { UnreadableError } from './parse/blocks.ts'
import type { FileKind } from './parse/kinds.ts'
import { parse } from './parse/parser.ts'
import type { ParsedPassage } from './parse/passages.ts'
import { endReading, failReading, table } from './store.ts'
import { addVectors } from './vectors.ts'
import { configurationOf, plainWords } from './words.ts'

/** Passages that are written in one transaction. */
const batch_passages = 200
const batch_words = 2_000
const delete_batch_rows = 2_000

/**
 * Reads a document: fetches it if need be, parses it in a thread, and writes its passages as a new edition, in batches. The last
 * step makes this edition the one that is found. If the process is killed before, the next one begins again: what is of another edition is
 * deleted, and was never found.
 */
export const work: RowWork = { table, begin, giveUp }

interface Row {
  id: string
  name: string
  language: string
  url: string | null
  content_type: FileKind | null
  file_id: string | null
  edition_id: string | null
  must_parse: boolean
  must_fetch: boolean
}

async function begin(at: AtOutside, lease: Lease, { isStopping }: RunContext): Promise<() => Promise<boolean>> {
  const row = await at.db.maybe<Row>(
    sql`select id, name, language, url, content_type, file_id, edition_id, must_parse, must_fetch from documents
      where ${isHeld(lease)}`,
  )
  if (!row) return async () => false
  let is_read = !row.must_parse
  let edition_id = row.edition_id
  return async () => {
    if (await removeOthers(at, { lease, edition_id })) return true
    if (!is_read) {
      const read = await readDocument(at, { row, lease, isStopping })
      if (read === 'stopped') return false
      is_read = true
      edition_id = read ?? edition_id
      return true
    }
    const embedder = await openEmbedder(at)
    if (embedder && edition_id !== null && (await addVectors(at, { lease, edition_id, embedder }))) return true
    await at.db.run(
      sql`update documents set due_at = case when must_parse then ${clock.iso(at.now)}::timestamptz end where ${isHeld(lease)}`,
    )
    return false
  }
}

async function giveUp(at: At, lease: Lease): Promise<void> {
  await failReading(at, lease, 'An internal error occurred repeatedly. Upload it again, or refresh it.')
  // Nothing more is tried: without vectors it is found by its words.
  await at.db.run(sql`update documents set due_at = null where ${isHeld(lease)}`)
}

interface Reading {
  row: Row
  lease: Lease
  isStopping: () => boolean
}

/** Returns the new edition, or nothing if the document can't be read. */
async function readDocument(
  at: AtOutside,
  { row, lease, isStopping }: Reading,
): Promise<string | 'stopped' | undefined> {
  let fetched_file: string | undefined
  try {
    const source = await openSource(at, { row, isStopping })
    const parsed = await parse(source, isStopping)
    if (!parsed) return 'stopped'
    const edition_id = newId()
    await writeEdition(at, { row, lease, edition_id, passages: parsed.passages, isStopping })
    if (isStopping()) return 'stopped'
    if (row.must_fetch) fetched_file = await files.store(at, [source.file])
    const fetched =
      fetched_file === undefined
        ? undefined
        : { file_id: fetched_file, bytes: source.file.length, content_type: source.kind }
    const { characters, passages } = parsed
    const end = { lease, edition_id, passages: passages.length, characters, fetched }
    const ended = await inTransaction(atLater(at), (at) => endReading(at, end))
    if (ended && 'refusal' in ended) throw new UnreadableError(ended.refusal)
    assertHeld(ended ? 1 : 0)
    fetched_file = undefined
    if (ended?.replaced_file) await files.remove(at, ended.replaced_file)
    return edition_id
  } catch (error) {
    if (isStopping()) return 'stopped'
    if (!(error instanceof UnreadableError)) throw error
    await inTransaction(atLater(at), (at) => failReading(at, lease, error.message))
    return undefined
  } finally {
    if (fetched_file !== undefined) await files.remove(at, fetched_file)
  }
}

async function openSource(at: AtOutside, { row, isStopping }: Omit<Reading, 'lease'>): Promise<FetchedFile> {
  if (row.must_fetch && row.url !== null) return fetchDocument(at, row.url, isStopping)
  if (row.file_id === null) throw new UnreadableError('The file is gone. Upload it again.')
  return { file: await files.read(at, row.file_id), kind: row.content_type ?? 'text' }
}

interface Edition {
  row: Row
  lease: Lease
  edition_id: string
  passages: ParsedPassage[]
  isStopping: () => boolean
}

async function writeEdition(at: AtOutside, edition: Edition): Promise<void> {
  const { passages, isStopping } = edition
  const counts = new Map<string, number>()
  for (let index = 0; index < passages.length && !isStopping(); index += batch_passages) {
    const batch = passages.slice(index, index + batch_passages)
    for (const { words } of await writePassages(at, edition, { batch, first: index }))
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
  for (let index = 0; index < sorted.length && !isStopping(); index += batch_words)
    await writeWords(at, edition, sorted.slice(index, index + batch_words))
}

/** Returns the words as PostgreSQL has found them. */
function writePassages(
  at: AtOutside,
  { row, lease, edition_id }: Edition,
  { batch, first }: { batch: ParsedPassage[]; first: number },
): Promise<{ words: string[] }[]> {
  const configuration = raw(`'${configurationOf(row.language)}'`)
  const name = plainWords(row.name)
  return inTransaction(at, async (at) => {
    assertHeld(await at.db.run(sql`select from documents where ${isHeld(lease)} for key share`))
    return at.db.many<{ words: string[] }>(
      sql`insert into document_passages (workspace_id, document_id, edition_id, id, position, heading, text, words)
        ${selectRows(at, {
          columns: sql`${lease.id}, ${edition_id}, passage.id, passage.position, passage.heading, passage.text,
            setweight(to_tsvector(${configuration}, passage.heading_words), 'A')
            || setweight(to_tsvector(${configuration}, ${name}), 'B') || to_tsvector(${configuration}, passage.text_words)`,
          from: sql`unnest(${batch.map(() => newId())}::uuid[], ${batch.map((_, index) => first + index)}::integer[],
            ${batch.map(({ heading }) => heading)}::text[], ${batch.map(({ text }) => text)}::text[],
            ${batch.map(({ heading }) => plainWords(heading))}::text[], ${batch.map(({ text }) => plainWords(text))}::text[])
            as passage (id, position, heading, text, heading_words, text_words)`,
        })}
        returning tsvector_to_array(words) as words`,
    )
  })
}

function writeWords(at: AtOutside, { lease, edition_id }: Edition, counts: [string, number][]): Promise<void> {
  return inTransaction(at, async (at) => {
    assertHeld(await at.db.run(sql`select from documents where ${isHeld(lease)} for key share`))
    const words = counts.map(([word]) => word)
    const totals = counts.map(([, count]) => count)
    await at.db.run(
      sql`insert into document_words (workspace_id, document_id, edition_id, word, passages)
        ${selectRows(at, {
          columns: sql`${lease.id}, ${edition_id}, counted.word, counted.passages`,
          from: sql`unnest(${words}::text[], ${totals}::integer[]) as counted (word, passages)`,
        })}`,
    )
  })
}

/** Deletes a batch of what is of another edition. Returns whether there was something. */
async function removeOthers(
  { db, workspace }: AtOutside,
  { lease, edition_id }: { lease: Lease; edition_id: string | null },
): Promise<boolean> {
  const isOther = sql`workspace_id = ${workspace} and document_id = ${lease.id}
    and ${edition_id === null ? raw('true') : sql`edition_id <> ${edition_id}`}`
  const limit = raw(String(delete_batch_rows))
  const passages = await db.run(
    sql`delete from document_passages where workspace_id = ${workspace} and id = any(array(
      select id from document_passages where ${isOther} limit ${limit}))`,
  )
  const words = await db.run(
    sql`delete from document_words where ${isOther} and word = any(array(
      select word from document_words where ${isOther} limit ${limit}))`,
  )
  return passages + words > 0
}
