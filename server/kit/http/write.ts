import * as clock from '../clock.ts'
import { openBatcher } from '../limits/batch.ts'
import { queuePerKey } from '../limits/key-queues.ts'
import { isContention, isLockTimeout, isUnavailable } from '../postgres/errors.ts'
import type { Db, Pool } from '../postgres/pool.ts'
import { sql } from '../postgres/sql.ts'
import { idempotencyInProgress, Problem } from '../problem.ts'
import { type Answer, failure } from './envelope.ts'
import * as idempotency from './idempotency.ts'
import type { At, Call, Caller, Operation, Tools } from './operation.ts'

export interface Write {
  operation: Operation
  call: Call
  claim: idempotency.Claim | undefined
  answer: (result: unknown) => Answer
}

const in_progress_wait_ms = 2_000
/** A group doesn't wait long for what one of its writes waits for: that one then waits the rest of the time alone. */
const group_wait_ms = 500
const single_wait_ms = 100
/** For each workspace, so that none takes all connections. */
const limits = { size_max: 64, in_flight_max: 2 }
/** Decided, and so the same when asked again: kept with the key. Anything else lets go of it. */
const kept_codes = ['NOT_FOUND', 'CONFLICT', 'INVALID_STATE', 'PRECONDITION_FAILED']

/** Carries out writes: each in a transaction with its idempotency key, many of one kind together. */
export function writer(pool: Pool, tools: Tools, alone = perWorkspace()): (write: Write) => Promise<Answer> {
  const transact: Transact = (writes, wait_ms) => transactIn(pool, tools, writes, wait_ms)
  const flights = new Map<string, Promise<unknown>>()
  const together = openBatcher<Write, Answer | Error>(limits, (_name, writes) => carryOutAll(transact, writes))

  async function carryOut(write: Write): Promise<Answer> {
    const { workspace } = write.call.caller
    if (!write.operation.runAll) {
      return onlyOne(await alone(write.call.caller, () => transact([write], in_progress_wait_ms)))
    }
    const outcome = await together(`${write.operation.id} ${workspace}`, write)
    if (outcome instanceof Error) throw outcome
    return outcome
  }

  return async (write) => {
    if (!write.claim) return carryOut(write)
    const name = `${write.call.caller.workspace} ${write.claim.key}`
    const until = clock.now() + in_progress_wait_ms
    for (let first = flights.get(name); first; first = flights.get(name)) {
      await settled(first, until - clock.now())
    }
    const flight = carryOut(write)
    flights.set(name, flight)
    try {
      return await flight
    } finally {
      flights.delete(name)
    }
  }
}

type Queue = <T>(caller: Caller, work: () => Promise<T>) => Promise<T>

/** A queue for writes that don't share a transaction. */
function perWorkspace(): Queue {
  const queue = queuePerKey(limits.in_flight_max)
  return ({ workspace }, work) => queue(workspace, work)
}

/** The same for each caller, with one more for all of a workspace: a busy caller leaves something to the others. */
export function perCaller(): Queue {
  const own = queuePerKey(limits.in_flight_max)
  const all = queuePerKey(limits.in_flight_max + 1)
  return ({ workspace, id }, work) => own(id, () => all(workspace, work))
}

type Transact = (writes: Write[], wait_ms: number) => Promise<Answer[]>

/** Carries out writes that open transactions of their own. */
export const plainWriter =
  (pool: Pool, tools: Tools) =>
  async ({ operation, call, answer }: Write): Promise<Answer> =>
    answer(await operation.run?.({ tools, db: pool, workspace: call.caller.workspace, now: clock.now() }, call))

/** Waits until it has ended, either way, or tells the caller to come again. */
async function settled(flight: Promise<unknown>, within_ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(idempotencyInProgress()), within_ms)
  })
  const ended = flight.then(
    () => undefined,
    () => undefined,
  )
  await Promise.race([ended, late]).finally(() => clearTimeout(timer))
}

/** What one of them did wrong, or waits for, must not be the others' loss: when the group fails, each goes alone. */
async function carryOutAll(transact: Transact, writes: Write[]): Promise<(Answer | Error)[]> {
  const until = clock.now() + in_progress_wait_ms
  const rest_ms = () => Math.max(1, until - clock.now())
  const goAlone = (write: Write, wait_ms: number) => transact([write], wait_ms).then(onlyOne, asError)
  if (writes.length === 1) return [await goAlone(onlyOne(writes), in_progress_wait_ms)]
  try {
    return await transact(writes, group_wait_ms)
  } catch (error) {
    if (isUnavailable(error) && !isContention(error)) throw error
  }
  const outcomes = new Map<Write, Answer | Error>()
  for (const write of writes) outcomes.set(write, await goAlone(write, single_wait_ms))
  // Those that are held up share what is left of the time, when all others have their answers.
  for (const [write, outcome] of outcomes) {
    if (isHeldUp(outcome)) outcomes.set(write, await goAlone(write, rest_ms()))
  }
  return writes.map((write) => outcomes.get(write) ?? new Error('a write was left out'))
}

const isHeldUp = (outcome: Answer | Error): boolean =>
  isLockTimeout(outcome) || (outcome instanceof Problem && outcome.code === 'IDEMPOTENCY_IN_PROGRESS')

function asError(error: unknown): Error {
  if (error instanceof Error) return error
  throw error
}

async function transactIn(pool: Pool, tools: Tools, writes: Write[], wait_ms: number): Promise<Answer[]> {
  const { operation, call } = onlyOne(writes.slice(0, 1))
  const { workspace } = call.caller
  const now = clock.now()
  const { seal } = tools
  const closed = (answer: Answer) => (operation.is_secret ? { ...answer, body: seal.close(answer.body) } : answer)
  const opened = (answer: Answer) => (operation.is_secret ? { ...answer, body: seal.open(answer.body) } : answer)
  const carryOut = async (db: Db): Promise<Answer[]> => {
    const at: At = { tools, db, workspace, now }
    const claims = writes.flatMap(({ claim }) => claim ?? [])
    const replays = await idempotency.claim(db, workspace, claims, now)
    const fresh = writes.filter(({ claim }) => !claim || !replays.has(claim.key))
    const results = await resultsOf(operation, at, fresh)
    const answers = new Map(fresh.map((write, index) => [write, answerOf(write, results[index])]))
    await idempotency.keep(
      db,
      workspace,
      [...answers].flatMap(([{ claim }, answer]) => (claim ? { claim, answer: closed(answer) } : [])),
      now,
    )
    return writes.map((write) => answers.get(write) ?? replayOf(write, replays, opened))
  }
  return pool.tx(carryOut, { lock_timeout_ms: wait_ms })
}

async function resultsOf(operation: Operation, at: At, writes: Write[]): Promise<unknown[]> {
  if (writes.length === 0) return []
  if (operation.runAll)
    return operation.runAll(
      at,
      writes.map(({ call }) => call),
    )
  const { call, claim } = onlyOne(writes)
  return [claim ? await undoneWhenRefused(at.db, () => operation.run?.(at, call)) : await operation.run?.(at, call)]
}

/** The transaction goes on to keep the refusal, without what was written before it. */
async function undoneWhenRefused(db: Db, run: () => Promise<unknown> | undefined): Promise<unknown> {
  await db.run(sql`savepoint refused`)
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Problem) || !kept_codes.includes(error.code)) throw error
    await db.run(sql`rollback to savepoint refused`)
    return error
  }
}

const answerOf = ({ answer, call }: Write, result: unknown): Answer =>
  result instanceof Problem ? failure(result, call.request_id) : answer(result)

function replayOf(
  { claim, call }: Write,
  replays: Map<string, Answer | Problem>,
  opened: (kept: Answer) => Answer,
): Answer {
  const replay = replays.get(claim?.key ?? '')
  if (!replay) throw new Error('a write has neither run nor been answered before')
  return replay instanceof Problem ? failure(replay, call.request_id) : opened(replay)
}

function onlyOne<T>(values: T[]): T {
  const [value] = values
  if (value === undefined || values.length !== 1) throw new Error(`expected one, got ${values.length}`)
  return value
}
