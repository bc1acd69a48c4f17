import { setTimeout as sleep } from 'node:timers/promises'
import { newTool } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { openQueuePerKey } from '../kit/limits/key-queues.ts'
import { openSlots } from '../kit/limits/slots.ts'

/** Runs the work when the workspace has the slot. Rejects when the signal is aborted before. */
export type TestSlots = <T>(workspace: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>

/** Tests that wait for nothing run one after the other, because they use the processor and the database all the time. */
export const testSlots = newTool(openTestSlots)

/** More workspaces at a time than work is claimed for. */
const waiting_max = 10_000
/** It takes less than a second, unless a test is made to be slow. */
const wait_max_ms = clock.day_ms

/** One slot, which goes round the workspaces: one with five runs has it no more often than another with one. */
export function openTestSlots(): TestSlots {
  const slots = openSlots({ running_max: 1, waiting_max, wait_max_ms })
  const queue = openQueuePerKey(1, { wait_max_ms })
  return (workspace, signal, work) =>
    untilAborted(signal, (begin) =>
      queue(workspace, () =>
        slots.run(workspace, signal, () => {
          begin()
          return work()
        }),
      ),
    )
}

/** Rejects when the signal is aborted before the work has begun: whoever waits in the queue would not notice it. */
function untilAborted<T>(signal: AbortSignal, run: (begin: () => void) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason)
    if (signal.aborted) return giveUp()
    const begin = () => signal.removeEventListener('abort', giveUp)
    signal.addEventListener('abort', giveUp, { once: true })
    void run(begin).then(resolve, reject).finally(begin)
  })
}

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
