import type { Log } from '../../kit/log.ts'
import { heard_rate } from '../../kit/sound/rates.ts'
import { writeWav } from '../../kit/sound/wav.ts'
import type { Listening } from '../../models/speech.ts'
import type { ModelUse } from '../model-use.ts'
import { joinSamples } from '../samples.ts'
import type { Timers } from '../timers.ts'
import { hearWhole, type LiveHearing } from './live.ts'
import { type Segment, window_ms } from './segmenter.ts'

/** `partial`: the speech goes on. `piece`: the beginning of a long one. `final`: all of it. */
type JobKind = 'partial' | 'piece' | 'final'

interface Job {
  kind: JobKind
  segment: Segment
  /** The live model that has heard the segment already. */
  live?: LiveHearing | undefined
  /** Gets the words, which may be none. It is not called after `discard`. */
  onText: (text: string, recognise_ms: number) => void
}

/** Recognises the segments of one call. */
export interface RecognitionQueue {
  /**
   * Runs one job at a time, while one waits: a newer one takes its place. Only pieces of a long speech are all kept,
   * and replace no final job.
   */
  run: (job: Job) => void
  /** Drops the jobs of this kind. */
  discard: (kind: JobKind) => void
  readonly heard_ms: number
  close: () => void
}

export interface RecognitionQueueOptions {
  model: ModelUse<Listening>
  now: () => number
  timers: Timers
  log: Log
}

/** A model that doesn't stop when it should is not waited for after this time. */
const stop_max_ms = 2_000
/** This much silence is added after the speech, because models want it. */
const after_ms = 400

export function openRecognitionQueue({ model, now, timers, log }: RecognitionQueueOptions): RecognitionQueue {
  let running: { kind: JobKind; stop: AbortController } | undefined
  let waiting: Job[] = []
  let heard_ms = 0
  let is_closed = false

  function start(job: Job): void {
    const stop = new AbortController()
    running = { kind: job.kind, stop }
    const began = now()
    recognise(job, stop.signal)
      .then((text) => {
        if (!stop.signal.aborted && !is_closed) job.onText(text, now() - began)
      })
      .catch((error: unknown) => log.error({ err: error }, 'recognising failed'))
      .finally(() => {
        running = undefined
        const next = is_closed ? undefined : waiting.shift()
        if (next) start(next)
      })
  }

  /** Recognises a job's segment. Never rejects. The next job waits until a stopped model has stopped. */
  async function recognise({ segment, live }: Job, signal: AbortSignal): Promise<string> {
    const samples = soundOf(segment)
    let left: Promise<unknown> = Promise.resolve()
    let is_live = live !== undefined
    const text = await model.run((listening, abortSignal) => {
      // Speech that failed while it was spoken is recognised again from the beginning.
      if (is_live && live?.listening === listening) {
        is_live = false
        return live.readWords()
      }
      const work = generate(listening, samples, abortSignal)
      left = work.catch(() => {})
      return work
    }, signal)
    if (signal.aborted) await Promise.race([left, waitFor(timers)])
    if (text !== undefined && model.is_first) heard_ms += (samples.length * 1_000) / heard_rate
    return text?.trim() ?? ''
  }

  return {
    get heard_ms() {
      return heard_ms
    },
    run(job) {
      if (is_closed) return
      if (!running) return start(job)
      const kept = waiting.filter(({ kind }) => kind === 'piece' || (kind === 'final' && job.kind === 'piece'))
      waiting = job.kind === 'partial' && waiting.length > 0 ? waiting : [...kept, job]
    },
    discard(kind) {
      waiting = waiting.filter((job) => job.kind !== kind)
      if (running?.kind === kind) running.stop.abort()
    },
    close() {
      is_closed = true
      running?.stop.abort()
    },
  }
}

async function generate(listening: Listening, samples: Int16Array, abortSignal: AbortSignal): Promise<string> {
  if (listening.streaming?.is_only) return hearWhole(listening, samples, abortSignal)
  const audio = writeWav(samples, heard_rate)
  const { text } = await listening.model.doGenerate({ audio, mediaType: 'audio/wav', abortSignal })
  return text
}

function soundOf({ windows, silent }: Segment): Int16Array {
  const missing_ms = Math.max(0, after_ms - silent * window_ms)
  return joinSamples([...windows.map(({ samples }) => samples), new Int16Array((missing_ms * heard_rate) / 1_000)])
}

const waitFor = ({ after }: Timers): Promise<void> =>
  new Promise((resolve) => {
    after(stop_max_ms, resolve)
  })
