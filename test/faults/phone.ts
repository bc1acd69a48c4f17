import { checkCampaigns } from './phone/campaigns.ts'
import { checkDatabasePause } from './phone/database-pause.ts'
import { checkHostile } from './phone/hostile.ts'
import { checkInterruptions } from './phone/interruptions.ts'
import { checkKills } from './phone/kills.ts'
import { checkRandomCalls } from './phone/random-calls.ts'
import { checkSixCalls } from './phone/six-calls.ts'
import { checkWhoAnswered } from './phone/who-answered.ts'
import { openPhoneWorld } from './phone/world.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import { checkAnswers } from './voice/answers.ts'

export const scenario: Scenario = {
  name: 'phone',
  about: 'people talk to agents by telephone, and the network and the processes do anything: no call is lost or stuck',
  run,
}

async function run(options: RunOptions): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const { random, print, is_long, rounds } = options
  const world = await openPhoneWorld(stack, random)
  const parts = [
    () => checkInterruptions(world, is_long ? Math.ceil(rounds / 5) : 2),
    () => checkSixCalls(world, { is_long }),
    () => checkRandomCalls(world, is_long ? 2 * rounds : 5),
    () => checkHostile(world, { is_long }),
    () => checkCampaigns(world, is_long ? 50 : 8),
    () => checkAnswers(world, is_long ? { count: 40, noises: [undefined, 20] } : { count: 5, noises: [undefined] }),
    () => checkWhoAnswered(world, is_long ? 20 : 3),
    () => checkDatabasePause(world, is_long ? 10_000 : 3_000),
    () => checkKills(world, is_long ? Math.ceil(rounds / 2) : 2),
  ]
  const failures: unknown[] = []
  // A miss of one part says nothing about the others, which take long.
  for (const check of parts)
    await check().then(print, (error: unknown) => {
      failures.push(error)
      print(`missed: ${error instanceof Error ? error.message : error}`)
    })
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of the parts have missed`)
}
