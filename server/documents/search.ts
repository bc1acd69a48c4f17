import { type At, type AtOutside, inTransaction, newTool } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { openQueuePerKey } from '../kit/limits/key-queues.ts'
import { isCanceled } from '../kit/postgres/errors.ts'
import { join, raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { truncate } from '../kit/text.ts'
import { type Embedder, openEmbedder } from '../models/embedding.ts'
import { type Passage, query_length_max, type Scope, type SearchResult } from './schema.ts'
import { vectorOf } from './vectors.ts'
import { configurationOf, plainWords } from './words.ts'

/** This many searches of a workspace use the database, and the embedding model, at the same time. */
const searches_at_once_max = 2
/** A search waits longer than the API lets lists wait, because a contact may be waiting for an answer, and gets one. */
const wait_max_ms = 10_000
/** At most this many passages are ranked. */
const candidates_max = 2_000
/** At most this many passages are ranked anew by their vectors. */
const compared_max = 200
/** At most this many words of a question are looked up. */
const words_max = 24
/** At most this many words that no document has are looked up as they may have been meant. */
const unknown_words_max = 4
const spellings_max = 3
const similarity_min = 0.5
const typo_length_min = 4
/**
 * The database compares unknown words with those of the documents for this long. Each takes a few milliseconds, but
 * seconds beside very many words that all begin like it: then no word of them helps.
 */
const compare_max_ms = 500
/**
 * A workspace counts as having this many passages if it has fewer: else a word that most of them have would count for
 * nothing.
 */
const passages_supposed = 1_000
/** A passage with less of what was asked says nothing about it. */
const found_min = 0.1
/** A question is unanswered if no passage has at least this much of it. */
const answered_min = 0.4
/** A script answers with a passage that has at least this much of what was asked. */
const answer_score_min = 0.6
const answer_length_max = 300

const searches = newTool(() => openQueuePerKey(searches_at_once_max, { wait_max_ms }))

interface SearchRequest {
  query: string
  scope: Scope
  limit: number
}

/** The documents that may be found. */
interface Searchable {
  /** The languages as PostgreSQL names them, that of most passages first. */
  configurations: string[]
  passages: number
  /** A condition on `edition_id`. */
  isCurrent: Sql
  /** The same condition for counts, which ignore an edition that is being written. */
  isCounted: Sql
}

/** A word of the question, with the words of the documents that it may be. */
interface Term {
  words: string[]
  /** The number of passages that have the word. */
  count: number
  /** The weight, which is higher for rare words. */
  weight: number
  /** How like the word is to what was typed. A word with a typo counts for less. */
  likeness: number
  /**
   * Whether one of the languages takes it for a word that says nothing, such as "when" in English. Passages may lack
   * it.
   */
  is_optional: boolean
}

/** Finds the passages that say most about the question, the best first. */
export async function search(at: AtOutside, searched: SearchRequest): Promise<Passage[]> {
  const searchable = await readSearchable(at, searched.scope)
  if (searchable.passages === 0) return []
  const query = truncate(searched.query, query_length_max)
  const embedder = await openEmbedder(at)
  const begun_ticks = clock.ticks()
  return searches.of(at)(at.workspace, async () => {
    const waited_ms = clock.ticks() - begun_ticks
    // The embedding model is asked after the wait, so that its answers for searches that wait fill no memory.
    const [terms, vector] = await Promise.all([
      readTerms(at, query, searchable),
      vectorOf(query, { embedder, waited_ms }),
    ])
    if (terms.every(({ count }) => count === 0)) return []
    const found = await rank(at, { searchable, terms, limit: searched.limit, embedder, vector })
    return found.filter(({ score }) => score >= found_min)
  })
}

/**
 * Returns the words that the database compares: those of the question, and those that candidates have. Benchmarks use
 * them.
 * @internal
 */
export async function candidatesFor(
  at: AtOutside,
  { query, scope }: Omit<SearchRequest, 'limit'>,
): Promise<{ all: string; candidates: string }> {
  const known = knownIn(await readTerms(at, query, await readSearchable(at, scope)))
  return { all: anyOf(known), candidates: rarest(known) }
}

/** Searches, and adds what a script would answer. */
export async function searchWithAnswer(at: AtOutside, searched: SearchRequest): Promise<SearchResult> {
  const passages = await search(at, searched)
  return { passages, answer: await answerFrom(at, searched.query, passages) }
}

/** Whether a passage was found that may answer the question. */
export const isAnswered = (passages: Pick<Passage, 'score'>[]): boolean =>
  passages.some(({ score }) => score >= answered_min)

/** Returns the sentences of the best passage that answer the question, word for word, if it has enough of what was asked. */
export async function answerFrom(at: At, query: string, [best]: Passage[]): Promise<string | null> {
  if (!best || best.score < answer_score_min) return null
  const sentences = sentencesOf(best.text)
  const scores = await countShared(at, query, sentences, best.document_id)
  const first = scores.indexOf(Math.max(...scores))
  let answer = sentences[first] ?? ''
  for (const next of sentences.slice(first + 1)) {
    if (answer.length + next.length + 1 > answer_length_max) break
    answer += ` ${next}`
  }
  return answer === '' ? null : truncate(answer, answer_length_max * 2)
}

/** Splits a text into sentences. Lines of lists and tables count as sentences too. */
const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.!?][)"”]?)\s+|(?<=[。！？])|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')

async function countShared(at: At, query: string, sentences: string[], document_id: string): Promise<number[]> {
  const { db, workspace } = at
  const document = await db.maybe<{ language: string }>(
    sql`select language from documents where workspace_id = ${workspace} and id = ${document_id}`,
  )
  const configuration = configurationOf(document?.language ?? '')
  const [found = []] = await wordsOf(at, [configuration], [query, ...sentences].map(plainWords))
  const [asked = [], ...words] = found
  return words.map((each) => each.filter((word) => asked.includes(word)).length)
}

/** Returns the words of each text as PostgreSQL has them in its indexes, for each configuration. */
async function wordsOf({ db }: Pick<At, 'db'>, configurations: string[], texts: string[]): Promise<string[][][]> {
  const rows = await db.many<{ words: string[] }>(
    sql`select tsvector_to_array(to_tsvector(configuration.name::regconfig, each.text)) as words
      from unnest(${configurations}::text[]) with ordinality as configuration (name, position)
      cross join unnest(${texts}::text[]) with ordinality as each (text, position)
      order by configuration.position, each.position`,
  )
  return configurations.map((_, index) =>
    rows.slice(index * texts.length, (index + 1) * texts.length).map(({ words }) => words),
  )
}

async function readSearchable({ db, workspace }: At, { tags, document_ids }: Scope): Promise<Searchable> {
  const conditions = [
    tags ? sql`and tags && ${tags}::text[]` : raw(''),
    document_ids ? sql`and id = any(${document_ids}::uuid[])` : raw(''),
  ]
  const current = sql`from documents
    where workspace_id = ${workspace} and edition_id is not null ${conditions[0]} ${conditions[1]}`
  const rows = await db.many<{ language: string; passages: number }>(
    sql`select language, sum(passages) as passages ${current} group by language`,
  )
  const isCurrent = sql`edition_id in (select edition_id ${current})`
  const by_passages = rows.toSorted((a, b) => b.passages - a.passages)
  return {
    configurations: [...new Set(by_passages.map(({ language }) => configurationOf(language)))],
    passages: rows.reduce((sum, { passages }) => sum + passages, 0),
    isCurrent,
    isCounted: tags || document_ids ? isCurrent : raw('true'),
  }
}

async function readTerms(at: AtOutside, query: string, searchable: Searchable): Promise<Term[]> {
  const asked = await readAsked(at, query, searchable.configurations)
  const counts = await countPassages(at, [...new Set(asked.flatMap(({ words }) => words))], searchable)
  const sumOf = (words: string[]): number => words.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0)
  const unknown = asked.filter(({ words }) => sumOf(words) === 0 && mayHaveTypo(words)).slice(0, unknown_words_max)
  const similar_words = await similarWords(
    at,
    unknown.map(({ words: [word = ''] }) => word),
    searchable,
  )
  const total = Math.max(searchable.passages, passages_supposed)
  return asked.map((one) => {
    const similar = similar_words[unknown.indexOf(one)]
    const words = similar?.map((each) => each.word) ?? one.words
    const count = similar?.reduce((sum, each) => sum + each.passages, 0) ?? sumOf(words)
    const weight = Math.log(1 + (Math.max(0, total - count) + 0.5) / (count + 0.5))
    return { words, count, weight, likeness: similar?.[0]?.likeness ?? 1, is_optional: one.is_optional }
  })
}

/** Reads the words of the question, in the forms that the languages have of them. */
async function readAsked(
  at: At,
  query: string,
  configurations: string[],
): Promise<Pick<Term, 'words' | 'is_optional'>[]> {
  const texts = [...new Set(plainWords(query).split(' '))]
  const by_language = await wordsOf(at, configurations, texts)
  const asked = new Map<string, Pick<Term, 'words' | 'is_optional'>>()
  for (const index of texts.keys()) {
    const forms = by_language.map((words) => words[index] ?? [])
    const words = [...new Set(forms.flat())]
    if (words.length > 0) asked.set(words.join(' '), { words, is_optional: forms.some((form) => form.length === 0) })
  }
  const all = [...asked.values()].slice(0, words_max)
  return all.every(({ is_optional }) => is_optional) ? all.map((one) => ({ ...one, is_optional: false })) : all
}

const mayHaveTypo = ([word = '']: string[]): boolean => word.length >= typo_length_min && /^\p{L}+$/u.test(word)

async function countPassages(at: At, words: string[], { isCounted }: Searchable): Promise<Map<string, number>> {
  const { db, workspace } = at
  const rows = await db.many<{ word: string; passages: number }>(
    sql`select word, sum(passages) as passages from document_words
      where workspace_id = ${workspace} and word = any(${words}::text[]) and ${isCounted}
      group by word`,
  )
  return new Map(rows.map(({ word, passages }) => [word, passages]))
}

interface SimilarWord {
  word: string
  passages: number
  likeness: number
}

/**
 * Finds similar words for each word. Each word has an even share of the time that is left, and finds none if that is
 * too short.
 */
async function similarWords(at: AtOutside, words: string[], searchable: Searchable): Promise<SimilarWord[][]> {
  const until = clock.ticks() + compare_max_ms
  const found: SimilarWord[][] = []
  // The words are compared one after the other, because a search takes one connection.
  for (const word of words) {
    const share_ms = Math.max(1, Math.floor((until - clock.ticks()) / (words.length - found.length)))
    const similar = inTransaction(at, async ({ db }) => {
      await db.script(`set local statement_timeout = ${share_ms}`)
      return db.many<SimilarWord>(similarTo(word, searchable, at.workspace))
    })
    found.push(
      await similar.catch((error: unknown) => {
        if (isCanceled(error)) return []
        throw error
      }),
    )
  }
  return found
}

/**
 * Selects words similar to one word. The operator compares as the function does, and leaves out words with less than
 * half of the trigrams.
 */
const similarTo = (word: string, { isCounted }: Searchable, workspace: string): Sql =>
  sql`select word, sum(passages) as passages, similarity(word, ${word})::float8 as likeness from document_words
    where workspace_id = ${workspace} and lower(word) %>> ${word} and similarity(word, ${word}) >= ${similarity_min}
      and ${isCounted}
    group by word order by likeness desc, word limit ${spellings_max}`

interface Ranking {
  searchable: Searchable
  terms: Term[]
  limit: number
  embedder: Embedder | undefined
  vector: number[] | undefined
}

async function rank(at: At, { searchable, terms, limit, embedder, vector }: Ranking): Promise<Passage[]> {
  const { db, workspace } = at
  const known = knownIn(terms)
  const sum = terms.reduce((sum, term) => sum + scoreWeight(term), 0)
  const candidates = sql`select id, document_id, heading, text, words, vector, vector_model
    from document_passages
    where workspace_id = ${workspace} and words @@ ${rarest(known)}::tsquery and ${searchable.isCurrent}
    limit ${raw(String(candidates_max))}`
  // A word counts more in a heading or in the name of the document, and if it is there again and again.
  const graded = sql`select id, document_id, heading, text, words, vector, vector_model,
      ${join(
        known.map(
          (term, index) => sql`ts_rank(${raw(word_grades)}, words, ${orOf(term)}::tsquery) as ${gradeOf(index)}`,
        ),
        ', ',
      )}
    from (${candidates}) as candidate offset 0`
  const sumUp = (grade: (index: number) => Sql, weightOf = ({ weight }: Term) => weight): Sql =>
    join(
      known.map((term, index) => sql`${weightOf(term) * term.likeness}::real * ${grade(index)}`),
      ' + ',
    )
  const isThere = (index: number): Sql => sql`case when ${gradeOf(index)} > 0 then 1 else 0 end`
  const ranked = sql`select id, document_id, heading, text, vector, vector_model,
      (${sumUp(isThere, scoreWeight)}) / ${sum}::real as score,
      ${sumUp((index) => sql`(${isThere(index)} + ${gradeOf(index)})`)}
        + ts_rank_cd('{0.1, 0.2, 0.4, 1.0}', words, ${anyOf(known)}::tsquery, 32) as rank
    from (${graded}) as graded order by rank desc, id limit ${raw(String(compared_max))}`
  return db.many<Passage>(
    sql`select best.id, document_id, documents.name as title, heading, text, documents.url,
        least(1, round(score::numeric, 3))::float8 as score
      from (${embedder && vector ? compared(ranked, { model: embedder.name, vector }) : ranked}) as best
      join documents on documents.workspace_id = ${workspace} and documents.id = document_id
      order by ${raw(embedder && vector ? 'place' : 'rank desc, best.id')} limit ${limit}`,
  )
}

/** Returns what a passage loses by not having the word. */
const scoreWeight = ({ weight, is_optional }: Term): number => (is_optional ? 0 : weight)

/** The weights of a word, besides being there: in the text, in the name of the document, and in headings. */
const word_grades = "'{0.2, 0, 1.0, 0.6}'"

const gradeOf = (index: number): Sql => raw(`grade_${index}`)

/**
 * Ranks anew by vectors. The closest passages take the places of those that have a vector. Passages without one keep
 * theirs.
 */
function compared(ranked: Sql, { model, vector }: { model: string; vector: number[] }): Sql {
  const placed = sql`select *, row_number() over (order by rank desc, id) as word_place,
      case when vector_model = ${model} then (select sum(each.one * each.other)
        from unnest(vector, ${vector}::real[]) as each (one, other)) end as closeness
    from (${ranked}) as ranked`
  return sql`select *,
      (array_agg(word_place) over (partition by closeness is null order by word_place
        rows between unbounded preceding and unbounded following))
      [row_number() over (partition by closeness is null order by closeness desc, word_place)] as place
    from (${placed}) as placed`
}

/** Writes a query for any of the words. With a weight, only words that have it count. */
const orOf = ({ words }: Term, weight = ''): string =>
  words.map((word) => `'${word.replaceAll("'", "''")}'${weight && `:${weight}`}`).join(' | ')

const anyOf = (terms: Term[]): string => terms.map((term) => orOf(term)).join(' | ')

const knownIn = (terms: Term[]): Term[] => terms.filter(({ count }) => count > 0)

/**
 * Returns a query for the rarest words, which together are in as many passages as are ranked. If even the rarest is in
 * more, another word must be there too.
 */
function rarest(terms: Term[]): string {
  const [first, ...others] = terms.toSorted((a, b) => a.count - b.count)
  if (!first) return ''
  if (first.count > candidates_max) {
    const rest = anyOf(others)
    return rest === '' ? orOf(first) : `(${orOf(first)}) & (${rest})`
  }
  let count = first.count
  const taken = [first]
  for (const term of others) {
    count += term.count
    if (count > candidates_max) break
    taken.push(term)
  }
  return anyOf(taken)
}
