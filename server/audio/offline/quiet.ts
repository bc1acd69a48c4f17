import { heard_rate } from '../../kit/sound/rates.ts'

/** This file prepares sound for the recogniser. Samples are at `heard_rate`, from -1 to 1. */

/** Below this frequency microphones have hum and wind, and no speech. */
const high_pass_hz = 80
/** The recogniser hears sound best whose loudest sample is this loud. */
const peak = 0.88
const size = 512
const hop = size / 4
const bins = size / 2 + 1
/** The quietest part of the frames is taken for background noise alone. */
const noise_part = 0.2
const noise_frames_min = 4
/** How much of a frame's signal-to-noise ratio comes from the frame before: more sounds smoother. */
const smoothing = 0.97
/** This much of the noise is left. Without any noise, what is left of the speech sounds unlike speech. */
const gain_min = 0.15
const tiny = 1e-12

const window = Float64Array.from({ length: size }, (_, index) =>
  Math.sqrt(0.5 - 0.5 * Math.cos((2 * Math.PI * index) / size)),
)
/** Squared windows at this distance add up to this. */
const overlap = size / hop / 2
const cosines = Float64Array.from({ length: size / 2 }, (_, index) => Math.cos((2 * Math.PI * index) / size))
const sines = Float64Array.from({ length: size / 2 }, (_, index) => -Math.sin((2 * Math.PI * index) / size))

/** Makes the loudest sample as loud as `peak`. */
export function normalize(samples: Float32Array): Float32Array {
  let loudest = 0
  for (const sample of samples) loudest = Math.max(loudest, Math.abs(sample))
  return loudest === 0 ? samples : samples.map((sample) => (sample * peak) / loudest)
}

/** Applies a filter of the second order (Butterworth). */
export function highPass(samples: Float32Array): Float32Array {
  const angle = (2 * Math.PI * high_pass_hz) / heard_rate
  const alpha = Math.sin(angle) / Math.SQRT2
  const cosine = Math.cos(angle)
  const first = (1 + cosine) / 2 / (1 + alpha)
  const feedback_1 = (-2 * cosine) / (1 + alpha)
  const feedback_2 = (1 - alpha) / (1 + alpha)
  let [in_1, in_2, out_1, out_2] = [0, 0, 0, 0]
  return samples.map((sample) => {
    const filtered = first * (sample - 2 * in_1 + in_2) - feedback_1 * out_1 - feedback_2 * out_2
    in_2 = in_1
    in_1 = sample
    out_2 = out_1
    out_1 = filtered
    return filtered
  })
}

interface Spectrum {
  real: Float64Array
  imaginary: Float64Array
  power: Float64Array
}

/** Makes steady background noise quieter: a Wiener filter, with the noise of the quietest frames. */
export function reduceNoise(samples: Float32Array): Float32Array {
  const padded = new Float32Array(samples.length + 2 * size)
  padded.set(samples, size)
  const frames = Array.from({ length: Math.floor((padded.length - size) / hop) + 1 }, (_, frame) =>
    readSpectrum(padded.subarray(frame * hop, frame * hop + size)),
  )
  const noise = estimateNoise(frames.slice(size / hop, Math.floor(samples.length / hop)))
  const result = new Float32Array(padded.length)
  const before = new Float64Array(bins)
  for (const [frame, { real, imaginary, power }] of frames.entries()) {
    for (let bin = 0; bin < bins; bin += 1) {
      const expected = (noise[bin] ?? 0) + tiny
      const measured = power[bin] ?? 0
      const ratio = (smoothing * (before[bin] ?? 0)) / expected + (1 - smoothing) * Math.max(measured / expected - 1, 0)
      const gain = ratio / (1 + ratio)
      before[bin] = gain * gain * measured
      scale(real, imaginary, bin, Math.max(gain, gain_min))
      if (bin > 0 && bin < size / 2) scale(real, imaginary, size - bin, Math.max(gain, gain_min))
    }
    // The transform of the conjugate is the inverse one: its imaginary part is not needed.
    for (let index = 0; index < size; index += 1) imaginary[index] = -(imaginary[index] ?? 0)
    transform(real, imaginary)
    for (let index = 0; index < size; index += 1) {
      const at = frame * hop + index
      result[at] = (result[at] ?? 0) + ((real[index] ?? 0) / size) * ((window[index] ?? 0) / overlap)
    }
  }
  return result.slice(size, size + samples.length)
}

function readSpectrum(samples: Float32Array): Spectrum {
  const real = new Float64Array(size)
  for (let index = 0; index < size; index += 1) real[index] = (samples[index] ?? 0) * (window[index] ?? 0)
  const imaginary = new Float64Array(size)
  transform(real, imaginary)
  const power = new Float64Array(bins)
  for (let bin = 0; bin < bins; bin += 1) power[bin] = (real[bin] ?? 0) ** 2 + (imaginary[bin] ?? 0) ** 2
  return { real, imaginary, power }
}

/** Returns the mean power of each frequency in the quietest frames. */
function estimateNoise(frames: Spectrum[]): Float64Array {
  const loudness = ({ power }: Spectrum) => power.reduce((sum, one) => sum + one, 0)
  const in_order = frames
    .map((frame) => ({ frame, loudness: loudness(frame) }))
    .toSorted((one, other) => one.loudness - other.loudness)
  const quietest = in_order.slice(0, Math.max(noise_frames_min, Math.floor(in_order.length * noise_part)))
  const noise = new Float64Array(bins)
  for (const { frame } of quietest)
    for (let bin = 0; bin < bins; bin += 1) noise[bin] = (noise[bin] ?? 0) + (frame.power[bin] ?? 0) / quietest.length
  return noise
}

function scale(real: Float64Array, imaginary: Float64Array, index: number, gain: number): void {
  real[index] = (real[index] ?? 0) * gain
  imaginary[index] = (imaginary[index] ?? 0) * gain
}

/** Where each number goes before the transform: its index with the bits in reverse. */
const places = Uint16Array.from({ length: size }, (_, index) => {
  let reversed = 0
  for (let bit = 1; bit < size; bit *= 2) reversed = 2 * reversed + (index & bit ? 1 : 0)
  return reversed
})

/**
 * Does a fast Fourier transform of `size` numbers, in place. It allocates nothing, because it runs hundreds of times a
 * second.
 */
function transform(real: Float64Array, imaginary: Float64Array): void {
  for (let index = 0; index < size; index += 1) {
    const place = places[index] ?? 0
    if (index < place) {
      swap(real, index, place)
      swap(imaginary, index, place)
    }
  }
  for (let half = 1; half < size; half *= 2) {
    const stride = size / (2 * half)
    for (let offset = 0; offset < half; offset += 1) {
      const cosine = cosines[offset * stride] as number
      const sine = sines[offset * stride] as number
      for (let low = offset; low < size; low += 2 * half) {
        // The casts are true because all indexes are below the size.
        const high = low + half
        const high_real = real[high] as number
        const high_imaginary = imaginary[high] as number
        const low_real = real[low] as number
        const low_imaginary = imaginary[low] as number
        const turned_real = high_real * cosine - high_imaginary * sine
        const turned_imaginary = high_real * sine + high_imaginary * cosine
        real[high] = low_real - turned_real
        imaginary[high] = low_imaginary - turned_imaginary
        real[low] = low_real + turned_real
        imaginary[low] = low_imaginary + turned_imaginary
      }
    }
  }
}

function swap(numbers: Float64Array, one: number, other: number): void {
  const moved = numbers[one] ?? 0
  numbers[one] = numbers[other] ?? 0
  numbers[other] = moved
}
