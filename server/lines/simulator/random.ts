import { hash } from 'node:crypto'

/** The state of a generator of pseudorandom numbers. It is plain data. */
export interface Random {
  random: number
}

/**
 * Returns a generator for this seed. What happens in a simulation depends on nothing else: not on the time, and not on
 * chance.
 */
export const newRandom = (...seed: (string | number)[]): Random => ({
  random: hash('sha256', seed.join(' '), 'buffer').readUInt32BE(),
})

/** Returns the next number, from 0 to below 1 (mulberry32). */
function next(state: Random): number {
  state.random = (state.random + 0x6d2b79f5) >>> 0
  let mixed = Math.imul(state.random ^ (state.random >>> 15), state.random | 1)
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

/** Returns a whole number from the first to the last of the range. */
export const drawFrom = (state: Random, [first, last]: readonly [number, number]): number =>
  first + Math.floor(next(state) * (last - first + 1))

export const drawOne = <T>(state: Random, values: readonly T[]): T | undefined =>
  values[drawFrom(state, [0, values.length - 1])]
