import type { Log } from '../../kit/log.ts'
import { errorMessage } from '../../kit/problem.ts'
import { heard_rate } from '../../kit/sound/rates.ts'
import type { Listening } from '../../models/speech.ts'
import type { ModelUse } from '../model-use.ts'
import { openResampler } from '../resampler.ts'
import { toFloat } from '../samples.ts'
import type { VoiceDetector } from '../speech.ts'
import type { Timers } from '../timers.ts'
import { openEnergyDetector } from './energy.ts'
import { type LiveHearing, openLive } from './live.ts'
import { openRecognitionQueue } from './recognition-queue.ts'
import { openSegmenter, type Segment, type Window, window_ms, window_samples } from './segmenter.ts'

/** Words with their times on the wire. */
interface HeardWords {
  text: string
  start_ms: number
  end_ms: number
  /** How long the recogniser took, in ms. */
  recognise_ms: number
}

export interface EarOptions {
  rate: number
  detector: VoiceDetector
  listener: ModelUse<Listening>
  now: () => number
  timers: Timers
  log: Log
  onStart: (start_ms: number) => void
  /** Called while someone speaks. */
  onVoice: (speech: { voice_ms: number; end_ms: number }) => void
  /** The words so far: after `recogniseSoFar`, and whenever a model that hears streams has more. */
  onPartial: (words: HeardWords) => void
  /** The words of the beginning of a very long speech. */
  onPiece: (words: HeardWords) => void
  /** Called when the speech is over. There may be no words. */
  onEnd: (words: HeardWords) => void
}

/** Turns frames of the wire into speech with words. */
export interface Ear {
  take: (frame: Int16Array, at_ms: number) => void
  /** Recognises the speech that goes on. */
  recogniseSoFar: () => void
  /** Ends hearing. Recognises what was said, within a time limit. */
  finish: () => Promise<void>
  readonly heard_ms: number
  close: () => void
}

/** Longer gaps are filled up to this length only: nobody speaks through them. */
const fill_max_ms = 1_000
/** After this long without frames, silence is heard instead. */
const missing_ms = 750
const check_every_ms = 250
/** A detector with more windows than this waiting is too slow, or hangs. It may take seconds to begin. */
const windows_waiting_max = Math.ceil(8_000 / window_ms)
/** The end waits this long for a detector that is behind, and then this long for recognitions. */
const detect_max_ms = 1_000
const finish_max_ms = 1_500

export function openEar(options: EarOptions): Ear {
  const { rate, listener, now, timers, log } = options
  const resampler = openResampler(rate, heard_rate)
  const recognitions = openRecognitionQueue({ model: listener, now, timers, log })
  let { detector } = options
  let window = newWindow(0)
  let filled = 0
  /** Windows that the detector has not heard. */
  let waiting: Window[] = []
  let is_detecting = false
  /** Where the next frame is expected on the wire, and how much silence was heard instead. */
  let next_ms = 0
  let silence_ms = 0
  let frame_at = now()
  let checked_at = now()
  let is_closed = false
  /** Set when all words of the speech are being recognised. */
  let is_ending = false
  let onFinished = () => {}
  /** Called when the detector has heard all windows. */
  let onDetected = () => {}
  /** The model that hears the current speech while it is spoken. */
  let live: LiveHearing | undefined
  let reported = ''

  const segmenter = openSegmenter({
    onStart(segment) {
      options.onStart(segment.start_ms)
      hearLive(segment)
    },
    onVoice(segment) {
      hearLive(segment)
      options.onVoice({ voice_ms: segment.voice_ms, end_ms: segment.end_ms })
    },
    onSilence: recogniseAll,
    onMore() {
      is_ending = false
      recognitions.discard('final')
    },
    onPiece(piece) {
      // The live model may have heard more than the piece.
      endLive()
      recognitions.run({
        kind: 'piece',
        segment: piece,
        onText: (...heard) => options.onPiece(toWords(piece, ...heard)),
      })
    },
  })

  /**
   * Feeds the segment to a model that hears streams. Reports new words only when there is voice, however often a
   * provider sends some.
   */
  function hearLive(segment: Segment): void {
    if (!live && listener.current.streaming) live = openLive(listener.current)
    if (!live) return
    live.feed(segment)
    const { text } = live
    if (text === reported) return
    reported = text
    options.onPartial(toWords(segment, text, 0))
  }

  function endLive(): void {
    live?.close()
    live = undefined
    reported = ''
  }

  function recogniseAll(segment: Segment): void {
    is_ending = true
    recognitions.discard('partial')
    live?.feed(segment)
    const { start_ms, end_ms, windows, silent } = segment
    recognitions.run({
      kind: 'final',
      segment: { ...segment, windows: [...windows], silent },
      live,
      onText(...heard) {
        is_ending = false
        // A piece that was cut in the meantime has the same words.
        recognitions.discard('piece')
        endLive()
        segmenter.end()
        options.onEnd(toWords({ start_ms, end_ms }, ...heard))
        onFinished()
      },
    })
  }

  function take(frame: Int16Array, at_ms: number): void {
    if (is_closed) return
    const gap_ms = at_ms - next_ms
    const missing = Math.min(gap_ms - silence_ms, fill_max_ms)
    if (missing > 1) hear(new Int16Array(Math.round((missing * rate) / 1_000)), at_ms - missing)
    hear(frame, at_ms)
    next_ms = at_ms + (frame.length * 1_000) / rate
    silence_ms = 0
    frame_at = now()
  }

  /** Cuts the sound into windows. */
  function hear(frame: Int16Array, at_ms: number): void {
    const samples = resampler.push(frame)
    for (let used = 0; used < samples.length; ) {
      if (filled === 0) window = newWindow(at_ms + (used * 1_000) / heard_rate)
      const piece = samples.subarray(used, used + window_samples - filled)
      window.samples.set(piece, filled)
      filled += piece.length
      used += piece.length
      if (filled < window_samples) continue
      filled = 0
      waiting.push(window)
    }
    if (waiting.length > windows_waiting_max) replaceDetector('it is too slow')
    startDetecting()
  }

  async function detect(): Promise<void> {
    if (is_detecting) return
    is_detecting = true
    const used = detector
    for (let [next] = waiting; next && !is_closed; [next] = waiting) {
      const likely = await askDetector(used, next).catch((error: unknown) => {
        if (used === detector && !is_closed) replaceDetector(errorMessage(error))
      })
      // The new detector hears the rest.
      if (used !== detector || is_closed) return
      waiting = waiting.slice(1)
      if (likely !== undefined) segmenter.take(next, likely)
    }
    is_detecting = false
    onDetected()
  }

  function startDetecting(): void {
    detect().catch((error: unknown) => {
      is_detecting = false
      log.error({ err: error }, 'hearing failed')
      onDetected()
    })
  }

  /** Replaces a detector that failed, so that the call goes on: it may never answer. */
  function replaceDetector(reason: string): void {
    log.warn({ reason }, 'the voice detector failed')
    detector.close()
    detector = openEnergyDetector()
    waiting = waiting.slice(-windows_waiting_max)
    is_detecting = false
    startDetecting()
  }

  /** Hears the windows that wait, and the one that is not full. */
  async function detectRest(): Promise<void> {
    if (filled > 0) waiting.push(window)
    filled = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    onDetected = resolve
    const cancel = timers.after(detect_max_ms, () => replaceDetector('it is too slow'))
    startDetecting()
    await promise.finally(cancel)
  }

  /** Hears silence when frames are missing, because without frames a speech would never end. */
  function check(): void {
    if (is_closed) return
    cancelCheck = timers.after(check_every_ms, check)
    const time = now()
    // Frames waited for this process while it was held up.
    const held_up_ms = Math.max(0, time - checked_at - check_every_ms)
    frame_at = Math.min(time, frame_at + held_up_ms)
    checked_at = time
    const quiet_ms = time - frame_at
    if (!segmenter.segment || quiet_ms < missing_ms) return
    const missed_ms = Math.max(0, Math.min(fill_max_ms, quiet_ms - silence_ms))
    hear(new Int16Array(Math.round((missed_ms * rate) / 1_000)), next_ms + silence_ms)
    silence_ms = quiet_ms
  }
  let cancelCheck = timers.after(check_every_ms, check)

  return {
    get heard_ms() {
      return recognitions.heard_ms
    },
    take,
    recogniseSoFar() {
      const { segment } = segmenter
      if (!segment || (live && live.text !== '')) return
      const so_far = { ...segment, windows: [...segment.windows] }
      recognitions.run({
        kind: 'partial',
        segment: so_far,
        onText: (...heard) => segmenter.segment === segment && options.onPartial(toWords(so_far, ...heard)),
      })
    },
    async finish() {
      if (!is_closed) await detectRest()
      const { segment } = segmenter
      if (!segment || is_closed) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const cancel = timers.after(finish_max_ms, resolve)
      onFinished = resolve
      if (!is_ending) recogniseAll(segment)
      await promise.finally(cancel)
    },
    close() {
      if (is_closed) return
      is_closed = true
      onDetected()
      cancelCheck()
      endLive()
      recognitions.close()
      detector.close()
    },
  }
}

/** This is `async`, so that an error that the detector throws at once is a rejection. */
const askDetector = async (detector: VoiceDetector, { samples }: Window): Promise<number> =>
  detector.hear(toFloat(samples))

const newWindow = (at_ms: number): Window => ({ samples: new Int16Array(window_samples), at_ms })

const toWords = (
  { start_ms, end_ms }: Pick<Segment, 'start_ms' | 'end_ms'>,
  text: string,
  recognise_ms: number,
): HeardWords => ({ text, start_ms, end_ms, recognise_ms })
