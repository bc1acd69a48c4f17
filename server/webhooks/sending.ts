import { type At, inTransaction } from '../kit/at.ts'
import { cachedOpen, type Seal } from '../kit/crypto/seal.ts'
import type { Limits } from '../kit/work/capacity.ts'
import type { Work } from '../kit/work/work.ts'
import { attempt, status_gone } from './attempt.ts'
import * as claims from './claims.ts'
import { openClaims } from './late.ts'
import { openSenderLeases } from './leases.ts'
import * as webhooks from './store.ts'

const timeout_ms = 15_000

const limits: Limits = {
  process: { slots: 400, slow_slots: 100, total: 1_000, unrecorded: 400 },
  workspace: { slots: 200, slow_slots: 50, total: 500, unrecorded: 200 },
  slow_after_ms: 1_000,
}

export interface SendingOptions {
  seal: Seal
  /** The URL at which this process listens, for inboxes. */
  ownAddress: () => string
  timeout_ms?: number
}

/** Sends deliveries. Their keys are the webhooks. */
export function sending({ seal, ...options }: SendingOptions): Work<claims.ClaimedDelivery, claims.Result> {
  const attempt_options = { timeout_ms, ...options, decrypt: cachedOpen(seal.open) }
  return {
    due: claims.due_deliveries,
    openLeases: openSenderLeases,
    limits,
    keyOf: ({ webhook_id }) => webhook_id,
    isSlow: isFailing,
    claim: openClaims(),
    run: (at, delivery) => attempt(at, delivery, attempt_options),
    record,
  }
}

const isFailing = ({ failing_since }: claims.ClaimedDelivery): boolean => failing_since !== null

/** Disables endpoints that answered 410, or that were failing before and have failed for too long. */
async function record(at: At, results: claims.Result[]): Promise<void> {
  const failed = results.filter(({ status }) => status !== 'succeeded')
  // Without failures one statement is enough, and no transaction is opened.
  if (failed.length === 0 && !results.some(({ delivery }) => isFailing(delivery)))
    return claims.recordResults(at, results)
  const deliveriesOf = (chosen: claims.Result[]) => chosen.map(({ delivery }) => delivery)
  await inTransaction(at, async (at) => {
    await claims.recordResults(at, results)
    const gone = deliveriesOf(failed.filter(({ attempt }) => attempt.status === status_gone))
    await webhooks.disable(at, { endpoints: gone, reason: 'gone' })
    const failing = deliveriesOf(failed.filter(({ delivery }) => isFailing(delivery)))
    await webhooks.disable(at, { endpoints: failing, reason: 'failing' })
  })
}
