import fs from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { parse } from '../../server/documents/parse/parser.ts'
import { plainWords } from '../../server/documents/words.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { openLog } from '../../server/kit/log.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { checkout, type Database } from '../database.ts'

interface Knowledge {
  packages: string[]
  questions: { question: string }[]
}

const known: Knowledge = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, 'questions.json'), 'utf8'))

export const questions = known.questions.map(({ question }) => question)
export const passages = 100_000
const documents = 1_000
const length_wanted = 800

/** Fills a workspace with documents, as the background work writes them. */
export async function fillDocuments({ pool, url }: Database, workspace: string, signal: AbortSignal): Promise<void> {
  // Building an index takes longer than a statement of the service may.
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const sentences = await readSentences()
  const pick = seeded(7)
  const now = clock.iso(clock.wall())
  const each = passages / documents
  const addIndexes = await dropSearchIndexes(client)
  for (let number = 0; number < documents; number += 1) {
    signal.throwIfAborted()
    const [id, edition_id] = [newId(), newId()]
    const name = `Document ${number}`
    const texts = Array.from({ length: each }, () => {
      let text = ''
      while (text.length < length_wanted) text += `${sentences[pick(sentences.length)]} `
      return text
    })
    await pool.run(
      sql`insert into documents (workspace_id, id, name, language, source, status, must_parse, edition_id, passages, created_at, updated_at)
        values (${workspace}, ${id}, ${name}, 'en', 'text', 'ready', false, ${edition_id}, ${each}, ${now}, ${now})`,
    )
    await pool.run(
      sql`insert into document_passages (workspace_id, document_id, edition_id, id, position, heading, text, words)
        select ${workspace}, ${id}, ${edition_id}, passage.id, passage.position, '', passage.text,
          setweight(to_tsvector('english', ${name}), 'B') || to_tsvector('english', passage.words)
        from unnest(${texts.map(() => newId())}::uuid[], ${texts.map((_, index) => index)}::integer[], ${texts}::text[],
          ${texts.map(plainWords)}::text[]) as passage (id, position, text, words)`,
    )
    await pool.run(
      sql`insert into document_words (workspace_id, document_id, edition_id, word, passages)
        select ${workspace}, ${id}, ${edition_id}, word, count(*)
        from document_passages cross join unnest(tsvector_to_array(words)) as word
        where workspace_id = ${workspace} and document_id = ${id} group by word`,
    )
  }
  await addIndexes()
  await client.query('vacuum analyze documents, document_passages, document_words')
  await client.end()
}

/** They are built in a fraction of the time that it takes to keep them up to date. Returns what adds them again. */
async function dropSearchIndexes(client: pg.Client): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
      where tablename in ('document_passages', 'document_words') and indexdef ilike '% using gin %'`,
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return async () => {
    for (const { definition } of rows) await client.query(definition)
  }
}

async function readSentences(): Promise<string[]> {
  const sentences: string[] = []
  for (const name of known.packages) {
    const folder = path.join(checkout, 'node_modules', name)
    const file = fs.readdirSync(folder).find((each) => each.toLowerCase() === 'readme.md') ?? 'README.md'
    const content = fs.readFileSync(path.join(folder, file))
    const parsed = await parse(
      { kind: 'markdown', file: content },
      { workspace: '', attempt: 1, isStopping: () => false, log: openLog('warn') },
    )
    for (const { text } of parsed?.passages ?? []) sentences.push(...text.split(/(?<=[.!?])\s+|\n+/))
  }
  return sentences.filter((sentence) => sentence.length > 10)
}

/** The same numbers in each run. */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}
