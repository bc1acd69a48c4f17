import { Refusal } from './wire.ts'

const wait_first_ms = 1_000
const wait_max_ms = 30_000

/** Repeats the work after failures, with growing pauses, until it returns. Ends at once after an error that will not go away. */
export async function withRetries<T>(
  work: () => Promise<T>,
  { signal, onFailure }: { signal: AbortSignal; onFailure: (error: unknown) => void },
): Promise<T | undefined> {
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (isFinal(error)) throw error
      if (signal.aborted) return undefined
      onFailure(error)
      await pause(waitAfter(attempt, error), signal)
    }
  }
  return undefined
}

/** Whether the same request would fail again: the token or the chat is unknown, or the request is not valid. */
export const isFinal = (error: unknown): boolean =>
  error instanceof Refusal && error.status < 500 && error.status !== 429 && error.status !== 408

export function waitAfter(attempt: number, error?: unknown): number {
  const wait_ms = Math.min(wait_max_ms, wait_first_ms * 2 ** attempt)
  const asked_ms = error instanceof Refusal ? error.retry_after_ms : 0
  // The pause is random, so that all pages don't come back at the same moment after an outage.
  return Math.max(asked_ms, wait_ms) * (1 + Math.random() / 2)
}

/** Waits this long. Ends early when the browser is online again. */
export const pause = (wait_ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = new AbortController()
    const end = () => {
      clearTimeout(timer)
      done.abort()
      resolve()
    }
    const timer = setTimeout(end, wait_ms)
    addEventListener('online', end, { signal: done.signal })
    signal.addEventListener('abort', end, { signal: done.signal })
    if (signal.aborted) end()
  })
