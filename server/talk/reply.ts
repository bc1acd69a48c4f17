import { findConfirmed, noteAsked, noteTooLong, questionOf, readBack } from './confirm.ts'
import { cutAtSentence, isReadable } from './cut.ts'
import type { CloseReason, Effect, EndReason, InputOf, ModelFinishReason, ReplyOutcome } from './input.ts'
import { sms_characters_max } from './settings.ts'
import {
  type Ending,
  type Entry,
  history_turns,
  newReply,
  not_spoken,
  type Reply,
  type State,
  steps_max,
  type ToolCall,
  type ToolQuestion,
  type ToolStatus,
  tool_calls_max,
} from './state.ts'
import { endingAfter, leavesAnswerOwed, optOut, press } from './tool-ends.ts'
import { sortCalls } from './tool-rules.ts'

/** Holds one step of the engine. Its state and its reply are copies, which functions that take the step change. */
export interface Step {
  state: State
  effects: Effect[]
  now: number
  /** Set when a reply ends the conversation or hands it over. */
  next: Ending | null
  /** Ends the conversation. */
  close: (reason: CloseReason, end_reason?: EndReason) => void
  /** Answers what the contact has said. */
  answer: (id: string) => void
}

/** The agent speaks first: its greeting, or what the model says. `before` is said before that. */
export function open(step: Step, id: string, before = ''): void {
  const { state } = step
  const { greeting } = state.settings
  const reply = { ...newReply(id), is_opening: true }
  state.reply = reply
  sayFirst(step, reply, before)
  if (greeting !== null) {
    sayAll(step, reply, greeting)
    finish(step, reply, 'done')
  } else askOrWait(step, reply)
}

/** Says `before`, and then the notice if the contact has not heard it. */
export function sayFirst(step: Step, reply: Reply, before = ''): void {
  const { voice, settings } = step.state
  const is_due = voice?.is_notice_due ?? false
  const text = before + (is_due ? `${settings.voice?.notice} ` : '')
  if (text !== '') say(step, reply, text, is_due ? { is_uninterruptible: true } : {})
  if (is_due) reply.voice = { ...reply.voice, notice_length: text.length }
}

/**
 * Asks the model, or waits for tools of an earlier reply first. If the contact has said yes to a tool, it runs before. A reminder is
 * for a contact that says nothing.
 */
export function begin(step: Step, id: string, { is_reminder = false } = {}): void {
  const { state } = step
  state.reply = { ...newReply(id), voice: { ...not_spoken, is_reminder } }
  sayFirst(step, state.reply)
  const confirmed = is_reminder ? undefined : findConfirmed(state)
  if (confirmed) runConfirmed(step, state.reply, confirmed)
  else askOrWait(step, state.reply)
}

/**
 * Runs the tool that the contact has confirmed. The run gets the id of the reply, because a reply confirms at most one.
 */
function runConfirmed(step: Step, reply: Reply, { name, arguments: values }: ToolCall): void {
  const { state, effects } = step
  if (state.voice) say(step, reply, `${state.settings.sentences.one_moment} `)
  const call = { run: reply.id, name, arguments: values, after: reply.text.length }
  if (state.ended_runs.length + state.open_runs.length === 0) state.turns_before_runs = state.turns
  state.open_runs = [...state.open_runs, { ...call, reply: reply.id }]
  state.phase = 'working'
  effects.push({ type: 'run_tool', reply: reply.id, call })
}

function askOrWait(step: Step, reply: Reply): void {
  if (step.state.open_runs.length > 0) step.state.phase = 'working'
  else ask(step, reply)
}

/** A request that is repeated, with the other model, is the same: it knows nothing of what was said while it was made. */
function ask({ state, effects }: Step, reply: Reply, { is_repeated = false } = {}): void {
  if (!is_repeated) {
    reply.step += 1
    reply.known_length = reply.text.length
  }
  const runs = state.ended_runs
  const text = reply.text.slice(0, reply.known_length)
  const so_far: Entry = { role: 'agent', text, is_cut: false, runs }
  const history = text !== '' || runs.length > 0 ? insertBefore(state, so_far) : state.history
  Object.assign(reply, { has_piece: false, has_words: false, finish_reason: 'stop', calls: [] })
  state.phase = 'thinking'
  delete state.timers.first_piece
  delete state.timers.answer
  const { id, step, is_fallback } = reply
  const is_silence = reply.voice.is_reminder
  const is_opening = reply.is_opening && step === 1
  const request = { reply: id, step, is_fallback, has_tools: offersTools(reply), history }
  effects.push({ type: 'ask', ...request, ...(is_silence && { is_silence }), ...(is_opening && { is_opening }) })
}

/** What was said since the tools began comes after their results. */
function insertBefore({ history, turns, turns_before_runs }: State, so_far: Entry): Entry[] {
  const later = so_far.runs.length > 0 ? Math.min(turns - turns_before_runs, history.length) : 0
  return history.toSpliced(history.length - later, 0, so_far)
}

/** The last request of a reply, and the one for the last words of a conversation, offer no tools. */
const offersTools = ({ step, ending }: Reply): boolean => step < steps_max && !ending

export function addPiece(step: Step, reply: Reply, words: string): void {
  const piece = reply.has_piece ? words : separator(reply.text, words) + words
  const text = cutAtSentence(reply.text + piece, step.state.settings.reply_characters_max)
  const is_cut = text.length < reply.text.length + piece.length
  reply.has_piece = true
  // What was said can't be taken back.
  const said = text.slice(reply.text.length)
  if (said !== '') say(step, reply, said)
  if (isReadable(said)) Object.assign(reply, { has_words: true, has_answer: true })
  if (!is_cut) return
  step.effects.push({ type: 'stop_asking', reply: reply.id })
  reply.finish_reason = 'length'
  if (reply.has_answer) finish(step, reply, 'done')
  else giveUp(step, reply, 'There was no room for the answer after what was said before.')
}

/** Says words that answer the contact by themselves. */
export function sayAll(step: Step, reply: Reply, text: string): void {
  say(step, reply, text)
  reply.has_answer = true
}

/** Says words that don't count as an answer: they may only fill the time until the model answers. */
export function say(
  { effects }: Step,
  reply: Reply,
  text: string,
  options: { is_uninterruptible?: boolean } = {},
): void {
  reply.text += text
  effects.push({ type: 'say', reply: reply.id, text, ...options })
}

export function addCall(reply: Reply, call: Omit<ToolCall, 'after'>): void {
  reply.has_piece = true
  reply.calls = [...reply.calls, { ...call, after: reply.text.length }]
}

/** The model's answer is complete. The tools that it called run now. */
export function endAnswer(step: Step, reply: Reply, { usage, finish_reason = 'stop', script }: InputOf<'asked'>): void {
  const { state, effects } = step
  reply.finish_reason = finish_reason
  // With a tool in between, a reply has several answers: the first one knows what began it.
  if (script) reply.script = { ...(reply.script ?? script), step: script.step }
  state.tokens += usage.input_tokens + usage.output_tokens
  reply.usage = {
    input_tokens: reply.usage.input_tokens + usage.input_tokens,
    output_tokens: reply.usage.output_tokens + usage.output_tokens,
  }
  const sorted = sortCalls(state, reply.calls, offersTools(reply) ? tool_calls_max : 0)
  const { refused, asks } = sorted
  const allowed = sayWhile(step, reply, sorted.allowed)
  const had_runs = state.ended_runs.length > 0
  state.ended_runs = [...state.ended_runs, ...refused]
  reply.asks = asks ? readBack(asks.call, asks.sentence, state.settings.sentences.is_that_right) : null
  state.open_runs = allowed.map((call) => ({ ...call, reply: reply.id }))
  if (state.ended_runs.length + allowed.length > 0 && !had_runs) state.turns_before_runs = state.turns
  for (const call of allowed) effects.push({ type: 'run_tool', reply: reply.id, call })
  if (allowed.length > 0) state.phase = 'working'
  else if (refused.length > 0) continueReply(step, reply)
  else if (reply.ending || reply.voice.is_reminder || isAnswered(state, reply)) finish(step, reply, 'done')
  else failAnswer(step, reply, without_words[finish_reason])
}

/** Says why an answer without words has failed, by the model's reason to end it. */
const without_words: Record<ModelFinishReason, string> = {
  stop: 'The answer had no words.',
  length: 'The answer had no words before it reached the length limit of the model.',
  content_filter: "The answer had no words: the provider's filter ended it.",
}

/** Says something while tools run, unless the agent has said something already. Returns the calls, which come after it. */
function sayWhile(step: Step, reply: Reply, calls: ToolCall[]): ToolCall[] {
  const { say_while } = step.state.settings
  const words = calls.map(({ name }) => (Object.hasOwn(say_while, name) ? say_while[name] : undefined)).find(Boolean)
  if (words === undefined || reply.text !== '') return calls
  say(step, reply, words)
  return calls.map((call) => ({ ...call, after: reply.text.length }))
}

/**
 * The model has failed, takes too long, or has said nothing at all. If this request has no words, the other model is asked.
 * The driver knows why a request has failed, if `error` doesn't say it.
 */
export function failAnswer(step: Step, reply: Reply, error: string | null = null): void {
  if (reply.has_words || !step.state.settings.has_fallback || reply.is_fallback) return void giveUp(step, reply, error)
  Object.assign(reply, { is_fallback: true, error })
  ask(step, reply, { is_repeated: true })
}

/** No model can answer. The contact is told so, or a person takes over: never silence. */
function giveUp(step: Step, reply: Reply, error: string | null): void {
  const { hands_over_on_failure, can_hand_over, has_last_words } = step.state.settings
  reply.error = error
  const asks_for_person = step.state.history.findLast(({ role }) => role === 'contact')?.asks_for_person
  // A script is followed to the letter, also where it says nothing.
  const needs_person = asks_for_person || (hands_over_on_failure && (has_last_words || error === null))
  if (needs_person && can_hand_over) reply.ending ??= { type: 'hand_over', reason: 'No model could answer.' }
  finish(step, reply, 'failed')
}

export function endRun(step: Step, run: string, ended: { status: ToolStatus; result: unknown }): void {
  const { state } = step
  const open = state.open_runs.find((one) => one.run === run)
  if (!open) return
  const { reply: reply_id, ...call } = open
  state.open_runs = state.open_runs.filter((one) => one !== open)
  state.ended_runs = [...state.ended_runs, { ...call, ...ended }]
  if (ended.status === 'succeeded' && call.name === 'opt_out') optOut(step)
  const { reply } = state
  // Words that no model has made, such as a reminder, don't wait for tools.
  if (!reply || state.phase !== 'working') return
  // What an earlier reply wanted no longer holds, because the contact has said something since.
  if (reply.id === reply_id && ended.status === 'succeeded') {
    reply.ending = endingAfter(state, call) ?? reply.ending
    if (state.voice) press(step, call)
  }
  if (leavesAnswerOwed(state, { ...call, ...ended })) reply.has_answer = false
  if (state.open_runs.length === 0) continueReply(step, reply)
}

/** Continues after tools. If one has ended the conversation and nothing was said, the model is asked for last words. */
function continueReply(step: Step, reply: Reply): void {
  const has_last_words = reply.has_answer || !step.state.settings.has_last_words
  const has_person = reply.ending?.type === 'hand_over' || reply.ending?.type === 'transfer'
  if (has_person || (reply.ending && has_last_words)) return void finish(step, reply, 'done')
  if (reply.asks && !reply.ending && hasAsked(step, reply, reply.asks)) return void finish(step, reply, 'done')
  if (reply.step < steps_max) return void ask(step, reply)
  reply.finish_reason = 'tool_loop'
  giveUp(step, reply, `The model called tools in each of ${steps_max} requests.`)
}

/** Asks the contact whether a tool is to run. Returns false if there is no room: nobody can say yes to what was cut. */
function hasAsked(step: Step, reply: Reply, asks: ToolQuestion): boolean {
  const { state } = step
  const question = separator(reply.text, questionOf(asks)) + questionOf(asks)
  const is_too_long = [...reply.text, ...question].length > state.settings.reply_characters_max
  state.ended_runs = (is_too_long ? noteTooLong : noteAsked)(state.ended_runs, asks)
  if (is_too_long) reply.asks = null
  else sayAll(step, reply, question)
  return !is_too_long
}

/** Ends the reply and writes its turn. In a call it first has to be heard. */
export function finish(step: Step, reply: Reply, outcome: 'done' | 'failed'): void {
  const { state, effects } = step
  if (state.voice && reply.text === '' && outcome === 'done' && hasPressed(state) && !reply.ending)
    return void endSilently(step, reply)
  const last_words = lastWords(state, reply, outcome)
  if (last_words !== null) {
    reply.text = withRoomFor(last_words, state, reply)
    say(step, reply, separator(reply.text, last_words) + last_words)
  }
  if (outcome === 'failed' && reply.finish_reason !== 'tool_loop') reply.finish_reason = 'failed'
  if (state.voice) {
    state.reply = { ...reply, voice: { ...reply.voice, outcome } }
    state.phase = 'speaking'
    const { is_uninterruptible } = reply.voice
    return void effects.push({ type: 'end_words', reply: reply.id, ...(is_uninterruptible && { is_uninterruptible }) })
  }
  complete(step, reply, outcome)
}

/** Returns what is said if nothing has answered the contact, or when a person takes over. */
function lastWords(state: State, reply: Reply, outcome: 'done' | 'failed'): string | null {
  const { sentences, hand_over_message } = state.settings
  const { ending, text, voice } = reply
  const must_explain = outcome === 'failed' || !isAnswered(state, reply)
  if (ending?.type === 'transfer') return text === '' ? sentences.one_moment : null
  if (ending?.type === 'hand_over') return hand_over_message ?? (must_explain ? sentences.handed_over : null)
  if (!must_explain) return null
  if (ending) return sentences.goodbye
  return voice.is_reminder ? sentences.still_there : sentences.failed
}

/** Returns whether nothing more has to be said. In a call an agent may only press keys. */
const isAnswered = (state: State, { has_answer, ending }: Reply): boolean =>
  has_answer || (state.voice !== null && !ending && hasPressed(state))

const hasPressed = ({ ended_runs }: State): boolean => ended_runs.some(({ name }) => name === 'press_digits')

/** Shortens what nobody has seen yet, so that it fits into one message with the last words: carriers refuse longer ones. */
function withRoomFor(last_words: string, { settings, voice }: State, { text, is_shown }: Reply): string {
  if (voice || is_shown) return text
  const characters_max = Math.max(settings.reply_characters_max, sms_characters_max)
  return cutAtSentence(text, characters_max - last_words.length - 1)
}

/** Words that were not made together are separated by a space. */
const separator = (before: string, after: string): string =>
  before === '' || /\s$/.test(before) || /^\s/.test(after) ? '' : ' '

/** Writes the turn of a reply that the contact has got in full, and ends the reply. */
export function complete(step: Step, reply: Reply, outcome: 'done' | 'failed'): void {
  writeReply(step, reply, { is_interrupted: false })
  end(step, reply, outcome)
  step.state.is_unanswered = false
  step.next = reply.ending
}

/** The agent has only pressed keys. They are part of its next turn. */
function endSilently(step: Step, reply: Reply): void {
  forgetWords(step.state)
  end(step, reply, 'done')
  step.state.is_unanswered = false
}

/**
 * Interrupts the reply. Its words that were shown stay as a turn, with a mark where it was cut, and its tools go on.
 */
export function interrupt(step: Step, outcome: 'interrupted' | 'superseded'): void {
  const { reply, phase } = step.state
  if (!reply) return
  // In a call the line is cleared before anything else is stopped.
  if (step.state.voice) step.effects.push({ type: 'clear', reply: reply.id })
  if (phase === 'thinking') step.effects.push({ type: 'stop_asking', reply: reply.id })
  const is_known = reply.is_shown || reply.voice.played.length > 0
  if (reply.text !== '' && is_known) writeReply(step, reply, { is_interrupted: true })
  else forgetWords(step.state)
  end(step, reply, outcome)
}

/** Makes the tools of a reply whose words nobody has seen part of the next reply. */
function forgetWords(state: State): void {
  state.ended_runs = state.ended_runs.map((run) => ({ ...run, after: 0 }))
  state.open_runs = state.open_runs.map((run) => ({ ...run, after: 0 }))
}

function end({ state, effects }: Step, reply: Reply, outcome: ReplyOutcome): void {
  effects.push({ type: 'end_reply', reply: reply.id, outcome })
  state.reply = null
  state.phase = 'listening'
}

/** Writes the reply as a turn. In a call the model only learns the words that were heard. */
function writeReply({ state, effects }: Step, reply: Reply, { is_interrupted }: { is_interrupted: boolean }): void {
  const { id, text, usage, voice, error } = reply
  const finish_reason = is_interrupted ? 'interrupted' : reply.finish_reason
  const runs = state.ended_runs
  state.ended_runs = []
  const said = text.trim()
  const speech = voice.played
  const heard = is_interrupted ? speech.map((part) => part.text.trim()).join(' ') : said
  const ended = { is_interrupted, finish_reason, error, ...(reply.script && { script: reply.script }) }
  const turn = { role: 'agent' as const, reply: id, text: state.voice ? said : text, ...ended, runs, usage }
  const entry: Entry = { role: 'agent', text: state.voice ? heard : text, is_cut: is_interrupted, runs }
  remember(state, voice.asks_to_stop ? { ...entry, asks_to_stop: true } : entry)
  effects.push({ type: 'write', turn: state.voice ? { ...turn, spoken: { heard, speech } } : turn })
}

export function remember(state: State, entry: Entry): void {
  state.history = [...state.history, entry].slice(-history_turns)
  if (entry.role === 'contact') noteWords(state)
  state.turns += 1
  delete state.timers.idle
}

/** The contact has spoken: what tools have done before is no longer part of the answer to it. */
function noteWords(state: State): void {
  state.ended_runs = state.ended_runs.map((run) => ({ ...run, before_words: 'ended' }))
  state.open_runs = state.open_runs.map((run) => ({ ...run, before_words: 'begun' }))
}
