import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../../kit/clock.ts'

/** A reading process may use this much memory. */
const reader_bytes = 400 * 1024 * 1024
/** This much memory must be left for all else before a second process starts, because the first may still grow. */
const left_bytes = 200 * 1024 * 1024
export const check_every_ms = 100

export interface TurnLimits {
  readers_max: number
  /**
   * After this time a reader ends if another workspace waits. Each attempt gets twice as long as the last one, so that
   * the file is read in the end.
   */
  slice_ms: number
}

export const turn_limits: TurnLimits = { readers_max: 2, slice_ms: 5_000 }

interface Asking {
  workspace: string
  /** The number of the attempt to read the file. The first one is 1. */
  attempt: number
}

export interface Turn extends Asking {
  began_ticks: number
  /** Whether the reader must end, because another workspace waits and this one has had its time. */
  must_end: boolean
}

/**
 * The readers of all services of this process, because the memory is that of the machine. Both sets are in the order in
 * which they came.
 */
const reading = new Set<Turn>()
const waiting = new Set<Asking>()

/** Waits until a file may be read, in the order of the calls. Returns nothing when this process is about to stop. */
export async function takeTurn(
  asking: Asking,
  limits: TurnLimits,
  isStopping: () => boolean,
): Promise<Turn | undefined> {
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
  const turn = { ...asking, began_ticks: clock.ticks(), must_end: false }
  reading.add(turn)
  return turn
}

/** Ends a reading. Call it when the memory is free again. */
export const endTurn = (turn: Turn): boolean => reading.delete(turn)

/** Whether there is memory for one more reader. The first one needs no permission. @internal */
export const hasMemory = (running: number, available = process.availableMemory()): boolean =>
  running === 0 || available >= (running + 1) * reader_bytes + left_bytes

/** Ends one reader that has had its time. */
function interruptOther({ workspace }: Asking, { slice_ms }: TurnLimits): void {
  const turns = [...reading]
  if (turns.some(({ must_end }) => must_end)) return
  const now = clock.ticks()
  const found = turns.find(
    (turn) => turn.workspace !== workspace && now - turn.began_ticks >= slice_ms * 2 ** (turn.attempt - 1),
  )
  if (found) found.must_end = true
}
