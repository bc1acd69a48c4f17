import type { At } from '../kit/at.ts'
import type { ClaimRequest, DueItem } from '../kit/work/work.ts'
import { type ClaimedDelivery, claim, maxOf } from './claims.ts'

/** Claims in a workspace since it was last idle. */
interface Progress {
  /** The claimed delivery with the greatest `due_at` and `id` of each webhook. */
  last: Map<string, DueItem>
  /** Webhooks that had late deliveries, and may have more for which no slot was free. */
  with_late: Set<string>
}

/**
 * Opens claims. A claim usually starts after the last delivery claimed for each webhook, so it misses late ones: those
 * that were committed after one that is due later was claimed. After a poll, and while late ones may be left, a claim
 * starts from the beginning.
 */
export function openClaims(): (at: At, request: ClaimRequest<ClaimedDelivery>) => Promise<ClaimedDelivery[]> {
  /** The progress by the set of claimed deliveries, which is the same as long as an engine works on the workspace. */
  const progress_by_claimed = new WeakMap<Set<ClaimedDelivery>, Progress>()
  return async (at, request) => {
    const { claimed, by_key, is_polled } = request
    const known = claimed.size > 0 ? progress_by_claimed.get(claimed) : undefined
    const { last, with_late } = known ?? { last: new Map<string, DueItem>(), with_late: new Set<string>() }
    progress_by_claimed.set(claimed, { last, with_late })
    const skips_to_last = known !== undefined && !is_polled && with_late.size === 0
    // A webhook with free slots gets all its late deliveries in one claim. So when this claim finds none for it, none are left.
    // Half of the slots is a margin, because webhooks share the claim.
    const hasFreeSlots = (id: string) => (by_key.get(id)?.running ?? 0) < maxOf(by_key.get(id)) / 2
    const with_free_slots = [...with_late].filter(hasFreeSlots)
    const found = await claim(at, { ...request, last, skips_to_last })
    if (!skips_to_last) for (const id of with_free_slots) with_late.delete(id)
    for (const delivery of found) if (isLate(delivery, last)) with_late.add(delivery.webhook_id)
    for (const delivery of found) {
      const { webhook_id, id, due_at } = delivery
      if (!isLate(delivery, last)) last.set(webhook_id, { id, due_at })
    }
    return found
  }
}

/** Whether the webhook's last delivery was claimed before this one, and is due later. */
function isLate({ webhook_id, due_at, id }: ClaimedDelivery, last: Progress['last']): boolean {
  const other = last.get(webhook_id)
  return other !== undefined && (due_at < other.due_at || (due_at === other.due_at && id < other.id))
}
