import { wordOf } from '../consent/words.ts'
import { endWords, type VoiceStep } from './contact-words.ts'
import type { CloseReason, Effect, EndReason, Input, InputOf } from './input.ts'
import * as replies from './reply.ts'
import { remember, type Step } from './reply.ts'
import type { Ending, State, TimerName } from './state.ts'
import * as voice from './voice.ts'

/** Says what happens next in a conversation. It has no clock and no randomness: times and ids come with the input. */
export function step(before: State, input: Input): { state: State; effects: Effect[] } {
  const state = {
    ...before,
    reply: before.reply && { ...before.reply },
    timers: { ...before.timers },
    voice: before.voice && { ...before.voice },
  }
  const current: Step = {
    state,
    effects: [],
    now: input.now,
    next: null,
    close: (reason, end_reason) => close(current, reason, end_reason),
    answer: (id) => answer(current, id),
  }
  if (state.phase !== 'ended') take(current, input)
  if (current.next) endAs(current, current.next)
  setTimers(current)
  return { state, effects: current.effects }
}

/** Ends the agent's part of the conversation as its reply has decided. */
function endAs(step: Step, { type, reason }: Ending): void {
  if (type === 'hand_over') return void handOver(step, reason)
  if (type === 'transfer') return void transfer(step, reason ?? '')
  // In a call the opt-out was recorded before, by its tool or when the contact's words were taken.
  if (type === 'opt_out' && !step.state.voice) step.effects.push({ type: 'opt_out' })
  close(step, endings[type].reason, endings[type].end_reason)
}

const endings: Record<
  Exclude<Ending['type'], 'hand_over' | 'transfer'>,
  { reason: CloseReason; end_reason: EndReason }
> = {
  close: { reason: 'agent_ended', end_reason: 'agent_hung_up' },
  opt_out: { reason: 'opted_out', end_reason: 'opted_out' },
  limit: { reason: 'limit', end_reason: 'agent_hung_up' },
  voicemail_left: { reason: 'agent_ended', end_reason: 'voicemail_left' },
}

function transfer({ state, effects }: Step, to: string): void {
  state.phase = 'transferring'
  effects.push({ type: 'transfer', to })
}

const isVoice = (step: Step): step is VoiceStep => step.state.voice !== null

function take(step: Step, input: Input): void {
  switch (input.type) {
    case 'opened':
      if (step.state.turns === 0 && !step.state.reply) replies.open(step, input.id)
      break
    case 'message':
      hear(step, input)
      break
    case 'resumed':
      answerIfNeeded(step, input.id)
      break
    case 'shown':
      if (step.state.reply?.id === input.reply) step.state.reply.is_shown = true
      break
    case 'piece':
    case 'tool_call':
    case 'asked':
    case 'ask_failed':
      takeAnswer(step, input)
      break
    case 'tool_done':
      replies.endRun(step, input.run, { status: input.status, result: input.result })
      break
    case 'timer':
      takeTimer(step, input)
      break
    case 'left':
      replies.interrupt(step, 'interrupted')
      break
    case 'handed_over':
      handOver(step, input.reason)
      break
    case 'answer':
      takeAnswerOfPerson(step, input)
      break
    case 'taken_back':
      takeBack(step, input.id)
      break
    case 'close':
      close(step, input.reason, input.end_reason)
      break
    case 'limit':
      closeAtLimit(step, input.id)
      break
    default:
      if (isVoice(step)) voice.takeVoice(step, input)
  }
}

/** Every phase that waits has a timer. A time that is set stays, unless the step has deleted it. */
function setTimers(step: Step): void {
  const { state, now } = step
  const { phase, settings, reply, timers } = state
  const is_waiting: Record<(typeof timer_names)[number], boolean> = {
    idle: !state.voice && (phase === 'listening' || phase === 'handed_over'),
    first_piece: phase === 'thinking' && reply?.has_piece === false,
    answer: phase === 'thinking',
    tools: phase !== 'ended' && state.open_runs.length > 0,
    person: phase === 'handed_over' && awaitsPerson(state),
  }
  state.timers = {}
  for (const name of timer_names)
    if (is_waiting[name]) state.timers[name] = timers[name] ?? now + settings[`${name}_ms`]
  if (!isVoice(step)) return
  for (const [name, due] of Object.entries(voice.voiceTimes(step)) as [TimerName, number][])
    state.timers[name] = timers[name] ?? due
}

/** Returns true while a person has not answered, and the contact was not told so. */
export const awaitsPerson = ({ history }: Pick<State, 'history'>): boolean =>
  !['human', 'system'].includes(history.at(-1)?.role ?? 'system')

const timer_names = ['idle', 'first_piece', 'answer', 'tools', 'person'] as const

function hear(step: Step, { id, text, asks_for_person = false }: InputOf<'message'>): void {
  const { state, effects } = step
  const { settings } = state
  replies.interrupt(step, 'superseded')
  remember(state, { role: 'contact', text, is_cut: false, asks_for_person, runs: [] })
  state.is_unanswered = true
  const said = settings.obeys_stop_words ? wordOf(text) : undefined
  if (said?.word === 'opt_out') {
    const shown = { rule: 'word' as const, language: said.languages[0]?.tag ?? '', words: said.text }
    effects.push({ type: 'opt_out', shown })
    close(step, 'opted_out')
  } else if (state.phase !== 'handed_over') answer(step, id)
}

function answer(step: Step, id: string): void {
  const { turns, tokens, settings } = step.state
  const has_many_turns = !settings.voice && turns > settings.turns_max
  if (has_many_turns || tokens > settings.tokens_max) closeAtLimit(step, id)
  else replies.begin(step, id)
}

/** Takes what comes from the model. An input for another reply changes nothing. */
function takeAnswer(step: Step, input: Exclude<Extract<Input, { reply: string }>, { type: 'shown' }>): void {
  const { reply, phase } = step.state
  if (reply?.id !== input.reply || phase !== 'thinking') return
  if (input.type === 'piece') replies.addPiece(step, reply, input.text)
  else if (input.type === 'tool_call') replies.addCall(reply, input.call)
  else if (input.type === 'asked') {
    if (input.is_uninterruptible) reply.voice = { ...reply.voice, is_uninterruptible: true }
    replies.endAnswer(step, reply, input)
  } else replies.failAnswer(step, reply)
}

function takeTimer(step: Step, { name, id = '' }: InputOf<'timer'>): void {
  const { state, effects, now } = step
  const { reply, timers, settings } = state
  if ((timers[name] ?? Number.POSITIVE_INFINITY) > now) return
  delete timers[name]
  if (voice.isVoiceTimer(name)) {
    if (isVoice(step)) voice.takeVoiceTimer(step, name, id)
  } else if (name === 'person' && isVoice(step)) voice.endHandOver(step, id)
  else if (name === 'idle') close(step, 'idle')
  else if (name === 'tools') stopTools(step)
  else if (name === 'person') write(step, 'system', settings.sentences.nobody_yet)
  else if (reply) {
    effects.push({ type: 'stop_asking', reply: reply.id })
    replies.failAnswer(step, reply)
  }
}

function stopTools(step: Step): void {
  for (const { run } of step.state.open_runs) {
    step.effects.push({ type: 'stop_tool', run })
    replies.endRun(step, run, { status: 'timeout', result: 'The tool did not answer in time.' })
  }
}

/** A person answers from now on. Tools that have started are not stopped. */
function handOver(step: Step, reason: string | null): void {
  const { state, effects } = step
  if (state.phase === 'handed_over') return
  replies.interrupt(step, 'interrupted')
  state.phase = 'handed_over'
  effects.push({ type: 'hand_over', reason })
}

/** Takes the answer of a person. In a call it is spoken now, and its turn is written already. */
function takeAnswerOfPerson(step: Step, { text, id = '' }: InputOf<'answer'>): void {
  const { state, effects } = step
  if (state.phase !== 'handed_over') return
  state.is_unanswered = false
  if (!state.voice) return void write(step, 'human', text)
  remember(state, { role: 'human', text, is_cut: false, runs: [] })
  effects.push({ type: 'say', reply: id, text }, { type: 'end_words', reply: id })
}

function takeBack(step: Step, id: string): void {
  if (step.state.phase !== 'handed_over') return
  step.state.phase = 'listening'
  if (step.state.voice) step.state.voice.silent_since = step.now
  answerIfNeeded(step, id)
}

function answerIfNeeded(step: Step, id: string): void {
  const { phase, is_unanswered } = step.state
  if (phase === 'listening' && is_unanswered) answer(step, id)
}

function closeAtLimit(step: Step, id = ''): void {
  replies.interrupt(step, 'interrupted')
  if (isVoice(step)) return void voice.endAtLimit(step, id)
  write(step, 'system', step.state.settings.sentences.limit)
  close(step, 'limit')
}

function close(step: Step, reason: CloseReason, end_reason: EndReason = 'agent_hung_up'): void {
  replies.interrupt(step, 'interrupted')
  if (isVoice(step)) endWords(step)
  step.state.phase = 'ended'
  step.state.open_runs = []
  step.effects.push({ type: 'close', reason, ...(step.state.voice && { end_reason }) })
}

function write({ state, effects }: Step, role: 'human' | 'system', text: string): void {
  const usage = { input_tokens: 0, output_tokens: 0 }
  remember(state, { role, text, is_cut: false, runs: [] })
  effects.push({ type: 'write', turn: { role, reply: null, text, is_interrupted: false, runs: [], usage } })
}
