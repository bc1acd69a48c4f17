export type Random = () => number

/** Mulberry32: small, fast, and the same on every machine. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns an independent stream: later draws from `random` don't change it. */
export const split = (random: Random): Random => seeded(Math.floor(random() * 2 ** 32))

export const chance = (random: Random, share: number): boolean => random() < share

/** Both ends included. */
export const between = (random: Random, min: number, max: number): number =>
  min + Math.floor(random() * (max - min + 1))

export function pick<T>(random: Random, list: readonly T[]): T {
  if (list.length === 0) throw new Error('there is nothing to pick from')
  return list[between(random, 0, list.length - 1)] as T
}

export function shuffled<T>(random: Random, list: readonly T[]): T[] {
  return list
    .map((item) => ({ item, order: random() }))
    .sort((left, right) => left.order - right.order)
    .map(({ item }) => item)
}
