import { ConnectionError, ParleyError } from './errors.ts'

const backoff_ms = 500
const backoff_max_ms = 8_000
const default_retry_after_max_s = 60
/** Timers that are set for longer than this fire at once. */
const timer_max_ms = 2 ** 31 - 1

interface Retries {
  retries_max: number
  /** When the service asks for a longer wait, the caller gets the error, with `retryAfter`. */
  retry_after_max_s: number | undefined
  signal: AbortSignal | undefined
}

/** Repeats what failed for a reason that passes. */
export async function retrying<Result>(
  attempt: () => Promise<Result>,
  { retries_max, retry_after_max_s, signal }: Retries,
): Promise<Result> {
  for (let retries = 0, wait_ms = backoff_ms; ; retries += 1, wait_ms = Math.min(2 * wait_ms, backoff_max_ms)) {
    try {
      return await attempt()
    } catch (error) {
      if (retries >= retries_max || !passes(error, retry_after_max_s)) throw error
      await sleep(Math.max((error.retryAfter ?? 0) * 1_000, jitter(wait_ms)), signal)
    }
  }
}

/** Whether the same request may succeed later. */
const passes = (error: unknown, retry_after_max_s = default_retry_after_max_s): error is ParleyError =>
  error instanceof ParleyError &&
  (error.retryAfter ?? 0) <= retry_after_max_s &&
  (error instanceof ConnectionError || [429, 503].includes(error.status) || error.code === 'IDEMPOTENCY_IN_PROGRESS')

/** Varies a wait by up to a quarter, so that clients that failed together don't all come back together. */
export const jitter = (ms: number): number => ms * (0.75 + Math.random() / 2)

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      },
      Math.min(ms, timer_max_ms),
    )
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

/** Limits the time of an attempt. Rejects with the reason of `signal` if that aborts, else with a ConnectionError. */
export async function withTimeout<Result>(
  timeout_ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), Math.min(timeout_ms, timer_max_ms))
  try {
    return await work(signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal)
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (error instanceof ParleyError) throw error
    if (timeout.signal.aborted)
      throw new ConnectionError({ code: 'TIMED_OUT', message: `No answer came within ${timeout_ms} ms.`, cause: error })
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConnectionError({ code: 'CONNECTION_FAILED', message: `The request failed: ${reason}`, cause: error })
  } finally {
    clearTimeout(timer)
  }
}
