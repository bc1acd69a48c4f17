export type Word = 'opt_out' | 'opt_in' | 'help'

const meanings = new Map<string, Word>([
  ...['STOP', 'STOPP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'].map(
    (word): [string, Word] => [word, 'opt_out'],
  ),
  ...['START', 'UNSTOP'].map((word): [string, Word] => [word, 'opt_in']),
  ['HELP', 'help'],
])

/** A longer message says more than a word, however often it is repeated. */
const length_max = 200

const before_words = /^[^\p{L}\p{N}]+/u
/** A line that begins with "Sent from", or with two hyphens, of which telephones make a dash. Every line break of Unicode counts. */
const signature = /[\n\v\f\r\u0085\u2028\u2029][^\S\n\v\f\r\u2028\u2029]*(?:sent\sfrom\b|--|—)/iu
const signature_start_max = length_max + 100

/** What the whole message asks for: one word, which may be repeated. A signature doesn't count. */
export function wordOf(text: string): Word | undefined {
  const [message = ''] = text.trim().replace(before_words, '').slice(0, signature_start_max).split(signature, 1)
  if (message.length > length_max) return undefined
  const asked = new Set(wordsIn(message).map((word) => meanings.get(word)))
  return asked.size === 1 ? [...asked][0] : undefined
}

const word = /[\p{L}\p{N}]+/gu
const single_letters = /(?<![^ ])[^ ](?: [^ ](?![^ ]))+/gu
const repeated_word = /^(.{2,}?)\1+$/u
const two_words = /(?<![^ ])(OPT|STOP) (OUT|ALL)(?![^ ])/gu

/**
 * The words of a short text in upper case, without punctuation and symbols. Words that people also write letter by letter, or as
 * two, are one: S.T.O.P., OPT OUT.
 */
function wordsIn(text: string): string[] {
  // Compatibility forms, such as full-width letters, become plain ones.
  const words = text.normalize('NFKC').toUpperCase().match(word) ?? []
  return words
    .join(' ')
    .replace(single_letters, (letters) => letters.replaceAll(' ', '').replace(repeated_word, '$1'))
    .replace(two_words, '$1$2')
    .split(' ')
}
