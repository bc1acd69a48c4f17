import * as clock from './clock.ts'

/** How long work may use the processor before connections and timers are served. All work of the process shares it. */
const run_max_ms = 5

/** In the order in which they continue. */
const waiting: (() => void)[] = []
let turn_began_ticks = 0
let is_scheduled = false

/**
 * Work that doesn't wait for anything calls this again and again, so that the process answers requests meanwhile. Work of
 * several callers takes turns: one continues in each turn of the event loop.
 */
export async function letOthersRun(): Promise<void> {
  if (clock.ticks() - turn_began_ticks < run_max_ms) return
  await new Promise<void>((resolve) => {
    waiting.push(resolve)
    schedule()
  })
}

function schedule(): void {
  if (is_scheduled) return
  is_scheduled = true
  setImmediate(continueNext)
}

function continueNext(): void {
  is_scheduled = false
  turn_began_ticks = clock.ticks()
  waiting.shift()?.()
  if (waiting.length > 0) schedule()
}
