import { conversationWatch } from '../conversations/stream.ts'
import * as turns from '../conversations/turns.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import type { EngineInput } from '../talk/input.ts'
import type { State } from '../talk/state.ts'
import { type Drive, Driver, type Parts, type TalkState } from './driver.ts'
import type { WriteOptions } from './journal.ts'

/** The words that an open turn has shown are stored this often. */
const keep_text_every_ms = 500
/** An answer may continue this long while the process stops. */
const stop_grace_ms = 1_500

export interface TextDriveOptions extends Parts {
  state: TalkState
  save: Drive['save']
  needsSummary: (phase: State['phase'], turn_count: number) => boolean
  isStopping: () => boolean
}

/**
 * Drives one conversation by text until nothing is left to do now, under the lease. Anything that others write into the
 * conversation meanwhile interrupts it. If its words are not shown as they come, a new message begins the answer anew,
 * after a pause.
 */
export class TextDrive {
  readonly #options: TextDriveOptions
  readonly #driver: Driver
  readonly #done = Promise.withResolvers<void>()
  #is_opening = false
  #is_over = false
  #stopping_ticks: number | undefined

  constructor(options: TextDriveOptions) {
    this.#options = options
    this.#driver = new Driver(options, options.state, {
      save: options.save,
      beginRuns: (begins) => this.#beginRuns(begins),
      onChange: () => this.#settle(),
      onError: this.#done.reject,
    })
    // The promise may reject when `run` no longer waits for it.
    this.#done.promise.catch(() => {})
  }

  /** Resolves when the lease has ended. Rejects when something could not be written: the lease then ends by itself. */
  async run(first: EngineInput[]): Promise<void> {
    const { at, journal } = this.#options
    const stopWatching = conversationWatch.of(at).open(at, journal.id, (snapshot) => {
      const { turn_count, status } = journal.seen
      if (snapshot?.turn_count !== turn_count || snapshot.status !== status) this.#inOrder(() => this.#readChanges())
    })
    const ticking = setInterval(() => this.#tick(), keep_text_every_ms)
    try {
      for (const input of first) this.#driver.take(input)
      await this.#driver.continueTools()
      this.#settle()
      await this.#done.promise
    } finally {
      this.#is_over = true
      stopWatching()
      clearInterval(ticking)
      this.#driver.stop()
    }
  }

  /** Runs after something has happened. Ends the drive when nothing is left to wait for. */
  #settle(): void {
    if (this.#is_over) return
    if (this.#driver.is_resting) this.#end()
    else if (this.#options.journal.has_turns) this.#inOrder(() => this.#save())
    else if (this.#driver.opening) this.#openTurn()
  }

  /** Begins to show the answer when the model makes a pause, because a whole answer needs no open turn. */
  #openTurn(): void {
    if (this.#is_opening) return
    this.#is_opening = true
    setImmediate(() =>
      this.#inOrder(async () => {
        this.#is_opening = false
        if (this.#driver.opening) await this.#save()
      }),
    )
  }

  /** Writes that tools begin. Only tools of other servers have rows before they run. */
  async #beginRuns(begins: string[]): Promise<boolean | undefined> {
    if (begins.length === 0) return true
    const { journal } = this.#options
    const { status } = journal.seen
    const saved = await journal.inOrder(() => this.#save({ begins }))
    return saved && saved.status === status
  }

  /** Reads what others have written. Words of the contact are answered together; all else ends this drive. */
  async #readChanges(): Promise<void> {
    const { at, journal, answerer, is_live } = this.#options
    if (this.#is_over || journal.is_leaving) return
    const snapshot = await conversationWatch
      .of(at)
      .readSnapshot(at, journal.id)
      .catch(() => journal.seen)
    if (!snapshot) return this.#done.resolve()
    const { turn_count, status } = journal.seen
    if (snapshot.turn_count === turn_count && snapshot.status === status) return
    const added = await turns.list(at, { conversation_id: journal.id, after: turn_count, limit: 100 })
    const asking = await Promise.all(added.map(({ text }) => answerer.asksForPerson(text)))
    // If the answer has ended meanwhile, its save finds that there is more.
    if (this.#is_over) return
    const is_contacts = snapshot.status === status && added.every(({ role }) => role === 'contact')
    if (is_contacts && journal.must_answer) return
    if (!is_live || !is_contacts) return this.#leave()
    for (const [index, { seq, text }] of added.entries()) {
      journal.seen = { status, turn_count: seq }
      answerer.addMessage({ seq, text })
      journal.restart()
      this.#driver.take({ type: 'message', id: newId(), text, asks_for_person: asking[index] === true })
    }
    this.#settle()
  }

  /**
   * Keeps what was shown, and leaves the rest to another drive, because this one knows a state that is over, or must
   * end.
   */
  #leave(): void {
    if (this.#is_over) return
    this.#options.journal.is_leaving = true
    this.#driver.take({ type: 'left' })
    this.#settle()
  }

  /** Keeps shown words, and leaves when the process stops. It never throws, because a timer calls it. */
  #tick(): void {
    if (this.#options.isStopping()) this.#stopping_ticks ??= clock.ticks()
    const is_late = clock.ticks() - (this.#stopping_ticks ?? Number.POSITIVE_INFINITY) > stop_grace_ms
    try {
      if (is_late) this.#leave()
      this.#driver.keepText()
    } catch (error) {
      this.#done.reject(error)
    }
  }

  #end(): void {
    const { journal, needsSummary } = this.#options
    this.#is_over = true
    this.#inOrder(async () => {
      const { phase, is_unanswered, settings, timers } = this.#driver.state
      const needs_summary = needsSummary(phase, journal.seen.turn_count)
      journal.change({ awaits_answer: phase !== 'ended' && is_unanswered })
      await this.#save({ release: { timers: { person: timers.person }, idle_ms: settings.idle_ms, needs_summary } })
      this.#done.resolve()
    })
  }

  /** Returns undefined when another process has the lease. */
  async #save(options: WriteOptions = {}) {
    const saved = await this.#driver.write(options)
    if (saved.is_lost) return void this.#done.resolve()
    if (saved.is_stale && !this.#is_over) this.#inOrder(() => this.#readChanges())
    if (saved.is_dropped && !this.#is_over) this.#leave()
    return saved
  }

  #inOrder(work: () => Promise<unknown>): void {
    this.#options.journal.inOrder(work).catch(this.#done.reject)
  }
}
