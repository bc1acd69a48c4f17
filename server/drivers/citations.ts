import type { Citation, Passage } from '../documents/schema.ts'
import { membersOf } from '../kit/json.ts'
import { normalizeText } from '../kit/text.ts'
import type { ToolRun } from '../talk/state.ts'

/** A passage as a tool returns it to a model. */
export type FoundPassage = Pick<Passage, 'id' | 'document_id' | 'title' | 'heading' | 'text' | 'url'>

export const search_tool = 'search_knowledge'
const citations_max = 3
/** An answer shares at least this many words with a passage on which it is based. */
const shared_words_min = 2
const word = /[\p{L}\p{N}]{4,}|\p{N}+/gu

/** Returns the passages that runs of the tool have found. */
export const passagesOf = (runs: Pick<ToolRun, 'name' | 'status' | 'result'>[]): FoundPassage[] =>
  runs.flatMap(({ name, status, result }) => {
    const { passages } = membersOf(result)
    // Only `search_knowledge` has written the result.
    return name === search_tool && status === 'succeeded' && Array.isArray(passages) ? (passages as FoundPassage[]) : []
  })

/**
 * Returns the passages on which the words are based: of those that were found, the ones that share most words with
 * them.
 */
export function citationsFor(text: string, found: FoundPassage[]): Citation[] {
  const said = wordsOf(text)
  const needed = Math.min(shared_words_min, said.size)
  if (needed === 0) return []
  const by_id = new Map(found.map((passage) => [passage.id, passage]))
  return [...by_id.values()]
    .map((passage) => ({ passage, shared: wordsOf(passage.text).intersection(said).size }))
    .filter(({ shared }) => shared >= needed)
    .sort((a, b) => b.shared - a.shared)
    .slice(0, citations_max)
    .map(({ passage: { id, document_id, title, heading, url } }) => ({
      document_id,
      passage_id: id,
      title: titleOf(title, heading),
      url,
    }))
}

/** Makes a title. The highest heading is often the name of the document, which is then not repeated. */
const titleOf = (name: string, heading: string): string =>
  `${heading} › `.startsWith(`${name} › `) ? heading : [name, heading].filter((part) => part !== '').join(' › ')

const wordsOf = (text: string): Set<string> => new Set(normalizeText(text).match(word) ?? [])
