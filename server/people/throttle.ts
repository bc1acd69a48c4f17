import { setBounded } from '../kit/limits/bounded-map.ts'
import { tooManyAttempts } from '../kit/problem.ts'

/** So many at once, then one more each time that the interval has passed. */
interface Rate {
  burst: number
  interval_ms: number
}

/** One who guesses is slowed down long before the account is, so that its person still gets in from elsewhere. */
const rates = {
  account_here: { burst: 10, interval_ms: 60_000 },
  account: { burst: 100, interval_ms: 10_000 },
  network: { burst: 50, interval_ms: 5_000 },
}
const names_max = 30_000

export interface Throttle {
  /** Counts an attempt before it is made, or refuses it and says when to come again. */
  attempt: (account: string, network: string, now: number) => void
  /** The attempt was right: the account's are forgotten. */
  succeed: (account: string, network: string) => void
}

/** In the memory of this process: see docs/decisions. */
export function throttle(): Throttle {
  /** Until when each name has used up what it may; as far ahead as it has made attempts. The last touched is the last. */
  const used_until = new Map<string, number>()

  function untilOf(name: string, { burst, interval_ms }: Rate, now: number): number {
    const until = used_until.get(name) ?? now
    // Further ahead than attempts could bring it: the clock was set back.
    return until > now + burst * interval_ms ? now : Math.max(until, now)
  }

  const waitOf = (name: string, rate: Rate, now: number): number =>
    untilOf(name, rate, now) - (rate.burst - 1) * rate.interval_ms - now

  function use(name: string, rate: Rate, now: number): void {
    const until = untilOf(name, rate, now) + rate.interval_ms
    setBounded(used_until, name, until, names_max)
  }

  const named = (account: string, network: string): [string, Rate][] => [
    [`account ${account} ${network}`, rates.account_here],
    [`account ${account}`, rates.account],
    [`network ${network}`, rates.network],
  ]

  return {
    attempt(account, network, now) {
      const all = named(account, network)
      const wait_ms = Math.max(...all.map(([name, rate]) => waitOf(name, rate, now)))
      if (wait_ms > 0) throw tooManyAttempts(Math.ceil(wait_ms / 1000))
      for (const [name, rate] of all) use(name, rate, now)
    },
    succeed(account, network) {
      used_until.delete(`account ${account} ${network}`)
      used_until.delete(`account ${account}`)
    },
  }
}
