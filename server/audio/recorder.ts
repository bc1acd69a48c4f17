import { mulaw_silence, toMulaw } from '../kit/sound/mulaw.ts'
import type { WavFormat } from '../kit/sound/wav.ts'

/** Collects both sides of a call. Frames are PCM16 at 8 kHz; `at_ms` is the time of their first sample, on the same time line as `began_ms`. */
export interface Recorder {
  contact: (frame8k: Int16Array, at_ms: number) => void
  agent: (frame8k: Int16Array, at_ms: number) => void
  end: (at_ms: number) => void
}

export interface RecordedPart {
  index: number
  /** Where the part begins, in ms since `began_ms`. */
  start_ms: number
  /** μ-law at 8 kHz, the contact left and the agent right, without a header. */
  bytes: Uint8Array
}

export interface RecorderOptions {
  /** The time when the recording begins. */
  began_ms: number
  /**
   * Set when another process has recorded the beginning: where this recording goes on, and the number of its first
   * part.
   */
  continues?: { from_ms: number; index: number }
  /** Takes each part when it is finished. Must not throw. */
  keep: (part: RecordedPart) => void
}

/** Recordings are kept in this format, with the contact left and the agent right. */
export const recording_format: WavFormat = { encoding: 'mulaw', sample_rate: 8_000, channels: 2 }

const { sample_rate, channels } = recording_format
const samples_per_ms = sample_rate / 1_000
const part_samples = 30 * sample_rate
/** Frames may come this late, because what the agent says is recorded when it is known to have been played. */
const late_samples = 3 * sample_rate

/**
 * Writes each frame to the place that its time says, so nothing drifts. Time without frames is silence. A part without
 * any frame is left out, and the next one says where it begins.
 */
export function openRecorder({ began_ms, continues, keep }: RecorderOptions): Recorder {
  const first = continues ? Math.max(0, toSamples(continues.from_ms - began_ms)) : 0
  /** Parts that are not finished, by their number on the time line: two at most. */
  const open = new Map<number, Uint8Array>()
  let index = continues?.index ?? 0
  /** Parts before this one are finished. */
  let next = 0
  /** Where the last frame ends, in samples. */
  let last = 0
  let is_ended = false

  const numbers = () => [...open.keys()].sort((one, other) => one - other)

  function write(channel: 0 | 1, frame: Int16Array, at_ms: number): void {
    if (is_ended) return
    const start = toSamples(at_ms - began_ms) - first
    const end = start + frame.length
    last = Math.max(last, end)
    next = Math.max(next, Math.floor((end - late_samples) / part_samples))
    for (const number of numbers()) if (number < next) finish(number)
    for (let offset = Math.max(0, next * part_samples - start); offset < frame.length; ) {
      const number = Math.floor((start + offset) / part_samples)
      const from = start + offset - number * part_samples
      const count = Math.min(frame.length - offset, part_samples - from)
      const bytes = open.get(number) ?? new Uint8Array(channels * part_samples).fill(mulaw_silence)
      open.set(number, bytes)
      for (let sample = 0; sample < count; sample += 1)
        bytes[channels * (from + sample) + channel] = toMulaw(frame[offset + sample] ?? 0)
      offset += count
    }
  }

  function finish(number: number, samples = part_samples): void {
    const bytes = open.get(number)
    open.delete(number)
    if (!bytes || samples <= 0) return
    const start_ms = (first + number * part_samples) / samples_per_ms
    keep({ index, start_ms, bytes: bytes.subarray(0, channels * Math.min(samples, part_samples)) })
    index += 1
  }

  return {
    contact: (frame, at_ms) => write(0, frame, at_ms),
    agent: (frame, at_ms) => write(1, frame, at_ms),
    end(at_ms) {
      if (is_ended) return
      is_ended = true
      // Another process may have recorded after the last frame.
      const end = Math.min(last, toSamples(at_ms - began_ms) - first)
      for (const number of numbers()) finish(number, end - number * part_samples)
    },
  }
}

const toSamples = (time_ms: number): number => Math.round(time_ms * samples_per_ms)
