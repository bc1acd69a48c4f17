import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { seeded } from './random.ts'
import type { Scenario } from './scenario.ts'

/** Runs the short form of a scenario as a test. `SEED=... npm test -- FILE` repeats its random choices. */
export function testShortForm({ name, about, run }: Scenario): void {
  test(`${name}: ${about}`, async (t) => {
    const seed = Number(process.env.SEED ?? randomInt(2 ** 31))
    const print = (line: string) => t.diagnostic(line)
    try {
      await run({ is_long: false, rounds: 1, minutes: 1, random: seeded(seed), seed, print })
    } catch (error) {
      print(`failed with SEED=${seed}`)
      throw error
    }
  })
}
