import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../kit/clock.ts'
import type { Pool } from '../kit/db.ts'
import type { Log } from '../kit/log.ts'
import type { Tools } from '../kit/operation.ts'
import { attempt, gone } from './attempt.ts'
import * as queue from './queue.ts'
import * as webhooks from './store.ts'

/** Of one endpoint. One that fails gets a single one at a time, until an attempt succeeds. */
const flights_of_each = 10
const flights_of_each_failing = 1
/** Of all endpoints, half of them for one workspace. Those that fail have places of their own, and take none from the others. */
const flights_max = 400
const failing_flights_max = 100
/** Statements at once, so that most connections are left to requests. */
const claims_at_once = 2
const records_at_once = 2
const secrets_remembered_max = 1_000
/** For all of an attempt. */
const timeout_ms = 15_000
/** For what is on its way when the process is to end. */
const farewell_ms = 3_000

export interface FlightOptions {
  pool: Pool
  tools: Tools
  /** Where this server listens, for inboxes. */
  ownAddress: () => string
  log: Log
  now?: () => number
  timeout_ms?: number
}

export interface Flights {
  /** Claims what is due in the workspace and sends it, when it is its turn and there is room. */
  send: (workspace: string) => void
  /** When nothing is left to do. */
  settled: () => Promise<void>
  stop: () => Promise<void>
}

export function openFlights({ pool, tools, ownAddress, log, ...rest }: FlightOptions): Flights {
  const { now = clock.now } = rest
  /** Workspaces in the order of their turns. */
  const due = new Set<string>()
  const flying = new Set<queue.Claimed>()
  const landed: queue.Result[] = []
  const stopping = new AbortController()
  const { outbound, seal } = tools
  const open = remembering(seal.open)
  const way = { timeout_ms, ...rest, outbound, open, ownAddress, now, signal: stopping.signal }
  let waiting: (() => void)[] = []
  let claims = 0
  let reserved = 0
  let is_recording = false
  let is_stopping = false

  const isFailing = ({ failing_since }: queue.Claimed) => failing_since !== null
  const failing = () => flying.values().filter(isFailing).toArray().length
  const places = () => flights_max - reserved - flying.size + failing()

  function next(): void {
    for (const workspace of due) {
      if (is_stopping || claims === claims_at_once || places() <= 0) break
      due.delete(workspace)
      void claim(workspace)
    }
    const is_idle = (due.size === 0 || is_stopping) && claims === 0 && flying.size === 0 && !is_recording
    if (!is_idle) return
    for (const resolve of waiting) resolve()
    waiting = []
  }

  async function claim(workspace: string): Promise<void> {
    const room = roomFor(workspace)
    claims += 1
    reserved += room.in_all
    try {
      for (const delivery of await queue.claim(pool, workspace, room, now())) void fly(delivery)
    } catch (error) {
      log.warn({ err: error }, 'deliveries could not be claimed')
    }
    claims -= 1
    reserved -= room.in_all
    next()
  }

  function roomFor(workspace: string): queue.Room {
    const own = [...flying].filter((delivery) => delivery.workspace === workspace)
    const own_failing = own.filter(isFailing).length
    const taken = new Map<string, number>()
    for (const { webhook_id } of own) taken.set(webhook_id, (taken.get(webhook_id) ?? 0) + 1)
    return {
      of_each: flights_of_each,
      of_each_failing: flights_of_each_failing,
      in_all: Math.max(0, Math.min(places(), flights_max / 2 - own.length + own_failing)),
      in_all_failing: Math.min(failing_flights_max - failing(), failing_flights_max / 2 - own_failing),
      taken,
    }
  }

  async function fly(delivery: queue.Claimed): Promise<void> {
    flying.add(delivery)
    try {
      const result = await attempt(delivery, way)
      if (stopping.signal.aborted) return
      landed.push(result)
      if (!is_recording) void recordAll()
    } catch (error) {
      log.error({ err: error, webhook_id: delivery.webhook_id }, 'a delivery could not be sent')
      flying.delete(delivery)
      next()
    }
  }

  /** What lands while some is being recorded is recorded together. */
  async function recordAll(): Promise<void> {
    is_recording = true
    while (landed.length > 0) {
      const results = landed.splice(0)
      const groups = Map.groupBy(results, ({ delivery }) => delivery.workspace).entries()
      const recordSome = async () => {
        for (const [workspace, group] of groups) {
          await record(workspace, group)
          for (const { delivery } of group) flying.delete(delivery)
          // There may be more of it, for which there was no room until now.
          due.add(workspace)
          next()
        }
      }
      await Promise.all(Array.from({ length: records_at_once }, recordSome))
    }
    is_recording = false
    next()
  }

  async function record(workspace: string, results: queue.Result[]): Promise<void> {
    try {
      await pool.tx(async (db) => {
        await queue.record(db, workspace, results, now())
        const isGone = ({ attempt }: queue.Result) => attempt.status === gone
        const hasFailedAgain = ({ delivery, status }: queue.Result) => status !== 'succeeded' && isFailing(delivery)
        const endpoints = (which: (result: queue.Result) => boolean) =>
          results.filter(which).map(({ delivery }) => delivery)
        await webhooks.disable(db, workspace, endpoints(isGone), 'gone', now())
        await webhooks.disable(db, workspace, endpoints(hasFailedAgain), 'failing', now())
      })
    } catch (error) {
      // They are sent again when their leases end.
      log.warn({ err: error }, 'what became of deliveries could not be noted')
    }
  }

  const settled = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve)
      next()
    })

  return {
    send(workspace) {
      due.add(workspace)
      next()
    },
    settled,
    async stop() {
      is_stopping = true
      await Promise.race([settled(), sleep(farewell_ms)])
      stopping.abort()
      for (const [workspace, left] of Map.groupBy(flying, ({ workspace }) => workspace)) {
        await queue
          .release(pool, workspace, left)
          .catch((error: unknown) => log.warn({ err: error }, 'leases are left'))
      }
    },
  }
}

/** To open a seal takes as long as to sign, and the same few are asked for again and again. */
function remembering(open: (sealed: string) => string): (sealed: string) => string {
  const opened = new Map<string, string>()
  return (sealed) => {
    const text = opened.get(sealed) ?? open(sealed)
    if (opened.size === secrets_remembered_max) opened.clear()
    opened.set(sealed, text)
    return text
  }
}
