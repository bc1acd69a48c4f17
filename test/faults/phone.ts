import { checkInterruptions } from './phone/interruptions.ts'
import { checkKills } from './phone/kills.ts'
import { openPhoneWorld } from './phone/world.ts'
import type { RunOptions, Scenario } from './scenario.ts'

export const scenario: Scenario = {
  name: 'phone',
  about: 'people talk to agents by telephone, and the network and the processes do anything: no call is lost or stuck',
  run,
}

async function run(options: RunOptions): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const { random, print, is_long, rounds } = options
  const world = await openPhoneWorld(stack, random)
  const failures: unknown[] = []
  // A miss of one part says nothing about the others, which take long.
  const parts = {
    interruptions: () => checkInterruptions(world, is_long ? Math.ceil(rounds / 5) : 2),
    kills: () => checkKills(world, is_long ? Math.ceil(rounds / 2) : 2),
  }
  const wanted = process.env.PARTS?.split(',')
  for (const [name, check] of Object.entries(parts))
    if (wanted?.includes(name) ?? true)
      await check().then(print, (error: unknown) => {
        failures.push(error)
        print(`missed (${name}): ${error instanceof Error ? error.message : error}`)
      })
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of the parts have missed`)
}
