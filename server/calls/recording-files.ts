import { type At, type AtOutside, inTransaction } from '../kit/at.ts'
import type { Blob } from '../kit/blobs/blobs.ts'
import * as clock from '../kit/clock.ts'
import { sql } from '../kit/postgres/sql.ts'
import { announce, assertHeld, isHeld, type Lease, type RowWork } from '../kit/work/rows.ts'
import type { Call } from './schema.ts'

/** Longer than any upload takes. */
const upload_max_ms = 90_000

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
  // If it fails, the file may appear later all the same.
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

/** Leaves the row of a later upload of the same file. */
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
  announce(at, work)
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
  const { db, workspace, now } = at
  await db.run(
    sql`insert into recording_files (workspace_id, id, blob_key, due_at)
      select ${workspace}, id, blob_key, ${clock.iso(now)}
      from unnest(${recorded.map(({ id }) => id)}::uuid[],
        ${recorded.map((call) => keyOf(workspace, call))}::text[]) as removed (id, blob_key)
      order by id
      on conflict (workspace_id, id) do update set due_at = excluded.due_at, lease_until = null, lease_token = null`,
  )
  announce(at, work)
}

export const work: RowWork = {
  table: 'recording_files',
  begin: async (at, lease) => () => settle(at, lease),
}

/** Removes the file, unless its recording is ready. It stays in the table as long as an upload may bring the file back. */
async function settle(at: AtOutside, lease: Lease): Promise<false> {
  const { db, workspace, tools } = at
  const found = await db.maybe<{ blob_key: string; upload_until: string | null; is_ready: boolean }>(
    sql`select blob_key, upload_until, exists (
        select from calls where workspace_id = ${workspace} and id = ${lease.id} and recording_status = 'ready') as is_ready
      from recording_files where ${isHeld(lease)}`,
  )
  if (!found) return false
  const { blob_key, upload_until, is_ready } = found
  if (!is_ready) await tools.blobs.remove(blob_key)
  const may_come_back = !is_ready && upload_until !== null && clock.parse(upload_until) > db.time()
  const changed = await db.run(
    may_come_back
      ? sql`update recording_files set lease_until = upload_until, lease_token = null, attempt = 0 where ${isHeld(lease)}`
      : sql`delete from recording_files where ${isHeld(lease)}`,
  )
  assertHeld(changed)
  return false
}
