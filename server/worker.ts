import * as analytics from './analytics/counts.ts'
import type { Carrier } from './calls/carrier.ts'
import { due_calls } from './calls/claim.ts'
import { calling } from './calls/work.ts'
import { table as campaigns } from './campaigns/rows.ts'
import { dialing } from './campaigns/work.ts'
import { advancing } from './clocks/advance.ts'
import { openProgressNotes } from './clocks/progress.ts'
import * as clocks from './clocks/store.ts'
import { test_times } from './clocks/time.ts'
import * as short_search from './contacts/short-search-totals.ts'
import { due_conversations } from './conversations/claim.ts'
import { answering } from './drivers/work.ts'
import { background_kinds, contact_kinds, due_kinds, row_work, work_kinds } from './due-kinds.ts'
import { assignPositions, workspacesWithUnassigned } from './events/positions.ts'
import { topic as events_topic } from './events/store.ts'
import { atWorkspace, type InWorkspace, type Service } from './kit/at.ts'
import { second_ms } from './kit/clock.ts'
import { inParallel } from './kit/limits/in-parallel.ts'
import { type Log, oncePerMinute } from './kit/log.ts'
import type { Db } from './kit/postgres/pool.ts'
import { type DueEngine, noteAllDue, openDuePoll, readDueTimes } from './kit/work/due.ts'
import { Engine, type EngineOptions } from './kit/work/engine.ts'
import { openFollowUp } from './kit/work/follow-up.ts'
import { observeWork } from './kit/work/observe.ts'
import { openPeriodicTasks, type PeriodicTask } from './kit/work/periodic.ts'
import { rowWork } from './kit/work/rows.ts'
import { carriers, dialer } from './lines/carriers.ts'
import { simulator } from './lines/simulator/carrier.ts'
import { due_messages } from './messages/claims.ts'
import { sendingMessages } from './messages/sending.ts'
import * as retention from './retention.ts'
import { due_deliveries } from './webhooks/claims.ts'
import { sending } from './webhooks/sending.ts'
import { all_workspaces, listToLookInto } from './workspaces/store.ts'

/** This file opens everything that is done in the background. */

export interface BackgroundOptions extends EngineOptions {
  /** The URL at which this process listens, for inboxes. */
  ownAddress: () => string
  /** The timeout of an attempt to send a delivery. */
  timeout_ms?: number
  events_keep_days: number
  /** Places calls. By default simulated people answer. */
  carrier?: Carrier | undefined
  /** Whether campaigns of test workspaces decide every second on its own, instead of running ahead. For tests. */
  is_stepwise?: boolean
  /** An advance of a test clock that makes no progress for this long ends. Tests set it. */
  stalled_ms?: number
}

/** The dialer decides for the campaigns of this many workspaces at a time. */
const decisions_max = 4

const minute_ms = 60_000
const hour_ms = 60 * minute_ms

/** A periodic task looks into this many workspaces at a time. */
const looks_at_once = 2

/** This many test clocks advance at once, in all test workspaces. Mostly they wait for other work. */
const advances_max = 100

/** Logs why all workspaces can't be asked at once, at most once a minute: several tasks ask, and a node may be down for long. @internal */
export const nodeDownLog = (log: Log): ((error: unknown) => void) =>
  oncePerMinute((error: unknown, count) => {
    const reason = error instanceof Error ? error.message : String(error)
    log.warn({ count, reason }, 'a node of the database may be down: periodic tasks ask each workspace')
  })

function periodicTasks({ service, ...given }: PeriodicOptions): PeriodicTask[] {
  const options = { ...given, onNodeDown: nodeDownLog(given.log) }
  const { isStopping, onNodeDown } = options
  const db = service.pool
  const lookInto = async (
    find: (at: { db: Db }) => Promise<{ workspace_id: string }[]>,
    run: (at: InWorkspace) => Promise<unknown>,
  ) =>
    inParallel(await listToLookInto({ db }, find, onNodeDown), { at_once: looks_at_once }, async (workspace) => {
      if (!isStopping()) await run({ db, workspace })
    })
  return [
    {
      name: 'event positions left behind',
      every_ms: 30 * second_ms,
      run: () => lookInto(workspacesWithUnassigned, (at) => assignPositions(at, isStopping)),
    },
    {
      name: 'due work',
      every_ms: 30 * second_ms,
      run: () => noteAllDue(db, { kinds: due_kinds, workspaces: all_workspaces, onNodeDown }),
    },
    {
      name: 'short-search totals left behind',
      every_ms: minute_ms,
      run: () => lookInto(short_search.workspacesWithTotals, short_search.keepUpTotals),
    },
    {
      name: 'analytics left behind',
      every_ms: minute_ms,
      run: () => lookInto(analytics.workspacesWithAdded, (at) => analytics.sumUp(at, isStopping)),
    },
    { name: 'deliveries', every_ms: minute_ms, run: () => retention.tidyDeliveries({ service, ...options }) },
    { name: 'retention', every_ms: hour_ms, run: () => retention.removeExpired({ service, ...options }) },
  ]
}

/**
 * Opens what soon follows commits of this process. Periodic tasks find what a killed process has left, or what has
 * failed.
 */
function openFollowUps({ service, log, isStopping }: Pick<PeriodicOptions, 'service' | 'log' | 'isStopping'>) {
  const { pool: db } = service
  const positions = {
    name: 'event positions',
    topic: events_topic,
    every_ms: second_ms,
    run: (workspace: string) => assignPositions({ db, workspace }, isStopping),
  }
  const totals = {
    name: 'short-search totals',
    topic: short_search.topic,
    every_ms: 2 * second_ms,
    run: (workspace: string) => short_search.applyChanges({ db, workspace }),
  }
  const sums = {
    name: 'analytics',
    topic: analytics.topic,
    every_ms: 10 * second_ms,
    run: async (workspace: string) => {
      await analytics.sumUp({ db, workspace }, isStopping)
      return false
    },
  }
  const all = [positions, totals, sums].map((one) => openFollowUp(db, one, log))
  return {
    stop: () => Promise.all(all.map((one) => one.stop())),
  }
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

export function openWorker(options: BackgroundOptions): Worker {
  const { service, log } = options
  let is_stopping = false
  const engines = openEngines(options)
  // All engines are opened now, because an advance that goes on during a stop would open an engine that nobody stops.
  for (const kind of engines.kinds) engines.get(kind)
  const poll = openDuePoll({
    pool: service.pool,
    kinds: background_kinds,
    test_times,
    engineOf: engines.get,
    log,
  })
  const isStopping = () => is_stopping
  const follow_ups = openFollowUps({ service, log, isStopping })
  const tasks = periodicTasks({ ...options, isStopping })
  const periodic = openPeriodicTasks(service.pool, tasks, log)
  return {
    async stop() {
      is_stopping = true
      await follow_ups.stop()
      await poll.stop()
      await Promise.all([engines.stopAll(), periodic.stop()])
    },
  }
}

/** Opens the background work of a process that serves requests only: it answers the messages that it receives. */
export function openAnsweringOnly(options: BackgroundOptions): Worker {
  const { service, log } = options
  const engine = openAnswering({ ...options, observe: observeWork(service.tools) })
  let is_stopping = false
  const follow_ups = openFollowUps({ service, log, isStopping: () => is_stopping })
  const poll = openDuePoll({ pool: service.pool, kinds: [engine.kind], test_times, engineOf: () => engine, log })
  return {
    async stop() {
      is_stopping = true
      await follow_ups.stop()
      await poll.stop()
      await engine.stop()
    },
  }
}

/** The engines of all kinds, in the order in which `runDue` runs them. Each is opened when it is first needed. */
interface Engines {
  kinds: string[]
  get: (kind: string) => RunningEngine
  stopAll: () => Promise<unknown>
}

function openEngines(given: BackgroundOptions): Engines {
  const { service, log, carrier = simulator } = given
  const observe = observeWork(service.tools)
  const options = { ...given, observe, onProgress: openProgressNotes(service.pool, log) }
  const openers = new Map<string, () => RunningEngine>([
    ...row_work.map((work) => [work.due.kind, () => new Engine(work, options)] as const),
    [due_conversations.kind, () => openAnswering(options)],
    [due_calls.kind, () => new Engine(calling({ pool: service.pool, carrier, dialer, log }), options)],
    [due_messages.kind, () => new Engine(sendingMessages(carriers), options)],
    [due_deliveries.kind, () => new Engine(sending({ ...options, seal: service.tools.seal }), options)],
    [campaigns.name, () => new Engine(openDialing(options), options)],
    [clocks.table, () => openAdvances({ ...given, observe }, engines)],
  ])
  const opened = new Map<string, RunningEngine>()
  const engines: Engines = {
    kinds: [...openers.keys()],
    get(kind) {
      const engine = opened.get(kind) ?? openers.get(kind)?.()
      if (!engine) throw new Error(`there is no engine for ${kind}`)
      opened.set(kind, engine)
      return engine
    },
    stopAll: () => Promise.all(opened.values().map((engine) => engine.stop())),
  }
  return engines
}

/** Campaigns of test workspaces run ahead as long as nothing else happens there. */
const openDialing = ({ log, is_stepwise = false }: BackgroundOptions) =>
  rowWork(
    dialing({
      nextOther: async (at) => Math.min(...(await readDueTimes(at, contact_kinds)).values()),
      is_stepwise,
      log,
    }),
    { at_once: decisions_max },
  )

const openAnswering = (options: BackgroundOptions): RunningEngine => new Engine(answering(options.log), options)

/** Advances test clocks: the other engines run what is due on the way. */
function openAdvances({ service, log, ...options }: BackgroundOptions, engines: Engines) {
  const advances = advancing({
    kinds: work_kinds,
    drain: async (kind, workspace) => {
      const engine = engines.get(kind)
      engine.add(workspace, { is_polled: true })
      await engine.idle(workspace)
    },
    // This is not stopped in the middle, because the clock would be ready although not everything has expired.
    removeExpired: (workspace) =>
      retention.removeExpiredIn({ ...options, service, log, isStopping: () => false }, workspace),
    stalled_ms: options.stalled_ms,
    log,
  })
  return new Engine(rowWork(advances, { at_once: advances_max }), { service, log, ...options })
}

type RunningEngine = DueEngine & Pick<Engine, 'kind' | 'idle' | 'stop'>

/**
 * Runs what is due in one workspace, kind after kind, then returns. Only kinds that have due work cost anything. For
 * tests.
 * @internal
 */
export async function runDue(options: BackgroundOptions, workspace: string): Promise<void> {
  const { service, atOf = (id) => atWorkspace(service, id) } = options
  const engines = openEngines(options)
  const readDue = async () => {
    const at = await atOf(workspace)
    const times = await readDueTimes(at, due_kinds)
    return (kind: string) => (times.get(kind) ?? Number.POSITIVE_INFINITY) <= at.now
  }
  let isDue = await readDue()
  for (const kind of engines.kinds) {
    // Work that is still due after the second time waits for something, such as a lease.
    for (let times = 0; times < 2 && isDue(kind); times += 1) {
      const engine = engines.get(kind)
      engine.add(workspace, { is_polled: times > 0 })
      await engine.idle(workspace)
      isDue = await readDue()
    }
  }
  await engines.stopAll()
}
