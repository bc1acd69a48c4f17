const wait_min_ms = 250
const rejections_per_ms_max = 2

export type RejectLater = (reject: () => void) => void

/**
 * Delays rejections, and delays them longer the more are waiting. Clients that retry at once would otherwise keep the
 * process busy with rejecting them.
 */
export function openDelayedRejection(): RejectLater {
  let waiting = 0
  return (reject) => {
    waiting += 1
    const rejectNow = () => {
      waiting -= 1
      reject()
    }
    setTimeout(rejectNow, Math.max(wait_min_ms, waiting / rejections_per_ms_max))
  }
}
