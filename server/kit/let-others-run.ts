import * as clock from './clock.ts'

/** How long work may use the processor before connections and timers are served. All work of the process shares it. */
const run_max_ms = 5
/** This many urgent callers continue before one that is not urgent, if one waits. */
const urgent_in_row_max = 4

export interface Urgency {
  /** Whether a person waits for the work, or others wait for locks that it holds. */
  is_urgent?: boolean
}

/**
 * Callers that wait, in the order in which they continue. These are module variables, because a process has one event
 * loop.
 */
const urgent: (() => void)[] = []
const bulk: (() => void)[] = []
let urgent_in_row = 0
let turn_began_ticks = 0
let is_scheduled = false

/**
 * Work that doesn't wait for anything calls this again and again, so that the process answers requests meanwhile. Work of
 * several callers takes turns, urgent work first: in each turn of the event loop they continue one after the other, until
 * together they have used their time.
 */
export async function letOthersRun({ is_urgent = false }: Urgency = {}): Promise<void> {
  if (hasTime()) return
  await new Promise<void>((resolve) => {
    const waiting = is_urgent ? urgent : bulk
    waiting.push(resolve)
    schedule()
  })
}

const hasTime = (): boolean => clock.ticks() - turn_began_ticks < run_max_ms

function schedule(): void {
  if (is_scheduled) return
  is_scheduled = true
  setImmediate(beginTurn)
}

function beginTurn(): void {
  is_scheduled = false
  turn_began_ticks = clock.ticks()
  continueNext()
}

function continueNext(): void {
  takeNext()?.()
  if (urgent.length + bulk.length === 0) return
  // A tick that is asked for in a microtask comes after all microtasks: the one that continued has then stopped again.
  queueMicrotask(() => process.nextTick(() => (hasTime() ? continueNext() : schedule())))
}

function takeNext(): (() => void) | undefined {
  const is_urgent = urgent.length > 0 && (bulk.length === 0 || urgent_in_row < urgent_in_row_max)
  urgent_in_row = is_urgent && bulk.length > 0 ? urgent_in_row + 1 : 0
  return is_urgent ? urgent.shift() : bulk.shift()
}
