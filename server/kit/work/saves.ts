import { type At, atLater, inTransaction, timeStands } from '../at.ts'
import type { Log } from '../log.ts'
import { CommitUnknownError } from '../postgres/errors.ts'
import { currentSpan, inSpan, type Span, sharedSpan } from '../traces/span.ts'
import { openRecorder } from './recorder.ts'

/** Workspaces whose saves are written at the same time. */
const concurrent_max = 4
/** A workspace whose time runs pauses for this long between two transactions. People don't notice it. */
const pause_ms = 50

interface Pending<Save, Saved> {
  at: At
  save: Save
  /** The span that the caller runs in. */
  span: Span | undefined
  saved: Saved | undefined
  /** Why the last attempt failed. */
  error: unknown
  resolve: (saved: Saved) => void
  reject: (error: unknown) => void
}

interface SavesOptions<Save, Saved> {
  /** Writes the saves. Runs in a transaction. */
  saveAll: (at: At, saves: Save[]) => Promise<Saved[]>
  /** Returns how much a save counts against `weight_max`, the most that is written in a transaction. */
  weigh?: (save: Save) => number
  weight_max?: number
  /** Whether someone waits for the save. */
  isUrgent?: (save: Save) => boolean
  log: Log
}

/** Saves of one workspace that come together share a transaction. */
export function openSaves<Save, Saved>({
  saveAll,
  weigh = () => 1,
  weight_max = Number.POSITIVE_INFINITY,
  isUrgent = () => false,
  log,
}: SavesOptions<Save, Saved>): (at: At, save: Save) => Promise<Saved> {
  async function saveTogether(at: At, pending: Pending<Save, Saved>[]): Promise<void> {
    const saves = pending.map(({ save }) => save)
    const saved = await inTransaction(at, (at) => saveAll(at, saves))
    pending.forEach((one, index) => {
      one.saved = saved[index]
    })
  }
  const recorder = openRecorder<Pending<Save, Saved>>({
    record: async (_workspace, pending) => {
      const [first] = pending
      if (!first) return
      try {
        await inSpan(sharedSpan(pending), () => saveTogether(first.at, pending))
      } catch (error) {
        for (const one of pending) one.error = error
        // After a lost answer it is not known what was written.
        if (pending.length === 1 || error instanceof CommitUnknownError) throw error
        // A save that can't be written must not keep the others from being written.
        for (const one of pending) await inSpan(one.span, () => saveTogether(one.at, [one])).catch(one.reject)
      }
    },
    onRecorded: (_workspace, pending, { is_recorded }) => {
      for (const { saved, error, resolve, reject } of pending) {
        if (is_recorded && saved !== undefined) resolve(saved)
        else reject(error)
      }
    },
    concurrent_max,
    weigh: ({ save }) => weigh(save),
    weight_max,
    pauseAfter: ([first]) => (first && timeStands(first.at) ? 0 : pause_ms),
    log,
  })
  return (at, save) =>
    new Promise((resolve, reject) => {
      const span = currentSpan()
      const pending = { at: atLater(at), save, span, saved: undefined, error: undefined, resolve, reject }
      recorder.add(at.workspace, pending, { is_urgent: isUrgent(save) })
    })
}
