const names = ['think', 'thinking', 'thought', 'reasoning', 'reflection', 'analysis', 'scratchpad']
/** What stands before the name in `<think>`, `</think>`, `<|think|>`, `<|/think|>` and `</|think|>`. */
const openings = ['<', '</', '<|', '<|/', '</|']
/**
 * The beginnings of all tags. Mistral's are `[THINK]` and `[/THINK]`. Other words in brackets are often meant to be
 * read.
 */
const beginnings = [...openings.flatMap((opening) => names.map((name) => opening + name)), '[think', '[/think']
const beginning_length_max = Math.max(...beginnings.map(({ length }) => length))
const any_name = `(?<name>${names.join('|')})`
const tag = new RegExp(`^<\\|?(?<slash>/?)\\|?${any_name}(?=[\\s/|>])|^\\[(?<slash>/?)(?<name>think)(?=\\])`, 'i')
const unfinished_tag = new RegExp(`^<\\|?(?<slash>/?)\\|?${any_name}$|^\\[(?<slash>/?)(?<name>think)$`, 'i')
const not_blank = /\S/

/** The kind of a part of a stream: all words before were thoughts. */
export const end_of_thinking = 'words.were_thoughts'

/** What must be known of the words before to take the thinking out of the next ones. */
export interface Thinking {
  /** The beginning of what may be a tag, which is held back. */
  held: string
  /** The tag that is being read, from its name to its end. */
  tag: { name: string; is_end: boolean; is_empty: boolean; last: '>' | ']' } | null
  /** The block that is being read. `depth` is how many of its name are open. */
  block: { name: string; depth: number } | null
  has_words: boolean
  /** Whether a block came before any words: then blanks after it are not part of the answer. */
  skips_blanks: boolean
}

export const no_thinking: Thinking = { held: '', tag: null, block: null, has_words: false, skips_blanks: false }

export interface ReadPiece {
  state: Thinking
  words: string
  /**
   * Whether a block has ended that has no beginning, because the server has put it into the prompt. All words before,
   * of other pieces too, were part of it.
   */
  ends_thinking: boolean
}

/**
 * Takes blocks such as `<think>...</think>` out of a model's words, which may be cut anywhere. Only what may become a tag is
 * held back. A block ends with the end tag of its own name; one that has no end is dropped to the end of the answer.
 */
export function withoutThinking(before: Thinking, piece: string): ReadPiece {
  const state = { ...before, held: '' }
  const text = before.held + piece
  const mark = /[<[]/g
  let words = ''
  let ends_thinking = false
  for (let at = 0; at < text.length; ) {
    if (state.tag) {
      const end = text.indexOf(state.tag.last, at)
      const last = end === -1 ? text.length - 1 : end - 1
      const is_empty = last < at ? state.tag.is_empty : text[last] === '/'
      at = end === -1 ? text.length : end + 1
      state.tag = { ...state.tag, is_empty }
      if (end === -1) break
      if (isEndWithoutBeginning(state)) {
        words = ''
        ends_thinking = true
        state.has_words = before.has_words
      }
      endTag(state, state.tag)
      continue
    }
    mark.lastIndex = at
    const next = mark.exec(text)?.index ?? text.length
    words += say(state, text.slice(at, next))
    const start = text.slice(next, next + beginning_length_max + 1)
    const found = toTag(tag.exec(start))
    if (found && isRelevant(state, found.name)) {
      state.tag = found
      at = next + found.length
    } else if (next + start.length === text.length && mayBecomeTag(start)) {
      state.held = start
      break
    } else {
      words += say(state, start.slice(0, 1))
      at = next + 1
    }
  }
  return { state, words, ends_thinking }
}

/** Ends the text. What was held back is said, unless it is the beginning of a tag. */
export function endText(before: Thinking): ReadPiece {
  const state = { ...before, held: '' }
  const found = toTag(unfinished_tag.exec(before.held))
  const is_tag = found !== null && isRelevant(state, found.name)
  if (is_tag) state.tag = found
  const words = is_tag ? '' : say(state, before.held)
  return { state, words, ends_thinking: isEndWithoutBeginning(state) }
}

function toTag(found: RegExpExecArray | null): (NonNullable<Thinking['tag']> & { length: number }) | null {
  if (!found) return null
  const { slash = '', name = '' } = found.groups ?? {}
  const [whole] = found
  const last = whole.startsWith('[') ? ']' : '>'
  return { name: name.toLowerCase(), is_end: slash === '/', is_empty: false, last, length: whole.length }
}

const mayBecomeTag = (start: string): boolean =>
  beginnings.some((beginning) => beginning.startsWith(start.toLowerCase()))

/** Whether a tag counts: within a block other tags are thoughts. */
const isRelevant = ({ block }: Thinking, name: string): boolean => !block || block.name === name

const isEndWithoutBeginning = ({ tag, block }: Thinking): boolean => tag?.is_end === true && !block

/** Takes a whole tag. Changes the state, which is the caller's own copy. */
function endTag(state: Thinking, { name, is_end, is_empty }: NonNullable<Thinking['tag']>): void {
  const before = state.block?.depth ?? 0
  const depth = is_end ? Math.max(0, before - 1) : is_empty ? before : before + 1
  state.tag = null
  state.block = depth === 0 ? null : { name, depth }
  state.skips_blanks = !state.has_words
}

/** Returns the words that are no thoughts. Changes the state, which is the caller's own copy. */
function say(state: Thinking, text: string): string {
  if (state.block) return ''
  const words = state.skips_blanks ? text.trimStart() : text
  if (words !== '') state.skips_blanks = false
  state.has_words ||= not_blank.test(words)
  return words
}
