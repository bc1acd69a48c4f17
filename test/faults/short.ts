import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { seeded } from './random.ts'
import type { Scenario } from './scenario.ts'

/** The short form of a scenario as a test. It is repeated by `SEED=... npm test -- FILE`. */
export function testShortly({ name, about, run }: Scenario): void {
  test(`${name}: ${about}`, async (t) => {
    const seed = Number(process.env.SEED ?? randomInt(2 ** 31))
    const say = (line: string) => t.diagnostic(line)
    try {
      await run({ is_long: false, rounds: 1, minutes: 1, random: seeded(seed), seed, say })
    } catch (error) {
      say(`it failed with SEED=${seed}`)
      throw error
    }
  })
}
