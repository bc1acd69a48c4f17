import * as clocks from '../../clocks/store.ts'
import type { At } from '../../kit/at.ts'
import type { MessageThread } from '../../messages/threads.ts'
import { answerOf, wordsFor } from './behave.ts'
import { drawOutcome, personByNumber, readChances } from './choose.ts'
import type { Person, PersonState } from './person.ts'
import { newRandom, type Random } from './random.ts'

/** A person replies this often in a conversation. With the last reply it says goodbye. */
const replies_max = 6

/** Returns the person who gets text messages to this number. */
export async function chooseTexter(at: At, phone_number: string): Promise<string> {
  const chosen = personByNumber(phone_number)
  if (chosen !== undefined) return chosen
  const { seed, mix } = await readChances(at)
  const outcome = drawOutcome(mix, newRandom(seed, phone_number, 1))
  if (outcome === 'answered') return '00'
  return outcome === 'no_answer' ? '09' : '01'
}

/** Returns the seed of what a person does with one message. */
export const randomOf = async (at: At, { counterpart, seq }: MessageThread): Promise<Random> =>
  newRandom(await clocks.readSeed(at), counterpart ?? '', 'message', seq)

/** Returns what becomes of the message. Undefined if the carrier reports nothing. */
export function reportOn({ texting }: Person, { is_first }: Pick<MessageThread, 'is_first'>) {
  if (texting.report === 'none') return undefined
  const is_failed = texting.report === 'failed' || (texting.fails_once && is_first)
  return is_failed
    ? { status: 'failed' as const, error: 'The message could not be delivered.' }
    : { status: 'delivered' as const, error: null }
}

/** Returns what the person writes back. Undefined if it doesn't reply. */
export function replyTo(person: Person, random: Random, thread: MessageThread): string | undefined {
  const { texting } = person
  const { status, text, replies, is_last, has_opted_out } = thread
  // A person who gets several messages at a time answers the last one.
  if (texting.is_silent || has_opted_out || !is_last) return undefined
  if (texting.reply !== undefined) return replies === 0 ? texting.reply : undefined
  if (status === 'closed' || replies >= replies_max) return undefined
  const state = stateAfter(person, replies)
  if (state.is_leaving) return undefined
  const turns = replies === replies_max - 1 ? Number.POSITIVE_INFINITY : 0
  const act = answerOf(person, state, { heard: text, turns }) ?? state.timeout
  return (act && wordsFor(random, person, act).join(' ')) || undefined
}

/** Returns the state of a person in a conversation by text: the one that it reaches without a topic. */
function stateAfter({ states }: Person, replies: number): PersonState {
  let state = states.start ?? {}
  for (let count = 0; count < replies; count += 1) {
    const { go } = state.else ?? {}
    if (go !== undefined) state = states[go] ?? {}
  }
  return state
}
