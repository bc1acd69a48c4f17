import { cutAtSentence } from './cut.ts'
import type { Effect, ReplyOutcome } from './input.ts'
import {
  calls_max,
  type Ending,
  type Entry,
  history_turns,
  type Reply,
  type State,
  steps_max,
  type ToolCall,
  type ToolStatus,
  type Usage,
} from './state.ts'

/** One step of the engine. Its state is a copy. */
export interface Step {
  state: State
  effects: Effect[]
  now: number
  /** Set when a reply ends the conversation or hands it over. */
  next: Ending | null
}

export const newReply = (id: string): Reply => ({
  id,
  step: 0,
  is_fallback: false,
  text: '',
  is_shown: false,
  has_piece: false,
  calls: [],
  ending: null,
  usage: { input_tokens: 0, output_tokens: 0 },
})

/** Asks the model, or waits for tools of an earlier reply first. */
export function begin(step: Step, id: string): void {
  const { state } = step
  state.reply = newReply(id)
  if (state.open_runs.length > 0) state.phase = 'working'
  else ask(step, state.reply)
}

function ask({ state, effects }: Step, reply: Reply): void {
  const runs = state.ended_runs
  const has_begun = reply.text !== '' || runs.length > 0
  const so_far: Entry = { role: 'agent', text: reply.text, is_cut: false, runs }
  const history = has_begun ? insertBefore(state, so_far) : state.history
  reply.step += 1
  reply.has_piece = false
  reply.calls = []
  state.phase = 'thinking'
  delete state.timers.first_piece
  delete state.timers.answer
  const { id, step, is_fallback } = reply
  effects.push({ type: 'ask', reply: id, step, is_fallback, has_tools: offersTools(reply), history })
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
  if (text.length > reply.text.length) say(step, reply, text.slice(reply.text.length))
  if (!is_cut) return
  step.effects.push({ type: 'stop_asking', reply: reply.id })
  finish(step, reply, 'done')
}

/** Between the words before and after a tool. */
const separator = (before: string, after: string): string =>
  before === '' || /\s$/.test(before) || /^\s/.test(after) ? '' : ' '

export function say({ effects }: Step, reply: Reply, text: string): void {
  reply.text += text
  effects.push({ type: 'say', reply: reply.id, text })
}

export function addCall(reply: Reply, call: Omit<ToolCall, 'after'>): void {
  reply.has_piece = true
  reply.calls = [...reply.calls, { ...call, after: reply.text.length }]
}

/** The model's answer is complete. The tools that it called run now. */
export function endAnswer(step: Step, reply: Reply, usage: Usage): void {
  const { state, effects } = step
  state.tokens += usage.input_tokens + usage.output_tokens
  reply.usage = {
    input_tokens: reply.usage.input_tokens + usage.input_tokens,
    output_tokens: reply.usage.output_tokens + usage.output_tokens,
  }
  const allowed = offersTools(reply) ? reply.calls.slice(0, calls_max) : []
  const refused = reply.calls.slice(allowed.length)
  const had_runs = state.ended_runs.length > 0
  const refusal = { status: 'failed', result: 'This tool was not run: too many were called.' } as const
  state.ended_runs = [...state.ended_runs, ...refused.map((call) => ({ ...call, ...refusal }))]
  state.open_runs = allowed.map((call) => ({ ...call, reply: reply.id }))
  if (state.ended_runs.length + allowed.length > 0 && !had_runs) state.turns_before_runs = state.turns
  sayWhile(step, reply, allowed)
  for (const call of allowed) effects.push({ type: 'run_tool', reply: reply.id, call })
  if (allowed.length > 0) state.phase = 'working'
  else if (refused.length > 0) continueReply(step, reply)
  else finish(step, reply, 'done')
}

/** Says something while tools run, unless the agent has said something already. */
function sayWhile(step: Step, reply: Reply, calls: ToolCall[]): void {
  const { say_while } = step.state.settings
  const words = calls.map(({ name }) => (Object.hasOwn(say_while, name) ? say_while[name] : undefined)).find(Boolean)
  if (words !== undefined && reply.text === '') say(step, reply, words)
}

/** The model has failed or takes too long. Tries the other model, or says that it can't answer: never silence. */
export function failAnswer(step: Step, reply: Reply): void {
  const { has_fallback, hands_over_on_failure, can_hand_over } = step.state.settings
  const is_silent = reply.text === ''
  if (is_silent && has_fallback && !reply.is_fallback) {
    reply.is_fallback = true
    ask(step, reply)
    return
  }
  const asks_for_person = step.state.history.findLast(({ role }) => role === 'contact')?.asks_for_person
  if ((hands_over_on_failure || asks_for_person) && can_hand_over)
    reply.ending = { type: 'hand_over', reason: 'No model could answer.' }
  finish(step, reply, 'failed')
}

export function endRun(step: Step, run: string, ended: { status: ToolStatus; result: unknown }): void {
  const { state } = step
  const open = state.open_runs.find((one) => one.run === run)
  if (!open) return
  const { reply: reply_id, ...call } = open
  state.open_runs = state.open_runs.filter((one) => one !== open)
  state.ended_runs = [...state.ended_runs, { ...call, ...ended }]
  const { reply } = state
  if (!reply) return
  // What an earlier reply wanted no longer holds, because the contact has said something since.
  if (reply.id === reply_id && ended.status === 'succeeded') reply.ending = endingAfter(state, call) ?? reply.ending
  if (state.open_runs.length === 0) continueReply(step, reply)
}

function endingAfter({ settings }: State, { name, arguments: values }: ToolCall): Ending | undefined {
  if (name === 'end_conversation') return { type: 'close', reason: null }
  if (name === 'opt_out') return { type: 'opt_out', reason: null }
  const { reason } = Object(values)
  const is_handed_over = name === 'hand_over' && settings.can_hand_over
  return is_handed_over ? { type: 'hand_over', reason: typeof reason === 'string' ? reason : null } : undefined
}

/** After tools. If one has ended the conversation and nothing was said, the model is asked for last words. */
function continueReply(step: Step, reply: Reply): void {
  const has_last_words = reply.text !== '' || !step.state.settings.has_last_words
  const is_over = reply.ending?.type === 'hand_over' || (reply.ending && has_last_words)
  if (is_over || reply.step >= steps_max) finish(step, reply, 'done')
  else ask(step, reply)
}

/** Ends the reply and writes its turn. */
export function finish(step: Step, reply: Reply, outcome: 'done' | 'failed'): void {
  const { state } = step
  const is_silent = reply.text === ''
  const last_words = lastWords(step, reply, outcome)
  if (last_words !== null) say(step, reply, separator(reply.text, last_words) + last_words)
  const has_failed = outcome === 'failed' || (is_silent && !reply.ending)
  writeReply(step, reply, outcome === 'failed' && !is_silent)
  end(step, reply, has_failed ? 'failed' : 'done')
  state.is_unanswered = false
  step.next = reply.ending
}

/** What is said if the model has said nothing, or when a person takes over. */
function lastWords({ state }: Step, { text, ending }: Reply, outcome: 'done' | 'failed'): string | null {
  const { sentences, hand_over_message } = state.settings
  const must_explain = text === '' || outcome === 'failed'
  if (ending?.type === 'hand_over') return hand_over_message ?? (must_explain ? sentences.handed_over : null)
  if (text !== '') return null
  return ending ? sentences.goodbye : sentences.failed
}

/** Something comes between. What was shown so far stays, with a mark where it was cut. Tools go on. */
export function interrupt(step: Step, outcome: 'interrupted' | 'superseded'): void {
  const { reply, phase } = step.state
  if (!reply) return
  if (phase === 'thinking') step.effects.push({ type: 'stop_asking', reply: reply.id })
  if (reply.text !== '' && reply.is_shown) writeReply(step, reply, true)
  else forgetWords(step.state)
  end(step, reply, outcome)
}

/** The tools of a reply whose words nobody has seen are part of the next one. */
function forgetWords(state: State): void {
  state.ended_runs = state.ended_runs.map((run) => ({ ...run, after: 0 }))
  state.open_runs = state.open_runs.map((run) => ({ ...run, after: 0 }))
}

function end({ state, effects }: Step, reply: Reply, outcome: ReplyOutcome): void {
  effects.push({ type: 'end_reply', reply: reply.id, outcome })
  state.reply = null
  state.phase = 'listening'
}

function writeReply({ state, effects }: Step, { id, text, usage }: Reply, is_interrupted: boolean): void {
  const runs = state.ended_runs
  state.ended_runs = []
  remember(state, { role: 'agent', text, is_cut: is_interrupted, runs })
  effects.push({ type: 'write', turn: { role: 'agent', reply: id, text, is_interrupted, runs, usage } })
}

export function remember(state: State, entry: Entry): void {
  state.history = [...state.history, entry].slice(-history_turns)
  state.turns += 1
  delete state.timers.idle
}
