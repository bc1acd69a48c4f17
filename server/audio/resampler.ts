import { toSample } from './samples.ts'

/** Changes the sample rate of sound that comes in pieces. The pieces sound as one: there are no clicks between them. */
export interface Resampler {
  push: (samples: Int16Array) => Int16Array
  /** Returns what is left at the end. Other sound may begin then. */
  flush: () => Int16Array
}

/** The filter reaches over this many samples of the lower rate, to each side. */
const reach = 10
/** Frequencies above this part of those that both rates have are filtered out. */
const pass = 0.94
const kaiser_beta = 6

/**
 * Opens a windowed sinc: a filter for each place that a sample of the new rate can have between two of the old. A new
 * sample has the time of the old ones around it, so nothing is delayed.
 */
export function openResampler(from_rate: number, to_rate: number): Resampler {
  if (from_rate === to_rate) return { push: (samples) => samples, flush: () => new Int16Array() }
  const divisor = greatestDivisor(from_rate, to_rate)
  const phases = to_rate / divisor
  const step = from_rate / divisor
  const half = Math.ceil(reach * Math.max(1, step / phases))
  const taps = 2 * half
  const filters = makeFilters({ phases, half, cutoff: pass * Math.min(1, phases / step) })

  /** The samples that are still needed, from half a filter before the next new one. */
  let kept = new Float32Array(half - 1)
  /** The place of the next new sample after the first half of `kept`: whole old samples, and phases. */
  let base = 0
  let phase = 0

  function push(samples: ArrayLike<number>): Int16Array {
    const input = new Float32Array(kept.length + samples.length)
    input.set(kept)
    input.set(samples, kept.length)
    const output = new Int16Array(Math.max(0, Math.ceil(((input.length - taps - base + 1) * phases) / step) + 1))
    let count = 0
    while (base + taps <= input.length) {
      const filter = phase * taps
      // There are two sums, because each addition would wait for the one before it.
      let even = 0
      let odd = 0
      for (let tap = 0; tap < taps; tap += 2) {
        even += (filters[filter + tap] ?? 0) * (input[base + tap] ?? 0)
        odd += (filters[filter + tap + 1] ?? 0) * (input[base + tap + 1] ?? 0)
      }
      output[count] = toSample(even + odd)
      count += 1
      phase += step
      base += Math.floor(phase / phases)
      phase %= phases
    }
    const used = Math.min(base, input.length)
    kept = input.slice(used)
    base -= used
    return output.subarray(0, count)
  }

  function flush(): Int16Array {
    const rest = push(new Float32Array(half))
    kept = new Float32Array(half - 1)
    base = 0
    phase = 0
    return rest
  }

  return { push, flush }
}

const greatestDivisor = (left: number, right: number): number =>
  right === 0 ? left : greatestDivisor(right, left % right)

function makeFilters({ phases, half, cutoff }: { phases: number; half: number; cutoff: number }): Float32Array {
  const taps = 2 * half
  const filters = new Float32Array(phases * taps)
  for (let phase = 0; phase < phases; phase += 1) {
    let sum = 0
    for (let tap = 0; tap < taps; tap += 1) {
      const distance = tap - (half - 1) - phase / phases
      const value = sinc(cutoff * distance) * kaiser(distance / half)
      filters[phase * taps + tap] = value
      sum += value
    }
    for (let tap = 0; tap < taps; tap += 1) filters[phase * taps + tap] = (filters[phase * taps + tap] ?? 0) / sum
  }
  return filters
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))

const kaiser = (x: number): number => (Math.abs(x) >= 1 ? 0 : bessel(kaiser_beta * Math.sqrt(1 - x * x)) / kaiser_peak)

/** Returns the modified Bessel function of the first kind, order 0. */
function bessel(x: number): number {
  let sum = 1
  let term = 1
  for (let k = 1; k < 25; k += 1) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}

const kaiser_peak = bessel(kaiser_beta)
