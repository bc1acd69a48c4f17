import { languageOf, listen } from '../models/matching.ts'
import { wordsIn } from './words.ts'

/** Not after a negation: "don't stop calling", "I don't want to unsubscribe". */
const wanted =
  /(?<!\b(?:dont|do not|never|not|didnt|did not|wont|will not) (?:(?:ever|please|just|to|say|(?:want|wish|like|need|have|ask|tell)(?: me| you)?(?: to)?) )?)/
const courtesies = /(?: (?:again|any ?more|ever|please|thanks|thank you|ok|okay|sorry|bye|goodbye|bitte|danke))*$/
/** Before these "no more" is a wish, and not what someone has or gets. */
const wish_start =
  /(?:^(?:(?:yes|yeah|no|please|ok|okay|just|so|and|hello|hi|um|uh|oh|well) )*|\b(?:want|like|wish|prefer|need|please|said) )/
/** After these it is a wish for a time only. */
const for_a_time =
  / (?:for )?(?:(?:today|tonight|tomorrow|now|right now|until|till|before|after|in the)\b|(?:this|on|at) (?!(?:this |my |our |the |any )?(?:number|phone|line|time|all)\b))/

const phrase = (parts: TemplateStringsArray, ...patterns: RegExp[]): RegExp =>
  new RegExp(String.raw(parts, ...patterns.map(({ source }) => source)))

/** Each is compared with a sentence. The time is linear in its length. */
const no_more_calls = [
  phrase`${wanted}\bstop (calling|phoning|ringing|contacting|texting|messaging)\b`,
  phrase`${wanted}\bquit (calling|phoning|ringing|contacting|texting|messaging) (me|us|here|this number)\b`,
  phrase`\b(dont|do not|never) (call|phone|ring|contact) (me |us |here |this number )?(again|any ?more)\b(?!${for_a_time})`,
  /\b(dont|do not|never) (call|phone|ring|contact) (me|us|here|this number) (ever|no more)\b/,
  phrase`^(?!.*\b(?:if|when|while|unless)\b).*(?<!\b(?:i|we|they|people) )\b(dont|do not|never) (call|phone|ring|contact) (me|us|here|this number)${courtesies}`,
  phrase`${wish_start}no more (phone )?calls\b(?!${for_a_time})`,
  phrase`\b(dont|do not) want (any |more |any more )?(phone )?calls( (and|or) messages)?${courtesies}`,
  phrase`${wanted}\b(take|remove|delete) (me|us|my number|this number) (off|from) (your|the|this) (list|calling list|database|system)\b`,
  phrase`${wanted}\b(opt (me )?out|optout|unsubscribe)\b`,
  /(?<!\b(?:warum|wieso|weshalb) )\b(rufen|ruft|ruf) (sie )?((mich|uns|hier|bitte) ){0,2}(nicht|nie) (mehr|wieder) an\b/,
  phrase`(?<!\b(?:warum|wieso|weshalb) )\b(rufen|ruft|ruf) (sie )?((mich|uns|hier|bitte) ){0,2}(nicht|nie) an${courtesies}`,
  /(^((ja|nein|bitte|also) )*|\b(will|wollen|möchte|möchten|wünsche) )keine (weiteren )?anrufe mehr\b(?! (heute|morgen|jetzt|vor|bis|am|um)\b)/,
  phrase`\b(will|wollen|möchte|möchten|wünsche) keine (weiteren )?anrufe( (und|oder) nachrichten)?( mehr)?${courtesies}`,
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
  const words = plain(text)
  const sentences = text
    .split(/[.!?]+/u)
    .map(plain)
    .filter((sentence) => sentence !== '')
  // People also say "Stop. Calling. Me.", but "No. More calls, please" is not "no more calls".
  const joined = sentences.filter((sentence) => sentence !== 'no').join(' ')
  const isWish = (sentence: string) => no_more_calls.some((pattern) => pattern.test(sentence))
  if (isWish(joined) || sentences.some(isWish)) return 'opt_out'
  return words.length <= short_max && wordsIn(words).every((word) => stop_words.has(word)) ? 'stop' : undefined
}

/** In lower case, without apostrophes and punctuation. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Whether this is a yes to a question that must not be misunderstood: not "great, and my appointment?". */
export function isClearYes(text: string, language_tag: string): boolean {
  if (text.length > short_max) return false
  const language = languageOf(language_tag)
  const { intents, negations, answers } = language
  const words = listen(text, language).words.filter((word) => !answers.courtesies.includes(word))
  const yes = intents.yes
    .map((phrase) => phrase.split(' '))
    .filter((phrase) => !phrase.some((word) => negations.includes(word)))
  const no_more = answers.no_more.map((phrase) => phrase.split(' '))
  return isMadeOf(words, [...yes, ...no_more])
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
