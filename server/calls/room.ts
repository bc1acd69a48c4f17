import { readWithVoice } from '../channels/store.ts'
import type { AtOutside, InWorkspace } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sharedRead } from '../kit/postgres/shared-read.ts'
import { type LiveCall, type LiveCalls, liveCalls, type Refusal } from './live-calls.ts'
import { findNotOver } from './rows.ts'

/** Whoever gets the first voice channel of a second workspace is reserved room after this time. */
const read_every_ms = 10_000

interface Wish {
  key?: string | undefined
  is_on_line?: boolean
  /** Takes the room. */
  keep: (live_calls: LiveCalls) => void
}

/**
 * Takes room for a call, besides all that have room and don't need it yet. Returns why there is none. The database is asked only when
 * none seems to be left: which calls still need theirs, and whether others have voice channels.
 */
export async function takeRoom(at: AtOutside, call: LiveCall, { keep, ...wish }: Wish): Promise<Refusal | undefined> {
  const live_calls = liveCalls.of(at)
  const find = () => live_calls.findRefusal(call, { now: at.now, ...wish })
  if (find()) await freeRoom(at)
  if (find() === 'reserved') await readOthers(at)
  // Nothing waits in between: others take room at the same time.
  const refusal = find()
  if (!refusal) keep(live_calls)
  return refusal
}

/** Many calls may wait for room at the same time. */
async function freeRoom(at: AtOutside): Promise<void> {
  const { db } = at
  const live_calls = liveCalls.of(at)
  const used = new Set(Array.from(live_calls.dialed.values(), ({ workspace }) => workspace))
  await Promise.all([...used].map((workspace) => freeRoomOf({ db, workspace, live_calls })))
}

/**
 * Frees the room of calls that are over. A call that a stream has taken counts where the stream is. A process without streams doesn't
 * know how much room others have, so there all that it has dialled count until they are over.
 */
const freeRoomOf = sharedRead(async ({ db, workspace, live_calls }: InWorkspace & { live_calls: LiveCalls }) => {
  const { dialed, has_sockets } = live_calls
  const ids = [...dialed].flatMap(([id, call]) => (call.workspace === workspace ? [id] : []))
  const open = await findNotOver({ db, workspace }, { ids, counts_taken: !has_sockets })
  for (const id of ids) if (!open.has(id)) dialed.delete(id)
})

async function readOthers(at: AtOutside): Promise<void> {
  const live_calls = liveCalls.of(at)
  if (live_calls.voice_workspaces.until_ticks > clock.ticks()) return
  const ids = await readWithVoice(at)
  live_calls.voice_workspaces = { ids, until_ticks: clock.ticks() + read_every_ms }
}
