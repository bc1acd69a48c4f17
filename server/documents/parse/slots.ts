import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../../kit/clock.ts'

/** A reading process may use this much memory. */
const reader_bytes = 400 * 1024 * 1024
/** This much memory must be left for all else before a second process starts, because the first may still grow. */
const left_bytes = 200 * 1024 * 1024
export const check_every_ms = 100

export interface SlotLimits {
  readers_max: number
  /**
   * After this time a reader ends if another workspace waits. Each attempt gets twice as long as the last one, so that
   * the file is read in the end.
   */
  slice_ms: number
}

export const slot_limits: SlotLimits = { readers_max: 2, slice_ms: 5_000 }

interface Asking {
  workspace: string
  /** The number of the attempt to read the file. The first one is 1. */
  attempt: number
}

export interface Slot extends Asking {
  began_ticks: number
  /** Whether the reader must end, because another workspace waits and this one has had its time. */
  must_end: boolean
}

/**
 * The readers of all services of this process, because the memory is that of the machine. Both sets are in the order in
 * which they came.
 */
const reading = new Set<Slot>()
const waiting = new Set<Asking>()

/** Waits until a file may be read, in the order of the calls. Returns nothing when this process is about to stop. */
export async function takeSlot(
  asking: Asking,
  limits: SlotLimits,
  isStopping: () => boolean,
): Promise<Slot | undefined> {
  waiting.add(asking)
  try {
    for (;;) {
      if (isStopping()) return undefined
      const is_first = waiting.values().next().value === asking
      if (is_first && reading.size < limits.readers_max && hasMemory(reading.size)) break
      if (is_first) interruptOther(asking, limits)
      await sleep(check_every_ms, undefined, { ref: false })
    }
  } finally {
    waiting.delete(asking)
  }
  const slot = { ...asking, began_ticks: clock.ticks(), must_end: false }
  reading.add(slot)
  return slot
}

/** Ends a reading. Call it when the memory is free again. */
export const endSlot = (slot: Slot): boolean => reading.delete(slot)

/** Whether there is memory for one more reader. The first one needs no permission. @internal */
export const hasMemory = (running: number, available = process.availableMemory()): boolean =>
  running === 0 || available >= (running + 1) * reader_bytes + left_bytes

/** Ends one reader that has had its time. */
function interruptOther({ workspace }: Asking, { slice_ms }: SlotLimits): void {
  const slots = [...reading]
  if (slots.some(({ must_end }) => must_end)) return
  const now = clock.ticks()
  const found = slots.find(
    (slot) => slot.workspace !== workspace && now - slot.began_ticks >= slice_ms * 2 ** (slot.attempt - 1),
  )
  if (found) found.must_end = true
}
