/** These are rules of spoken conversation: how long to wait after words, and which words don't interrupt. */

const settle_ms = { complete: 300, other: 600, dictated: 1_100, hanging: 1_400, keys: 1_500 }
/** After this time without words or keys the agent answers, whatever was said, and also if there was noise. */
export const settle_max_ms = 2_500

/** Words that are seldom the last of a sentence. */
const hanging_words = new Set(
  (
    'and but or so because the a an my your is are was to of for with at in on um uh er well like that if when ' +
    'und oder aber weil der die das ein eine mein ist zu von mit bei äh ähm also wenn'
  ).split(' '),
)

const short_answers = new Set(
  'yes no yeah yep nope sure okay ok hello hi bye goodbye thanks ja nein danke hallo'.split(' '),
)

/** People say these to show that they listen. */
const back_channels = new Set('mm mhm hm hmm mmhm uhhuh yeah yes ok okay right sure aha ja genau'.split(' '))

const splitWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []

/** People pause while they say one of these. */
const dictated_words = new Set(
  'number name address code email postcode zip nummer telefonnummer name adresse postleitzahl kennwort'.split(' '),
)

/** Whether the agent has asked for a number, a name or an address. */
function asksToDictate(text: string): boolean {
  const words = text.trimEnd()
  const question = words.endsWith('?') ? words.split(/[.!?]/).at(-2) : undefined
  return question !== undefined && splitWords(question).some((word) => dictated_words.has(word))
}

/** Returns how long to wait after the contact stopped with these words, in case there are more. `asked` is what the agent said before. */
export function settleTime(text: string, asked = ''): number {
  const words = splitWords(text)
  const last = words.at(-1) ?? ''
  if (/,\s*$/.test(text) || hanging_words.has(last)) return settle_ms.hanging
  if (/\d\s*[.!?]?$/.test(text.trimEnd()) || asksToDictate(asked)) return settle_ms.dictated
  const is_complete = /[.!?…]["')\]]*\s*$/.test(text) || (words.length <= 2 && short_answers.has(last))
  return is_complete ? settle_ms.complete : settle_ms.other
}

/** The agent waits this long after a key, in case more are pressed. */
export const keys_settle_ms = settle_ms.keys

/** One or two words such as "mm-hm" show that someone listens. */
export function isBackChannel(text: string): boolean {
  const words = splitWords(text.replaceAll('-', ''))
  return words.length <= 2 && words.every((word) => back_channels.has(word))
}

/** Returns whether these words are enough to interrupt the agent. */
export const interrupts = (text: string): boolean => splitWords(text).length >= 2 && !isBackChannel(text)
