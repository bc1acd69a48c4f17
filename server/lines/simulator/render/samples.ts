/** Telephones have this rate. */
export const sample_rate = 8_000
export const samples_per_ms = sample_rate / 1_000

/**
 * A low-pass filter at a quarter of the sample rate: the taps after the middle one, which are the same before it. Every second
 * one is 0. Together they are 2 to the power of 15. Whole numbers give the same result on every machine.
 */
const middle_tap = 16_382
const taps = [10_304, -3_113, 1_527, -795, 393, -171, 58, -10]
const one = 32_768

/** Halves the sample rate. */
export function halveRate(samples: Int16Array): Int16Array {
  const halved = new Int16Array(Math.floor(samples.length / 2))
  for (let index = 0; index < halved.length; index += 1) {
    const middle = 2 * index
    let sum = middle_tap * (samples[middle] ?? 0)
    for (const [number, tap] of taps.entries()) {
      const distance = 2 * number + 1
      sum += tap * ((samples[middle - distance] ?? 0) + (samples[middle + distance] ?? 0))
    }
    halved[index] = Math.max(-one, Math.min(one - 1, Math.floor(sum / one)))
  }
  return halved
}

/** Samples below this are quieter than speech. */
const silence_below = 100

export function trimSilence(samples: Int16Array): Int16Array {
  const isLoud = (sample: number) => Math.abs(sample) >= silence_below
  const start = samples.findIndex(isLoud)
  return start < 0 ? samples.subarray(0, 0) : samples.subarray(start, samples.findLastIndex(isLoud) + 1)
}

const fade_length = 5 * samples_per_ms

/** Shortens samples to a length. The last ones get quieter, because a sudden end is heard as a click. */
export function cut(samples: Int16Array, length: number): Int16Array {
  if (samples.length <= length) return samples
  const left = samples.slice(0, length)
  const fade = Math.min(fade_length, length)
  for (let index = 0; index < fade; index += 1) {
    const position = length - 1 - index
    left[position] = Math.trunc(((left[position] ?? 0) * index) / fade)
  }
  return left
}
