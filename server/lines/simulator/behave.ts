import { isBetter, languageOf, listen, type Score, scorePhrases } from '../../models/matching.ts'
import { wordsOf } from '../../talk/words.ts'
import { goodbye } from './friendly.ts'
import { cancel, type Ending, isPlanned, type LineState, plan, type Speech, sinceAnswer } from './line-state.ts'
import { personOf } from './people.ts'
import type { Act, Person, PersonState, Topic } from './person.ts'
import { emit } from './playback.ts'
import { drawFrom, drawOne, type Random } from './random.ts'
import { waitOf } from './reports.ts'
import { durationOf } from './speech.ts'

/** How long a person waits before it answers. */
const think_ms = [400, 1_100] as const
/** A person waits this long for an agent that has spoken at the same time, and may go on. */
const yield_ms = 3_000
/** Agents wait longer after words that leave a sentence open. */
const pause_ms = 900
/** How many words of its second sentence an agent can say to someone who hangs up in the middle of it. */
const patience_words = 2

export const stateOf = ({ person, state }: Pick<LineState, 'person' | 'state'>): PersonState =>
  personOf(person).states[state] ?? {}

/** Returns what a person in this state answers to what it has heard. */
export function answerOf(person: Person, state: PersonState, { heard, turns }: { heard: string; turns: number }) {
  if (state.else && !state.is_leaving && turns >= turnsMax(person)) return goodbye
  return bestTopic(state.on ?? [], heard) ?? state.else
}

const turnsMax = ({ turns_max = Number.POSITIVE_INFINITY }: Person): number => turns_max

/** Returns the first topic of those that fit best. People understand English. */
function bestTopic(topics: readonly Topic[], heard: string): Topic | undefined {
  const words = listen(heard, languageOf('en'))
  let best: { topic: Topic; score: Score } | undefined
  for (const topic of topics) {
    const score = scorePhrases(topic.hear, words)
    if (score && isBetter(score, best?.score)) best = { topic, score }
  }
  return best?.topic
}

/** Returns the words of an act, in stretches with pauses between them. */
export function wordsFor(random: Random, person: Person, { say = [] }: Act): string[] {
  const words = drawOne(random, say)
  if (words === undefined) return []
  const hesitation = person.hesitation && drawOne(random, person.hesitation)
  return hesitation === undefined ? [words] : [hesitation, words]
}

/** Has the person say and do something now. */
export function act(state: LineState, at: number, one: Act): void {
  const [first, ...rest] = wordsFor(state, personOf(state.person), one)
  const { go = state.state, hang_up_ms, beep_ms } = one
  const ending: Ending = { ...(hang_up_ms !== undefined && { hang_up_ms }), ...(beep_ms !== undefined && { beep_ms }) }
  cancel(state, 'respond', 'silence', 'timeout', 'interrupt', 'open', 'digit')
  stopSpeaking(state, at)
  state.state = go
  if (first === undefined) endAct(state, at, ending)
  else {
    state.heard = ''
    state.turns += 1
    speak(state, at, { text: first, rest, ending })
  }
}

export function speak(
  state: LineState,
  at: number,
  { text, rest, ending }: { text: string; rest: string[]; ending: Ending },
) {
  const start_ms = sinceAnswer(state, at)
  emit(state, { at, type: 'speech_started' })
  state.speech = { part: { text, start_ms, end_ms: start_ms + durationOf(text) }, shown: 0, rest, ending }
}

/**
 * Returns when the next words of the person are passed on: each word while the agent speaks, otherwise all at the end.
 */
export function nextWordsAt({ speech, replies, answered_at }: LineState): number | undefined {
  if (!speech) return undefined
  const next = replies.length > 0 ? wordsOf(speech.part)[speech.shown] : undefined
  return (answered_at ?? 0) + (next?.end_ms ?? speech.part.end_ms)
}

export function passWords(state: LineState, at: number): void {
  const { speech } = state
  if (!speech) return
  if (sinceAnswer(state, at) >= speech.part.end_ms) endSpeech(state, at, speech)
  else {
    speech.shown += 1
    emit(state, { at, type: 'heard', text: textUntil(speech.part, speech.shown) })
  }
}

const textUntil = (part: Speech['part'], count: number): string =>
  wordsOf(part)
    .slice(0, count)
    .map(({ text }) => text)
    .join(' ')

function endSpeech(state: LineState, at: number, { part, rest, ending }: Speech): void {
  state.speech = null
  emit(state, { at, type: 'heard', text: part.text, part })
  state.outbox.push({ at, type: 'speech_stopped' })
  if (rest.length > 0) plan(state, { at: at + pause_ms, type: 'go_on', rest, ending })
  else endAct(state, at, ending)
}

/** Stops the person in the middle of a stretch, after a whole word. */
export function stopSpeaking(state: LineState, at: number): void {
  cancel(state, 'go_on')
  const { speech } = state
  if (!speech) return
  const words = wordsOf(speech.part).filter(({ end_ms }) => end_ms <= sinceAnswer(state, at))
  const last = words.at(-1)
  state.speech = null
  const text = textUntil(speech.part, words.length)
  if (last) emit(state, { at, type: 'heard', text, part: { ...speech.part, text, end_ms: last.end_ms } })
  state.outbox.push({ at, type: 'speech_stopped' })
}

/** Plans what follows when the person has said what it wanted, or lets it wait. */
export function endAct(state: LineState, at: number, { hang_up_ms, beep_ms }: Ending = {}): void {
  if (hang_up_ms !== undefined) plan(state, { at: at + hang_up_ms, type: 'hang_up' })
  if (beep_ms !== undefined) plan(state, { at: at + beep_ms, type: 'beep' })
  const { timeout } = stateOf(state)
  if (timeout && !isPlanned(state, 'timeout'))
    plan(state, { at: at + waitOf(state, timeout.after_ms), type: 'timeout' })
  if (state.heard !== '' && state.replies.length === 0) plan(state, { at: at + yield_ms, type: 'respond' })
  else awaitAgent(state, at)
}

/** Plans how the person reacts if the agent says nothing for a while. */
export function awaitAgent(state: LineState, at: number): void {
  const { silence } = stateOf(state)
  cancel(state, 'silence')
  if (silence && !isSpeaking(state) && state.replies.length === 0)
    plan(state, { at: at + silence.after_ms, type: 'silence' })
}

/** Whether the person is speaking. A pause in its speech counts as speaking. */
export const isSpeaking = (state: LineState): boolean => state.speech !== null || isPlanned(state, 'go_on')

/** Takes a reply that the agent has said in full. */
export function hear(state: LineState, at: number, text: string): void {
  state.heard = `${state.heard} ${text}`.trim()
  state.agent_turns += 1
  if (isSpeaking(state) || state.replies.length > 0) return
  plan(state, { at: at + drawFrom(state, think_ms), type: 'respond' })
}

export function respond(state: LineState, at: number): void {
  const one = answerOf(personOf(state.person), stateOf(state), state)
  if (one) act(state, at, one)
  else awaitAgent(state, at)
}

/** Notices that the agent begins to speak, or says more. */
export function noticeWords(state: LineState, { reply, starts_at }: { reply: string; starts_at: number }): void {
  const person = personOf(state.person)
  const { interruption } = stateOf(state)
  cancel(state, 'respond', 'silence')
  const own = state.replies.find(({ id }) => id === reply)
  const is_first = own?.parts.length === 1
  if (interruption && is_first && state.turns < turnsMax(person))
    plan(state, { at: starts_at + waitOf(state, interruption.after_ms), type: 'interrupt', reply })
  if (person.hangs_up_in_mid_sentence) planToLeave(state)
}

/** Plans that the person leaves in the second sentence of the agent, or in its second turn. */
function planToLeave(state: LineState): void {
  cancel(state, 'leave')
  const [first] = state.replies
  const words = first?.parts.flatMap(wordsOf) ?? []
  const sentence_ends = state.agent_turns > 0 ? -1 : words.findIndex(({ text }) => /[.!?]['")]*$/.test(text))
  if (state.agent_turns === 0 && sentence_ends < 0) return
  const last = words[sentence_ends + patience_words]
  if (last) plan(state, { at: (state.answered_at ?? 0) + last.end_ms, type: 'leave' })
}
