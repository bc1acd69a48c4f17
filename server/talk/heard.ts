import type { Reply, SpeechPart } from './state.ts'

/** This is about how much of a reply the contact has heard. Lines report words, not the blanks and signs between them. */

export const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '')

const heardOf = ({ voice }: Reply): string => lettersOf(voice.played.map(({ text }) => text).join(''))

/** Whether these words of the reply were heard. */
export const hasHeard = (reply: Reply, words: string): boolean => heardOf(reply).includes(lettersOf(words))

/** Whether all that was said so far was heard. */
export const isAllHeard = (reply: Reply): boolean => heardOf(reply).length >= lettersOf(reply.text).length

export function hasHeardNotice(reply: Reply): boolean {
  const { notice_length } = reply.voice
  return notice_length > 0 && heardOf(reply).startsWith(lettersOf(reply.text.slice(0, notice_length)))
}

/** Whether the contact has begun to say this while it heard the agent. */
export function isOverReply(reply: Reply, { start_ms }: SpeechPart): boolean {
  const [first] = reply.voice.played
  const last = reply.voice.played.at(-1)
  if (!first || !last || start_ms < first.start_ms) return false
  return start_ms < last.end_ms || !isAllHeard(reply)
}
