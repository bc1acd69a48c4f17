import { randomUUID } from 'node:crypto'
import { type At, inTransaction } from '../at.ts'
import { letOthersRun } from '../let-others-run.ts'
import { Problem } from '../problem.ts'
import { type Answer, failure, resourceAnswer } from './envelope.ts'
import { type KeyedRequest, readAnswers, reserveKeys, storeAnswers } from './idempotency.ts'
import type { Part } from './operation.ts'
import type { PendingBatch, PendingWrite } from './pending-write.ts'
import { reportServed } from './served.ts'
import { keyedRequest } from './upload.ts'
import { partRequest } from './valid-request.ts'

/*
 * A batch stores the answer of each part under a key of its own, so that what is about one resource can be redacted. If the batch
 * is not atomic, this happens in the transaction of the part, so a repeat after a crash goes on where the first request ended. The
 * batch's own key stores an id, which is part of the keys of its parts: when that key has expired and is used again, it gets another
 * id, so that answers of old parts are not found. For an atomic batch it also stores how many parts there are.
 */

const lock_wait_ms = 2_000

/** Makes the key of a part. No client can send such a key, because it has a line break. */
const partKey = (key: string, batch_id: string, index: number): string => `${key}\n${batch_id} ${index}`

/**
 * Runs the parts one after the other, each as the request that it is. Uses the idempotency key only if a part is valid. Throws
 * what is no outcome of a part, such as a lost connection.
 */
export async function runPartsSeparately(
  at: At,
  batch: PendingBatch,
  write: (write: PendingWrite) => Promise<Answer>,
): Promise<Answer> {
  const { keyed, operation, request } = batch
  const writes: (PendingWrite | Problem)[] = []
  for (const part of batch.parts) {
    await letOthersRun({ is_urgent: true })
    writes.push(pendingOrProblem(batch, part))
  }
  const report = (at: At) => reportServed(at, [{ operation, request, result: undefined }])
  const has_valid = writes.some((one) => !(one instanceof Problem))
  const batch_id = has_valid && keyed ? await reserve(at, keyed, report) : undefined
  if (has_valid && !keyed) await report(at)
  const answers: Answer[] = []
  for (const [index, one] of writes.entries()) {
    await letOthersRun({ is_urgent: true })
    const run = async () => {
      if (one instanceof Problem) throw one
      const keyed = one.keyed && batch_id ? { ...one.keyed, key: partKey(one.keyed.key, batch_id, index) } : undefined
      return write({ ...one, keyed })
    }
    answers.push(await run().catch((error: unknown) => partFailure(batch, error)))
  }
  return batchAnswer(answers)
}

function pendingOrProblem(batch: PendingBatch, part: Part): PendingWrite | Problem {
  try {
    return pendingPart(batch, part)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

function partFailure({ request }: PendingBatch, error: unknown): Answer {
  if (!(error instanceof Problem) || error.status >= 500 || error.code.startsWith('IDEMPOTENCY')) throw error
  return failure(error, request.request_id)
}

/** Runs the parts in one transaction. Throws the Problem of one that is not valid, or else of the first that fails, with its index. */
export async function runPartsInTransaction(
  at: At,
  batch: PendingBatch,
  run: (write: PendingWrite) => Promise<unknown>,
): Promise<Answer[]> {
  const writes: PendingWrite[] = []
  for (const [index, part] of batch.parts.entries()) {
    await letOthersRun({ is_urgent: true })
    const write = pendingOrProblem(batch, part)
    if (write instanceof Problem) throw withIndex(write, index)
    writes.push(write)
  }
  const order = await batch.arrange(
    at,
    writes.map(({ request }) => request),
  )
  const answers = new Map<PendingWrite, Answer>()
  for (const index of order) {
    const write = writes[index]
    if (!write) throw new Error('the order names a part that the batch does not have')
    await letOthersRun({ is_urgent: true })
    const result = await run(write).catch((error: unknown) => {
      throw error instanceof Problem ? withIndex(error, index) : error
    })
    if (result instanceof Problem) throw withIndex(result, index)
    answers.set(write, write.answer(result))
  }
  return writes.flatMap((write) => answers.get(write) ?? [])
}

const withIndex = (problem: Problem, index: number): Problem => {
  const { code, message, details, headers } = problem
  return new Problem(code, message, { ...details, index }, headers, problem)
}

export async function storeParts(at: At, keyed: KeyedRequest, parts: Answer[]): Promise<void> {
  const batch_id = randomUUID()
  const body = JSON.stringify({ batch_id, parts: parts.length })
  const { fingerprint } = keyed
  const stored = parts.map((answer, index) => ({
    keyed: { key: partKey(keyed.key, batch_id, index), fingerprint },
    answer,
  }))
  // Each answer has a statement of its own, because answers may be long.
  await Promise.all(
    [...stored, { keyed, answer: { status: 200, headers: {}, body } }].map((one) => storeAnswers(at, [one])),
  )
}

/**
 * Returns the answer to a repeated batch, made of the stored answers of its parts. A stored error is returned as it is.
 */
export async function replayParts(at: At, { key }: KeyedRequest, replay: Answer): Promise<Answer> {
  if (!replay.body.startsWith('{"batch_id"')) return replay
  const { batch_id, parts } = JSON.parse(replay.body)
  const keys = Array.from({ length: parts }, (_, index) => partKey(key, batch_id, index))
  return batchAnswer(await readAnswers(at, keys))
}

/** Returns the id of the batch that the key belongs to. Throws if the key was used for another request. */
function reserve(at: At, keyed: KeyedRequest, report: (at: At) => Promise<void>): Promise<string> {
  const reserveIn = async (at: At): Promise<string> => {
    const replay = (await reserveKeys(at, [keyed])).get(keyed.key)
    if (replay instanceof Problem) throw replay
    if (replay) return JSON.parse(replay.body).batch_id
    const batch_id = randomUUID()
    const body = JSON.stringify({ batch_id })
    await storeAnswers(at, [{ keyed, answer: { status: 200, headers: {}, body } }])
    await report(at)
    return batch_id
  }
  return inTransaction(at, reserveIn, { lock_timeout_ms: lock_wait_ms })
}

/** Validates a part and makes a write of it, with the key of the batch. Throws a Problem if it is not valid. */
function pendingPart({ request: whole, keyed, base_path }: PendingBatch, part: Part): PendingWrite {
  const { operation } = part
  const request = partRequest(part, whole)
  const answer = resourceAnswer(operation, base_path)
  return {
    operation,
    request,
    keyed: keyed && { ...keyedRequest(operation, request, keyed.key), fingerprint: keyed.fingerprint },
    answer: (result) => answer(result, request.params),
  }
}

/**
 * Joins the answers of the parts. The members of each envelope are taken over as they are, because they are serialized
 * already.
 */
export function batchAnswer(answers: Answer[]): Answer {
  const results = answers.map(
    ({ status, body }, index) => `{"index":${index},"status":${status},${body.slice(body.indexOf(',') + 1, -1)}}`,
  )
  // Parts that are not valid are not stored: they get the same answer each time.
  const valid = answers.filter(({ status }) => status !== 400)
  const is_replayed = valid.length > 0 && valid.every(({ headers }) => 'idempotent-replayed' in headers)
  return {
    status: 200,
    headers: is_replayed ? { 'idempotent-replayed': 'true' } : {},
    body: `{"success":true,"data":{"results":[${results.join(',')}]}}`,
  }
}
