import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type At, type AtOutside, atLater, inTransaction } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { newId } from '../../kit/id.ts'
import type { Log } from '../../kit/log.ts'
import { selectRows } from '../../kit/postgres/citus/tenants.ts'
import { rowsFrom, sql } from '../../kit/postgres/sql.ts'
import { untilAvailable } from '../../kit/postgres/until-available.ts'
import type { Recording } from '../carrier.ts'
import { liveCalls } from '../live-calls.ts'
import { beginRecording } from '../rows.ts'
import { hurryJoin, keyOf, type Recorded, upload_max_ms } from './files.ts'

/** While files can't be stored, parts wait in memory. Each has half a minute in 480 kB. More of a call than half an hour is dropped. */
const waiting_max = 60
/**
 * At most this many parts are held before the contact knows of the recording, more than a notice takes. Of more parts,
 * the oldest are dropped.
 */
const held_max = 4
const pause_min_ms = 1_000
/** This pause and the longest upload are together shorter than `upload_max_ms`, so that the parts are waited for. */
const pause_max_ms = 10_000
/** Parts are tried again for this long after the call. */
const after_call_ms = 5 * 60 * clock.second_ms
/** A process whose client has come back to another one notices it by then, and stores what it has recorded. */
const handed_over_within_ms = 15_000

export interface RecordingOptions extends Pick<Recording, 'began_at' | 'continues_at'> {
  call: Recorded
  log: Log
  /** Tests have a pause of their own. */
  pause?: (ms: number) => Promise<void>
}

/**
 * Stores what is recorded of a call while it goes on, in parts, because a bucket can't append. A part has its row before its file, so
 * that whoever joins or deletes the recording finds all files, also after a crash.
 */
export function openRecording(at: AtOutside, { call, log, pause = pauseFor, ...times }: RecordingOptions): Recording {
  const live_calls = liveCalls.of(at)
  const { continues_at = Number.NEGATIVE_INFINITY } = times
  let held: Piece[] | undefined = []
  const waiting = new Set<Part>()
  let storing = Promise.resolve()
  let has_warned = false
  /** When the process gives up. */
  let until_ticks = Number.POSITIVE_INFINITY
  let is_given_up = false
  const about = { workspace_id: at.workspace, call_id: call.id }
  const warn = (error: unknown) => log.warn({ err: error, ...about }, 'a part of a recording was not stored')

  async function store(part: Part): Promise<void> {
    for (let pause_ms = pause_min_ms; ; pause_ms = Math.min(pause_max_ms, 2 * pause_ms)) {
      if (is_given_up) throw new Error('files could not be stored for too long')
      try {
        return await storePart(at, call, { part, waiting: [...waiting] })
      } catch (error) {
        is_given_up = clock.ticks() > until_ticks
        if (is_given_up) throw error
        if (!has_warned) log.warn({ err: error, ...about }, 'a recording waits in memory to be stored')
        has_warned = true
        await pause(pause_ms)
      }
    }
  }

  function storeInTurn({ start_ms, bytes }: Piece): void {
    if (waiting.size >= waiting_max || !live_calls.holdUnstored(bytes.length))
      return void warn(new Error('too many parts wait'))
    const id = newId()
    const blob_key = keyOf(at.workspace, call).replace(/wav$/, `${id}.part`)
    const part = { id, start_ms: Math.round(start_ms), bytes, blob_key }
    waiting.add(part)
    storing = storing
      .then(() => store(part))
      .catch(warn)
      .finally(() => {
        waiting.delete(part)
        live_calls.releaseUnstored(bytes.length)
      })
  }

  return {
    ...times,
    keep(sound) {
      if (held) held = [...held, sound].slice(-held_max)
      else storeInTurn(sound)
    },
    allow() {
      const sounds = held ?? []
      held = undefined
      for (const sound of sounds) storeInTurn(sound)
    },
    stored() {
      until_ticks = clock.ticks() + after_call_ms
      const joinSoon = (at: At) => {
        const due_at = Math.max(at.now, continues_at + handed_over_within_ms)
        return hurryJoin(at, { id: call.id, due_at })
      }
      return storing.then(() => untilAvailable(() => inTransaction(atLater(at), joinSoon))).catch(warn)
    },
  }
}

const pauseFor = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false })

interface Piece {
  start_ms: number
  bytes: Uint8Array
}

interface Part extends Piece {
  id: string
  blob_key: string
}

/** Whoever joins the recording also waits for the parts that wait here. */
async function storePart(
  at: AtOutside,
  call: Recorded,
  { part, waiting }: { part: Part; waiting: Part[] },
): Promise<void> {
  const { workspace } = at
  const { id, blob_key, bytes } = part
  if (!(await untilAvailable(() => inTransaction(at, (at) => beginParts(at, call, waiting))))) return
  await at.tools.blobs.put(blob_key, { size: bytes.length, stream: Readable.from([Buffer.from(bytes)]) })
  const others = waiting.filter((other) => other !== part)
  await untilAvailable(() =>
    inTransaction(at, async (at) => {
      if (others.length > 0) await beginParts(at, call, others)
      await at.db.run(
        sql`update recording_parts set upload_until = null where workspace_id = ${workspace} and id = ${id}`,
      )
    }),
  )
}

/** Locks the call, so that its recording is not deleted before the rows are there. Returns false if it was. */
async function beginParts(at: At, call: Recorded, parts: Part[]): Promise<boolean> {
  const { db } = at
  if (!(await beginRecording(at, call.id))) return false
  const rows = parts.map(({ id, start_ms, bytes, blob_key }) => ({ id, start_ms, size: bytes.length, blob_key }))
  const selected = selectRows(at, {
    columns: sql`id, ${call.id}, start_ms, size, blob_key, ${clock.iso(db.time() + upload_max_ms)}`,
    from: rowsFrom(rows, 'id uuid, start_ms integer, size integer, blob_key text'),
  })
  await db.run(
    sql`insert into recording_parts (workspace_id, id, call_id, start_ms, size, blob_key, upload_until) ${selected}
      on conflict (workspace_id, id) do update set upload_until = excluded.upload_until`,
  )
  return true
}
