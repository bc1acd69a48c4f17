import * as short_search from './contacts/short-search-totals.ts'
import { assignPositions } from './events/positions.ts'
import { work as imports } from './imports/run.ts'
import type { Service } from './kit/at.ts'
import type { Log } from './kit/log.ts'
import { type DueKind, noteAllDue, openDuePoll } from './kit/work/due.ts'
import { openPeriodicTasks, type PeriodicTask } from './kit/work/periodic.ts'
import { dueRows, openRunner, type Work, workOnDueRow } from './kit/work/work.ts'
import * as retention from './retention.ts'
import { due_deliveries } from './webhooks/claims.ts'
import type { DispatcherOptions } from './webhooks/dispatcher.ts'
import { work as recoveries } from './webhooks/recoveries.ts'
import { openSender, sendAll } from './webhooks/sender.ts'

/** Everything that is done in the background. */

/** Work whose state is in the rows of a table. */
const table_work: Work[] = [imports, recoveries]

const due_kinds: DueKind[] = [...table_work.map(dueRows), due_deliveries]

/** What `due_workspaces` is kept for. */
export const background_kinds: string[] = due_kinds.map(({ kind }) => kind)

const second_ms = 1_000
const minute_ms = 60_000
const hour_ms = 60 * minute_ms

function periodicTasks({ service, ...options }: PeriodicOptions): PeriodicTask[] {
  const { isStopping } = options
  const db = service.pool
  return [
    { name: 'event positions', every_ms: second_ms, run: () => assignPositions({ db }, isStopping) },
    { name: 'short-search totals', every_ms: 2 * second_ms, run: () => short_search.applyAllChanges({ db }) },
    { name: 'due work', every_ms: 30 * second_ms, run: () => noteAllDue(db, due_kinds) },
    { name: 'large workspaces', every_ms: minute_ms, run: () => short_search.startInLargeWorkspaces({ db }) },
    { name: 'deliveries', every_ms: minute_ms, run: () => retention.tidyDeliveries({ service, ...options }) },
    { name: 'retention', every_ms: hour_ms, run: () => retention.removeExpired({ service, ...options }) },
  ]
}

interface PeriodicOptions {
  service: Service
  events_keep_days: number
  isStopping: () => boolean
  log: Log
}

export interface Worker {
  stop: () => Promise<void>
}

export function openWorker(options: DispatcherOptions & { events_keep_days: number }): Worker {
  const { service, log } = options
  let is_stopping = false
  const runner = openRunner(service, table_work, log)
  const sender = openSender(options)
  const onDue = (kind: string, workspace: string, is_polled: boolean) =>
    kind === due_deliveries.kind ? sender.send(workspace, is_polled) : runner.add(kind, workspace)
  const poll = openDuePoll(service.pool, background_kinds, onDue, log)
  const tasks = periodicTasks({ ...options, isStopping: () => is_stopping })
  const periodic = openPeriodicTasks(service.pool, tasks, log)
  return {
    async stop() {
      is_stopping = true
      await poll.stop()
      await Promise.all([runner.stop(), sender.stop(), periodic.stop()])
    },
  }
}

/** For tests. Runs everything that is due in one workspace, then returns. */
export async function runDue(options: DispatcherOptions, workspace: string): Promise<void> {
  for (const work of table_work) while (await workOnDueRow(options.service, work, workspace, options.log, () => false));
  await sendAll(options, workspace)
}
