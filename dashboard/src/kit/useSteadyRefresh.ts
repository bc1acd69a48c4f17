import { useEffect, useRef } from 'react'

/** Limits how often lists are read under load. */
const wait_ms = 500

/**
 * Reads again soon after an event, and not before the last read has ended. Events may come at any rate, and reading a
 * list again cancels the request under way: without this, a stream of events would let no answer through.
 */
export function useSteadyRefresh(refresh: () => unknown): () => void {
  const latest = useRef(refresh)
  latest.current = refresh
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const is_asked = useRef(false)
  const ask = () => {
    is_asked.current = true
    timer.current ??= setTimeout(() => void run(), wait_ms)
  }
  const run = async () => {
    is_asked.current = false
    try {
      await latest.current()
    } catch {
      // Each list shows its own error.
    }
    timer.current = undefined
    if (is_asked.current) ask()
  }
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
      is_asked.current = false
    },
    [],
  )
  return ask
}
