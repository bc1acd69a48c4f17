export interface ConcurrencyLimit {
  /** False when no slot is free for the key. After true, call `release` once. */
  acquire: (key: string) => boolean
  release: (key: string) => void
}

/**
 * Limits concurrent requests in total and per key. By default a key may use at most half of the slots. When all slots are
 * taken, keys below their even share are still admitted, so one busy tenant can't shut out the others. The total may then
 * exceed `in_flight_max`.
 */
export function openConcurrencyLimit(
  in_flight_max: number,
  in_flight_per_key_max = in_flight_max / 2,
): ConcurrencyLimit {
  const in_flight = new Map<string, number>()
  let total = 0
  return {
    acquire(key) {
      const used_by_key = in_flight.get(key) ?? 0
      if (used_by_key >= in_flight_per_key_max) return false
      const keys = in_flight.size + (used_by_key === 0 ? 1 : 0)
      if (total >= in_flight_max && used_by_key >= in_flight_max / keys) return false
      in_flight.set(key, used_by_key + 1)
      total += 1
      return true
    },
    release(key) {
      const used_by_key = in_flight.get(key) ?? 0
      if (used_by_key > 1) in_flight.set(key, used_by_key - 1)
      else in_flight.delete(key)
      total -= 1
    },
  }
}
