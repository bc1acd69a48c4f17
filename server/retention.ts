import * as feed from './events/feed.ts'
import * as imports from './imports/store.ts'
import * as integrations from './integrations/store.ts'
import { atNow, type Service } from './kit/at.ts'
import * as clock from './kit/clock.ts'
import * as idempotency from './kit/http/idempotency.ts'
import type { Log } from './kit/log.ts'
import type { IsStopping } from './kit/postgres/in-batches.ts'
import * as invitations from './people/invitations.ts'
import * as sessions from './people/sessions.ts'
import { sumUpCounts } from './webhooks/delivery-counts.ts'
import * as webhooks from './webhooks/retention.ts'
import * as workspaces from './workspaces/store.ts'

export interface RetentionOptions {
  service: Service
  events_keep_days: number
  isStopping: IsStopping
  log: Log
  now?: () => number
}

/** Deletes old rows in every workspace. */
export async function removeExpired(options: RetentionOptions): Promise<void> {
  const { service, events_keep_days, isStopping, now = clock.wall } = options
  const runStep = createStepRunner(options)
  const eventsBefore = () => now() - events_keep_days * clock.day_ms
  const db = service.pool
  await runStep('sessions', () => sessions.removeExpired({ db, now: now() }, isStopping))
  for (const { id } of await workspaces.list({ db })) {
    const at = () => atNow(service, id, now())
    const steps: Record<string, () => Promise<unknown>> = {
      invitations: () => invitations.removeExpired(at()),
      idempotency_keys: () => idempotency.removeExpired(at(), isStopping),
      imports: () => imports.removeOld(at(), isStopping),
      deliveries: () => webhooks.removeOld(at(), eventsBefore(), isStopping),
      integrations: () => integrations.removeOld(at(), isStopping),
      events: () => feed.removeOld(at(), eventsBefore(), isStopping),
    }
    for (const [step, run] of Object.entries(steps)) await runStep(step, run, id)
  }
}

/** Deletes the deliveries of deleted webhooks, and sums up delivery counts. */
export async function tidyDeliveries(options: RetentionOptions): Promise<void> {
  const { service, isStopping, now = clock.wall } = options
  const runStep = createStepRunner(options)
  const db = service.pool
  for (const { workspace_id } of await webhooks.workspacesWithDeleted({ db, now: now() })) {
    const step = () => webhooks.removeDeleted(atNow(service, workspace_id, now()), isStopping)
    await runStep('deleted_webhooks', step, workspace_id)
  }
  await runStep('delivery_counts', () => sumUpCounts({ db }, isStopping))
}

/** Runs a step. A step that fails is logged and retried the next time; the steps after it still run. */
const createStepRunner =
  ({ isStopping, log }: RetentionOptions) =>
  async (step: string, run: () => Promise<unknown>, workspace_id?: string): Promise<void> => {
    if (isStopping()) return
    try {
      await run()
    } catch (error) {
      log.warn({ err: error, step, workspace_id }, 'a step of retention failed')
    }
  }
