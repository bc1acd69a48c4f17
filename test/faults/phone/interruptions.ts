import assert from 'node:assert/strict'
import { checkInterruptions as checkVoice } from '../voice/interruptions.ts'
import type { PhoneWorld } from './world.ts'

/** People interrupt an agent, as in the browser, and the network is told to drop what it has not yet played before anything else. */

export async function checkInterruptions(world: PhoneWorld, count: number): Promise<string> {
  const { network } = world
  const earlier = network.calls.length
  const told = await checkVoice(world, count)
  const calls = network.calls.slice(earlier)
  let [clears, cuts] = [0, 0]
  for (const { sid, streams, person } of calls)
    for (const { arrivals } of streams)
      for (const [index, { event, at_ms }] of arrivals.entries()) {
        if (event !== 'clear') continue
        clears += 1
        assert.notEqual(arrivals[index + 1]?.event, 'mark', `${sid}: a mark of sound that was cleared`)
        const is_cut = person.stretches.some(({ end_ms }) => Math.abs(end_ms - at_ms) < cut_within_ms)
        if (is_cut) cuts += 1
      }
  return `${told}; ${clears} clears, ${cuts} of them while sound was played; the other times all of it was played before`
}

/** The rounding of times, and a late timer. */
const cut_within_ms = 100
