import { setTimeout as sleep } from 'node:timers/promises'
import { type At, atCaller, inTransaction, type Service } from '../at.ts'
import * as clock from '../clock.ts'
import { openBatcher } from '../limits/batch.ts'
import { openQueuePerKey } from '../limits/key-queues.ts'
import { isContention, isLockTimeout, isUnavailable } from '../postgres/errors.ts'
import { type Db, untilEnd } from '../postgres/pool.ts'
import { sql } from '../postgres/sql.ts'
import { idempotencyInProgress, Problem } from '../problem.ts'
import { replayParts, runPartsInTransaction, storeParts } from './batch.ts'
import { type Answer, failure } from './envelope.ts'
import { type KeyedRequest, releaseKey, reserveKeys, storeAnswers } from './idempotency.ts'
import type { Caller } from './operation.ts'
import type { PendingWrite } from './pending-write.ts'
import { reportServed, type Served } from './served.ts'

const in_progress_wait_ms = 2_000
/** How often a request looks whether another process has answered the first one with its key. */
const check_every_ms = 100
/** A batch doesn't wait long for a lock that one of its writes needs: that one then waits alone for the rest of the time. */
const batch_lock_wait_ms = 500
const single_lock_wait_ms = 100
/** Each workspace has these limits, so that none uses all connections. */
const limits = { size_max: 64, in_flight_max: 2 }
/** Raw operations run one batch at a time, because messages of one sender are often in several. */
const raw_limits = { size_max: 100, in_flight_max: 1, wait_max_ms: 5_000 }
/** Client errors that are stored for replay. Any other error releases the idempotency key. */
const stored_errors = ['NOT_FOUND', 'CONFLICT', 'INVALID_STATE', 'PRECONDITION_FAILED']

/** Runs each write in a transaction with its idempotency key. Concurrent writes of one operation and workspace share one. */
export function writer(service: Service, queue = queuePerWorkspace()): (write: PendingWrite) => Promise<Answer> {
  const transact: Transact = (writes, lock_wait_ms) => runInTransaction(service, writes, lock_wait_ms)
  const in_flight = new Map<string, Promise<unknown>>()
  const runAll = (_key: string, writes: PendingWrite[]) => runByActor(transact, writes)
  const batched = openBatcher<PendingWrite, Answer | Error>(limits, runAll)
  const batchedRaw = openBatcher<PendingWrite, Answer | Error>(raw_limits, runAll)

  async function run(write: PendingWrite): Promise<Answer> {
    const { operation, request, keyed, runRemote } = write
    if (keyed && runRemote) return runOnce(service, queue, { ...write, keyed, runRemote })
    if (!isBatched(operation)) {
      return onlyOne(await queue(request.caller, () => transact([write], in_progress_wait_ms)))
    }
    const batch = operation.kind === 'raw' ? batchedRaw : batched
    const outcome = await batch(`${operation.id} ${request.caller.workspace}`, write)
    if (outcome instanceof Error) throw outcome
    return outcome
  }

  return async (write) => {
    if (!write.keyed) return run(write)
    const key = `${write.request.caller.workspace} ${write.keyed.key}`
    const until = clock.ticks() + in_progress_wait_ms
    for (let first = in_flight.get(key); first; first = in_flight.get(key)) {
      await waitForEnd(first, until - clock.ticks())
    }
    const running = run(write)
    in_flight.set(key, running)
    try {
      return await running
    } finally {
      in_flight.delete(key)
    }
  }
}

const isBatched = (operation: PendingWrite['operation']): boolean =>
  operation.kind === 'write_many' || (operation.kind === 'raw' && operation.runMany !== undefined)

type Queue = <T>(caller: Caller, work: () => Promise<T>) => Promise<T>

function queuePerWorkspace(): Queue {
  const queue = openQueuePerKey(limits.in_flight_max)
  return ({ workspace }, work) => queue(workspace, work)
}

/** Limits each caller, and all callers of a workspace to one more, so that a busy caller leaves capacity to the others. */
export function queuePerCaller(): Queue {
  const per_caller = openQueuePerKey(limits.in_flight_max)
  const per_workspace = openQueuePerKey(limits.in_flight_max + 1)
  return ({ workspace, id }, work) => per_caller(id, () => per_workspace(workspace, work))
}

type Transact = (writes: PendingWrite[], lock_wait_ms: number) => Promise<Answer[]>

/** Makes the writer of doors whose writes open their own transactions. */
export const directWriter =
  (service: Service) =>
  async ({ operation, request, raw, runRemote, answer }: PendingWrite): Promise<Answer> => {
    if (operation.kind !== 'write' && operation.kind !== 'raw')
      throw new Error(`${operation.id} can't run without a transaction`)
    await runRemote?.()
    const own = { id: request.request_id, ip: request.client.ip }
    const at = { ...(await atCaller(service, request.caller)), request: own }
    if (operation.kind === 'write') return answer(await operation.run(at, request))
    if (!operation.run || !raw) throw new Error(`${operation.id} can't run alone`)
    const answered = await operation.run(at, request, raw)
    if (answered instanceof Problem) throw answered
    return answer(answered)
  }

/** Waits for another request with the same idempotency key. Throws when it takes too long. */
async function waitForEnd(running: Promise<unknown>, wait_max_ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(idempotencyInProgress()), wait_max_ms)
  })
  const ended = running.then(
    () => undefined,
    () => undefined,
  )
  await Promise.race([ended, late]).finally(() => clearTimeout(timer))
}

/** A transaction runs for one actor. Most batches have one. */
async function runByActor(transact: Transact, writes: PendingWrite[]): Promise<(Answer | Error)[]> {
  const groups = Map.groupBy(writes, ({ request: { caller } }) => `${caller.actor.type} ${caller.actor.id}`)
  if (groups.size === 1) return runBatch(transact, writes)
  const outcomes = new Map<PendingWrite, Answer | Error>()
  for (const group of groups.values()) {
    // The writes of another actor are committed, whatever becomes of these.
    const found = await runBatch(transact, group).catch((error: unknown) => group.map(() => asError(error)))
    for (const [index, write] of group.entries()) outcomes.set(write, found[index] ?? noOutcome())
  }
  return writes.map((write) => outcomes.get(write) ?? noOutcome())
}

const noOutcome = () => new Error('a write of the batch has no outcome')

/** When the batch fails, each write runs alone, so that one can't fail the others. @internal */
export async function runBatch(transact: Transact, writes: PendingWrite[]): Promise<(Answer | Error)[]> {
  const until = clock.ticks() + in_progress_wait_ms
  const rest_ms = () => Math.max(1, until - clock.ticks())
  const runAlone = (write: PendingWrite, lock_wait_ms: number) => transact([write], lock_wait_ms).then(onlyOne, asError)
  if (writes.length === 1) return [await runAlone(onlyOne(writes), in_progress_wait_ms)]
  try {
    return await transact(writes, batch_lock_wait_ms)
  } catch (error) {
    if (isUnavailable(error) && !isContention(error)) throw error
  }
  const outcomes = new Map<PendingWrite, Answer | Error>()
  for (const [index, write] of writes.entries()) {
    // Many writes may be blocked, and the others don't wait for all of them.
    const share_ms = Math.ceil(rest_ms() / (writes.length - index))
    outcomes.set(write, await runAlone(write, Math.min(single_lock_wait_ms, share_ms)))
  }
  // Blocked writes share the rest of the time, after all others have their answers.
  for (const [write, outcome] of outcomes) {
    if (isBlocked(outcome)) outcomes.set(write, await runAlone(write, rest_ms()))
  }
  return writes.map((write) => outcomes.get(write) ?? noOutcome())
}

const isBlocked = (outcome: Answer | Error): boolean => isLockTimeout(outcome) || isInProgress(outcome)

const isInProgress = (outcome: Answer | Error): boolean =>
  outcome instanceof Problem && outcome.code === 'IDEMPOTENCY_IN_PROGRESS'

function asError(error: unknown): Error {
  if (error instanceof Error) return error
  throw error
}

type RemoteWrite = PendingWrite & { keyed: KeyedRequest; runRemote: () => Promise<void> }

/**
 * Reserves the key for good before the work, which can't be rolled back. If the process dies in between, the key stays without
 * an answer, and nobody runs the work again.
 */
async function runOnce(service: Service, queue: Queue, write: RemoteWrite): Promise<Answer> {
  const { operation, request, keyed, runRemote } = write
  const { sealed, opened } = sealing(service, operation)
  const now = () => atCaller(service, request.caller)
  const reserve = async () =>
    inTransaction(await now(), (at) => reserveKeys(at, [keyed]), { lock_timeout_ms: in_progress_wait_ms })
  const until = clock.ticks() + in_progress_wait_ms
  for (;;) {
    const replays = await queue(request.caller, reserve)
    const replay = replays.get(keyed.key)
    if (!replay) break
    if (!isInProgress(replay)) return findReplay(write, replays, opened)
    if (clock.ticks() >= until) throw replay
    await sleep(check_every_ms)
  }
  try {
    await runRemote()
  } catch (error) {
    // Any other error is a bug, and may come from after the request. The key then stays reserved, so that the request
    // is not sent again.
    if (error instanceof Problem || isUnavailable(error)) await releaseKey(await now(), keyed)
    throw error
  }
  const answer = answerTo(write, request.prepared)
  await storeAnswers(await now(), [{ keyed, answer: sealed(answer) }])
  return answer
}

/** Encrypts what an idempotency key stores of an answer with a secret. */
function sealing({ tools }: Service, operation: PendingWrite['operation']) {
  const is_secret = operation.kind !== 'raw' && operation.is_secret
  return {
    sealed: (answer: Answer) => (is_secret ? { ...answer, body: tools.seal.close(answer.body) } : answer),
    // An answer that was redacted since is not sealed.
    opened: (answer: Answer) =>
      is_secret && !answer.body.startsWith('{') ? { ...answer, body: tools.seal.open(answer.body) } : answer,
  }
}

async function runInTransaction(service: Service, writes: PendingWrite[], lock_wait_ms: number): Promise<Answer[]> {
  const { operation, request } = onlyOne(writes.slice(0, 1))
  const { sealed, opened } = sealing(service, operation)
  const run = async (at: At): Promise<Answer[]> => {
    const replays = await reserveKeys(
      at,
      writes.flatMap(({ keyed }) => keyed ?? []),
    )
    for (const { keyed, batch } of writes) {
      const replay = keyed && replays.get(keyed.key)
      if (batch && replay && !(replay instanceof Problem)) replays.set(keyed.key, await replayParts(at, keyed, replay))
    }
    const fresh = writes.filter(({ keyed }) => !keyed || !replays.has(keyed.key))
    const results = await resultsOf(at, fresh)
    const answers = new Map(fresh.map((write, index) => [write, answerTo(write, results[index])]))
    await reportServed(
      at,
      fresh.flatMap((write, index) => toServed(write, results[index])),
    )
    const [only] = fresh
    // A batch runs alone. `runPartsInTransaction` returns the answers of its parts.
    if (only?.batch && only.keyed && !(results[0] instanceof Problem))
      await storeParts(at, only.keyed, results[0] as Answer[])
    else
      await storeAnswers(
        at,
        [...answers].flatMap(([{ keyed }, answer]) => (keyed ? { keyed, answer: sealed(answer) } : [])),
      )
    return writes.map((write) => answers.get(write) ?? findReplay(write, replays, opened))
  }
  return inTransaction(await atCaller(service, request.caller), run, { lock_timeout_ms: lock_wait_ms })
}

const toServed = ({ operation, request }: PendingWrite, result: unknown): Served[] =>
  result instanceof Problem ? [] : [{ operation, request, result }]

/** Runs writes of the same operation. There is more than one only if the operation is batched. */
async function resultsOf(at: At, writes: PendingWrite[]): Promise<unknown[]> {
  const [first] = writes
  if (!first) return []
  const { operation, keyed } = first
  if (operation.kind === 'write_many')
    return operation.run(
      at,
      writes.map(({ request }) => request),
    )
  if (operation.kind === 'raw' && operation.runMany)
    return operation.runMany(
      at,
      writes.flatMap(({ request, raw }) => (raw ? [{ request, raw }] : [])),
    )
  const run = (db: Db) => runOne({ ...at, db }, onlyOne(writes))
  return [keyed ? await undoneOnError(at.db, run) : await run(at.db)]
}

function runOne(at: At, { operation, request, raw, batch }: PendingWrite): Promise<unknown> {
  if (batch) return runPartsInTransaction(at, batch, async (part) => onlyOne(await resultsOf(at, [part])))
  if (operation.kind === 'write') return operation.run(at, request)
  if (operation.kind === 'raw' && operation.run && raw) return operation.run(at, request, raw)
  throw new Error(`${operation.id} can't run alone`)
}

/** Rolls back what was written before the error, so that the transaction can store the error for replay. */
async function undoneOnError(db: Db, run: (db: Db) => Promise<unknown>): Promise<unknown> {
  await db.run(sql`savepoint refused`)
  try {
    return await untilEnd(db, run)
  } catch (error) {
    if (!(error instanceof Problem) || !stored_errors.includes(error.code)) throw error
    await db.run(sql`rollback to savepoint refused`)
    return error
  }
}

const answerTo = ({ answer, request }: PendingWrite, result: unknown): Answer =>
  result instanceof Problem ? failure(result, request.request_id) : answer(result)

function findReplay(
  { keyed, request }: PendingWrite,
  replays: Map<string, Answer | Problem>,
  opened: (stored: Answer) => Answer,
): Answer {
  const replay = replays.get(keyed?.key ?? '')
  if (!replay) throw new Error('a write has neither run nor been answered before')
  return replay instanceof Problem ? failure(replay, request.request_id) : opened(replay)
}

function onlyOne<T>(values: T[]): T {
  const [value] = values
  if (value === undefined || values.length !== 1) throw new Error(`expected one, got ${values.length}`)
  return value
}
