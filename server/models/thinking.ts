const names = ['think', 'thinking', 'thought', 'reasoning']
const beginnings = names.flatMap((name) => [`<${name}`, `</${name}`])
const beginning_length_max = Math.max(...beginnings.map(({ length }) => length))
const tag = new RegExp(`^<(/?)(${names.join('|')})[\\s/>]`, 'i')
const unfinished_tag = new RegExp(`^<(/?)(${names.join('|')})$`, 'i')
const not_blank = /\S/

/** What must be known of the words before to take the thinking out of the next ones. */
export interface Thinking {
  /** The beginning of what may be a tag. */
  held: string
  /** The tag that is being read, from its name to its `>`. */
  tag: { name: string; is_end: boolean; is_empty: boolean } | null
  /** The block that is being read, and how many of its name are open. */
  block: { name: string; depth: number } | null
  has_words: boolean
  /** A block came before any words: blanks after it are not part of the answer. */
  skips_blanks: boolean
}

export const no_thinking: Thinking = { held: '', tag: null, block: null, has_words: false, skips_blanks: false }

/**
 * Takes blocks such as `<think>...</think>` out of a model's words, which may be cut anywhere. Only what may become a tag is
 * held back. A block ends with the end tag of its own name; one that has no end is dropped to the end of the answer.
 */
export function withoutThinking(before: Thinking, piece: string): { state: Thinking; words: string } {
  const state = { ...before, held: '' }
  const text = before.held + piece
  let words = ''
  for (let at = 0; at < text.length; ) {
    if (state.tag) {
      const end = text.indexOf('>', at)
      const last = end === -1 ? text.length - 1 : end - 1
      const is_empty = last < at ? state.tag.is_empty : text[last] === '/'
      if (end === -1) state.tag = { ...state.tag, is_empty }
      else endTag(state, { ...state.tag, is_empty })
      at = end === -1 ? text.length : end + 1
      continue
    }
    const next = text.indexOf('<', at)
    words += say(state, text.slice(at, next === -1 ? text.length : next))
    if (next === -1) break
    const start = text.slice(next, next + beginning_length_max + 1)
    const [, slash, name = ''] = tag.exec(start) ?? []
    if (slash !== undefined && isRelevant(state, name)) {
      state.tag = { name: name.toLowerCase(), is_end: slash === '/', is_empty: false }
      at = next + 1 + slash.length + name.length
    } else if (next + start.length === text.length && mayBecomeTag(start)) {
      state.held = start
      break
    } else {
      words += say(state, '<')
      at = next + 1
    }
  }
  return { state, words }
}

/** The text ends here. What was held back is said, unless it is the beginning of a tag. */
export function endText(before: Thinking): { state: Thinking; words: string } {
  const state = { ...before, held: '' }
  const [, slash, name = ''] = unfinished_tag.exec(before.held) ?? []
  if (slash === undefined || !isRelevant(state, name)) return { state, words: say(state, before.held) }
  state.tag = { name: name.toLowerCase(), is_end: slash === '/', is_empty: false }
  return { state, words: '' }
}

const mayBecomeTag = (start: string): boolean =>
  beginnings.some((beginning) => beginning.startsWith(start.toLowerCase()))

/** Within a block other tags are thoughts. */
const isRelevant = ({ block }: Thinking, name: string): boolean => !block || block.name === name.toLowerCase()

function endTag(state: Thinking, { name, is_end, is_empty }: NonNullable<Thinking['tag']>): void {
  const before = state.block?.depth ?? 0
  const depth = is_end ? Math.max(0, before - 1) : is_empty ? before : before + 1
  state.tag = null
  state.block = depth === 0 ? null : { name, depth }
  state.skips_blanks = !state.has_words
}

function say(state: Thinking, text: string): string {
  if (state.block) return ''
  const words = state.skips_blanks ? text.trimStart() : text
  if (words !== '') state.skips_blanks = false
  state.has_words ||= not_blank.test(words)
  return words
}
