import type { Verdict } from '../calls/facts.ts'
import { wishIn } from '../consent/spoken.ts'
import type { Machine } from '../talk/state.ts'
import { announcesTone, countCallingOut, speakerOf } from './answering-words.ts'

/**
 * Finds out who has answered a call: a person, a voicemail, an assistant that screens calls, or a menu. Until it is known the call
 * is uncertain. It has no clock: times come with the input, in ms.
 *
 * What counts more comes first, and what counts less changes nothing that was found by it:
 * 1. Someone who has talked with the agent is a person, whatever comes later.
 * 2. Words. "Leave a message" is a voicemail, also where "press one" follows, and where the carrier has found a person. Who
 *    asks "hello? hello?" is a person.
 * 3. A beep after speech.
 * 4. The carrier's verdict.
 * 5. The shape of the first speech: a short one, then silence, is a person's; a long one without a pause is a machine's.
 */
export interface Answering {
  /** What has answered. Null while it is uncertain. */
  found: { kind: Machine; by: Evidence } | null
  /** All kinds that were found so far, in order. */
  kinds: Machine[]
  has_beep: boolean
  /** Whether a person has talked with the agent. */
  is_settled: boolean
  /** The speech that has not ended. `is_reply`: the agent had said something before. */
  speech: { started_at: number; is_reply: boolean } | null
  /**
   * How many stretches of speech there were before the agent had said something. `longest_ms` is the length of the
   * longest.
   */
  stretches: number
  longest_ms: number
  has_heard_agent: boolean
  /** Since then nobody has spoken, and no tone has sounded. */
  quiet_since: number
  is_tone: boolean
  /** Whether a tone came before any speech. */
  has_early_tone: boolean
  /** All words since words last told who speaks. */
  text: string
  announces_tone: boolean
  /** How often someone has asked whether anybody is there, since a machine was found. */
  callings_out: number
}

export type AnsweringInput = { at: number } & (
  | { type: 'speech_started' }
  /** The words of the speech so far, or with `is_final` all of them. They come before the end of the speech. */
  | { type: 'words'; text: string; is_final: boolean }
  | { type: 'speech_stopped' }
  | { type: 'tone_started' }
  | { type: 'tone_stopped' }
  | { type: 'beep' }
  /** The contact has heard what the agent said. */
  | { type: 'agent_heard' }
  | { type: 'verdict'; verdict: Verdict }
  /** Time has passed: see `dueAt`. */
  | { type: 'time' }
)

/** An event of the line. Each kind of machine is reported once, and the beep once, after its voicemail. */
export type AnsweringEvent = { type: 'machine'; kind: Machine } | { type: 'beep' }

/** What a finding is based on, from the weakest to the strongest. */
const evidence = ['shape', 'carrier', 'beep', 'words'] as const
type Evidence = (typeof evidence)[number]

/**
 * A person says hello in less than `person_max_ms`. A speech without a pause for `machine_min_ms` is a machine's,
 * unless its words tell otherwise.
 */
const person_max_ms = 2_500
const machine_min_ms = 4_000
/** Words come when the speech ends, but a machine that speaks for this long is not waited for. */
const speech_max_ms = 8_000
/** Silence after which the shape tells who it is: after a short speech, and after another one that tells nothing. */
const person_quiet_ms = 1_500
const unclear_quiet_ms = 4_000
/**
 * After this much silence a voicemail without a beep records: pauses in greetings are shorter. If it has announced a
 * beep, that may come later.
 */
const voicemail_quiet_ms = 3_000
const announced_quiet_ms = 5_000
/** A voicemail records after this much silence if a tone came before anything else. */
const early_tone_quiet_ms = 1_500
const text_max = 2_000
/** The last words of a speech that goes on are not judged yet, this many of them. */
const open_words = 3

/** Begins to find out who has answered. `kinds`: what was found in the call before, the last one last. */
export const newAnswering = (at: number, kinds: Machine[] = []): Answering => ({
  found: foundBefore(kinds.at(-1)),
  kinds,
  has_beep: false,
  is_settled: false,
  speech: null,
  stretches: 0,
  longest_ms: 0,
  has_heard_agent: false,
  quiet_since: at,
  is_tone: false,
  has_early_tone: false,
  text: '',
  announces_tone: false,
  callings_out: 0,
})

/** Counts a kind that was found before as found by words, because how it was found is not known any more. */
const foundBefore = (kind: Machine | undefined): Answering['found'] => (kind ? { kind, by: 'words' } : null)

export function step(before: Answering, input: AnsweringInput): { state: Answering; events: AnsweringEvent[] } {
  const state = { ...before }
  if (state.is_settled) return { state, events: [] }
  take(state, input)
  const has_kind = state.found !== null && before.kinds.includes(state.found.kind)
  const events: AnsweringEvent[] = []
  if (state.found && !has_kind) {
    events.push({ type: 'machine', kind: state.found.kind })
    state.kinds = [...before.kinds, state.found.kind]
  }
  if (state.has_beep && !before.has_beep) events.push({ type: 'beep' })
  return { state, events }
}

function take(state: Answering, input: AnsweringInput): void {
  const { at } = input
  switch (input.type) {
    case 'speech_started':
      state.speech = { started_at: at, is_reply: state.has_heard_agent }
      break
    case 'words':
      hear(state, input)
      break
    case 'speech_stopped':
      endSpeech(state, at)
      break
    case 'tone_started':
      state.is_tone = true
      break
    case 'tone_stopped':
    case 'beep':
      state.is_tone = false
      state.quiet_since = Math.max(state.quiet_since, at)
      if (input.type === 'beep') takeBeep(state)
      break
    case 'agent_heard':
      state.has_heard_agent = true
      break
    case 'verdict':
      takeVerdict(state, input.verdict, at)
      break
    case 'time':
      passTime(state, at)
  }
}

/**
 * Notes what has answered, unless stronger evidence has found something else. A kind that was found and then replaced
 * is not found again.
 */
function find(state: Answering, kind: Machine, by: Evidence): void {
  const { found, kinds } = state
  if (found && evidence.indexOf(by) < evidence.indexOf(found.by)) return
  const is_same = found?.kind === kind
  if (!is_same && kinds.includes(kind)) return
  // The words so far have told what they could, so the next finding takes new ones.
  if (!is_same && by === 'words') Object.assign(state, { text: '', callings_out: 0 })
  state.found = { kind, by }
}

function hear(state: Answering, { text, is_final, at }: { text: string; is_final: boolean; at: number }): void {
  const { speech, found } = state
  const said = is_final ? text : withoutEnd(text)
  const all = `${state.text} ${said}`.trim().slice(-text_max)
  if (is_final) state.text = all
  state.announces_tone ||= announcesTone(all)
  const is_long = speech !== null && at - speech.started_at > person_max_ms
  const speaker = speakerOf(all, { is_long })
  if (speaker === 'voicemail') return void find(state, speaker, 'words')
  if (wishIn(said)?.wish === 'opt_out') return void settle(state)
  if (!is_final || text === '') return
  if (found && found.kind !== 'human') state.callings_out += countCallingOut(text)
  // A greeting may begin with one "Hello", so only the second one counts as a person.
  if (speaker === 'person' || state.callings_out >= 2) find(state, 'human', 'words')
  else if (speaker && !isVoicemailHeard(found)) find(state, speaker, 'words')
  else if (speech?.is_reply) takeReply(state)
}

/** Leaves out the last words of a speech that may go on, as in "to leave a message ... press two". */
const withoutEnd = (text: string): string => text.split(/\s+/).slice(0, -open_words).join(' ')

/**
 * Whether a voicemail was heard to be one. Voicemails offer keys too, but one that only the carrier or the shape has
 * found may be a menu.
 */
const isVoicemailHeard = (found: Answering['found']): boolean =>
  found?.kind === 'voicemail' && (found.by === 'words' || found.by === 'beep')

/**
 * Takes words that follow the agent's. The first time they may be the late beginning of a greeting; the second time
 * they are an answer to the agent.
 */
function takeReply(state: Answering): void {
  const { found } = state
  if (found && found.kind !== 'human') return
  if (found) return void settle(state)
  find(state, 'human', 'words')
  state.has_heard_agent = false
}

function settle(state: Answering): void {
  find(state, 'human', 'words')
  state.is_settled = state.found?.kind === 'human'
}

function endSpeech(state: Answering, at: number): void {
  const { speech } = state
  state.speech = null
  state.quiet_since = Math.max(state.quiet_since, at)
  if (!speech || speech.is_reply) return
  state.stretches += 1
  state.longest_ms = Math.max(state.longest_ms, at - speech.started_at)
  if (state.longest_ms > machine_min_ms) find(state, 'voicemail', 'shape')
}

/** Takes a beep. One before any speech may also begin a greeting. */
function takeBeep(state: Answering): void {
  if (state.text === '' && state.stretches === 0 && !state.speech && !state.found) {
    state.has_early_tone = true
    return
  }
  find(state, 'voicemail', 'beep')
  if (state.found?.kind === 'voicemail') state.has_beep = true
}

function takeVerdict(state: Answering, verdict: Verdict, at: number): void {
  if (verdict === 'unknown') return
  if (verdict === 'human') return void find(state, 'human', 'carrier')
  const is_new = state.found?.kind !== 'voicemail'
  // A fax machine counts as a voicemail: there is nobody to talk to either.
  find(state, 'voicemail', 'carrier')
  if (state.found?.kind !== 'voicemail') return
  if (verdict === 'machine_end_beep') state.has_beep = true
  // Silence counts anew from here, because the greeting may have a pause.
  else if (is_new) state.quiet_since = Math.max(state.quiet_since, at)
}

function passTime(state: Answering, at: number): void {
  const due = dueAt(state)
  if (due === undefined || at < due) return
  if (state.speech) find(state, 'voicemail', 'shape')
  else if (state.found?.kind === 'voicemail') state.has_beep = true
  else if (state.has_early_tone && state.stretches === 0) {
    find(state, 'voicemail', 'beep')
    state.has_beep = true
  } else find(state, 'human', 'shape')
}

/** Returns when `time` is to be given, if nothing else happens before. */
export function dueAt(state: Answering): number | undefined {
  const { found, has_beep, is_settled, speech, quiet_since, is_tone, stretches } = state
  if (is_settled || is_tone) return undefined
  if (speech) return found || speech.is_reply ? undefined : speech.started_at + speech_max_ms
  if (found?.kind === 'voicemail')
    return has_beep ? undefined : quiet_since + (state.announces_tone ? announced_quiet_ms : voicemail_quiet_ms)
  if (found) return undefined
  if (stretches === 0) return state.has_early_tone ? quiet_since + early_tone_quiet_ms : undefined
  const is_short = stretches === 1 && state.longest_ms <= person_max_ms
  return quiet_since + (is_short ? person_quiet_ms : unclear_quiet_ms)
}
