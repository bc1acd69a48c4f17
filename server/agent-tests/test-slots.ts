import { setTimeout as sleep } from 'node:timers/promises'
import { newTool } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { openSlots, type Slots } from '../kit/limits/slots.ts'

/** More workspaces at a time than work is claimed for. */
const waiting_max = 10_000
/** It takes less than a second, unless a test is made to be slow. */
const wait_max_ms = clock.day_ms

/** One slot, which goes round the workspaces: one with five runs has it no more often than another with one. @internal */
export const openTestSlots = (): Slots => openSlots({ running_max: 1, waiting_max, wait_max_ms })

/** Tests that wait for nothing run one after the other, because they use the processor and the database all the time. */
export const testSlots = newTool(openTestSlots)

/** Others are busy if they use this share of the event loop. */
const busy_share = 0.2
const pause_max_ms = 1_000

/** Leaves at least half of the time to others, while these need it. */
export interface Pace {
  /** Lets all others run that wait. */
  yield: () => Promise<void>
  /** Waits as long as the work has taken, if others are busy. */
  pause: () => Promise<void>
}

export function openPace(): Pace {
  const began_ticks = clock.ticks()
  let waited_ms = 0
  return {
    async yield() {
      const from = clock.ticks()
      await new Promise((resolve) => setImmediate(resolve))
      waited_ms += clock.ticks() - from
    },
    async pause() {
      const taken_ms = clock.ticks() - began_ticks
      if (waited_ms > busy_share * taken_ms) await sleep(Math.min(taken_ms, pause_max_ms))
    },
  }
}
