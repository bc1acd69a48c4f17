import * as test_runs from './agent-tests/retention.ts'
import * as audit from './audit/store.ts'
import * as calls from './calls/erase.ts'
import { removeOldRecordings } from './calls/erase.ts'
import * as campaigns from './campaigns/retention.ts'
import * as channel_usage from './channels/usage.ts'
import * as clocks from './clocks/store.ts'
import * as conversations from './conversations/erase.ts'
import * as documents from './documents/unanswered.ts'
import * as erasures from './erasures/store.ts'
import * as feed from './events/feed.ts'
import * as imports from './imports/store.ts'
import * as integrations from './integrations/store.ts'
import { type At, atWall, atWorkspace, type Service, timeStands } from './kit/at.ts'
import * as clock from './kit/clock.ts'
import * as idempotency from './kit/http/idempotency.ts'
import type { Log } from './kit/log.ts'
import type { IsStopping } from './kit/postgres/in-batches.ts'
import * as chat_visitors from './lines/web-chat/visitors.ts'
import * as invitations from './people/invitations.ts'
import * as password_links from './people/password-links.ts'
import * as sessions from './people/sessions.ts'
import { sumUpCounts, workspacesWithManyCounts } from './webhooks/delivery-counts.ts'
import * as webhooks from './webhooks/retention.ts'
import * as workspaces from './workspaces/store.ts'

export interface RetentionOptions {
  service: Service
  events_keep_days: number
  isStopping: IsStopping
  log: Log
  /** Gets the error when a node of a sharded database can't be asked. */
  onNodeDown?: (error: unknown) => void
  /** Returns wall time. Tests set it. */
  now?: () => number
}

/** Deletes old rows in every workspace. Skips test workspaces whose clocks are advancing: the advance does it at its end. */
export async function removeExpired(options: RetentionOptions): Promise<void> {
  const { service, isStopping, now = clock.wall } = options
  const runStep = createStepRunner(options)
  const db = service.pool
  await runStep('sessions', () => sessions.removeExpired({ db, now: now() }, isStopping))
  await runStep('password links', () => password_links.removeExpired({ db, now: now() }))
  for (const { id, kind } of await workspaces.list({ db })) {
    await runStep('invitations', () => invitations.removeExpired(atWall(service, id, now())), id)
    await runStep('audit log', () => audit.removeOld(atWall(service, id, now()), isStopping), id)
    await runStep('erasures', () => erasures.removeOld(atWall(service, id, now()), isStopping), id)
    await runStep('test runs', () => test_runs.removeOld(atWall(service, id, now()), isStopping), id)
    await runStep('chat visitors', () => chat_visitors.removeExpired(atWall(service, id, now()), isStopping), id)
    const removeFromWorkspace = async () => {
      const is_advancing = kind === 'test' && (await clocks.get(atWall(service, id))).status === 'advancing'
      if (!is_advancing) await removeExpiredIn(options, id)
    }
    await runStep('workspace', removeFromWorkspace, id)
  }
}

/** Deletes what has expired in one workspace, by its own time. Runs all steps, then throws if one has failed. */
export async function removeExpiredIn(options: RetentionOptions, workspace: string): Promise<void> {
  const { service, events_keep_days, isStopping, now = clock.wall } = options
  const at = async () => {
    const own = await atWorkspace(service, workspace)
    return timeStands(own) ? own : { ...own, now: now() }
  }
  const eventsBefore = ({ now }: At) => now - events_keep_days * clock.day_ms
  const steps: ((at: At) => Promise<unknown>)[] = [
    (at) => idempotency.removeExpired(at, isStopping),
    (at) => imports.removeOld(at, isStopping),
    (at) => documents.removeOld(at, isStopping),
    (at) => integrations.removeOld(at, isStopping),
    (at) => channel_usage.removeOld(at, isStopping),
    (at) => campaigns.removeOld(at, isStopping),
    async (at) => removeOldRecordings(at, await workspaces.readSettings(at), isStopping),
    async (at) => calls.removeOld(at, await workspaces.readSettings(at), isStopping),
    async (at) => conversations.removeOld(at, await workspaces.readSettings(at), isStopping),
    // A delivery can't be sent without its event, so the events of deliveries that are left stay too.
    async (at) => {
      await webhooks.removeOld(at, eventsBefore(at), isStopping)
      await feed.removeOld(at, eventsBefore(at), isStopping)
    },
  ]
  const errors: unknown[] = []
  for (const step of steps) {
    if (isStopping()) break
    await at()
      .then(step)
      .catch((error: unknown) => errors.push(error))
  }
  if (errors.length > 0) throw new AggregateError(errors, 'not everything that has expired was deleted')
}

/** Deletes the deliveries of deleted webhooks, and sums up delivery counts. */
export async function tidyDeliveries(options: RetentionOptions): Promise<void> {
  const { service, isStopping, now = clock.wall } = options
  const runStep = createStepRunner(options)
  const db = service.pool
  const list = (find: Parameters<typeof workspaces.listToLookInto>[1]) =>
    workspaces.listToLookInto({ db }, find, options.onNodeDown)
  const with_deleted = await list((each) => webhooks.workspacesWithDeleted({ ...each, now: now() }))
  for (const id of with_deleted) {
    const step = () => webhooks.removeDeleted(atWall(service, id, now()), isStopping)
    await runStep('deleted_webhooks', step, id)
  }
  for (const id of await list(workspacesWithManyCounts))
    await runStep('delivery_counts', () => sumUpCounts({ db, workspace: id }, isStopping), id)
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
