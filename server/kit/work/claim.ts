import type { At } from '../at.ts'
import { isLate, keyMax, keyState, type State } from './state.ts'
import type { ClaimRequest, DueItem, Items, KeyState } from './work.ts'

/** An idle workspace forgets its keys when it has more than this. */
const keys_max = 1_000

/** Claims due items of the workspace. Finds out whether late items are left. */
export async function claimItems<Item extends DueItem>(
  at: At,
  items: Items<Item>,
  { state, ...slots }: { state: State<Item> } & Pick<ClaimRequest<Item>, 'slots' | 'slow_slots'>,
): Promise<Item[]> {
  const { claimed, by_key } = state
  const { limits, leases } = items
  if (claimed.size === 0) forgetLast(state)
  const skips_to_last = !state.must_rescan && state.keys_with_late.size === 0 && claimed.size > 0
  // Cleared before the claim, because more may be committed late during it. If the claim fails, the next poll sets it.
  state.must_rescan = false
  // A key with free slots gets all its late items in one claim. So when this claim finds none for it, none are left. Half of
  // the slots is a margin, because keys share the claim.
  const hasFreeSlots = (key: KeyState) => key.running < keyMax(key, limits) / 2
  const with_free_slots = [...state.keys_with_late].filter((key) => hasFreeSlots(keyState(state, key)))
  const found = await items.claim(at, { ...slots, limits, by_key, claimed, skips_to_last })
  // The claim took so long that another process may have taken the lease.
  if (leases.per === 'workspace' && state.lease_until <= at.db.time()) return []
  if (!skips_to_last) for (const key of with_free_slots) state.keys_with_late.delete(key)
  for (const item of found) {
    const key = items.keyOf?.(item)
    if (key !== undefined && isLate(item, keyState(state, key))) state.keys_with_late.add(key)
  }
  return found
}

function forgetLast({ by_key }: State<unknown>): void {
  if (by_key.size > keys_max) by_key.clear()
  for (const key of by_key.values()) key.last = undefined
}
