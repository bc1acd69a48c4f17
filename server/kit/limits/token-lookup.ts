import { openBatcher } from './batch.ts'
import { ExpiringMap } from './expiring-map.ts'

const batch_limits = { size_max: 256, in_flight_max: 2 }
const unknown_cache_ms = 500
const unknown_cache_max = 10_000

/**
 * Finds the owners of tokens from unauthenticated requests. Concurrent lookups share one call of `findAll`, and unknown tokens are
 * cached for half a second, so that a flood of them stays cheap. Known tokens are looked up every time.
 */
export function openTokenLookup<In extends { token: string }, Out>(
  findAll: (wanted: In[]) => Promise<(Out | undefined)[]>,
): (wanted: In, now: number) => Promise<Out | undefined> {
  const unknown = new ExpiringMap<true>(unknown_cache_ms, unknown_cache_max)
  const find = openBatcher<In, Out | undefined>(batch_limits, (_key, wanted) => findAll(wanted))
  return async (wanted, now) => {
    if (unknown.get(wanted.token, now)) return undefined
    const owner = await find('', wanted)
    if (!owner) unknown.set(wanted.token, true, now)
    return owner
  }
}
