import { type At, type AtOutside, atLater, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { selectRows } from '../kit/postgres/citus/tenants.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { assertHeld, isHeld, type Lease, type RowWork } from '../kit/work/rows.ts'
import type { RunContext } from '../kit/work/work.ts'
import { openEmbedder } from '../models/embedding.ts'
import { type FetchedFile, fetchDocument } from './fetch.ts'
import * as files from './files.ts'
import { UnreadableError } from './parse/blocks.ts'
import type { FileKind } from './parse/kinds.ts'
import { parse, type ReadLimits } from './parse/parser.ts'
import type { ParsedPassage } from './parse/passages.ts'
import { removeEdition } from './removal.ts'
import { endReading, failReading, lackOfRoom, table } from './store.ts'
import { addVectors } from './vectors.ts'
import { configurationOf, plainWords } from './words.ts'

/** This many passages are written in one transaction. */
const batch_passages = 100
const batch_words = 2_000
/**
 * A document has at most this many different words. One in a language has hardly more, and one of random letters would
 * fill the memory.
 */
const different_words_max = 300_000
/** An embedding model that didn't answer is asked again after this time. */
const vectors_pause_ms = 10 * 60_000

/**
 * Reads a document: fetches it if need be, parses it in a process of its own, and writes its passages as a new edition,
 * in batches. The last step makes this edition the one that is found. If the process is killed before, the next one
 * begins again, and deletes what belongs to another edition, which was never found.
 * @internal
 */
export const reading = (limits?: ReadLimits): RowWork => ({
  table,
  begin: (at, lease, context) => begin(at, { lease, context, limits }),
  giveUp,
})

export const work = reading()

interface ReadingStart {
  lease: Lease
  context: RunContext
  limits: ReadLimits | undefined
}

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
  attempt: number
}

async function begin(at: AtOutside, { lease, context, limits }: ReadingStart): Promise<() => Promise<boolean>> {
  const row = await at.db.maybe<Row>(
    sql`select id, name, language, url, content_type, file_id, edition_id, must_parse, must_fetch, attempt from documents
      where ${isHeld(lease)}`,
  )
  if (!row) return async () => false
  let is_read = !row.must_parse
  let edition_id = row.edition_id
  let has_others = true
  return async () => {
    if (has_others) {
      has_others = await removeOthers(at, { lease, edition_id })
      return true
    }
    if (!is_read) {
      const read = await readDocument(at, { row, lease, context, limits })
      if (read === 'stopped') return false
      is_read = true
      edition_id = read ?? edition_id
      has_others = true
      return true
    }
    const embedder = await openEmbedder(at)
    if (embedder && edition_id !== null && (await addVectors(at, { lease, edition_id, embedder }))) return true
    // Nothing is due any more, unless the provider has changed meanwhile.
    await at.db.run(sql`update documents set due_at = null where ${isHeld(lease)} and due_at <= ${lease.due_at}`)
    return false
  }
}

async function giveUp(at: At, lease: Lease): Promise<void> {
  await failReading(at, lease, 'An internal error occurred repeatedly. Upload it again, or refresh it.')
  // Only vectors are missing now. Until they are there, the document is found by its words.
  await at.db.run(
    sql`update documents set attempt = 0, lease_token = null, lease_until = ${clock.iso(at.db.time() + vectors_pause_ms)}
      where ${isHeld(lease)}`,
  )
}

interface DocumentReading extends ReadingStart {
  row: Row
}

/** Returns the new edition, or nothing if the document can't be read. */
async function readDocument(
  at: AtOutside,
  { row, lease, context, limits }: DocumentReading,
): Promise<string | 'stopped' | undefined> {
  const { isStopping } = context
  let fetched_file: string | undefined
  try {
    const source = await openSource(at, { row, context })
    const { workspace } = at
    const parsed = await parse(source, { ...context, workspace, attempt: row.attempt }, limits)
    if (!parsed) return 'stopped'
    // The room is checked before anything is written. Others may have taken it by the end, so `endReading` looks again.
    const bytes = row.must_fetch ? source.file.length : 0
    const lack = await lackOfRoom(at, { id: row.id, passages: parsed.passages.length, bytes })
    if (lack !== undefined) throw new UnreadableError(lack)
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
    const has_failed = await inTransaction(atLater(at), (at) => failReading(at, lease, error.message))
    assertHeld(has_failed ? 1 : 0)
    return undefined
  } finally {
    // If the connection was lost, the document may have taken over the file, which is kept then.
    if (fetched_file !== undefined) await files.discard(at, fetched_file)
  }
}

async function openSource(
  at: AtOutside,
  { row, context }: Pick<DocumentReading, 'row' | 'context'>,
): Promise<FetchedFile> {
  if (row.must_fetch && row.url !== null) return fetchDocument(at, row.url, context.isStopping)
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
    if (counts.size > different_words_max)
      throw new UnreadableError(
        `The file has more than ${different_words_max.toLocaleString('en')} different words. Split it into smaller ones.`,
      )
  }
  const words = [...counts]
  for (let index = 0; index < words.length && !isStopping(); index += batch_words)
    await writeWords(at, edition, words.slice(index, index + batch_words))
}

/** Writes passages. Returns their words as PostgreSQL has found them. */
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

/** Deletes a batch of what belongs to other editions. Returns whether there was something. */
function removeOthers(
  at: AtOutside,
  { lease, edition_id }: { lease: Lease; edition_id: string | null },
): Promise<boolean> {
  return inTransaction(at, async (at) => {
    assertHeld(await at.db.run(sql`select from documents where ${isHeld(lease)} for no key update`))
    return removeEdition(at, { document_id: lease.id, kept: edition_id })
  })
}
