import * as live from '../conversations/live.ts'
import type { Conversation } from '../conversations/schema.ts'
import * as turns from '../conversations/turns.ts'
import type { Save, Saved } from '../drivers/plan-save.ts'
import type { Unsaved } from '../drivers/unsaved.ts'
import { Writing } from '../drivers/writing.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { untilAvailable } from '../kit/postgres/until-available.ts'
import type { Reply, SpeechPart } from '../talk/state.ts'
import type { CallState } from './call-state.ts'
import type { CallToDial } from './carrier.ts'
import { type Fact, merge } from './facts.ts'
import { keepOptOut } from './opt-outs.ts'
import type { CallSave } from './save.ts'
import type { OptOut } from './talk.ts'

export interface RecordOptions {
  at: At
  id: string
  token: string
  due_at: string
  dialed: Pick<CallToDial, 'to' | 'simulate'>
  /** The conversation as it was last read or written. `is_new` until it has its row. */
  conversation: Conversation
  is_new: boolean
  unsaved: Unsaved
  facts: Fact[]
  is_over: boolean
  /** Whether the conversation gets a summary at its end. */
  has_summary: boolean
  is_recorded: boolean
  /** The voice of a simulated person, for the recording. */
  contact_voice: string | null
  save: (at: At, save: CallSave) => Promise<Saved>
  /** What the agent says now. */
  readReply: () => Reply | null
  /** The turn of this reply is shown from now on, so it stays also if nothing of it is heard. */
  onShown: (reply: string) => void
  /** Where the call is, for a test workspace. */
  readState: () => Omit<CallState, 'is_over'>
  /** That the contact wants no more calls, once. */
  takeOptOut: () => OptOut | null
  /** Something was written of the conversation. */
  onSaved: (saved: { turn_count: number; has_unseen: boolean }) => void
  onError: (error: unknown) => void
  log: Log
}

interface Words {
  reply: string
  text: string
}

interface SaveOptions {
  /** A reply of which the first words are shown from now on. */
  opening?: Words | undefined
  /** Runs of tools that are to be called after this. */
  begins?: string[]
}

/** What is known of a call that is being driven, and how it is written. */
export class CallRecord {
  readonly #options: RecordOptions
  readonly #writing: Writing
  #facts: Fact[]
  #is_new: boolean
  #is_over: boolean
  /** The conversation was closed, and is no longer the driver's. */
  #is_closed: boolean
  #is_lost = false
  /** Set when the lease ends: when the call is due again, if it is. */
  #released: { next: number | undefined } | undefined
  /** A reply whose words are not yet shown. */
  #opening: Words | undefined
  #saving: Promise<unknown> = Promise.resolve()
  /** Until it is written. */
  #opt_out: OptOut | null = null
  /** Something is not yet written. */
  is_changed = false

  constructor(options: RecordOptions) {
    const { id, conversation, unsaved, save, onError } = options
    this.#options = options
    this.#facts = options.facts
    this.#is_new = options.is_new
    this.#is_over = options.is_over
    this.#is_closed = options.is_over
    const { status, turn_count } = conversation
    const written = { id: conversation.id, token: id, unsaved, seen: { status, turn_count }, open: undefined }
    this.#writing = new Writing({ ...written, save: (at, one) => save(at, this.#toSave(at, one)) }, onError)
  }

  get facts(): Fact[] {
    return this.#facts
  }

  get is_new(): boolean {
    return this.#is_new
  }

  get is_over(): boolean {
    return this.#is_over
  }

  /** Whether another process has the call. */
  get is_lost(): boolean {
    return this.#is_lost
  }

  add(fact: Fact): void {
    this.#facts = merge(this.#facts, [fact])
    this.is_changed = true
  }

  end(): void {
    this.#is_over = true
    this.is_changed = true
  }

  /** Words are shown as soon as they are spoken. */
  show(words: Words): void {
    const { at, conversation } = this.#options
    if (at.is_test) return
    const { open } = this.#writing
    if (open?.reply === words.reply) return void live.say(conversation.id, open.seq, words.text)
    if (this.#opening?.reply === words.reply) this.#opening.text += words.text
    else this.#opening = { ...words }
  }

  /** The turn of a person has its row before it is spoken. */
  keepSpeech(seq: number, speech: SpeechPart[]): void {
    const { at, conversation } = this.#options
    this.#writing.inOrder(() => untilAvailable(() => turns.setSpeech(at, { id: conversation.id, seq, speech })))
  }

  get has_changes(): boolean {
    return this.is_changed || this.#opening !== undefined
  }

  /** Keeps what was shown so far of the turn that is open. */
  keepText(): void {
    const { at, readReply } = this.#options
    this.#writing.keepText(at, readReply())
  }

  async saveChanges(now: number): Promise<void> {
    await this.save(now, () => {
      this.is_changed = false
      return { opening: this.#takeOpening() }
    })
  }

  #takeOpening(): Words | undefined {
    const { readReply, onShown } = this.#options
    const opening = readReply()?.id === this.#opening?.reply ? this.#opening : undefined
    this.#opening = undefined
    if (opening) onShown(opening.reply)
    return opening
  }

  /** One after the other: a transaction writes one save of a call. Undefined when another process has the call. */
  save(now: number, options: () => SaveOptions) {
    const saved = this.#saving.then(() => this.#save(now, options()))
    this.#saving = saved.catch(() => {})
    return saved
  }

  async #save(now: number, { opening, begins = [] }: SaveOptions) {
    const { save, has_summary, unsaved } = this.#options
    const at = { ...this.#options.at, now }
    const release = { timers: {}, idle_ms: 0, needs_summary: has_summary }
    const is_closing = this.#is_over && !this.#is_closed
    const has_words = !unsaved.is_empty || opening !== undefined || begins.length > 0 || is_closing || this.#is_new
    const saved =
      this.#is_closed || !has_words
        ? await save(at, this.#toSave(at, undefined))
        : await this.#writing.save(at, {
            begins,
            ...(opening && { opened: { text: opening.text } }),
            ...(is_closing && { release }),
          })
    this.#is_lost ||= saved.is_lost
    if (saved.is_lost) return undefined
    this.#opt_out = null
    if (!this.#is_closed) this.#options.onSaved(saved)
    this.#is_new = false
    this.#is_closed ||= is_closing
    if (opening && saved.seq !== undefined) this.#showOpened(opening, saved.seq)
    return saved
  }

  /** The agent may have said more while the turn was written. */
  #showOpened({ reply, text }: Words, seq: number): void {
    const more = this.#opening?.reply === reply ? this.#opening.text : ''
    if (more !== '') this.#opening = undefined
    this.#writing.open = { reply, seq, kept: text }
    live.say(this.#options.conversation.id, seq, text + more)
  }

  /** Ends the lease. A call that is not over continues at the next time. */
  async release(now: number, next: number | undefined): Promise<void> {
    await this.save(now, () => {
      this.#released = { next }
      return {}
    })
  }

  /** Records an opt-out that is not yet written, because the call can't be. One of a test workspace is said again. */
  async keepOptOut(): Promise<void> {
    const { at, dialed, conversation, takeOptOut, log } = this.#options
    await this.#saving
    const opt_out = this.#opt_out ?? takeOptOut()
    if (!opt_out || at.is_test) return
    const { id: conversation_id, contact_id } = conversation
    const { to: phone_number, simulate } = dialed
    await keepOptOut(at, { phone_number, contact_id, evidence: { conversation_id }, at: opt_out.at, simulate }, log)
  }

  #toSave({ now, is_test }: At, save: Save | undefined): CallSave {
    const { id, token, due_at, dialed, conversation, is_recorded, contact_voice, readState, takeOptOut } = this.#options
    this.#opt_out ??= takeOptOut()
    const { next } = this.#released ?? { next: clock.parse(due_at) }
    const is_final = this.#is_over && (!is_test || next === undefined)
    return {
      ...{ id, token, now, is_recorded, contact_voice },
      save: save && { ...save, is_spoken: true },
      inserted: this.#is_new ? conversation : undefined,
      facts: this.#facts,
      opted_out: this.#opt_out && { ...this.#opt_out, phone_number: dialed.to },
      state: is_test && !is_final ? { ...readState(), is_over: this.#is_over } : null,
      due_at: is_final || next === undefined ? null : clock.iso(next),
      is_released: this.#released !== undefined,
    }
  }
}
