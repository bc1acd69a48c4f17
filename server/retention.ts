import * as feed from './events/feed.ts'
import * as events from './events/store.ts'
import * as imports from './imports/store.ts'
import * as integrations from './integrations/store.ts'
import * as clock from './kit/clock.ts'
import * as idempotency from './kit/http/idempotency.ts'
import type { Log } from './kit/log.ts'
import type { IsStopping } from './kit/postgres/in-batches.ts'
import type { Pool } from './kit/postgres/pool.ts'
import * as invitations from './people/invitations.ts'
import * as sessions from './people/sessions.ts'
import * as webhooks from './webhooks/removal.ts'
import * as workspaces from './workspaces/store.ts'

const day_ms = 24 * 60 * 60 * 1000

export interface RetentionOptions {
  pool: Pool
  events_keep_days: number
  isStopping: IsStopping
  log: Log
  now?: () => number
}

/** Removes what is kept no longer, in every workspace. */
export async function removeExpired(options: RetentionOptions): Promise<void> {
  const { pool, events_keep_days, isStopping, now = clock.now } = options
  const attempt = attempting(options)
  const eventsBefore = () => now() - events_keep_days * day_ms
  await attempt('sessions', () => sessions.removeExpired(pool, now(), isStopping))
  for (const { id } of await workspaces.list(pool)) {
    const steps: Record<string, () => Promise<unknown>> = {
      invitations: () => invitations.removeExpired(pool, id, now()),
      idempotency_keys: () => idempotency.removeExpired(pool, id, now(), isStopping),
      imports: () => imports.removeOld(pool, id, now(), isStopping),
      deliveries: () => webhooks.removeOld(pool, id, eventsBefore(), isStopping),
      integrations: () => integrations.removeOld(pool, id, now(), isStopping),
      events: () => feed.removeOld(pool, id, eventsBefore(), isStopping),
    }
    for (const [step, run] of Object.entries(steps)) await attempt(step, run, id)
  }
}

/** Removes what was left of deleted webhooks, and keeps the counts of deliveries short. */
export async function tidyDeliveries(options: RetentionOptions): Promise<void> {
  const { pool, isStopping, now = clock.now } = options
  const attempt = attempting(options)
  for (const { workspace_id } of await webhooks.workspacesWithDeleted(pool, now())) {
    const step = () => webhooks.removeDeleted(pool, workspace_id, now(), isStopping)
    await attempt('deleted_webhooks', step, workspace_id)
  }
  await attempt('delivery_counts', () => events.sumUpDeliveryCounts(pool, isStopping))
}

/** Runs a step. One that fails is logged and tried again the next time; the steps after it go on. */
const attempting =
  ({ isStopping, log }: RetentionOptions) =>
  async (step: string, run: () => Promise<unknown>, workspace_id?: string): Promise<void> => {
    if (isStopping()) return
    try {
      await run()
    } catch (error) {
      log.warn({ err: error, step, workspace_id }, 'a step of retention failed')
    }
  }
