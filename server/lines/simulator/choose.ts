import type { CallToDial } from '../../calls/carrier.ts'
import * as clocks from '../../clocks/store.ts'
import type { At } from '../../kit/at.ts'
import { default_mix } from '../../workspaces/defaults.ts'
import type { Mix } from '../../workspaces/schema.ts'
import * as workspaces from '../../workspaces/store.ts'
import { onAttempt, person_by_outcome } from './people.ts'
import { drawFrom, newRandom, type Random } from './random.ts'

export interface ChosenPerson extends Random {
  /** The key of the person. */
  person: string
}

/**
 * Chooses whom a call reaches, and the seed of what happens. Calls with the same seed, number and attempt are the same.
 */
export async function choosePerson(
  at: At,
  { to, simulate, attempt }: Pick<CallToDial, 'to' | 'simulate' | 'attempt'>,
): Promise<ChosenPerson> {
  const { seed, mix, is_by_number } = await readChances(at)
  const random = newRandom(seed, simulate ?? to, attempt)
  const person =
    simulate ?? (is_by_number ? personByNumber(to) : undefined) ?? person_by_outcome[drawOutcome(mix, random)]
  return { person: onAttempt(person, attempt), ...random }
}

export interface Chances {
  seed: number
  mix: Mix
  /** Whether the last two digits of a number choose a person. */
  is_by_number: boolean
}

/** The chances of each `At`, read once: calls that are claimed together share an `at`, and are many. */
const chances = new WeakMap<At, Promise<Chances>>()

export function readChances(at: At): Promise<Chances> {
  const reading =
    chances.get(at) ??
    Promise.all([clocks.readSeed(at), workspaces.readSettings(at)]).then(([seed, { mix }]) => ({
      seed,
      mix: mix ?? default_mix,
      is_by_number: true,
    }))
  chances.set(at, reading)
  return reading
}

/** Uses the chances of one `At` for another one, which is the same workspace at another time. */
export const shareChances = (from: At, to: At): void => void chances.set(to, readChances(from))

/** Sets the chances for a forecast, which has its own. */
export const setChances = (at: At, chosen: Chances): void => void chances.set(at, Promise.resolve(chosen))

const named_max = 19

/** Returns the person whom the last two digits of a number choose, if they choose one. */
export function personByNumber(phone_number: string): string | undefined {
  const digits = phone_number.slice(-2)
  return Number(digits) <= named_max ? digits : undefined
}

/** Draws from the shares of the workspace's mix, which sum to 100. */
export function drawOutcome(shares: Mix, random: Random): keyof Mix {
  let drawn = drawFrom(random, [1, 100])
  for (const outcome of outcomes) {
    drawn -= shares[outcome]
    if (drawn <= 0) return outcome
  }
  return 'answered'
}

const outcomes: (keyof Mix)[] = ['answered', 'no_answer', 'voicemail', 'busy', 'rejected', 'unreachable', 'error']
