/** Sound is PCM16: whole numbers from -32,768 to 32,767. Models of voice activity want numbers from -1 to 1. */

const one = 32_768

export function toFloat(samples: Int16Array): Float32Array {
  const floats = new Float32Array(samples.length)
  for (let index = 0; index < samples.length; index += 1) floats[index] = (samples[index] ?? 0) / one
  return floats
}

/** Rounds a value to a sample, and cuts what is too loud. */
export const toSample = (value: number): number => Math.max(-one, Math.min(one - 1, Math.round(value)))

/** Returns the loudness of samples: the root of the mean square, from 0 to 1. */
export function levelOf(samples: Float32Array): number {
  let sum = 0
  for (let index = 0; index < samples.length; index += 1) sum += (samples[index] ?? 0) ** 2
  return Math.sqrt(sum / Math.max(1, samples.length))
}

export function joinSamples(pieces: Int16Array[]): Int16Array {
  const joined = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const piece of pieces) {
    joined.set(piece, offset)
    offset += piece.length
  }
  return joined
}
