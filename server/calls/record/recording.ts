import * as events from '../../events/store.ts'
import type { At, AtOutside } from '../../kit/at.ts'
import { hashState } from '../../kit/http/etag.ts'
import type { StoredContent } from '../../kit/http/file-content.ts'
import type { ValidRequest as Request } from '../../kit/http/operation.ts'
import { notFound, preconditionFailed } from '../../kit/problem.ts'
import { eraseRecording } from '../erase.ts'
import { event_types } from '../event-types.ts'
import { lock, shownOf } from '../rows.ts'
import type { Call } from '../schema.ts'
import * as calls from '../store.ts'
import { keyOf } from './files.ts'
import { renderRecording, stillRendering } from './rendering.ts'

/** Opens the audio of a call. The audio of a simulated call is rendered when it is read for the first time. */
export async function openRecording(at: AtOutside, id: string): Promise<StoredContent> {
  const { blobs } = at.tools
  const call = await calls.get(at, id)
  if (call.recording.status === 'rendering') throw stillRendering()
  if (call.recording.status !== 'ready') throw noRecording(call)
  const key = keyOf(at.workspace, call)
  const size = (await blobs.size(key)) ?? (await renderMissing())
  return {
    size,
    version: hashState(id, size),
    async read(range) {
      const blob = await blobs.open(key, range)
      // The recording was deleted since its size was read.
      if (!blob) throw notFound()
      if (blob.size === size) return blob.stream
      blob.stream.destroy()
      throw new Error(`the recording has ${blob.size} bytes instead of ${size}`)
    },
  }

  async function renderMissing(): Promise<number> {
    if (!call.is_test) throw notFound()
    await renderRecording(at, call)
    const [after, rendered] = await Promise.all([calls.get(at, id), blobs.size(key)])
    // The recording was deleted while it was rendered.
    if (after.recording.status !== 'ready' || rendered === undefined) throw noRecording(after)
    return rendered
  }
}

const noRecording = ({ recording: { status } }: Call) =>
  notFound(status === 'deleted' ? 'The recording was deleted.' : 'This call has no recording.')

export async function deleteRecording(
  at: At,
  { id, by, isCurrent }: { id: string; by: string; isCurrent: Request['isCurrent'] },
): Promise<Call> {
  const before = shownOf(await lock(at, id))
  if (['none', 'deleted'].includes(before.recording.status)) throw noRecording(before)
  if (!isCurrent(before)) throw preconditionFailed()
  await eraseRecording(at, { id, by })
  const after = shownOf(await lock(at, id))
  await events.record(at, event_types.updated, [{ data: after, previous: { recording: before.recording } }])
  calls.announce(at, after)
  return after
}
