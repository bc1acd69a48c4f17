import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type At, type AtOutside, atLater, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import type { Log } from '../kit/log.ts'
import { sql } from '../kit/postgres/sql.ts'
import { untilAvailable } from '../kit/postgres/until-available.ts'
import type { Recording } from './carrier.ts'
import { hurryJoin, keyOf, type Recorded, upload_max_ms } from './recording-files.ts'
import { beginRecording } from './rows.ts'

/** Each has half a minute. More are dropped while files can't be stored. */
const waiting_max = 20
const pauses_ms = [1_000, 5_000, 20_000]
/** A process whose client has come back to another one notices it by then, and stores what it has recorded. */
const handed_over_within_ms = 15_000

/**
 * Stores what is recorded of a call while it goes on, in parts, because a bucket can't append. A part has its row before its file, so
 * that whoever joins or deletes the recording finds all files, also after a crash.
 */
export function openRecording(
  at: AtOutside,
  { call, log, ...times }: Pick<Recording, 'began_at' | 'continues_at'> & { call: Recorded; log: Log },
): Recording {
  const { continues_at = Number.NEGATIVE_INFINITY } = times
  const joinAt = ({ now }: At) => Math.max(now, continues_at + handed_over_within_ms)
  let waiting = 0
  let storing = Promise.resolve()
  const warn = (error: unknown) =>
    log.warn({ err: error, workspace_id: at.workspace, call_id: call.id }, 'a part of a recording was not stored')
  return {
    ...times,
    keep(part) {
      if (waiting >= waiting_max) return warn(new Error('too many parts wait'))
      waiting += 1
      storing = storing
        .then(() => storeSoon(at, call, part))
        .catch(warn)
        .finally(() => {
          waiting -= 1
        })
    },
    stored: () =>
      storing
        .then(() => untilAvailable(() => inTransaction(atLater(at), (at) => hurryJoin(at, { ...call, due_at: joinAt(at) }))))
        .catch(warn),
  }
}

interface Part {
  start_ms: number
  bytes: Uint8Array
}

async function storeSoon(at: AtOutside, call: Recorded, part: Part): Promise<void> {
  for (const pause_ms of [...pauses_ms, undefined]) {
    try {
      return await storePart(at, call, part)
    } catch (error) {
      if (pause_ms === undefined) throw error
      await sleep(pause_ms, undefined, { ref: false })
    }
  }
}

async function storePart(at: AtOutside, call: Recorded, { start_ms, bytes }: Part): Promise<void> {
  const { db, workspace } = at
  const id = newId()
  const blob_key = keyOf(workspace, call).replace(/wav$/, `${id}.part`)
  const is_wanted = await untilAvailable(() =>
    inTransaction(at, (at) => beginPart(at, call, { id, start_ms, size: bytes.length, blob_key })),
  )
  if (!is_wanted) return
  await at.tools.blobs.put(blob_key, { size: bytes.length, stream: Readable.from([Buffer.from(bytes)]) })
  await untilAvailable(() =>
    db.run(sql`update recording_parts set upload_until = null where workspace_id = ${workspace} and id = ${id}`),
  )
}

/** Locks the call, so that its recording is not deleted before the row is there. */
async function beginPart(
  at: At,
  call: Recorded,
  { id, start_ms, size, blob_key }: { id: string; start_ms: number; size: number; blob_key: string },
): Promise<boolean> {
  const { db, workspace } = at
  if (!(await beginRecording(at, call.id))) return false
  await db.run(
    sql`insert into recording_parts (workspace_id, id, call_id, start_ms, size, blob_key, upload_until)
      values (${workspace}, ${id}, ${call.id}, ${Math.round(start_ms)}, ${size}, ${blob_key},
        ${clock.iso(db.time() + upload_max_ms)})`,
  )
  return true
}
