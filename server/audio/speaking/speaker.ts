import type { Log } from '../../kit/log.ts'
import type { Speaking } from '../../models/speech.ts'
import type { SpeechPart } from '../../talk/state.ts'
import type { ModelUse } from '../model-use.ts'
import { openResampler, type Resampler } from '../resampler.ts'
import type { Timers } from '../timers.ts'
import type { Wire } from '../wire.ts'
import { type Chunker, endsSentence, openChunker } from './chunks.ts'
import { type Clip, cutRest, newClip, resumeFrom } from './clip.ts'
import { heardParts } from './heard.ts'
import type { PlayedTrack } from './played-track.ts'
import { speakClip } from './speak-clip.ts'

/** Speaks replies one after the other. What counts as heard is what the wire says it played, never what was sent. */
export interface Speaker {
  say: (reply: string, text: string, options?: { is_uninterruptible?: boolean | undefined }) => void
  endReply: (reply: string, options?: { is_uninterruptible?: boolean | undefined }) => void
  /** Drops the reply: what the wire has not played of it, and what the voice is about to speak. */
  clear: (reply: string) => void
  /** Stops the sound at once. What was not heard is kept. */
  hold: () => void
  /** Goes on after `hold`, from the first word that was not heard whole. */
  resume: () => void
  /** Notes that the wire is gone for now, or back. */
  setConnected: (is_connected: boolean) => void
  /** Notes how much the wire has played since it opened, and how often it had been cleared then. */
  notePlayed: (played_ms: number, clears?: number) => void
  readPlayed: () => { reply: string; parts: SpeechPart[] } | undefined
  /** Returns the words of the reply of which the sound has begun. */
  readSaid: (reply: string) => string
  readonly is_held: boolean
  /** Whether the other side hears the agent, or is about to. */
  readonly is_sounding: boolean
  /** Whether what is heard next can't be interrupted. */
  readonly is_uninterruptible: boolean
  /** Whether only the last word or two of the reply are left. */
  readonly is_ending: boolean
  readonly spoken_ms: number
  close: () => void
}

export interface SpeakerOptions {
  wire: Wire
  voice: ModelUse<Speaking>
  now: () => number
  timers: Timers
  log: Log
  /** When the call was answered: parts of speech count from here. */
  answered_at: number
  /** Takes what was played, if the call is recorded. */
  track: PlayedTrack | undefined
  /** `is_lost`: the wire has not played all of it, and it is not sent again. */
  onDone: (reply: string, played: SpeechPart[], is_lost: boolean) => void
  onCleared: (reply: string, played: SpeechPart[]) => void
  /** Called when the first sound of the reply was sent. */
  onSent: (reply: string) => void
  /** Called when the other side begins to hear the clip, at `at`. */
  onStart: (reply: string, clip: { text: string; at: number; is_first: boolean }) => void
}

interface Reply {
  id: string
  chunker: Chunker
  clips: Clip[]
  is_ended: boolean
  is_uninterruptible: boolean
  is_sent: boolean
  is_lost: boolean
  /** Cancels the timer that speaks waiting words when no others come. */
  cancelFlush: () => void
}

/** Sound on the wire. Its places are counted in samples since the wire opened. */
interface Span {
  clip: Clip
  /** Where the span begins in the clip. */
  from: number
  start: number
  end: number
}

const frame_ms = 20
const ahead_max_ms = 600
const feed_every_ms = 60
/** The voice is one clip ahead of what is sent, or more if clips are short. */
const ready_max_ms = 1_500
/** After a clear, nothing is sent until the wire has said how much of the sound before was played. */
const after_clear_ms = 200
/** Wires count in whole milliseconds. */
const tolerance_ms = 2
/** A wire that reports nothing for this long after the end of its sound has lost it. A short rest is given up soon. */
const stalled_ms = { short: 300, other: 2_000 }
const short_ms = 60
const last_words_ms = 400
/** Sound that was lost this often in a row is not sent again. */
const stalls_max = 3
/** Words that don't end a chunk are spoken when no others follow for this long. */
const flush_ms = { sentence: 150, other: 800 }

export function openSpeaker(options: SpeakerOptions): Speaker {
  const { wire, voice, now, timers, log, answered_at, track } = options
  const rate = wire.sample_rate
  const toSamples = (ms: number) => Math.round((ms * rate) / 1_000)
  const toMs = (samples: number) => (samples * 1_000) / rate
  const frame_samples = toSamples(frame_ms)

  let replies: Reply[] = []
  let spans: Span[] = []
  let sent = 0
  let played = 0
  let played_at = now()
  let stalls = 0
  let is_held = false
  let is_connected = true
  let is_closed = false
  /** Set when the wire was cleared, and nothing was sent since. */
  let is_cleared = false
  /**
   * How often the wire was cleared: so far, when the sound on it was sent, and when it last reported what it has
   * played.
   */
  const clears = { now: 0, sent: 0, reported: 0 }
  /** Samples of cleared sound that the wire has played and not reported before the next sound was sent. */
  let uncounted = 0
  let send_after = 0
  let spoken_ms = 0
  let making: { reply: string; stop: AbortController } | undefined
  let cancelFeed: (() => void) | undefined
  let resampler: { from: number; resampler: Resampler } | undefined

  const clips = (): Clip[] => replies.flatMap((reply) => reply.clips)
  const outstanding = (): number => (is_cleared ? 0 : sent - played)
  const lengthOf = ({ sound }: Clip): number => sound?.samples.length ?? 0
  const isPlayed = (clip: Clip): boolean =>
    clip.is_over || (clip.sound?.is_complete === true && clip.played >= lengthOf(clip) - toSamples(tolerance_ms))
  const isSent = (clip: Clip): boolean =>
    is_cleared ? isPlayed(clip) : clip.is_over || (clip.sound?.is_complete !== false && clip.sent >= lengthOf(clip))
  /** Whether all clips were sent. Clips that wait for the voice were not. */
  const isAllSent = (reply: Reply): boolean =>
    reply.is_ended && reply.clips.every((clip) => clip.is_over || (clip.sound && isSent(clip)))
  const hasMore = (): boolean => clips().some((clip) => clip.sound && !isSent(clip))

  function replyOf(id: string): Reply {
    const known = replies.find((reply) => reply.id === id)
    if (known) return known
    const reply: Reply = {
      id,
      chunker: openChunker(),
      clips: [],
      is_ended: false,
      is_uninterruptible: false,
      is_sent: false,
      is_lost: false,
      cancelFlush: () => {},
    }
    replies.push(reply)
    return reply
  }

  function addClips(reply: Reply, texts: string[], { is_uninterruptible = false } = {}): void {
    reply.clips.push(...texts.map((text) => newClip({ reply: reply.id, text, is_uninterruptible })))
    make()
  }

  /** Has the voice speak the next clip. */
  function make(): void {
    const waiting = clips().find(({ sound, is_over }) => !sound && !is_over)
    if (is_closed || making || !waiting || isAhead()) return
    const stop = new AbortController()
    making = { reply: waiting.reply, stop }
    speak(waiting, stop.signal)
      .then(() => {
        if (making?.stop === stop) making = undefined
        if (is_closed) return
        feed()
        make()
        endReplies()
      })
      .catch((error: unknown) => log.error({ err: error }, 'speaking failed'))
  }

  function isAhead(): boolean {
    const ready = clips().filter((clip) => clip.sound && !isSent(clip))
    const samples = ready.reduce((sum, clip) => sum + lengthOf(clip) - clip.sent, 0)
    return ready.some((clip) => clip.sent === 0) && toMs(samples) >= ready_max_ms
  }

  /** Speaks a clip. Never rejects. If a voice fails in the middle, the next one says the rest. */
  async function speak(clip: Clip, signal: AbortSignal): Promise<void> {
    let current = clip
    const is_spoken = await voice.run(async (speaking, abortSignal, onProgress) => {
      current = restOf(current)
      const spoken = current
      const { is_first } = voice
      const onSound = () => {
        onProgress()
        feed()
      }
      const settings = { rate, openResampler: resamplerFrom, abortSignal, onProgress: onSound }
      await speakClip(spoken, speaking, settings).finally(() => {
        if (is_first) spoken_ms += toMs(lengthOf(spoken))
      })
      return true
    }, signal)
    if (is_spoken) return
    if (current.sound) cutRest(current)
    else current.is_over = true
    const reply = replies.find(({ id }) => id === clip.reply)
    // The reply is lost if no voice could speak the rest.
    if (reply) reply.is_lost = true
  }

  /** Returns the clip, or what is left of it: a clip with some sound is cut after that. */
  function restOf(clip: Clip): Clip {
    if (!clip.sound) return clip
    const rest = newClip({ ...clip, text: cutRest(clip) })
    const reply = replies.find(({ id }) => id === clip.reply)
    reply?.clips.splice(reply.clips.indexOf(clip) + 1, 0, rest)
    return rest
  }

  function resamplerFrom(from: number): Resampler {
    if (resampler?.from !== from) resampler = { from, resampler: openResampler(from, rate) }
    return resampler.resampler
  }

  /** Sends what fits into the time ahead, and again a little later while there is more. */
  function feed(): void {
    cancelFeed?.()
    cancelFeed = undefined
    if (is_closed || is_held || !is_connected) return
    if (hasMore() && now() >= send_after) {
      if (is_cleared) restart()
      const ahead_max = toSamples(ahead_max_ms) - frame_samples
      while (outstanding() <= ahead_max && sendFrame());
      make()
    }
    checkStall()
    if (hasMore() || outstanding() > 0) cancelFeed = timers.after(feed_every_ms, feed)
  }

  /** Sends dropped sound again, after what was played, beginning with a whole word. */
  function restart(): void {
    is_cleared = false
    clears.sent = clears.now
    spans = []
    sent = played
    for (const clip of clips()) clip.sent = isPlayed(clip) ? lengthOf(clip) : resumeFrom(clip)
  }

  function sendFrame(): boolean {
    const clip = clips().find((one) => !isSent(one) || (!one.sound && !one.is_over))
    if (!clip?.sound) return false
    const frame = clip.sound.samples.subarray(clip.sent, clip.sent + frame_samples)
    if (!clip.sound.is_complete && frame.length < frame_samples) return false
    if (outstanding() === 0) played_at = now()
    addSpan(clip, frame.length)
    noteSent(clip)
    wire.send(frame)
    return true
  }

  function addSpan(clip: Clip, length: number): void {
    const last = spans.at(-1)
    if (last?.clip === clip && last.end === sent) last.end += length
    else spans.push({ clip, from: clip.sent, start: sent, end: sent + length })
    clip.sent += length
    sent += length
  }

  function noteSent(clip: Clip): void {
    const reply = replies.find(({ id }) => id === clip.reply)
    if (!reply || reply.is_sent) return
    reply.is_sent = true
    options.onSent(reply.id)
  }

  function notePlayed(played_ms: number, cleared?: number): void {
    if (cleared !== undefined) {
      // The report is about sound that was cleared, and other sound was sent since.
      if (cleared < clears.sent) return
      // The first report after a clear says where the cleared sound was cut.
      if (clears.reported < clears.sent) uncounted = toSamples(played_ms) - played
      clears.reported = cleared
    }
    const reported = toSamples(played_ms) - uncounted
    // Samples that the wire leaves out when it rounds were played. After a clear, the report says where the sound was
    // cut.
    const is_all = !is_cleared && reported >= sent - toSamples(tolerance_ms)
    const until = is_all ? sent : Math.min(reported, sent)
    if (is_closed || !(until > played)) return
    const time = now()
    for (const { clip, from, start, end } of spans) {
      if (end <= played || start >= until) continue
      const first = Math.max(start, played)
      const last = Math.min(end, until)
      if (first === start) begin(clip, { from, at: time - toMs(until - start) })
      clip.played = Math.max(clip.played, from + last - start)
      const samples = clip.sound?.samples.subarray(from + first - start, from + last - start)
      if (samples) track?.add(samples, last, time - toMs(until - last))
    }
    played = until
    played_at = time
    stalls = 0
    spans = spans.filter(({ end }) => end > played)
    // No report follows soon that would place the last sound better.
    if (spans.length === 0) track?.flush()
    endReplies()
    feed()
  }

  function begin(clip: Clip, start: { from: number; at: number }): void {
    const reply = replies.find(({ id }) => id === clip.reply)
    const is_new = clip.starts.length === 0
    clip.starts.push(start)
    const is_first = reply?.clips.find(({ starts }) => starts.length > 0) === clip
    if (reply && is_new) options.onStart(reply.id, { text: clip.text, at: start.at, is_first })
  }

  function endReplies(): void {
    for (let [reply] = replies; reply && isDone(reply); [reply] = replies) {
      replies = replies.slice(1)
      options.onDone(reply.id, heardOf(reply), reply.is_lost)
    }
  }

  const isDone = (reply: Reply): boolean => reply.is_ended && reply.clips.every(isPlayed)

  const heardOf = (reply: Reply): SpeechPart[] => heardParts(reply.clips, { rate, answered_at })

  /**
   * Drops sound that was not played in time, and sends it again: but not for ever, and not when only its end is
   * missing.
   */
  function checkStall(): void {
    const left_ms = toMs(outstanding())
    const is_short = !hasMore() && left_ms <= short_ms
    if (left_ms === 0 || now() - played_at < left_ms + (is_short ? stalled_ms.short : stalled_ms.other)) return
    log.debug({ left_ms }, 'sound was sent and not played')
    stalls += 1
    const is_given_up = stalls >= stalls_max || replies.every(isAllSent)
    const [reply] = replies
    // The wire may report all of it as played in the meantime.
    drop()
    if (is_short) for (const { clip } of spans) clip.is_over = true
    else if (reply && is_given_up) {
      reply.is_lost = true
      for (const clip of reply.clips) clip.is_over = true
    }
    endReplies()
  }

  function drop(): void {
    if (outstanding() > 0) send_after = now() + after_clear_ms
    is_cleared = true
    clears.now += 1
    wire.clear()
  }

  return {
    get is_held() {
      return is_held
    },
    get is_sounding() {
      return is_held || outstanding() > 0 || hasMore()
    },
    get is_uninterruptible() {
      const [reply] = replies
      if (!reply) return false
      return reply.is_uninterruptible || reply.clips.find((clip) => !isPlayed(clip))?.is_uninterruptible === true
    },
    get is_ending() {
      const [reply] = replies
      const left = reply?.clips.reduce((sum, clip) => sum + (isPlayed(clip) ? 0 : lengthOf(clip) - clip.played), 0) ?? 0
      const is_spoken = reply?.clips.every(({ sound, is_over }) => sound?.is_complete || is_over) ?? true
      return reply?.is_ended === true && is_spoken && toMs(left) <= last_words_ms
    },
    get spoken_ms() {
      return spoken_ms
    },
    say(id, text, { is_uninterruptible = false } = {}) {
      if (is_closed) return
      const reply = replyOf(id)
      reply.cancelFlush()
      if (is_uninterruptible) {
        addClips(reply, reply.chunker.flush())
        // Uninterruptible words get clips of their own.
        return addClips(reply, [...reply.chunker.add(text), ...reply.chunker.flush()], { is_uninterruptible })
      }
      addClips(reply, reply.chunker.add(text))
      const { waiting } = reply.chunker
      if (waiting.trim() === '') return
      const wait_ms = endsSentence(waiting) ? flush_ms.sentence : flush_ms.other
      reply.cancelFlush = timers.after(wait_ms, () => addClips(reply, reply.chunker.flush()))
    },
    endReply(id, { is_uninterruptible = false } = {}) {
      if (is_closed) return
      const reply = replyOf(id)
      reply.cancelFlush()
      Object.assign(reply, { is_ended: true, is_uninterruptible })
      addClips(reply, reply.chunker.flush())
      endReplies()
    },
    clear(id) {
      const reply = replies.find((one) => one.id === id)
      if (is_closed || !reply) return
      reply.cancelFlush()
      replies = replies.filter((one) => one !== reply)
      if (making?.reply === id) {
        making.stop.abort()
        making = undefined
      }
      is_held = false
      if (reply.is_sent) drop()
      options.onCleared(id, heardOf(reply))
      make()
      endReplies()
      feed()
    },
    hold() {
      if (is_closed || is_held) return
      is_held = true
      drop()
    },
    resume() {
      if (is_closed || !is_held) return
      is_held = false
      feed()
    },
    setConnected(value) {
      if (is_closed || is_connected === value) return
      is_connected = value
      drop()
      feed()
    },
    notePlayed,
    readPlayed() {
      const [reply] = replies
      return reply && { reply: reply.id, parts: heardOf(reply) }
    },
    readSaid(id) {
      const begun = replies.find((reply) => reply.id === id)?.clips.filter(({ starts }) => starts.length > 0) ?? []
      return begun.map(({ text }) => text).join(' ')
    },
    close() {
      is_closed = true
      cancelFeed?.()
      for (const { cancelFlush } of replies) cancelFlush()
      making?.stop.abort()
      track?.flush()
    },
  }
}
