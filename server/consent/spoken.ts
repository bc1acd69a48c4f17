import { languageOf, listen } from '../models/matching.ts'
import { wordsIn } from './words.ts'

const no_more_calls = [
  /\bstop (calling|phoning|ringing|contacting|texting|messaging)\b/,
  /\b(dont|do not|never) (call|phone|ring|contact) (me|us|here|this number) (again|any ?more|ever|no more)\b/,
  /\b(dont|do not|never) (call|phone|ring|contact) (again|any ?more)\b/,
  /\bno more calls\b/,
  /\b(take|remove|delete) (me|us|my number|this number) (off|from) (your|the|this) (list|calling list|database|system)\b/,
  /\bopt (me )?out\b|\boptout\b/,
  /^(please )?unsubscribe\b|\bunsubscribe( me)?( please)?$/,
  /\b(rufen|ruft|ruf) (sie )?(mich|uns|hier) (bitte )?(nicht|nie) (mehr|wieder) an\b/,
  /\bkeine (weiteren )?anrufe mehr\b/,
]

const stop_words = new Set(['STOP', 'STOPP', 'STOPALL'])
/** Longer words say more than that the agent is to stop, or than yes. */
const short_max = 200

/**
 * - `opt_out`: someone says in a call that they want no more of them.
 * - `stop`: only "stop". It may be meant for the agent's words, so the agent asks.
 *
 * Words such as "cancel", "end" and "quit" are no wish: people say them about appointments.
 */
export type Wish = 'opt_out' | 'stop'

export function wishIn(text: string): Wish | undefined {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
  if (no_more_calls.some((phrase) => phrase.test(words))) return 'opt_out'
  return words.length <= short_max && wordsIn(words).every((word) => stop_words.has(word)) ? 'stop' : undefined
}

/** Whether this is a yes to a question that must not be misunderstood: not "great, and my appointment?". */
export function isClearYes(text: string, language_tag: string): boolean {
  if (text.length > short_max) return false
  const language = languageOf(language_tag)
  const { intents, negations, answers } = language
  const { plain_yes, plain_no, no_more, courtesies } = answers
  const words = listen(text, language).words.filter((word) => !courtesies.includes(word))
  if (no_more.includes(words.join(' '))) return true
  if (words.some((word) => plain_no.includes(word))) return false
  if (plain_yes.includes(words[0] ?? '')) return true
  const clear = intents.yes
    .map((phrase) => phrase.split(' '))
    .filter((phrase) => !phrase.some((word) => negations.includes(word)))
  return isMadeOf(words, clear)
}

/** Whether the words are some of these phrases, one after the other. */
function isMadeOf(words: string[], phrases: string[][]): boolean {
  const longest_first = phrases.toSorted((one, other) => other.length - one.length)
  let index = 0
  while (index < words.length) {
    const found = longest_first.find((phrase) => phrase.every((word, offset) => words[index + offset] === word))
    if (!found) return false
    index += found.length
  }
  return index > 0
}
