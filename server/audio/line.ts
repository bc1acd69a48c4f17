import type { Fact, Verdict } from '../calls/facts.ts'
import { isOffline } from '../calls/live-calls.ts'
import type { Log } from '../kit/log.ts'
import type { Line, LineEvent } from '../talk/line.ts'
import type { Machine, SpeechPart } from '../talk/state.ts'
import { isBackChannel } from '../talk/turn-taking.ts'
import { openBargeIn } from './barge-in.ts'
import { openEar } from './hearing/ear.ts'
import { openLatency } from './latency.ts'
import { openModelUse, type SpeechFault } from './model-use.ts'
import type { Recorder } from './recorder.ts'
import { openRecorderTrack } from './recorder-track.ts'
import { openPlayedTrack } from './speaking/played-track.ts'
import { openSpeaker } from './speaking/speaker.ts'
import type { CallSpeech } from './speech.ts'
import { real_timers, type Timers } from './timers.ts'
import { openWhoAnswered } from './who-answered.ts'
import type { Wire } from './wire.ts'
import { openWireTime } from './wire-time.ts'

export interface AudioLineOptions {
  wire: Wire
  speech: CallSpeech
  /** The workspace's time in ms. */
  now: () => number
  recorder?: Recorder
  log: Log
  /** Set for a call that was answered before, on another wire or in another process. Parts of speech count from here. */
  answered_at?: number
  /** When the call was answered, if that is known before the line is open. Parts of speech then count from here. */
  began_at?: number
  /**
   * Whether a machine may have answered, as in calls that we have dialled. The line finds out who it is at the
   * beginning, not later.
   */
  finds_who_answered?: boolean
  /** What was found to have answered on another wire or in another process, the last one last. */
  found_before?: Machine[]
  /** Tests set timers of their own. */
  timers?: Timers
}

/** A line whose sound travels over a wire. */
export interface AudioLine extends Line<Fact> {
  readLatency: NonNullable<Line<Fact>['readLatency']>
  takeSpeechFault: NonNullable<Line<Fact>['takeSpeechFault']>
  /** Milliseconds of sound that providers have recognised and spoken, for prices. */
  readonly speech_ms: number
  /** Takes what the carrier has found out about who has answered. */
  takeVerdict: (verdict: Verdict) => void
  close: () => Promise<void>
}

type Event = LineEvent<Fact>
type EventWithoutTime = Event extends infer One ? (One extends { at: number } ? Omit<One, 'at'> : never) : never

/** Before these events, the line reports what was heard of a reply. */
const may_interrupt: Event['type'][] = ['machine', 'speech_started', 'heard', 'digit', 'hung_up', 'lost']
/** If a call was answered longer ago than this, who has answered is known already, or it was a person. */
const find_within_ms = 30_000
/** When more events than this wait, nobody takes them, and the oldest are dropped. */
const events_max = 1_000

export function openAudioLine(options: AudioLineOptions): AudioLine {
  const { wire, speech, now, recorder, log, timers = real_timers } = options
  const { sample_rate: rate } = wire
  const answered_at = options.answered_at ?? options.began_at ?? now()
  const wire_time = openWireTime(now)
  const latency = openLatency()
  const faults: SpeechFault[] = []
  let events: Event[] = []
  let last_at = answered_at
  let is_ending = false
  let is_over = false
  let is_closed = false
  let wake = () => {}

  function emit(event: EventWithoutTime, at: number): void {
    if (is_over) return
    last_at = Math.max(last_at, Math.min(Math.round(at), now()))
    const played = may_interrupt.includes(event.type) ? speaker.readPlayed() : undefined
    if (played) events.push({ at: last_at, type: 'played', ...played })
    events.push({ ...event, at: last_at })
    events = events.slice(-events_max)
    wake()
  }

  function onFault(fault: SpeechFault): void {
    if (faults.length < 10) faults.push(fault)
    wake()
  }

  const { listen, speak, fallback } = speech
  const use = { timers, log, onFault }
  const listener = openModelUse({
    ...use,
    first: listen,
    fallback: fallback?.listen,
    task: 'Speech recognition',
    nameOf: ({ model }) => model.provider,
  })
  const voice = openModelUse({
    ...use,
    first: speak,
    fallback: fallback?.speak,
    task: 'The voice',
    nameOf: ({ model }) => model.provider,
  })

  const contact_track = recorder && openRecorderTrack(rate, recorder.contact)
  const agent_track = recorder && openRecorderTrack(rate, recorder.agent)
  const speaker = openSpeaker({
    wire,
    voice,
    now,
    timers,
    log,
    answered_at,
    track: agent_track && openPlayedTrack(rate, (samples, at) => agent_track.add(samples, wire_time.toRecording(at))),
    onSent: (reply) => latency.noteSent(reply, now()),
    onStart(reply, { at, is_first }) {
      if (is_first) latency.noteSound(reply, at)
      const words = speaker.readSaid(reply)
      wire.showWords?.({ role: 'agent', text: words, is_final: false })
    },
    onDone(reply, parts, is_lost) {
      showHeard(parts)
      if (!is_lost) who?.take({ type: 'agent_heard', at: now() })
      emit({ type: 'played', reply, parts }, now())
      emit({ type: 'play_done', reply, ...(is_lost && { is_lost }) }, now())
    },
    onCleared(reply, parts) {
      showHeard(parts)
      emit({ type: 'played', reply, parts }, now())
    },
  })

  function showHeard(parts: SpeechPart[]): void {
    if (parts.length > 0)
      wire.showWords?.({ role: 'agent', text: parts.map(({ text }) => text).join(' '), is_final: true })
  }

  const toPart = (text: string, start_ms: number, end_ms: number): SpeechPart => {
    const start = Math.max(0, Math.round(wire_time.toWorkspace(start_ms) - answered_at))
    return { text, start_ms: start, end_ms: Math.max(start, Math.round(wire_time.toWorkspace(end_ms) - answered_at)) }
  }

  const barge_in = openBargeIn({ speaker, timers, recogniseSoFar: () => ear.recogniseSoFar() })

  const { found_before = [] } = options
  const found = found_before.at(-1)
  const is_new = options.answered_at === undefined || now() - options.answered_at < find_within_ms
  // A person may follow a machine at any time.
  const must_find = options.finds_who_answered && (is_new || (found !== undefined && found !== 'human'))
  const who = must_find
    ? openWhoAnswered({ rate, now, timers, emit, recogniseSoFar: () => ear.recogniseSoFar(), found_before })
    : undefined

  const ear = openEar({
    rate,
    detector: speech.openDetector(),
    listener,
    now,
    timers,
    log,
    onStart(start_ms) {
      barge_in.begin()
      who?.take({ type: 'speech_started', at: wire_time.toWorkspace(start_ms) })
      emit({ type: 'speech_started' }, wire_time.toWorkspace(start_ms))
    },
    onVoice({ voice_ms }) {
      barge_in.noteVoice(voice_ms)
      who?.noteVoice(voice_ms)
    },
    onPartial({ text, end_ms }) {
      barge_in.noteWords(text)
      if (text === '') return
      who?.take({ type: 'words', text, is_final: false, at: wire_time.toWorkspace(end_ms) })
      emit({ type: 'heard', text }, wire_time.toWorkspace(end_ms))
      wire.showWords?.({ role: 'contact', text, is_final: false })
    },
    onPiece({ text, start_ms, end_ms }) {
      if (text !== '') emitWords(text, start_ms, end_ms)
    },
    onEnd({ text, start_ms, end_ms, recognise_ms }) {
      const at = wire_time.toWorkspace(end_ms)
      if (text !== '') {
        emitWords(text, start_ms, end_ms)
        const is_listening = speaker.is_sounding && isBackChannel(text)
        if (!is_listening) latency.noteWords(text, { ended_at: at, heard_at: now(), recognise_ms })
      }
      barge_in.end()
      who?.take({ type: 'speech_stopped', at })
      emit({ type: 'speech_stopped' }, at)
    },
  })

  function emitWords(text: string, start_ms: number, end_ms: number): void {
    const at = wire_time.toWorkspace(end_ms)
    who?.take({ type: 'words', text, is_final: true, at })
    emit({ type: 'heard', text, part: toPart(text, start_ms, end_ms) }, at)
    wire.showWords?.({ role: 'contact', text, is_final: true })
  }

  wire.onFrame = (frame, at_ms) => {
    if (is_over) return
    wire_time.note(at_ms + (frame.length * 1_000) / rate)
    contact_track?.add(frame, wire_time.toRecording(wire_time.toWorkspace(at_ms)))
    ear.take(frame, at_ms)
    who?.hear(frame, wire_time.toWorkspace(at_ms + (frame.length * 1_000) / rate))
  }
  wire.onPlayed = (played_ms, clears) => speaker.notePlayed(played_ms, clears)
  wire.onDigit = (digit) => emit({ type: 'digit', digit }, now())
  wire.onPause = (is_paused) => speaker.setConnected(!is_paused)
  wire.onTransferred = (is_ok) => emit({ type: 'transferred', is_ok }, now())
  /** Someone at the other side, or the wire, has ended the call. The first of them counts. */
  function endByOther(reason: 'hung_up' | 'lost'): void {
    if (is_ending) return
    is_ending = true
    const at = now()
    speaker.setConnected(false)
    // The last words are still recognised, above all "stop calling me".
    ear
      .finish()
      .then(() => {
        emit(reason === 'hung_up' ? { type: 'hung_up' } : { type: 'lost' }, at)
        end(at)
      })
      .catch((error: unknown) => log.error({ err: error }, 'the end of a line failed'))
  }
  wire.onEnd = endByOther
  const is_resumed = options.answered_at !== undefined
  if (!is_resumed) emit({ type: 'answered' }, answered_at)
  if (who) emit({ type: 'machine', kind: found ?? 'uncertain' }, is_resumed ? now() : answered_at)

  function end(at: number): void {
    if (is_over) return
    is_over = true
    barge_in.close()
    who?.close()
    speaker.close()
    ear.close()
    contact_track?.flush()
    agent_track?.flush()
    recorder?.end(wire_time.toRecording(at))
  }

  return {
    get next_at() {
      return events[0]?.at
    },
    get speech_ms() {
      // Offline speech costs nothing, because it is part of the service.
      const heard_ms = isOffline(listen.model) ? 0 : ear.heard_ms
      return Math.round(heard_ms + (isOffline(speak.model) ? 0 : speaker.spoken_ms))
    },
    take(time) {
      const count = events.findIndex(({ at }) => at > time)
      const taken = events.splice(0, count < 0 ? events.length : count)
      // The engine decides at once whether the speech that has ended interrupts the agent.
      if (taken.some(({ type }) => type === 'speech_stopped')) barge_in.decide()
      return taken
    },
    onEvent(onWake) {
      wake = onWake
    },
    say(time, { reply, text, is_uninterruptible }) {
      if (is_over || text === '') return
      last_at = Math.max(last_at, time)
      // A model separates words by blanks, which make no sound.
      if (text.trim() !== '') latency.noteReply(reply, now())
      speaker.say(reply, text, { is_uninterruptible })
    },
    endReply(time, reply, ending) {
      if (is_over) return
      last_at = Math.max(last_at, time)
      speaker.endReply(reply, ending)
      if (speaker.is_uninterruptible) speaker.resume()
    },
    clear(time, reply) {
      last_at = Math.max(last_at, time)
      speaker.clear(reply)
    },
    readPlayed: () => (is_over ? undefined : speaker.readPlayed()),
    // Only wires of telephones can press keys, and transfer a call.
    press: (_time, digits) => wire.press?.(digits),
    transfer(_time, to) {
      if (wire.transfer) wire.transfer(to)
      else emit({ type: 'transferred', is_ok: false }, now())
    },
    hangUp(time) {
      if (is_over) return
      end(Math.max(time, last_at))
      wire.end('hung_up')
    },
    noteHungUp: () => endByOther('hung_up'),
    readLatency: latency.read,
    takeSpeechFault: () => faults.shift(),
    takeVerdict(verdict) {
      if (!is_over) who?.takeVerdict(verdict)
    },
    save: () => null,
    async close() {
      if (is_closed) return
      is_closed = true
      wake = () => {}
      end(now())
    },
  }
}
