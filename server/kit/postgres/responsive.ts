import * as clock from '../clock.ts'
import { UnresponsiveError } from './errors.ts'

/** When a read takes longer, the database is asked whether it still answers. */
const slow_ms = 1_000
/** A database that doesn't answer within this time is unresponsive. Slow reads of one that answers go on. */
const silent_ms = 3_300
const check_every_ms = 250
/**
 * At most this much time counts between two checks: a machine or process that stands still must not take its own pause
 * for the database's.
 */
const counted_max_ms = 2 * check_every_ms

interface Read {
  /** How long ago the read began, or the database was last known to answer. */
  waited_ms: number
  reject: (error: Error) => void
}

/**
 * Runs reads, and rejects them when the database stops answering: within five seconds, long before their statements time out.
 * `ask` resolves with the database's answer, and rejects when it can't be reached.
 */
export function openResponsiveReads(ask: () => Promise<void>): <T>(read: () => Promise<T>) => Promise<T> {
  const reads = new Set<Read>()
  let checking: NodeJS.Timeout | undefined
  let checked_at = 0
  /** How long the database has not answered, while it is being asked. */
  let silence: { waited_ms: number } | undefined

  function rejectAfter(wait_ms: number, cause?: unknown): void {
    for (const read of reads) {
      if (read.waited_ms < wait_ms) continue
      reads.delete(read)
      read.reject(new UnresponsiveError('The database does not answer', { cause }))
    }
  }

  function startAsking(): void {
    silence = { waited_ms: 0 }
    ask()
      .then(() => {
        for (const read of reads) read.waited_ms = 0
      })
      .catch((error: unknown) => rejectAfter(slow_ms, error))
      .finally(() => {
        silence = undefined
      })
  }

  function check(): void {
    if (reads.size === 0) {
      clearInterval(checking)
      checking = undefined
      return
    }
    const counted_ms = Math.min(clock.ticks() - checked_at, counted_max_ms)
    checked_at = clock.ticks()
    let longest_ms = 0
    for (const read of reads) {
      read.waited_ms += counted_ms
      longest_ms = Math.max(longest_ms, read.waited_ms)
    }
    if (silence) silence.waited_ms += counted_ms
    else if (longest_ms >= slow_ms) startAsking()
    if (silence && silence.waited_ms >= silent_ms) rejectAfter(silent_ms)
  }

  function startChecking(): NodeJS.Timeout {
    checked_at = clock.ticks()
    return setInterval(check, check_every_ms).unref()
  }

  // Every GET comes through here, so a read costs a promise and a handler, and no more.
  return (run) =>
    new Promise((resolve, reject) => {
      const read = { waited_ms: 0, reject }
      reads.add(read)
      checking ??= startChecking()
      run().then(
        (result) => {
          reads.delete(read)
          resolve(result)
        },
        (error: Error) => {
          reads.delete(read)
          reject(error)
        },
      )
    })
}
