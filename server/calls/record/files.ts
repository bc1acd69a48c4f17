import { Readable } from 'node:stream'
import * as events from '../../events/store.ts'
import { type At, type AtOutside, atLater, inTransaction } from '../../kit/at.ts'
import type { Blob } from '../../kit/blobs/blobs.ts'
import * as clock from '../../kit/clock.ts'
import { selectRows } from '../../kit/postgres/citus/tenants.ts'
import { type Sql, sql } from '../../kit/postgres/sql.ts'
import { headerBytes, headerFor, type WavFormat } from '../../kit/sound/wav.ts'
import { announce, assertHeld, isHeld, type Lease, leaseLost } from '../../kit/work/rows.ts'
import { event_types } from '../event-types.ts'
import { lockMany, setRecordingStatus, shownOf } from '../rows.ts'
import type { Call } from '../schema.ts'
import { announce as announceCall } from '../store.ts'

/** The name of the table, and of the kind of due work. */
export const files_table = 'recording_files'
/** No upload takes longer than this. */
export const upload_max_ms = 90_000

export type Recorded = Pick<Call, 'id' | 'created_at'>

/** Where the audio of a call is kept. */
export const keyOf = (workspace: string, { id, created_at }: Recorded): string =>
  `${workspace}/${created_at.slice(0, 4)}/${created_at.slice(5, 7)}/${id}.wav`

/**
 * Stores the audio of a call, unless it was deleted in the meantime. No transaction is open while it is stored. A row says before
 * that a file may appear: if this process is killed, or the recording is deleted, background work finds the file by it.
 */
export async function store(at: AtOutside, call: Recorded, wav: Blob): Promise<void> {
  const blob_key = keyOf(at.workspace, call)
  const upload_until = clock.iso(at.db.time() + upload_max_ms)
  const is_wanted = await inTransaction(at, (at) => beginUpload(at, { call, blob_key, upload_until }))
  if (!is_wanted) return void wav.stream.destroy()
  // After a failure the file may appear later all the same.
  await at.tools.blobs.put(blob_key, wav)
  await inTransaction(at, (at) => endUpload(at, { call, upload_until }))
}

interface Upload {
  call: Recorded
  upload_until: string
}

/** No other process looks at the row before the upload must have ended. */
async function beginUpload(at: At, { call, blob_key, upload_until }: Upload & { blob_key: string }): Promise<boolean> {
  const { db, workspace, now } = at
  if (!(await isReady(at, call.id))) return false
  await db.run(
    sql`insert into recording_files (workspace_id, id, blob_key, upload_until, due_at, lease_until)
      values (${workspace}, ${call.id}, ${blob_key}, ${upload_until}, ${clock.iso(now)}, ${upload_until})
      on conflict (workspace_id, id) do update
      set upload_until = excluded.upload_until, lease_until = excluded.lease_until, lease_token = null`,
  )
  return true
}

/** Ends an upload. Leaves the row of a later upload of the same file. */
async function endUpload(at: At, { call: { id }, upload_until }: Upload): Promise<void> {
  const { db, workspace } = at
  const of_upload = sql`workspace_id = ${workspace} and id = ${id} and upload_until = ${upload_until}`
  if (await isReady(at, id)) {
    await db.run(sql`delete from recording_files where ${of_upload}`)
    return
  }
  await db.run(
    sql`update recording_files set upload_until = null, lease_until = null, lease_token = null where ${of_upload}`,
  )
  announce(at, { table: files_table })
}

/** Locks the call, so that its recording is not deleted before the end of the transaction. */
async function isReady({ db, workspace }: At, id: string): Promise<boolean> {
  const found = await db.maybe(
    sql`select id from calls where workspace_id = ${workspace} and id = ${id} and recording_status = 'ready' for share`,
  )
  return found !== undefined
}

/** Removes the files in the background. Call it in the transaction that marks the recordings as deleted. */
export async function removeLater(at: At, recorded: Recorded[]): Promise<void> {
  const { db, now } = at
  await db.run(
    sql`insert into recording_files (workspace_id, id, blob_key, due_at)
      ${selectFiles(at, recorded, now)}
      on conflict (workspace_id, id) do update set due_at = excluded.due_at, lease_until = null, lease_token = null`,
  )
  announce(at, { table: files_table })
}

/**
 * Joins the parts of recordings in the background. Call it in the transaction that ends the calls. What their processes still store
 * is waited for: they say when all is stored, unless they are killed.
 */
export async function joinLater(at: At, recorded: Recorded[]): Promise<void> {
  if (recorded.length === 0) return
  const { db, now } = at
  await db.run(
    sql`insert into recording_files (workspace_id, id, blob_key, due_at)
      ${selectFiles(at, recorded, now + upload_max_ms)}
      on conflict (workspace_id, id) do nothing`,
  )
}

/** Selects files in the same order in each transaction, so that two of them don't deadlock. */
const selectFiles = (at: At, recorded: Recorded[], due_at: number): Sql =>
  sql`${selectRows(at, {
    columns: sql`id, blob_key, ${clock.iso(due_at)}`,
    from: sql`unnest(${recorded.map(({ id }) => id)}::uuid[],
      ${recorded.map((call) => keyOf(at.workspace, call))}::text[]) as recorded (id, blob_key)`,
  })} order by id`

/** Has the recording joined by `due_at`, when all its parts are stored. */
export async function hurryJoin(at: At, { id, due_at }: { id: string; due_at: number }): Promise<void> {
  const { db, workspace } = at
  const changed = await db.run(
    sql`update recording_files set due_at = least(due_at, ${clock.iso(due_at)}) where workspace_id = ${workspace} and id = ${id}`,
  )
  if (changed > 0) announce(at, { table: files_table })
}

interface FoundFile extends Pick<Call, 'duration_ms'> {
  blob_key: string
  upload_until: string | null
  /** Null if the call is gone. */
  status: Call['recording']['status'] | null
}

/**
 * Joins a recording that was made in parts, or removes what is left of one that was deleted. A row stays in the table as long as an
 * upload may bring its file back.
 */
export async function settle(at: AtOutside, lease: Lease): Promise<false> {
  const { db, workspace } = at
  const found = await db.maybe<FoundFile>(
    sql`select blob_key, upload_until, recording_status as status, duration_ms from recording_files
      left join (select id as call_id, recording_status, duration_ms from calls
        where workspace_id = ${workspace} and id = ${lease.id}) as call on call_id = recording_files.id
      where ${isHeld(lease)}`,
  )
  if (!found) return false
  const parts = await db.many<Part>(
    sql`select id, start_ms, size, blob_key, upload_until from recording_parts
      where workspace_id = ${workspace} and call_id = ${lease.id} order by start_ms, id`,
  )
  const last_upload = Math.max(0, ...[found, ...parts].map((one) => uploadEnd(one)))
  const is_rendering = found.status === 'rendering'
  if (is_rendering && parts.some((part) => uploadEnd(part) > db.time())) await wait(at, lease, last_upload)
  else if (is_rendering) await join(at, lease, { found, parts })
  else await remove(at, lease, { found, parts, last_upload })
  return false
}

interface Part extends StoredPart {
  id: string
  upload_until: string | null
}

const uploadEnd = ({ upload_until }: { upload_until: string | null }): number =>
  upload_until === null ? 0 : clock.parse(upload_until)

async function wait({ db }: AtOutside, lease: Lease, until: number): Promise<void> {
  assertHeld(
    await db.run(
      sql`update recording_files set lease_until = ${clock.iso(until)}, lease_token = null, attempt = 0
        where ${isHeld(lease)}`,
    ),
  )
}

/** Joins the parts. The file is there before the recording is ready, and the parts are there until it is. */
async function join(at: AtOutside, lease: Lease, { found, parts }: { found: FoundFile; parts: Part[] }): Promise<void> {
  const { db, tools } = at
  const upload_until = clock.iso(db.time() + upload_max_ms)
  assertHeld(await db.run(sql`update recording_files set upload_until = ${upload_until} where ${isHeld(lease)}`))
  const is_recorded = parts.length > 0 && found.duration_ms !== null
  if (is_recorded) await tools.blobs.put(found.blob_key, joinParts(at, parts, found.duration_ms ?? 0))
  await inTransaction(atLater(at), (at) => endRecording(at, lease.id, is_recorded ? 'ready' : 'failed'))
  assertHeld(await db.run(sql`update recording_files set upload_until = null where ${isHeld(lease)}`))
  await removeParts(at, parts)
  assertHeld(await db.run(sql`delete from recording_files where ${isHeld(lease)}`))
}

/** Says how the recording has ended. If it was deleted meanwhile, the row is due again, and the file is removed. */
async function endRecording(at: At, id: string, status: 'ready' | 'failed'): Promise<void> {
  const [before] = await lockMany(at, { where: sql`id = ${id}`, limit: 1 })
  if (before?.recording.status !== 'rendering') throw leaseLost()
  const updated_at = clock.laterThan(before.updated_at, at.now)
  await setRecordingStatus(at, { id, recording_status: status, updated_at })
  const duration_ms = status === 'ready' ? before.duration_ms : null
  const after = { ...shownOf(before), updated_at, recording: { ...before.recording, status, duration_ms } }
  const type = status === 'ready' ? event_types.recording_ready : event_types.updated
  await events.record(at, type, [{ data: after }])
  announceCall(at, after)
}

async function remove(
  at: AtOutside,
  lease: Lease,
  { found, parts, last_upload }: { found: FoundFile; parts: Part[]; last_upload: number },
): Promise<void> {
  const { db, tools } = at
  const is_ready = found.status === 'ready'
  if (!is_ready) await tools.blobs.remove(found.blob_key)
  if (!is_ready && last_upload > db.time()) {
    await Promise.all(parts.map(({ blob_key }) => tools.blobs.remove(blob_key)))
    return wait(at, lease, last_upload)
  }
  await removeParts(at, parts)
  assertHeld(await db.run(sql`delete from recording_files where ${isHeld(lease)}`))
}

async function removeParts({ db, workspace, tools }: AtOutside, parts: Part[]): Promise<void> {
  for (const { blob_key } of parts) await tools.blobs.remove(blob_key)
  await db.run(
    sql`delete from recording_parts where workspace_id = ${workspace} and id = any(${parts.map(({ id }) => id)}::uuid[])`,
  )
}

/** μ-law at 8 kHz, the contact left and the agent right. */
const channels = 2
const samples_per_ms = 8
const bytes_per_ms = channels * samples_per_ms
const format: WavFormat = { encoding: 'mulaw', sample_rate: samples_per_ms * 1_000, channels }
const silence = 0xff
/** Silence is written in pieces of this size. */
const silence_bytes = 64 * 1024

interface StoredPart {
  start_ms: number
  size: number
  blob_key: string
}

/** One WAV file as long as the call: its parts in order, and silence where nothing was recorded. */
function joinParts({ tools }: AtOutside, parts: StoredPart[], duration_ms: number): Blob {
  const size = duration_ms * bytes_per_ms
  async function* write(): AsyncGenerator<Buffer> {
    yield headerFor({ bytes: size, format })
    let position = 0
    for (const { start_ms, blob_key } of parts) {
      const start = Math.min(size, start_ms * bytes_per_ms)
      yield* silenceOf(start - position)
      position = Math.max(position, start)
      const found = await tools.blobs.open(blob_key)
      // The process was killed before it had stored this part.
      if (!found) continue
      const bytes = Buffer.concat(await found.stream.toArray())
      // If two processes had the call for a moment, the recording of the first one counts.
      const rest = bytes.subarray(position - start, size - start)
      yield rest
      position += rest.length
    }
    yield* silenceOf(size - position)
  }
  return { size: headerBytes(format) + size, stream: Readable.from(write(), { objectMode: false }) }
}

function* silenceOf(bytes: number): Generator<Buffer> {
  for (let rest = bytes; rest > 0; rest -= silence_bytes) yield Buffer.alloc(Math.min(rest, silence_bytes), silence)
}
