import { cutAtSentence } from './cut.ts'
import type { Effect, ReplyOutcome } from './input.ts'
import {
  calls_max,
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
  next: Exclude<Reply['next'], 'listen'> | undefined
}

export const newReply = (id: string): Reply => ({
  id,
  step: 0,
  is_fallback: false,
  text: '',
  has_piece: false,
  calls: [],
  next: 'listen',
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
  const history = has_begun ? [...state.history, so_far] : state.history
  reply.step += 1
  reply.has_piece = false
  reply.calls = []
  state.phase = 'thinking'
  delete state.timers.first_piece
  delete state.timers.answer
  const { id, step, is_fallback } = reply
  effects.push({ type: 'ask', reply: id, step, is_fallback, has_tools: offersTools(reply), history })
}

/** The last request of a reply, and the one for the last words of a conversation, offer no tools. */
const offersTools = ({ step, next }: Reply): boolean => step < steps_max && next === 'listen'

export function addPiece(step: Step, reply: Reply, piece: string): void {
  const text = cutAtSentence(reply.text + piece, step.state.settings.reply_characters_max)
  const is_cut = text.length < reply.text.length + piece.length
  reply.has_piece = true
  // What was said can't be taken back.
  if (text.length > reply.text.length) say(step, reply, text.slice(reply.text.length))
  if (!is_cut) return
  step.effects.push({ type: 'stop_asking', reply: reply.id })
  finish(step, reply, 'done')
}

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
  const refusal = { status: 'failed', result: 'This tool was not run: too many were called.' } as const
  state.ended_runs = [...state.ended_runs, ...refused.map((call) => ({ ...call, ...refusal }))]
  state.open_runs = allowed.map((call) => ({ ...call, reply: reply.id }))
  for (const call of allowed) effects.push({ type: 'run_tool', reply: reply.id, call })
  if (allowed.length > 0) state.phase = 'working'
  else if (refused.length > 0) continueReply(step, reply)
  else finish(step, reply, 'done')
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
  if (is_silent && hands_over_on_failure && can_hand_over) reply.next = 'hand_over'
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
  if (reply.id === reply_id && ended.status === 'succeeded') reply.next = nextAfter(state, call.name) ?? reply.next
  if (state.open_runs.length === 0) continueReply(step, reply)
}

function nextAfter({ settings }: State, tool: string): Reply['next'] | undefined {
  if (tool === 'end_conversation') return 'close'
  return tool === 'hand_over' && settings.can_hand_over ? 'hand_over' : undefined
}

/** After tools. If one has ended the conversation and nothing was said, the model is asked for last words. */
function continueReply(step: Step, reply: Reply): void {
  const is_over = reply.next === 'hand_over' || (reply.next === 'close' && reply.text !== '')
  if (is_over || reply.step >= steps_max) finish(step, reply, 'done')
  else ask(step, reply)
}

/** Ends the reply and writes its turn. */
export function finish(step: Step, reply: Reply, outcome: 'done' | 'failed'): void {
  const { state } = step
  const { sentences } = state.settings
  const is_silent = reply.text === ''
  if (is_silent) say(step, reply, reply.next === 'hand_over' ? sentences.handed_over : sentences.failed)
  const has_failed = outcome === 'failed' || (is_silent && reply.next !== 'hand_over')
  writeReply(step, reply, outcome === 'failed' && !is_silent)
  end(step, reply, has_failed ? 'failed' : 'done')
  state.is_unanswered = false
  if (reply.next !== 'listen') step.next = reply.next
}

/** Something comes between. What was said so far stays, with a mark where it was cut. Tools go on. */
export function interrupt(step: Step, outcome: 'interrupted' | 'superseded'): void {
  const { reply, phase } = step.state
  if (!reply) return
  if (phase === 'thinking') step.effects.push({ type: 'stop_asking', reply: reply.id })
  if (reply.text !== '') writeReply(step, reply, true)
  end(step, reply, outcome)
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
