import { gather } from './batch.ts'
import { setBounded } from './bounded-map.ts'

const limits = { size_max: 256, flights_max: 2 }
const unknown_ms = 500
const unknown_max = 10_000

/**
 * Finds the owners of tokens that anyone can send. Concurrent look-ups share a statement, and unknown tokens are remembered
 * for half a second, so that a flood of them stays cheap. Known tokens are looked up at each call.
 */
export function tokenFinder<In extends { token: string }, Out>(
  findAll: (wanted: In[]) => Promise<(Out | undefined)[]>,
): (wanted: In, now: number) => Promise<Out | undefined> {
  const unknown_until = new Map<string, number>()
  const find = gather<In, Out | undefined>(limits, (_name, wanted) => findAll(wanted))
  return async (wanted, now) => {
    const until = unknown_until.get(wanted.token)
    // Further ahead than that: the clock was set back.
    if (until !== undefined && until > now && until <= now + unknown_ms) return undefined
    const found = await find('', wanted)
    if (!found) setBounded(unknown_until, wanted.token, now + unknown_ms, unknown_max)
    return found
  }
}
