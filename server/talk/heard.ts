import type { Reply } from './state.ts'

/** This is about how much of a reply the contact has heard. Lines report words, not the blanks and signs between them. */

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '')

const heardOf = ({ voice }: Reply): string => lettersOf(voice.played.map(({ text }) => text).join(''))

/** Whether all that was said so far was heard. */
export const isAllHeard = (reply: Reply): boolean => heardOf(reply).length >= lettersOf(reply.text).length
