import * as live from '../conversations/live.ts'
import * as turns from '../conversations/turns.ts'
import type { At } from '../kit/at.ts'
import type { Reply } from '../talk/state.ts'
import type { Save, Saved } from './plan-save.ts'
import type { Unsaved } from './unsaved.ts'

export interface OpenTurn {
  reply: string
  seq: number
  /** What is stored of it. */
  kept: string
}

export interface WritingOptions {
  id: string
  token: string
  unsaved: Unsaved
  /** What this process knows of the conversation. */
  seen: Save['seen']
  /** The turn that was open when another process was killed. */
  open: OpenTurn | undefined
  save: (at: At, save: Save) => Promise<Saved>
}

type SaveOptions = Pick<Save, 'opened' | 'release'> & {
  /** Runs of tools that are to be called after this. */
  begins?: string[]
}

/** What a drive writes, one thing after the other, as long as it has the lease. */
export class Writing {
  readonly #options: WritingOptions
  readonly #onError: (error: unknown) => void
  #queue: Promise<void> = Promise.resolve()
  seen: Save['seen']
  open: OpenTurn | undefined
  /** Another drive continues. Only what was shown is written from now on. */
  is_leaving = false

  constructor(options: WritingOptions, onError: (error: unknown) => void) {
    this.#options = options
    this.#onError = onError
    this.seen = options.seen
    this.open = options.open
  }

  inOrder(work: () => Promise<unknown>): void {
    this.#queue = this.#queue.then(async () => void (await work())).catch(this.#onError)
  }

  /** Writes all that is unsaved. When others have written meanwhile, what they wrote is yet to be read. */
  async save(at: At, { begins = [], ...more }: SaveOptions = {}): Promise<Saved> {
    const { id, token, unsaved, save } = this.#options
    const is_last = more.release !== undefined
    const { closes_open, ...taken } = unsaved.take({ open_reply: this.open?.reply, begins, is_last })
    const open_seq = closes_open ? this.open?.seq : undefined
    if (open_seq !== undefined) {
      this.open = undefined
      live.endTurn(id)
    }
    const { seen, is_leaving } = this
    const begins_tools = begins.length > 0
    const saved = await save(at, { id, token, seen, is_leaving, begins_tools, open_seq, ...taken, ...more })
    if (!saved.is_lost && !saved.is_stale) this.seen = { ...this.seen, turn_count: saved.turn_count }
    return saved
  }

  /** Stores what the open turn has shown so far. */
  keepText(at: At, reply: Reply | null): void {
    const { open } = this
    if (!open || !reply || open.reply !== reply.id || open.kept === reply.text) return
    open.kept = reply.text
    const kept = { id: this.#options.id, seq: open.seq, text: reply.text }
    // Only a precaution: the answer goes on without it.
    this.inOrder(() => turns.keepText(at, kept).catch(() => {}))
  }
}
