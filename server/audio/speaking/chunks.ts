import { isReadable } from '../../talk/cut.ts'

/** Cuts the words of a reply, which come in pieces, into chunks that are spoken one by one. */
export interface Chunker {
  /** Returns the chunks that are complete now. */
  add: (text: string) => string[]
  /** Returns the chunk that is left. More may follow. */
  flush: () => string[]
  /** Words that wait for the end of their chunk. */
  readonly waiting: string
}

/** The first chunk may be a clause of this many characters, so that the agent begins to speak soon. */
const first_min = 20
/** Sentences that are shorter are spoken with the next one. */
const sentence_min = 12
/** Longer sentences are spoken in pieces, because a voice takes time and memory for each. */
const chunk_max = 220

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })

export function openChunker(): Chunker {
  let waiting = ''
  let is_first = true

  const take = (length: number): string[] => {
    const chunk = waiting.slice(0, length).trim()
    waiting = waiting.slice(length)
    if (!isReadable(chunk)) return []
    is_first = false
    return [chunk]
  }

  /** Returns where the next chunk ends, if it is complete. */
  function nextEnd(): number | undefined {
    const clause = is_first ? clauseEnd(waiting, first_min, chunk_max) : undefined
    const sentence = sentenceEnd(waiting)
    if (clause !== undefined && (sentence === undefined || clause < sentence - first_min)) return clause
    if (sentence !== undefined && sentence <= chunk_max) return sentence
    return waiting.length > chunk_max ? lastBreak(waiting) : undefined
  }

  function cut(): string[] {
    const chunks: string[] = []
    for (let end = nextEnd(); end !== undefined; end = nextEnd()) chunks.push(...take(end))
    return chunks
  }

  return {
    get waiting() {
      return waiting
    },
    add(text) {
      waiting += text
      return cut()
    },
    flush() {
      const chunks = cut()
      return [...chunks, ...take(waiting.length)]
    },
  }
}

/** Whether the text may be said as it is if nothing follows: it ends with a sentence. */
export const endsSentence = (text: string): boolean => /[.!?…]["')\]]*\s*$/.test(text)

/**
 * Returns where the first sentence ends that is not short. The last sentence is complete when white space follows it.
 */
function sentenceEnd(text: string): number | undefined {
  for (const { index, segment } of sentences.segment(text)) {
    const end = index + segment.length
    const is_complete = end < text.length || (endsSentence(segment) && /\s$/.test(segment))
    if (is_complete && text.slice(0, end).trim().length >= sentence_min) return end
  }
  // A short sentence, such as "Hello. ", waits, and is said when nothing else comes.
  return undefined
}

/** Returns where the first clause of at least `min` characters ends. A comma between digits is part of a number. */
function clauseEnd(text: string, min: number, max: number): number | undefined {
  for (const { index } of text.slice(0, max).matchAll(/[,;:–—]\s+/g)) if (index >= min) return index + 1
  return undefined
}

/** Returns the end of the last clause before the limit, else of the last word, else the limit. */
function lastBreak(text: string): number {
  const beginning = text.slice(0, chunk_max)
  const clause = [...beginning.matchAll(/[,;:–—]\s/g)].at(-1)?.index ?? 0
  if (clause >= first_min) return clause + 1
  const space = beginning.search(/\s\S*$/)
  return space > 0 ? space : chunk_max
}
