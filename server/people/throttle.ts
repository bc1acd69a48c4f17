import { setBounded } from '../kit/limits/bounded-map.ts'
import { tooManyAttempts } from '../kit/problem.ts'

/** Allows `burst` attempts at once, and then one per interval. */
interface Rate {
  burst: number
  interval_ms: number
}

/** An account is limited most strictly per network, so that its owner can still sign in from elsewhere. */
const rates = {
  account_in_network: { burst: 10, interval_ms: 60_000 },
  account: { burst: 100, interval_ms: 10_000 },
  network: { burst: 50, interval_ms: 5_000 },
}
const keys_max = 30_000

export interface Throttle {
  /** Counts an attempt before it is made. Fails with 429 when there were too many. */
  countAttempt: (account: string, network: string, now: number) => void
  /** Forgets the attempts on the account after a sign-in or a confirmed password. The network's attempts still count. */
  reset: (account: string, network: string) => void
}

/** Limits password attempts in the memory of this process: see docs/decisions/0013-people-sessions-and-throttle.md. */
export function openThrottle(): Throttle {
  /** For each key, the time at which all its attempts so far are used up at one per interval. */
  const used_until = new Map<string, number>()

  function usedUntil(key: string, { burst, interval_ms }: Rate, now: number): number {
    const until = used_until.get(key) ?? now
    // An attempt that leads further ahead than this shows that the clock was set back.
    return until > now + burst * interval_ms ? now : Math.max(until, now)
  }

  const waitFor = (key: string, rate: Rate, now: number): number =>
    usedUntil(key, rate, now) - (rate.burst - 1) * rate.interval_ms - now

  function count(key: string, rate: Rate, now: number): void {
    setBounded(used_until, key, usedUntil(key, rate, now) + rate.interval_ms, keys_max)
  }

  const limitsFor = (account: string, network: string): [string, Rate][] => [
    [`account ${account} ${network}`, rates.account_in_network],
    [`account ${account}`, rates.account],
    [`network ${network}`, rates.network],
  ]

  return {
    countAttempt(account, network, now) {
      const limits = limitsFor(account, network)
      const wait_ms = Math.max(...limits.map(([key, rate]) => waitFor(key, rate, now)))
      if (wait_ms > 0) throw tooManyAttempts(Math.ceil(wait_ms / 1000))
      for (const [key, rate] of limits) count(key, rate, now)
    },
    reset(account, network) {
      used_until.delete(`account ${account} ${network}`)
      used_until.delete(`account ${account}`)
    },
  }
}
