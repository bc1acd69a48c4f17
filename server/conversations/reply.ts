import { cutAtSentence } from './cut.ts'
import type { CloseReason, Effect, EndReason, ReplyOutcome } from './input.ts'
import {
  calls_max,
  type Ending,
  type Entry,
  history_turns,
  not_spoken,
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
  /** Ends the conversation. */
  close: (reason: CloseReason, end_reason?: EndReason) => void
  /** Answers what the contact has said. */
  answer: (id: string) => void
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
  voice: not_spoken,
})

/** The agent speaks first: its greeting, or what the model says. */
export function open(step: Step, id: string): void {
  const { state } = step
  const { greeting, voice } = state.settings
  const reply = newReply(id)
  state.reply = reply
  if (voice?.notice) say(step, reply, greeting === null ? `${voice.notice} ` : `${voice.notice} ${greeting}`)
  else if (greeting !== null) say(step, reply, greeting)
  if (greeting === null) ask(step, reply, { is_opening: true })
  else finish(step, reply, 'done')
}

/** Asks the model, or waits for tools of an earlier reply first. A reminder is for a contact that says nothing. */
export function begin(step: Step, id: string, { is_reminder = false } = {}): void {
  const { state } = step
  state.reply = { ...newReply(id), voice: { ...not_spoken, is_reminder } }
  if (state.open_runs.length > 0) state.phase = 'working'
  else ask(step, state.reply)
}

function ask({ state, effects }: Step, reply: Reply, { is_opening = false } = {}): void {
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
  const is_silence = reply.voice.is_reminder
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
  if (ended.status === 'succeeded' && call.name === 'opt_out') optOut(step)
  const { reply } = state
  if (!reply) return
  // What an earlier reply wanted no longer holds, because the contact has said something since.
  if (reply.id === reply_id && ended.status === 'succeeded') {
    reply.ending = endingAfter(state, call) ?? reply.ending
    if (state.voice) press(step, call)
  }
  if (state.open_runs.length === 0) continueReply(step, reply)
}

/** In a call it is recorded at once, because the contact may interrupt the last words. In text the tool itself has done so. */
function optOut({ state: { voice }, effects }: Step): void {
  if (!voice || voice.has_opted_out) return
  voice.has_opted_out = true
  effects.push({ type: 'opt_out' })
}

function press({ effects }: Step, { name, arguments: values }: ToolCall): void {
  const { digits } = Object(values)
  if (name === 'press_digits' && typeof digits === 'string') effects.push({ type: 'press', digits })
}

function endingAfter({ settings }: State, { name, arguments: values }: ToolCall): Ending | undefined {
  if (name === 'end_conversation') return { type: 'close', reason: null }
  if (name === 'opt_out') return { type: 'opt_out', reason: null }
  const { reason, to } = Object(values)
  if (name === 'transfer') return typeof to === 'string' ? { type: 'transfer', reason: to } : undefined
  const is_handed_over = name === 'hand_over' && settings.can_hand_over
  return is_handed_over ? { type: 'hand_over', reason: typeof reason === 'string' ? reason : null } : undefined
}

/** After tools. If one has ended the conversation and nothing was said, the model is asked for last words. */
function continueReply(step: Step, reply: Reply): void {
  const has_last_words = reply.text !== '' || !step.state.settings.has_last_words
  const has_person = reply.ending?.type === 'hand_over' || reply.ending?.type === 'transfer'
  const is_over = has_person || (reply.ending && has_last_words)
  if (is_over || reply.step >= steps_max) finish(step, reply, 'done')
  else ask(step, reply)
}

/** Ends the reply and writes its turn. In a call it first has to be heard. */
export function finish(step: Step, reply: Reply, outcome: 'done' | 'failed'): void {
  const { state, effects } = step
  const is_silent = reply.text === ''
  if (state.voice && is_silent && outcome === 'done' && hasPressed(state) && !reply.ending)
    return void endSilently(step, reply)
  const last_words = lastWords(step, reply, outcome)
  if (last_words !== null) say(step, reply, separator(reply.text, last_words) + last_words)
  const has_failed = outcome === 'failed' || (is_silent && !reply.ending)
  if (state.voice) {
    state.reply = { ...reply, voice: { ...reply.voice, outcome: has_failed ? 'failed' : 'done' } }
    state.phase = 'speaking'
    return void effects.push({ type: 'end_words', reply: reply.id })
  }
  writeReply(step, reply, outcome === 'failed' && !is_silent)
  end(step, reply, has_failed ? 'failed' : 'done')
  state.is_unanswered = false
  step.next = reply.ending
}

/** The contact has heard all of it. */
export function endSpoken(step: Step, reply: Reply, outcome: 'done' | 'failed'): void {
  writeReply(step, reply, false)
  end(step, reply, outcome)
  step.state.is_unanswered = false
  step.next = reply.ending
}

const hasPressed = ({ ended_runs }: State): boolean => ended_runs.some(({ name }) => name === 'press_digits')

/** The agent has only pressed keys. They are part of its next turn. */
function endSilently(step: Step, reply: Reply): void {
  forgetWords(step.state)
  end(step, reply, 'done')
  step.state.is_unanswered = false
}

/** What is said if the model has said nothing, or when a person takes over. */
function lastWords({ state }: Step, { text, ending, voice }: Reply, outcome: 'done' | 'failed'): string | null {
  const { sentences, hand_over_message } = state.settings
  const must_explain = text === '' || outcome === 'failed'
  if (voice.is_reminder && !ending) return text === '' ? sentences.still_there : null
  if (ending?.type === 'transfer') return text === '' ? sentences.one_moment : null
  if (ending?.type === 'hand_over') return hand_over_message ?? (must_explain ? sentences.handed_over : null)
  if (text !== '') return null
  return ending ? sentences.goodbye : sentences.failed
}

/** Something comes between. What was shown so far stays, with a mark where it was cut. Tools go on. */
export function interrupt(step: Step, outcome: 'interrupted' | 'superseded'): void {
  const { reply, phase } = step.state
  if (!reply) return
  // In a call the line is cleared before anything else is stopped.
  if (step.state.voice) step.effects.push({ type: 'clear', reply: reply.id })
  if (phase === 'thinking') step.effects.push({ type: 'stop_asking', reply: reply.id })
  const is_known = reply.is_shown || reply.voice.played.length > 0
  if (reply.text !== '' && is_known) writeReply(step, reply, true)
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

/** In a call the model only learns what was heard. */
function writeReply({ state, effects }: Step, { id, text, usage, voice }: Reply, is_interrupted: boolean): void {
  const runs = state.ended_runs
  state.ended_runs = []
  const said = text.trim()
  const speech = voice.played
  const heard = is_interrupted ? speech.map((part) => part.text.trim()).join(' ') : said
  const turn = { role: 'agent' as const, reply: id, text: state.voice ? said : text, is_interrupted, runs, usage }
  remember(state, { role: 'agent', text: state.voice ? heard : text, is_cut: is_interrupted, runs })
  effects.push({ type: 'write', turn: state.voice ? { ...turn, spoken: { heard, speech } } : turn })
}

export function remember(state: State, entry: Entry): void {
  state.history = [...state.history, entry].slice(-history_turns)
  state.turns += 1
  delete state.timers.idle
}
