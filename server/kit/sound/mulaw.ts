/** ITU-T G.711 defines μ-law: eight bits for a sample, finer where it is quiet. */

export const mulaw_silence = 0xff
const bias = 0x84
const magnitude_max = 32_635

export const fromMulaw = (byte: number): number => decoded[byte & 0xff] ?? 0

export function toMulaw(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), magnitude_max) + bias
  const exponent = 24 - Math.clz32(magnitude)
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | mantissa) & 0xff
}

function decode(byte: number): number {
  const bits = ~byte & 0xff
  const exponent = (bits >> 4) & 0x07
  const magnitude = ((((bits & 0x0f) << 3) + bias) << exponent) - bias
  return bits & 0x80 ? -magnitude : magnitude
}

const decoded = Int16Array.from({ length: 0x100 }, (_, byte) => decode(byte))
