import { type At, inTransaction } from '../at.ts'
import { letOthersRun } from '../let-others-run.ts'
import { Problem } from '../problem.ts'
import { type Answer, failure, resourceAnswer } from './envelope.ts'
import { type KeyedRequest, reserveKeys, storeAnswers } from './idempotency.ts'
import type { Part } from './operation.ts'
import type { PendingBatch, PendingWrite } from './pending-write.ts'
import { keyedRequest } from './upload.ts'
import { partRequest } from './valid-request.ts'

/*
 * A batch that is not atomic stores the answer of each part under a key of its own, in the transaction of the part. So a repeat
 * after a crash goes on where the first request ended. The batch's own key then has an answer without data, which is never sent.
 */

const lock_wait_ms = 2_000
const done: Answer = { status: 200, headers: {}, body: '{}' }

/** Runs the parts one after the other, each as the request that it is. Throws what is no outcome of a part, such as a lost connection. */
export async function runApart(
  at: At,
  batch: PendingBatch,
  write: (write: PendingWrite) => Promise<Answer>,
): Promise<Answer> {
  const { keyed, parts } = batch
  if (keyed) await inTransaction(at, (at) => reserve(at, keyed), { lock_timeout_ms: lock_wait_ms })
  const answers: Answer[] = []
  for (const index of parts.keys()) {
    await letOthersRun({ is_urgent: true })
    answers.push(await runPart(batch, index, write))
  }
  return batchAnswer(answers)
}

async function runPart(
  batch: PendingBatch,
  index: number,
  write: (write: PendingWrite) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await write(pendingPart(batch, index))
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500 || error.code.startsWith('IDEMPOTENCY')) throw error
    return failure(error, batch.request.request_id)
  }
}

/** Runs the parts in one transaction. Throws the Problem of the first that fails, with its index. */
export async function runTogether(
  batch: PendingBatch,
  run: (write: PendingWrite) => Promise<unknown>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const index of batch.parts.keys()) {
    await letOthersRun({ is_urgent: true })
    try {
      const part = pendingPart(batch, index)
      const result = await run(part)
      if (result instanceof Problem) throw result
      answers.push(part.answer(result))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const { code, message, details, headers } = error
      throw new Problem(code, message, { ...details, index }, headers, error)
    }
  }
  return answers
}

/** Throws if the key was used for another request. */
async function reserve(at: At, keyed: KeyedRequest): Promise<void> {
  const replay = (await reserveKeys(at, [keyed])).get(keyed.key)
  if (replay instanceof Problem) throw replay
  if (!replay) await storeAnswers(at, [{ keyed, answer: done }])
}

/** Validates a part and makes a write of it. Throws a Problem if it is not valid. */
function pendingPart(batch: PendingBatch, index: number): PendingWrite {
  const part = batch.parts[index] as Part
  const { operation } = part
  const request = partRequest(part, batch.request)
  const keyed = batch.keyed && {
    ...keyedRequest(operation, request, partKey(batch.keyed, index)),
    fingerprint: batch.keyed.fingerprint,
  }
  const answer = resourceAnswer(operation, batch.base_path)
  return {
    operation,
    request,
    keyed,
    answer: (result) => answer(result, request.params),
  }
}

/** No client can send such a key: it has a line break. */
const partKey = ({ key }: KeyedRequest, index: number): string => `${key}\n${index}`

/** Takes over the members of each envelope, which are serialized already. */
export function batchAnswer(answers: Answer[]): Answer {
  const results = answers.map(
    ({ status, body }, index) => `{"index":${index},"status":${status},${body.slice(body.indexOf(',') + 1, -1)}}`,
  )
  // What is not valid is not stored, and the same each time.
  const valid = answers.filter(({ status }) => status !== 400)
  const is_replayed = valid.length > 0 && valid.every(({ headers }) => 'idempotent-replayed' in headers)
  return {
    status: 200,
    headers: is_replayed ? { 'idempotent-replayed': 'true' } : {},
    body: `{"success":true,"data":{"results":[${results.join(',')}]}}`,
  }
}
