import { hash } from 'node:crypto'
import * as clocks from '../../clocks/store.ts'
import type { At } from '../../kit/at.ts'

/** The order among enrollments that are due at the same time. The same people have the same order in every workspace with the seed. */
export const rankOf = (seed: number, phone_number: string): number =>
  hash('sha256', `${seed} ${phone_number}`, 'buffer').readInt32BE()

/** The seed of the test clock; 0 in a live workspace. */
export const readRankSeed = async (at: At): Promise<number> => (at.is_test ? clocks.readSeed(at) : 0)
