export type Word = 'opt_out' | 'opt_in' | 'help'

const words = new Map<string, Word>([
  ...['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'].map((word): [string, Word] => [
    word,
    'opt_out',
  ]),
  ...['START', 'UNSTOP'].map((word): [string, Word] => [word, 'opt_in']),
  ['HELP', 'help'],
])

/** A longer message says more than one word. */
const length_max = 100

const surrounding = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu
/** Words that people also write as two. */
const two_words = /^(OPT|STOP)[\s\p{Pd}]+(OUT|ALL)$/u

/** What the whole message asks for. Ignores case, and white space, punctuation and symbols around the word. */
export function wordOf(text: string): Word | undefined {
  const trimmed = text.trim()
  if (trimmed.length > length_max) return undefined
  // Compatibility forms, such as full-width letters, become plain ones.
  const word = trimmed.normalize('NFKC').replace(surrounding, '').toUpperCase()
  return words.get(word.replace(two_words, '$1$2'))
}

const no_more_calls = [
  /\bstop (calling|phoning|ringing|contacting)\b/,
  /\b(dont|do not|never) (call|phone|ring|contact) (me|us|here|this number) (again|any ?more|ever|no more)\b/,
  /\b(dont|do not|never) (call|phone|ring|contact) (again|any ?more)\b/,
  /\bno more calls\b/,
  /\b(take|remove|delete) (me|us|my number|this number) (off|from) (your|the|this) (list|calling list|database|system)\b/,
  /\bopt (me )?out\b/,
  /\bunsubscribe( me)?$/,
  /\b(rufen|ruft|ruf) (sie )?(mich|uns|hier) (bitte )?(nicht|nie) (mehr|wieder) an\b/,
  /\bkeine (weiteren )?anrufe mehr\b/,
]

/** Whether someone says in a call that they want no more of them. */
export function wantsNoMoreCalls(text: string): boolean {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’]/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
  return wordOf(text) === 'opt_out' || no_more_calls.some((phrase) => phrase.test(words))
}
