import { loud_above } from './sounds.ts'

/** Sound on a time line that begins at 0. */
export interface Tape {
  /** In samples. */
  readonly length: number
  add: (samples: Int16Array) => void
  addSilence: (count: number) => void
  /** A copy of what lies between two times. */
  slice: (start_ms?: number, end_ms?: number) => Int16Array
  /** When something is heard first at or after this time. */
  findSound: (start_ms: number) => number | undefined
  /** When something was heard last. */
  readonly last_sound_ms: number | undefined
}

export function openTape(sample_rate: number): Tape {
  const per_ms = sample_rate / 1_000
  let samples = new Int16Array(60 * sample_rate)
  let length = 0
  let last_loud: number | undefined
  const grow = (count: number) => {
    if (length + count <= samples.length) return
    const larger = new Int16Array(2 * (length + count))
    larger.set(samples)
    samples = larger
  }
  const isLoud = (index: number) => Math.abs(samples[index] ?? 0) > loud_above
  return {
    get length() {
      return length
    },
    get last_sound_ms() {
      return last_loud === undefined ? undefined : last_loud / per_ms
    },
    add(added) {
      grow(added.length)
      samples.set(added, length)
      length += added.length
      for (let index = length - 1; index >= length - added.length; index -= 1) {
        if (!isLoud(index)) continue
        last_loud = index
        break
      }
    },
    addSilence(count) {
      grow(count)
      length += count
    },
    slice: (start_ms = 0, end_ms = length / per_ms) =>
      samples.slice(
        Math.max(0, Math.round(start_ms * per_ms)),
        Math.max(0, Math.min(length, Math.round(end_ms * per_ms))),
      ),
    findSound(start_ms) {
      for (let index = Math.max(0, Math.ceil(start_ms * per_ms)); index < length; index += 1)
        if (isLoud(index)) return index / per_ms
      return undefined
    },
  }
}
