import { createContext, useContext, useEffect, useRef, useSyncExternalStore } from 'react'
import { toUrl } from './request.ts'

const poll_ms = 1_000
const answer_within_ms = 3_000

/** Whether the server can be reached, as far as the last requests tell. */
export interface Connection {
  isUp: () => boolean
  /**
   * Call this when something has failed: it asks for /health, and then once a second until that is answered. Resolves
   * to the first answer.
   */
  check: () => Promise<boolean>
  subscribe: (listener: () => void) => () => void
}

/** Watches whether the server can be reached. It sends nothing while all is well. */
export function openConnection(): Connection {
  const listeners = new Set<() => void>()
  let is_up = true
  let checking: Promise<boolean> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const set = (next: boolean) => {
    if (is_up === next) return
    is_up = next
    for (const listener of listeners) listener()
  }
  const look = async () => {
    clearTimeout(timer)
    // `await` is needed also when the browser is offline: what follows must not run before `check` has stored the
    // promise.
    const is_answered = await (navigator.onLine && answers())
    checking = undefined
    set(is_answered)
    if (!is_answered) timer = setTimeout(() => void check(), poll_ms)
    return is_answered
  }
  const check = (): Promise<boolean> => {
    checking ??= look()
    return checking
  }
  addEventListener('offline', () => void check())
  addEventListener('online', () => void check())
  return {
    isUp: () => is_up,
    check,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

async function answers(): Promise<boolean> {
  try {
    const { ok } = await fetch(toUrl('/health'), { cache: 'no-store', signal: AbortSignal.timeout(answer_within_ms) })
    return ok
  } catch {
    return false
  }
}

export const ConnectionContext = createContext<Connection | undefined>(undefined)

export function useConnection(): Connection {
  const connection = useContext(ConnectionContext)
  if (!connection) throw new Error('there is no ConnectionContext')
  return connection
}

/**
 * Tries again when the server can be reached, after a failure without a mutation: the query client resets mutations.
 */
export function useOnReconnect(tryAgain: () => void): void {
  const { subscribe, isUp } = useConnection()
  const latest = useRef(tryAgain)
  latest.current = tryAgain
  useEffect(() => subscribe(() => isUp() && latest.current()), [subscribe, isUp])
}

export function useIsConnected(): boolean {
  const { subscribe, isUp } = useConnection()
  return useSyncExternalStore(subscribe, isUp)
}
