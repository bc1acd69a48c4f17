import { isBareStop, isYesToNoMore, wishIn } from '../consent/spoken.ts'
import { isYes } from './confirm.ts'
import {
  hasPressedOptOut,
  hasUnwritten,
  noteOptOut,
  questionLanguage,
  unwrittenWords,
  type VoiceStep,
  wishOf,
  writeWords,
} from './contact-words.ts'
import { hasHeard, hasHeardNotice, isAllHeard, isOverReply } from './heard.ts'
import type { VoiceInput, VoiceInputOf } from './input.ts'
import * as replies from './reply.ts'
import { type Ending, newReply, type TimerName, type VoiceTimerName } from './state.ts'
import { interrupts, isBackChannel, keys_settle_ms, settle_max_ms, settleTime } from './turn-taking.ts'

const wait_ms = {
  /** The agent waits this long for the contact's first words before it speaks. */
  opening: 1_500,
  overlap: 700,
  filler: 1_200,
  beep: 30_000,
  /** This is longer than any line takes to report what has become of a transfer. */
  transfer: 75_000,
}
/** While the contact is silent, two reminders come after these times, and then the end. */
const silence_ms = [8_000, 16_000, 20_000]
const digits_max = 50
/** A line that takes longer to play a reply has lost it. */
const speaking_ms = (text: string): number => 60_000 + 200 * text.length

export function takeVoice(step: VoiceStep, input: VoiceInput): void {
  const { state, now } = step
  const { voice } = state
  switch (input.type) {
    case 'answered':
      if (voice.answered_at !== null) return
      voice.answered_at = now
      delete state.timers.call
      break
    case 'machine':
      meetMachine(step, input)
      break
    case 'beep':
      if (state.phase === 'recording') leaveMessage(step, input.id)
      break
    case 'speech_started':
      voice.is_contact_speaking = true
      voice.hearing = ''
      if (state.phase === 'listening' || state.phase === 'settling') state.phase = 'hearing'
      delete state.timers.settle
      break
    case 'heard':
      hear(step, input)
      break
    case 'speech_stopped':
      voice.is_contact_speaking = false
      voice.hearing = ''
      if (state.phase === 'hearing') rest(step)
      break
    case 'digit':
      voice.digits = (voice.digits + input.digit).slice(0, digits_max)
      voice.are_digits_awaited = input.is_awaited ?? false
      voice.waiting_since = now
      if (mayInterruptByKey(step)) interrupt(step)
      if (state.phase === 'listening') state.phase = 'settling'
      delete state.timers.settle
      break
    case 'played':
      if (state.reply?.id !== input.reply) break
      state.reply = { ...state.reply, voice: { ...state.reply.voice, played: input.parts } }
      if (hasHeardNotice(state.reply)) voice.is_notice_due = false
      break
    case 'play_done':
      endSpeaking(step, input.reply, input)
      break
    case 'transferred':
      endTransfer(step, input)
      break
    case 'hung_up':
      hungUp(step)
      break
    case 'lost':
      step.close('error', 'carrier_error')
      break
    case 'reconnected':
      goOn(step, input)
  }
}

/** Continues after the contact was cut off for a while, which it is told before anything else. */
function goOn(step: VoiceStep, { id, text, is_end }: VoiceInputOf<'reconnected'>): void {
  const { state } = step
  const { cut_off } = state.settings.sentences
  if (text !== null && is_end) return void sayAlone(step, id, { text: `${cut_off} ${text}`, ending: 'close' })
  if (text !== null) return void sayAlone(step, id, { before: `${cut_off} `, text: withoutNotice(step, text) })
  if (!hasSpoken(state)) return void replies.open(step, id, `${cut_off} `)
  state.is_unanswered = true
  step.answer(id)
  const { reply, phase } = state
  if (reply && phase !== 'speaking') replies.say(step, reply, `${cut_off} `)
}

/** Returns words that are said again. If the notice is among them and still due, it is said before them. */
function withoutNotice({ state: { voice, settings } }: VoiceStep, text: string): string {
  return voice.is_notice_due ? text.replace(settings.voice?.notice ?? '', '').trim() : text
}

/** Takes the contact's words. Enough of them interrupt the agent; words such as "mm-hm" don't while it can be heard. */
function hear(step: VoiceStep, { text, ...heard }: VoiceInputOf<'heard'>): void {
  const { voice, reply, phase } = step.state
  const part = heard.part?.text ? heard.part : undefined
  if (part) {
    voice.parts = [...voice.parts, part]
    voice.waiting_since = step.now
  }
  voice.hearing = heard.part ? '' : text
  if (!reply || phase === 'recording') {
    if (phase === 'listening' && part) rest(step)
    delete step.state.timers.settle
    return
  }
  if (reply.voice.is_uninterruptible) return
  // "Yes" is more than a sign of listening while the agent asks whether it is to stop, or to run a tool.
  const { language } = step.state.settings
  const is_answer =
    (reply.voice.asks_to_stop && isYesToNoMore(text, questionLanguage(reply.text, language))) ||
    (reply.asks && hasHeard(reply, reply.asks.sentence) && isYes(text, language))
  const is_listening =
    part !== undefined && isBackChannel(text) && (reply.voice.asks_to_stop || isOverReply(reply, part))
  const is_enough = interrupts(text) || (part !== undefined && !is_listening)
  const is_meant = wishIn(text) !== undefined || (is_enough && !isInNotice(step))
  if (is_meant) interrupt(step)
  else if (is_listening && !is_answer) voice.parts = voice.parts.slice(0, -1)
}

/** The contact has to hear the notice before it can interrupt what follows. */
const isInNotice = ({ state: { reply, voice } }: VoiceStep): boolean =>
  voice.is_notice_due && reply !== null && reply.voice.notice_length > 0

const isUninterruptible = (step: VoiceStep): boolean =>
  step.state.reply?.voice.is_uninterruptible === true || isInNotice(step)

/** The key that ends calls for good also interrupts the notice. */
const mayInterruptByKey = (step: VoiceStep): boolean =>
  step.state.reply?.voice.is_uninterruptible === false && (hasPressedOptOut(step.state) || !isInNotice(step))

function interrupt(step: VoiceStep): void {
  replies.interrupt(step, 'interrupted')
  rest(step)
}

/** Sets what comes next when the agent says nothing. */
function rest({ state }: VoiceStep): void {
  const { voice } = state
  if (voice.is_contact_speaking) state.phase = 'hearing'
  else state.phase = hasUnwritten(voice) ? 'settling' : 'listening'
}

/** Takes the contact's words as complete, and decides what follows. */
function settle(step: VoiceStep, id: string): void {
  const { state } = step
  const wished = wishOf(step)
  const stops_words = wished?.wish === 'stop' && isForWords(step)
  if (state.phase === 'settling') state.phase = 'listening'
  if (!writeWords(step)) return
  if (stops_words) {
    state.voice.stopped_at = step.now
    return
  }
  state.is_unanswered = true
  if (wished?.wish === 'opt_out') {
    noteOptOut(step, wished.shown)
    sayAlone(step, id, { text: wished.sayings.no_more_calls, ending: 'opt_out' })
  } else if (state.phase === 'listening') {
    if (wished) sayAlone(step, id, { text: wished.sayings.no_more_question, asks_to_stop: true })
    else if (!mustWait(state)) openOrAnswer(step, id)
  }
}

/** A second "stop" within this time is about the calls, and not only about the agent's words. */
const stop_again_ms = 10_000

/** Whether a mere "stop" is meant for the words that it has interrupted: the agent is silent then, and asks nothing. */
function isForWords({ state: { voice, history }, now }: VoiceStep): boolean {
  const last = history.at(-1)
  const is_first = voice.stopped_at === null || now - voice.stopped_at > stop_again_ms
  return is_first && last?.role === 'agent' && last.is_cut && !last.asks_to_stop && isBareStop(unwrittenWords(voice))
}

/**
 * Answers the contact, or begins with the agent's own words if it has said none: also when the contact has said
 * "Hello?" before.
 */
function openOrAnswer(step: VoiceStep, id: string): void {
  if (hasSpoken(step.state)) step.answer(id)
  else replies.open(step, id)
}

/** Whether the agent must be silent: it has said its first words, and who has answered is still uncertain. */
const mustWait = (state: VoiceStep['state']): boolean => state.voice.machine === 'uncertain' && hasSpoken(state)

const hasSpoken = ({ history }: VoiceStep['state']): boolean =>
  history.some(({ role, asks_to_stop }) => role === 'agent' && !asks_to_stop)

interface Words {
  text: string
  /** These words are said before the notice. */
  before?: string
  ending?: Ending['type']
  is_uninterruptible?: boolean
  is_reminder?: boolean
  asks_to_stop?: boolean
}

/**
 * Says words that no model has made. If they end the call, they can't be interrupted. The contact need not hear the
 * notice before such words, or before it says that it wants no more calls.
 */
function sayAlone(step: VoiceStep, id: string, words: Words): void {
  const { text, before, ending, is_reminder = false, asks_to_stop = false } = words
  const reply = newReply(id)
  reply.ending = ending ? { type: ending, reason: null } : null
  reply.voice = { ...reply.voice, is_uninterruptible: ending !== undefined, is_reminder, asks_to_stop }
  if (!ending && !asks_to_stop) replies.sayFirst(step, reply, before)
  replies.sayAll(step, reply, text)
  replies.finish(step, reply, 'done')
}

/**
 * Ends a reply when the contact has heard all of it, or the line has lost the rest. What the reply wanted is done in
 * any case.
 */
function endSpeaking(step: VoiceStep, id: string, { is_lost = false } = {}): void {
  const { state, now } = step
  const { reply, voice } = state
  if (reply?.id !== id || reply.voice.outcome === null) return
  const { is_reminder } = reply.voice
  if (is_lost) {
    replies.interrupt(step, 'interrupted')
    step.next = reply.ending
  } else replies.complete(step, reply, reply.voice.outcome)
  if (hasUnwritten(voice)) voice.waiting_since = now
  rest(step)
  if (!is_reminder) voice.reminders = 0
  if (!is_reminder || voice.silent_since === null) voice.silent_since = now
}

/** Takes what has answered the call. The agent hangs up on a voicemail if it has no message for it. */
function meetMachine(step: VoiceStep, { kind, id }: VoiceInputOf<'machine'>): void {
  const { state } = step
  const { machine } = state.voice
  if (machine === kind || (state.phase === 'handed_over' && kind === 'voicemail')) return
  state.voice.machine = kind
  if (kind === 'voicemail') {
    replies.interrupt(step, 'interrupted')
    if (state.settings.voice?.voicemail_message) state.phase = 'recording'
    else step.close('agent_ended', 'voicemail_hung_up')
  } else if (machine === 'voicemail' && isForVoicemail(state)) {
    // A person speaks after all.
    interrupt(step)
  } else if (machine === 'uncertain' && state.phase === 'listening' && state.is_unanswered && hasSpoken(state))
    step.answer(id)
}

const isForVoicemail = ({ phase, reply }: VoiceStep['state']): boolean =>
  phase === 'recording' || reply?.ending?.type === 'voicemail_left'

function leaveMessage(step: VoiceStep, id: string): void {
  writeWords(step)
  const text = step.state.settings.voice?.voicemail_message ?? ''
  sayAlone(step, id, { text, ending: 'voicemail_left' })
}

function endTransfer(step: VoiceStep, { is_ok, id }: VoiceInputOf<'transferred'>): void {
  if (step.state.phase !== 'transferring') return
  if (is_ok) return void step.close('human_ended', 'transferred')
  step.state.phase = 'listening'
  sayAlone(step, id, { text: step.state.settings.sentences.not_transferred })
}

function hungUp(step: VoiceStep): void {
  const { machine, has_opted_out } = step.state.voice
  // The contact may have answered words that it was still hearing.
  replies.interrupt(step, 'interrupted')
  if (has_opted_out || wishOf(step)?.wish === 'opt_out') step.close('opted_out', 'opted_out')
  else step.close('contact_ended', machine === 'voicemail' ? 'voicemail_hung_up' : 'contact_hung_up')
}

const voice_timers = new Set<string>([
  'call',
  'opening',
  'settle',
  'overlap',
  'silence',
  'filler',
  'beep',
  'speaking',
  'transfer',
] satisfies VoiceTimerName[])

export const isVoiceTimer = (name: TimerName): name is VoiceTimerName => voice_timers.has(name)

export function takeVoiceTimer(step: VoiceStep, name: VoiceTimerName, id: string): void {
  const { state } = step
  const { reply, voice, settings } = state
  switch (name) {
    case 'call':
      return void step.close('limit', 'max_duration')
    case 'opening':
      return void replies.open(step, id)
    case 'settle':
      return void settle(step, id)
    case 'overlap':
      if (voice.hearing !== '' && !isBackChannel(voice.hearing)) interrupt(step)
      return
    case 'silence':
      return void remind(step, id)
    case 'filler':
      if (reply) replies.say(step, reply, `${settings.sentences.one_moment} `)
      return
    case 'beep':
      return void leaveMessage(step, id)
    case 'speaking':
      return void endSpeaking(step, reply?.id ?? '', { is_lost: reply !== null && !isAllHeard(reply) })
    case 'transfer':
      endTransfer(step, { type: 'transferred', is_ok: false, id })
  }
}

/** Asks whether someone is there. After the last time the agent hangs up. */
function remind(step: VoiceStep, id: string): void {
  const { voice, settings } = step.state
  if (voice.reminders + 1 >= silence_ms.length) return void step.close('idle', 'silence')
  voice.reminders += 1
  if (mustWait(step.state)) return
  if (!settings.voice?.asks_on_silence)
    return void sayAlone(step, id, { text: settings.sentences.still_there, is_reminder: true })
  replies.begin(step, id, { is_reminder: true })
}

/** Lets the agent speak again, because nobody was free to take over. */
export function endHandOver(step: VoiceStep, id: string): void {
  step.effects.push({ type: 'take_back' })
  step.state.phase = 'listening'
  sayAlone(step, id, { text: step.state.settings.sentences.nobody_free })
}

/** Says that the agent can do no more in this conversation, and hangs up. */
export const endAtLimit = (step: VoiceStep, id: string): void =>
  sayAlone(step, id, { text: step.state.settings.sentences.limit, ending: 'limit' })

function settlesAt({ state: { voice, history }, now }: VoiceStep): number {
  const asked = history.findLast(({ role }) => role === 'agent')?.text
  const wait_ms = voice.digits === '' ? settleTime(unwrittenWords(voice), asked) : keys_settle_ms
  // A noise without words begins the wait again, but not for ever.
  return Math.max(now, Math.min(now + wait_ms, (voice.waiting_since ?? now) + settle_max_ms))
}

/** Returns when each timer is due that is to run in a call. Notes that the contact is silent since the agent began to listen. */
export function voiceTimes(step: VoiceStep): Partial<Record<TimerName, number>> {
  const { state, now } = step
  const { phase, voice, reply, settings, history } = state
  const is_resting = phase === 'listening' && voice.answered_at !== null
  if (is_resting && history.length > 0) voice.silent_since ??= now
  const is_settling =
    phase === 'settling' || (phase === 'handed_over' && !voice.is_contact_speaking && hasUnwritten(voice))
  const is_overlapping = reply && voice.is_contact_speaking && !isUninterruptible(step)
  return {
    ...(phase !== 'ended' && { call: now + (settings.voice?.call_ms ?? 0) }),
    ...(is_resting && voice.silent_since === null && { opening: now + wait_ms.opening }),
    ...(is_resting &&
      voice.silent_since !== null && { silence: voice.silent_since + (silence_ms[voice.reminders] ?? 0) }),
    ...(is_settling && { settle: settlesAt(step) }),
    ...(is_overlapping && { overlap: now + wait_ms.overlap }),
    ...(phase === 'thinking' && !reply?.has_piece && reply?.text === '' && { filler: now + wait_ms.filler }),
    ...(phase === 'recording' && { beep: now + wait_ms.beep }),
    ...(phase === 'speaking' && { speaking: now + speaking_ms(reply?.text ?? '') }),
    ...(phase === 'transferring' && { transfer: now + wait_ms.transfer }),
  }
}
