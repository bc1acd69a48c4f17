import { type Configuration, hasNoTools } from '../agents/configuration.ts'
import type { Contact } from '../contacts/schema.ts'
import type { Saved } from '../drivers/plan-save.ts'
import type { Tools } from '../drivers/tools.ts'
import type { At, AtOutside } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { openQueuePerKey } from '../kit/limits/key-queues.ts'
import type { Log } from '../kit/log.ts'
import type { Pool } from '../kit/postgres/pool.ts'
import { untilAvailable } from '../kit/postgres/until-available.ts'
import { plainShare } from '../kit/work/capacity.ts'
import { itemLeases } from '../kit/work/lease.ts'
import { takeBatch } from '../kit/work/recorder.ts'
import type { RowWork } from '../kit/work/rows.ts'
import type { Work } from '../kit/work/work.ts'
import type { Carrier, Dialer } from './carrier.ts'
import { type ClaimedCall, claim, due_calls } from './claim.ts'
import { type Begin, begin, no_dialer } from './drive/begin.ts'
import type { CallDrive } from './drive/drive.ts'
import { type CallSave, openCallSaves, turns_max, turnsOf, writeHeld, written } from './drive/save.ts'
import { files_table, settle } from './record/files.ts'
import { findLost, postponeEnds, type Row, renewLeases } from './rows.ts'
import { requests } from './store.ts'

/** The most calls in flight that a workspace can have. */
const calls_max = 10_000
/**
 * This many calls of a test workspace run ahead at a time: few, so that they need little memory, and one workspace
 * little time.
 */
const ahead_max = { in_memory: 4, with_network: 50 }
/** A call with more turns than this counts as running ahead until it is written. */
const short_turns_max = 50

export interface CallingOptions {
  pool: Pool
  carrier: Carrier
  /** Calls telephones. Without it none is called. */
  dialer?: Dialer
  log: Log
}

/** Dials numbers, and lets agents speak. */
export function calling({ pool, carrier, dialer = no_dialer, log }: CallingOptions): Work<ClaimedCall, void> {
  const save = openCallSaves(log)
  const saveUntilWritten = untilWritten(save)
  const running = new Map<string, Run>()
  const runAheadInOrder = openAheadQueue()
  const drive = async (at: AtOutside, options: Begin) => {
    const { id, token } = options.claimed
    // The client of the call may have come back here, after another process had the call.
    const earlier = running.get(id)
    earlier?.drive?.lose(earlier.token)
    const run: Run = { token, drive: undefined }
    running.set(id, run)
    try {
      run.drive = await begin(at, options)
      if (running.get(id) !== run) run.drive?.lose(token)
      await run.drive?.run()
    } finally {
      if (running.get(id) === run) running.delete(id)
    }
  }
  pool.subscribe(({ topic, id = '' }) => {
    if (topic === requests) running.get(id)?.drive?.wake()
  })
  return {
    due: due_calls,
    openLeases: () =>
      itemLeases(async (at, claimed) => {
        const renewed = await renewLeases(at, claimed)
        // A notification may have been lost, or come from another process.
        for (const { id, request } of renewed) if (request !== null) running.get(id)?.drive?.wake()
        const connected = claimed.flatMap(({ id, token, connection }) =>
          connection ? [{ id, token, due_at: clock.iso(connection.ends_at) }] : [],
        )
        if (connected.length > 0) await postponeEnds(at, connected)
        // The client may be connected to another process now: what is recorded here must be there when the call ends there.
        const ids = new Set(renewed.map(({ id }) => id))
        const missing = connected.filter(({ id }) => !ids.has(id))
        if (missing.length > 0)
          for (const { id, token } of await findLost(at, missing)) running.get(id)?.drive?.lose(token)
        return renewed
      }),
    limits: { process: plainShare(calls_max), workspace: plainShare(calls_max) },
    claim,
    run: (at, claimed, context) => {
      const options = { claimed, carrier, dialer, context }
      return claimed.horizon === undefined
        ? drive(at, { ...options, save: saveUntilWritten })
        : runAheadInOrder(at, { ...options, save }, drive)
    },
  }
}

interface Run {
  /** The token of the lease. */
  token: string
  /** Undefined until the call has begun. */
  drive: CallDrive | undefined
}

/** A database that is restarted must not end live calls: what they have to write waits for it. */
const untilWritten =
  (save: Begin['save']): Begin['save'] =>
  (at, one) => {
    const same = { ...one, save_id: newId() }
    return untilAvailable(() => save(at, same))
  }

/** Calls of a test workspace run ahead a few at a time, in order. The next one begins when only the writing is left. */
function openAheadQueue() {
  const openQueue = (most: number) => openQueuePerKey(most, { wait_max_ms: Number.POSITIVE_INFINITY })
  const queues = { in_memory: openQueue(ahead_max.in_memory), with_network: openQueue(ahead_max.with_network) }
  return async (
    at: AtOutside,
    options: Begin,
    drive: (at: AtOutside, options: Begin) => Promise<void>,
  ): Promise<void> => {
    const { configuration } = options.claimed
    const queue = queues[!configuration || hasNoTools(configuration) ? 'in_memory' : 'with_network']
    const ended = Promise.withResolvers<void>()
    const save: Begin['save'] = (at, one) => {
      if (one.is_released && turnsOf(one) <= short_turns_max) ended.resolve()
      return options.save(at, one)
    }
    let driving = ended.promise
    await queue(at.workspace, () => {
      driving = drive(at, { ...options, save })
      return Promise.race([ended.promise, driving])
    })
    await driving
  }
}

/** What is needed to run a call that has no row yet. */
export interface CallAhead {
  row: Row
  contact: Contact
  time_zone: string
  configuration: Configuration
  /** Up to when the call may run. */
  horizon: number
}

export interface AheadOptions {
  carrier: Carrier
  /** Tools in place of the agent's own, of which it must have none. They must write nothing. */
  tools?: Tools
  onProgress?: () => void
  log: Log
}

/** Runs a call with a simulated person in memory, and returns what is to be written about it. Nothing is written on the way. */
export async function runAhead(
  at: AtOutside,
  { row, contact, time_zone, configuration, horizon }: CallAhead,
  { carrier, tools, onProgress = () => {}, log }: AheadOptions,
): Promise<CallSave> {
  const claimed: ClaimedCall = {
    ...row,
    due_at: row.due_at ?? row.created_at,
    version_id: row.agent_version.id,
    version_label: row.agent_version.version_label,
    claims: 1,
    recording_status: row.recording.status,
    token: '',
    contact,
    time_zone,
    configuration,
    refusal: undefined,
    horizon,
  }
  let kept: CallSave | undefined
  const save = async (_at: At, one: CallSave): Promise<Saved> => {
    kept = one
    return written
  }
  const context = { isStopping: () => false, onProgress, log }
  // Time stands still for a call that runs ahead, in live workspaces too.
  const ahead = { tools }
  const drive = await begin(at, { claimed, carrier, dialer: no_dialer, save, context, ahead })
  await drive?.run()
  if (!kept) throw new Error('a call has ended without a result')
  return kept
}

/**
 * Writes calls that have no row yet and were run ahead. The hook `changed` doesn't run: the caller takes their ends
 * into account itself.
 */
export async function insertAhead(at: At, made: { row: Row; save: CallSave }[]): Promise<void> {
  for (const rest = [...made]; rest.length > 0; ) {
    const some = takeBatch(rest, ({ save }) => turnsOf(save), turns_max)
    const held = some.map(({ row, save }) => ({ save, before: row, new_row: row }))
    await writeHeld(at, { held, locked: new Map() })
  }
}

/** Joins the parts of recordings, and removes the files of those that were deleted. */
export const recording_files: RowWork = {
  table: files_table,
  begin: async (at, lease) => () => settle(at, lease),
}
