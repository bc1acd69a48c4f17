import type { CallLineEvent } from '../../calls/carrier.ts'
import { wordsOf } from '../../talk/words.ts'
import { type LineState, type Reply, sinceAnswer } from './line-state.ts'
import { durationOf, heardUntil } from './speech.ts'

/** Adds words to a reply, which follow those before, or begin now. Returns when they begin. */
export function addWords(state: LineState, { at, reply, text }: { at: number; reply: string; text: string }): number {
  const now_ms = sinceAnswer(state, at)
  const start_ms = Math.max(now_ms, ...state.replies.map(endOf))
  // Words that the person has said before are not shown one by one.
  if (state.replies.length === 0 && state.speech)
    state.speech.shown = wordsOf(state.speech.part).filter(({ end_ms }) => end_ms <= now_ms).length
  const part = { text, start_ms, end_ms: start_ms + durationOf(text) }
  const known = state.replies.find(({ id }) => id === reply)
  if (known) known.parts.push(part)
  else state.replies.push({ id: reply, parts: [part], ended_at: null })
  return at + start_ms - now_ms
}

const endOf = ({ parts }: Reply): number => parts.at(-1)?.end_ms ?? 0

export function endReply(state: LineState, { at, reply }: { at: number; reply: string }): void {
  const known = state.replies.find(({ id }) => id === reply)
  if (known) known.ended_at ??= at
  else state.replies.push({ id: reply, parts: [], ended_at: at })
}

/** Stops a reply. The heard part of it ends with a whole word. */
export function stopReply(state: LineState, { at, reply }: { at: number; reply: string }): void {
  const known = state.replies.find(({ id }) => id === reply)
  if (!known) return
  state.replies = state.replies.filter(({ id }) => id !== reply)
  state.outbox.push(playedOf(state, known, at))
}

/** Returns when the whole of the first reply is heard, if no more words follow. */
export function replyDoneAt({ replies: [first], answered_at }: LineState): number | undefined {
  if (!first || first.ended_at === null) return undefined
  return Math.max(first.ended_at, (answered_at ?? 0) + endOf(first))
}

/** Emits an event. Before one that may interrupt the agent, it reports what was heard so far. */
export function emit(state: LineState, event: CallLineEvent): void {
  const [first] = state.replies
  if (first && may_interrupt.includes(event.type)) state.outbox.push(playedOf(state, first, event.at))
  state.outbox.push(event)
}

const may_interrupt: CallLineEvent['type'][] = ['speech_started', 'heard', 'hung_up']

export const playedOf = (state: LineState, reply: Reply, at: number): CallLineEvent => ({
  at,
  type: 'played',
  ...heardOf(state, reply, at),
})

export const heardOf = (state: LineState, { id, parts }: Reply, at: number) => ({
  reply: id,
  parts: heardUntil(parts, sinceAnswer(state, at)),
})
