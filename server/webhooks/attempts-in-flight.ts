import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../kit/clock.ts'
import { cachedOpen } from '../kit/crypto/seal.ts'
import type { Tools } from '../kit/http/operation.ts'
import type { Log } from '../kit/log.ts'
import { isContention } from '../kit/postgres/errors.ts'
import type { Pool } from '../kit/postgres/pool.ts'
import { attempt, gone } from './attempt.ts'
import * as queue from './queue.ts'
import * as webhooks from './store.ts'
import { count as countOn, isFailing, isLate, type Line, newLine } from './workspace-queue.ts'

/** Of one endpoint. One that fails gets a single one at a time, until an attempt succeeds. */
const flights_of_each = 10
const flights_of_each_failing = 1
/** Of all endpoints, half of them for one workspace. Those that fail have places of their own, and take none from the others. */
const flights_max = 400
const failing_flights_max = 100
/** Statements at once, so that most connections are left to requests. */
const claims_at_once = 2
const records_at_once = 2
/** For all of an attempt. */
const timeout_ms = 15_000
/** Others may run dry meanwhile, and one statement is for all. */
const ask_after_ms = 10
/** Until what could not be noted is sent again. */
const again_ms = 30_000
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
  /** Finds what there is to do where no other process does it, in this workspace or in all; now and then. */
  look: (only?: string) => Promise<void>
  /** When nothing is left to do. */
  settled: () => Promise<void>
  stop: () => Promise<void>
}

export function openFlights({ pool, tools, ownAddress, log, ...rest }: FlightOptions): Flights {
  const { now = clock.now } = rest
  const lease_token = randomUUID()
  /** Workspaces in the order of their turns. */
  const due = new Set<string>()
  const lines = new Map<string, Line>()
  const landed: queue.Result[] = []
  const { outbound, seal } = tools
  const way = { timeout_ms, ...rest, outbound, open: cachedOpen(seal.open), ownAddress, now }
  let waiting: (() => void)[] = []
  let claims = 0
  let reserved = 0
  /** Of all lines. */
  let claimed = 0
  let flying = 0
  let failing = 0
  /** Of these, what could not be noted, and waits to be sent again. */
  let unnoted = 0
  let is_recording = false
  let is_stopping = false
  let is_over = false

  const places = () => flights_max - reserved - flying + failing
  const notYetNoted = () => claimed - flying

  /** Nobody awaits it, and its failure must not end the process. */
  function inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => log.error({ err: error }, 'sending failed'))
  }

  function next(): void {
    for (const workspace of due) {
      if (is_stopping || claims === claims_at_once || places() <= 0 || notYetNoted() >= flights_max) break
      const line = lineOf(workspace)
      if (line.is_claiming || line.claimed.size - line.flying >= flights_max / 2) continue
      due.delete(workspace)
      if (!line.is_elsewhere) inBackground(claim(line))
    }
    const is_idle = (due.size === 0 || is_stopping) && claims === 0 && claimed === unnoted && !is_recording
    if (!is_idle) return
    for (const resolve of waiting) resolve()
    waiting = []
  }

  function lineOf(workspace: string): Line {
    const line = lines.get(workspace) ?? newLine(workspace)
    lines.set(workspace, line)
    return line
  }

  async function claim(line: Line): Promise<void> {
    const room = roomOn(line)
    claims += 1
    reserved += room.in_all
    await attend(line, async () => {
      if (line.claimed.size === 0) line.by_endpoint.clear()
      const is_whole = line.is_to_look_back || line.late.size > 0 || line.claimed.size === 0
      line.is_to_look_back = false
      const roomy = [...line.late].filter((id) => (line.by_endpoint.get(id)?.flying ?? 0) < flights_of_each / 2)
      const claimed = is_whole ? line.claimed : 'all before'
      const found = await queue.claim(pool, line.workspace, room, line.by_endpoint, claimed, now())
      // It took so long that another may have begun.
      if (line.lease_until <= now()) return
      if (is_whole) for (const id of roomy) line.late.delete(id)
      for (const delivery of found) if (isLate(line, delivery)) line.late.add(delivery.webhook_id)
      for (const delivery of found) inBackground(fly(line, delivery))
    })
    claims -= 1
    reserved -= room.in_all
    line.few = line.flying / 2
    next()
  }

  function roomOn(line: Line): queue.Room {
    return {
      of_each: flights_of_each,
      of_each_failing: flights_of_each_failing,
      in_all: Math.max(0, Math.min(places(), flights_max / 2 - line.flying + line.failing)),
      in_all_failing: Math.min(failing_flights_max - failing, failing_flights_max / 2 - line.failing),
    }
  }

  /** One thing at a time on a line, and only while it is ours. */
  async function attend(line: Line, work: () => Promise<void>): Promise<void> {
    line.is_claiming = true
    try {
      if (!is_stopping && (await hold(line))) await work()
    } catch (error) {
      log.warn({ err: error }, 'deliveries could not be claimed')
    }
    line.is_claiming = false
  }

  async function hold(line: Line): Promise<boolean> {
    if (line.lease_until - now() < queue.lease_ms / 2) {
      const lease_until = await queue.hold(pool, line.workspace, lease_token, now())
      line.lease_until = lease_until ?? 0
      line.is_elsewhere = lease_until === undefined
    }
    return !line.is_elsewhere
  }

  function count(line: Line, delivery: queue.Claimed, one: 1 | -1): void {
    flying += one
    if (isFailing(delivery)) failing += one
    countOn(line, delivery, one)
  }

  async function fly(line: Line, delivery: queue.Claimed): Promise<void> {
    line.claimed.add(delivery)
    claimed += 1
    count(line, delivery, 1)
    const result = await attempt(delivery, way).catch((error: unknown) => {
      log.error({ err: error, webhook_id: delivery.webhook_id }, 'a delivery could not be sent')
    })
    count(line, delivery, -1)
    if (is_over) return
    if (result) landed.push(result)
    else drop(line, [delivery], false)
    if (!is_recording) inBackground(recordAll())
    if (line.flying > 0 && line.flying <= line.few) claimMore(line)
    else if (line.flying > 0 && line.by_endpoint.get(delivery.webhook_id)?.flying === 0)
      line.asking ??= setTimeout(claimMore, ask_after_ms, line)
  }

  function claimMore(line: Line): void {
    clearTimeout(line.asking)
    line.asking = undefined
    line.few = 0
    due.add(line.workspace)
    next()
  }

  /** What lands while some is being recorded is recorded together. */
  async function recordAll(): Promise<void> {
    is_recording = true
    while (landed.length > 0) {
      const results = landed.splice(0)
      const groups = Map.groupBy(results, ({ delivery }) => delivery.workspace).entries()
      const recordSome = async () => {
        for (const [workspace, group] of groups) {
          const is_noted = await record(workspace, group)
          const deliveries = group.map(({ delivery }) => delivery)
          drop(lineOf(workspace), deliveries, is_noted)
        }
      }
      await Promise.all(Array.from({ length: records_at_once }, recordSome))
    }
    is_recording = false
    next()
  }

  /** No longer under way. What could not be noted is due as before, and sent again, but not before the fault may be mended. */
  function drop(line: Line, deliveries: queue.Claimed[], is_noted: boolean): void {
    const release = () => {
      for (const delivery of deliveries) line.claimed.delete(delivery)
      claimed -= deliveries.length
      // There may be more of it, for which there was no room until now.
      if (line.claimed.size === 0) due.add(line.workspace)
    }
    const releaseLate = () => {
      unnoted -= deliveries.length
      release()
      next()
    }
    if (is_noted) release()
    else {
      unnoted += deliveries.length
      setTimeout(releaseLate, again_ms).unref()
    }
    next()
  }

  async function record(workspace: string, results: queue.Result[]): Promise<boolean> {
    const failed = results.filter(({ status }) => status !== 'succeeded')
    const isGone = ({ attempt }: queue.Result) => attempt.status === gone
    const hasFailedBefore = ({ delivery }: queue.Result) => isFailing(delivery)
    const endpoints = (which: (result: queue.Result) => boolean) => failed.filter(which).map(({ delivery }) => delivery)
    const note = () =>
      failed.length === 0
        ? queue.record(pool, workspace, results, now())
        : pool.tx(async (db) => {
            await queue.record(db, workspace, results, now())
            await webhooks.disable(db, workspace, endpoints(isGone), 'gone', now())
            await webhooks.disable(db, workspace, endpoints(hasFailedBefore), 'failing', now())
          })
    try {
      await note().catch((error: unknown) => {
        if (!isContention(error)) throw error
        return note()
      })
      return true
    } catch (error) {
      log.warn({ err: error }, 'what became of deliveries could not be noted')
      return false
    }
  }

  const settled = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve)
      next()
    })

  async function look(only?: string): Promise<void> {
    for (const line of lines.values()) {
      if (line.claimed.size > 0 || line.is_claiming) await hold(line)
      else if (line.lease_until < now()) lines.delete(line.workspace)
    }
    for (const { workspace_id, status } of await queue.workspacesDue(pool, lease_token, now(), only)) {
      const line = lineOf(workspace_id)
      line.is_elsewhere = false
      if (status === 'active') {
        line.is_to_look_back = true
        due.add(workspace_id)
      } else if (!line.is_claiming) {
        await attend(line, () => queue.failWaiting(pool, workspace_id, line.claimed))
      }
    }
    next()
  }

  return {
    send(workspace) {
      due.add(workspace)
      next()
    },
    look,
    settled,
    async stop() {
      is_stopping = true
      await Promise.race([settled(), sleep(farewell_ms, undefined, { ref: false })])
      is_over = true
      for (const line of lines.values()) {
        line.lease_until = 0
        clearTimeout(line.asking)
      }
      await queue.release(pool, lease_token).catch((error: unknown) => log.warn({ err: error }, 'leases are left'))
    },
  }
}
