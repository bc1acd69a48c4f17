import { Problem } from '../problem.ts'

export interface Slots {
  /** Whether work of the key is running or waiting. */
  has: (key: string) => boolean
  /**
   * Runs the work when a slot is free. Rejects with 503 when too many wait, or it has waited too long, and with the reason of the
   * signal when that is aborted before.
   */
  run: <T>(key: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>
}

interface SlotLimits {
  running_max: number
  waiting_max: number
  wait_max_ms: number
}

/** Work that uses a whole processor waits for a slot, in order of arrival. A key has one slot at a time, so none is before others twice. */
export function openSlots({ running_max, waiting_max, wait_max_ms }: SlotLimits): Slots {
  const keys = new Set<string>()
  const waiting: (() => void)[] = []
  let running = 0
  const busy = () => {
    const seconds = Math.ceil(wait_max_ms / 1_000)
    const message = `Too many others are waiting for this. Try again in ${seconds} seconds.`
    return new Problem('SERVICE_UNAVAILABLE', message, {}, { 'retry-after': String(seconds) })
  }

  function waitForSlot(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        stopWaiting()
        resolve()
      }
      const giveUp = (reason: unknown) => {
        stopWaiting()
        waiting.splice(waiting.indexOf(begin), 1)
        reject(reason)
      }
      const onAbort = () => giveUp(signal.reason)
      const timer = setTimeout(() => giveUp(busy()), wait_max_ms)
      const stopWaiting = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
      signal.addEventListener('abort', onAbort)
      waiting.push(begin)
    })
  }

  /** Passes the slot on. */
  function release(): void {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }

  return {
    has: (key) => keys.has(key),
    async run(key, signal, work) {
      signal.throwIfAborted()
      if (keys.has(key)) throw new Error(`${key} has a slot already`)
      if (running >= running_max && waiting.length >= waiting_max) throw busy()
      keys.add(key)
      try {
        if (running < running_max) running += 1
        else await waitForSlot(signal)
        return await work().finally(release)
      } finally {
        keys.delete(key)
      }
    },
  }
}
