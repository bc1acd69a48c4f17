import type { Conversation } from '../../conversations/schema.ts'
import { conversationWatch } from '../../conversations/stream.ts'
import * as turns from '../../conversations/turns.ts'
import { Driver, type OptOut, type Parts } from '../../drivers/driver.ts'
import type { Save, Saved } from '../../drivers/plan-save.ts'
import type { At } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { newId } from '../../kit/id.ts'
import { letOthersRun } from '../../kit/let-others-run.ts'
import { isBusy } from '../../kit/postgres/errors.ts'
import { untilAvailable } from '../../kit/postgres/until-available.ts'
import type { EngineInput } from '../../talk/input.ts'
import type { Machine } from '../../talk/state.ts'
import type { CallLine, CallLineEvent, CallToDial, Carrier, Connection, Recording } from '../carrier.ts'
import { endedFact, type Fact, finalFact, isAnswered, merge, verdictsIn } from '../facts.ts'
import { liveCalls } from '../live-calls.ts'
import type { CallState, Request } from '../rows.ts'
import type { EndReason } from '../schema.ts'
import { callWatch, readAsked } from '../store.ts'
import { keepOptOut } from './opt-outs.ts'
import type { CallSave } from './save.ts'

/** A carrier lets no telephone ring for longer. After this time it is asked what has become of the call. */
const ring_max_ms = 45_000
/** Reports of a carrier are awaited for this long after the end. */
const late_facts_ms = 15_000
const check_every_ms = 500
const nothing_asked = { request: null, facts: [] }

export interface CallDriveOptions extends Parts {
  id: string
  token: string
  due_at: string
  dialed: CallToDial
  carrier: Carrier
  line: CallLine
  /** The conversation as it was last read. `is_new` is true until it has its row. */
  conversation: Conversation
  is_new: boolean
  state: CallState
  facts: Fact[]
  /** What someone has asked of the call. */
  request: Request | null
  /** The facts that the agent is to collect. */
  goals: string[]
  /** Whether the conversation gets a summary at its end. */
  has_summary: boolean
  is_recorded: boolean
  /** The connection of a call on a real line. Simulated calls have none. */
  connection: Connection | undefined
  recording: Recording | undefined
  /** Whether a carrier reports who has answered. */
  has_verdicts: boolean
  /** Ms of sound that other processes have recognised and spoken in the call. */
  earlier_speech_ms: number
  /** Whether someone only tries the agent, so that no opt-out is recorded. */
  is_trial: boolean
  /** The first thing that happens in a call that another process has begun. */
  first: EngineInput | undefined
  save: (at: At, save: CallSave) => Promise<Saved>
  isStopping: () => boolean
  onProgress: () => void
}

/**
 * Drives one call. While time runs, it follows the line and writes each turn when it ends. While time stands still, it runs
 * ahead in memory as far as the clock may advance, and writes everything at once.
 */
export class CallDrive {
  readonly #options: CallDriveOptions
  readonly #driver: Driver
  readonly #people: Record<string, number>
  #facts: Fact[]
  #is_new: boolean
  #is_over: boolean
  /** The conversation was closed, and is no longer the driver's. */
  #is_closed: boolean
  /** Another process has the call. */
  #is_lost = false
  /** Something is not yet written. */
  #is_changed: boolean
  /** An opt-out that is not yet written. */
  #opt_out: OptOut | null = null
  /** Is set when the lease ends. `next` is when the call is due again, if it is. */
  #released: { next: number | undefined } | undefined
  #error: unknown
  #last_read_seq: number
  #must_read: boolean
  #is_woken = false
  /** The `updated_at` of the call when it was last seen. */
  #seen_update: string | undefined
  readonly #verdicts = new Set<string>()
  #saving: Promise<void> | undefined
  #reading: Promise<void> | undefined
  /** How many saves have begun, and how many have ended. */
  #saves = { begun: 0, ended: 0 }
  #endSleep = () => {}

  constructor(options: CallDriveOptions) {
    const { state, scheduler } = options
    this.#options = options
    this.#facts = options.facts
    this.#people = { ...state.people }
    this.#is_new = options.is_new
    this.#is_over = state.is_over
    this.#is_closed = state.is_over
    this.#last_read_seq = state.last_read_seq
    this.#must_read = !options.is_new
    // A live call is written at once, to say that the carrier has answered.
    this.#is_changed = !scheduler.stands
    this.#driver = new Driver(options, state, {
      save: (at, save) => options.save(at, this.#toSave(at, save)),
      beginRuns: async (begins) => ((await this.#save({ begins })) ? true : undefined),
      onChange: () => {
        this.#noteChange()
        this.#wake()
      },
      onError: (error) => {
        this.#error ??= error
        this.#wake()
      },
    })
  }

  /** Makes the drive read what someone wants of the call or has said. Never throws. */
  wake(): void {
    this.#must_read = true
    this.#wake()
  }

  /**
   * Tells the drive that another process has taken the lease with this token, or that the lease has ended. Never
   * throws.
   */
  lose(token: string): void {
    if (token !== this.#options.token) return
    this.#is_lost = true
    this.#wake()
  }

  /** Resolves when the lease has ended. Rejects when something could not be written: the lease then ends by itself. */
  async run(): Promise<void> {
    const { at, line, request, scheduler, connection, recording } = this.#options
    const stopWatching = scheduler.stands ? () => {} : this.#watch()
    line.onEvent?.(() => this.#wake())
    try {
      await this.#driver.continueTools()
      if (this.#options.first) this.#take(this.#options.first, scheduler.now())
      if (request && !this.#is_over) this.#obey(request)
      await this.#loop()
    } finally {
      this.#driver.stop()
      // Nobody speaks any more.
      if (!scheduler.stands) line.hangUp(scheduler.now())
      stopWatching()
      await line.close?.()
      connection?.close()
      // Storing is not awaited here: the lease of a call that failed must end meanwhile.
      if (recording) liveCalls.of(at).waitFor(recording.stored())
      await this.#keepOptOut()
    }
  }

  #watch(): () => void {
    const { at, id, conversation, has_verdicts } = this.#options
    const stopWatching = conversationWatch.of(at).open(at, conversation.id, (snapshot) => {
      if (!snapshot || snapshot.turn_count > this.#last_read_seq || snapshot.status !== this.#driver.status) this.wake()
    })
    if (!has_verdicts) return stopWatching
    // Another process may take the carrier's reports.
    const stopWatchingCall = callWatch.of(at).open(at, id, (snapshot) => {
      if (snapshot?.updated_at !== this.#seen_update) this.wake()
      this.#seen_update = snapshot?.updated_at
    })
    return () => {
      stopWatching()
      stopWatchingCall()
    }
  }

  async #loop(): Promise<void> {
    const { at, scheduler, isStopping, connection } = this.#options
    for (;;) {
      if (scheduler.stands) await this.#driver.idle()
      if (scheduler.stands) await letOthersRun()
      if (this.#error) throw this.#error
      this.#noteSpeechFault()
      const next = this.#nextTime()
      // Everything that is due happens first, and is then written together.
      const must_read_first = this.#must_read && scheduler.stands
      if (next !== undefined && !must_read_first && scheduler.reach(next)) {
        await this.#happen(next)
        continue
      }
      const is_ended = next === undefined && this.#is_over
      // The last changes of a call that has ended are written when its lease ends.
      if (!scheduler.stands && !is_ended) this.#saveChanges()
      if (this.#is_lost) return
      if (must_read_first) {
        await this.#readChanges()
        continue
      }
      if (this.#must_read) this.#readBeside()
      if (scheduler.stands || is_ended) return this.#release(next)
      if (isStopping() && !this.#is_over && connection && !liveCalls.of(at).is_abandoned) {
        this.#takeOwn({ type: 'close', reason: 'error', end_reason: 'system_error' })
        continue
      }
      // The process stops. Another one ends the call, or goes on with it if its client comes back.
      if (isStopping()) return this.#release(connection?.ends_at ?? scheduler.now())
      await this.#sleep(this.#nextTime())
    }
  }

  /** Notes that a provider of speech has failed. If nothing else can take over, the call ends. */
  #noteSpeechFault(): void {
    const fault = this.#options.line.takeSpeechFault?.()
    if (!fault) return
    this.#options.journal.note(fault.message)
    if (fault.is_fatal && !this.#is_over) this.#takeOwn({ type: 'close', reason: 'error', end_reason: 'system_error' })
  }

  get #is_notice_due(): boolean {
    return this.#driver.state.voice?.is_notice_due === true
  }

  get #is_answered(): boolean {
    return this.#driver.state.voice?.answered_at !== null
  }

  #nextTime(): number | undefined {
    const { line, dialed, scheduler, connection } = this.#options
    if (this.#is_over) {
      const ended = this.#facts.find(({ fact }) => fact.kind === 'ended' || fact.kind === 'final')
      const is_late = line.next_at !== undefined && line.next_at > (ended?.at ?? scheduler.now()) + late_facts_ms
      return is_late ? undefined : line.next_at
    }
    const is_ringing = !this.#is_answered && !connection
    const own = is_ringing ? dialed.started_at + ring_max_ms : this.#driver.next_timer?.at
    return line.next_at === undefined ? own : Math.min(line.next_at, own ?? line.next_at)
  }

  /** Waits for the next time, or until something happens. Returns at once if something has happened since it last returned. */
  async #sleep(next = Number.POSITIVE_INFINITY): Promise<void> {
    const { scheduler } = this.#options
    const wait_ms = this.#is_woken ? 0 : Math.min(check_every_ms, Math.max(0, next - scheduler.now()))
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = scheduler.after(wait_ms, resolve)
    this.#endSleep = resolve
    await promise
    clearTimeout(timer)
    this.#is_woken = false
  }

  #wake(): void {
    this.#is_woken = true
    this.#endSleep()
  }

  /** Takes the events of the line before the agent's own timers. */
  async #happen(time: number): Promise<void> {
    const { line, onProgress, connection, scheduler } = this.#options
    onProgress()
    if (line.next_at !== undefined && line.next_at <= time) {
      for (const event of line.take(time)) this.#takeEvent(event)
      return
    }
    if (!this.#is_answered) return this.#findOut()
    const timer = this.#driver.next_timer
    // On a real line words are known later than they were said: what follows from them, such as the wait for a model, begins now.
    const at = connection ? scheduler.now() : timer?.at
    if (timer) this.#takeOwn({ type: 'timer', name: timer.name, id: newId() }, at)
  }

  #takeEvent({ at, ...event }: CallLineEvent): void {
    if (event.type === 'fact') return void this.#takeReport(event.fact)
    if (this.#is_over) return
    if (event.type === 'answered') this.#add({ key: 'answered', at, source: 'system', fact: { kind: 'answered' } })
    if (event.type === 'played') this.#keepSpeech(event)
    if (event.type === 'machine') this.#noteMachine(event.kind, at)
    const needs_id = event.type === 'machine' || event.type === 'beep' || event.type === 'transferred'
    if (event.type === 'digit') this.#take({ ...event, is_awaited: this.#options.answerer.awaitsDigits() }, at)
    else this.#take(needs_id ? { ...event, id: newId() } : event, at)
  }

  /** Records who has answered a real line, which is found by listening. A simulated line reports it. */
  #noteMachine(kind: Machine | 'uncertain', at: number): void {
    if (kind === 'uncertain' || !this.#options.connection) return
    this.#add({ key: `heard.${kind}`, at, source: 'system', fact: { kind: 'machine', machine: kind } })
  }

  /** Stores when the words of a person were spoken. Their turn has its row before. */
  #keepSpeech({ reply, parts: speech }: Pick<Extract<CallLineEvent, { type: 'played' }>, 'reply' | 'parts'>): void {
    const { at, journal } = this.#options
    const seq = this.#people[reply]
    if (seq === undefined) return
    journal
      .inOrder(() => untilAvailable(() => turns.setSpeech(at, { id: journal.id, seq, speech })))
      .catch((error: unknown) => {
        this.#error ??= error
      })
  }

  /**
   * Takes an input that doesn't come from the line. It may cut the agent's words, so the line is first asked how much
   * of them was heard.
   */
  #takeOwn(input: EngineInput, now = this.#options.scheduler.now()): void {
    const played = this.#options.line.readPlayed(now)
    if (played) this.#driver.take({ type: 'played', ...played }, now)
    this.#take(input, now)
  }

  #take(input: EngineInput, now: number): void {
    this.#driver.take(input, now)
    if (!this.#is_notice_due) this.#options.recording?.allow()
    this.#noteChange()
    const { end_reason } = this.#driver
    if (end_reason && !this.#is_over) this.#end(end_reason, now)
  }

  /** Notes a change only if there is something to write. */
  #noteChange(): void {
    if (!this.#options.journal.is_empty || this.#driver.has_opt_out) this.#is_changed = true
  }

  #add(fact: Fact): void {
    this.#facts = merge(this.#facts, [fact])
    this.#is_changed = true
  }

  /** Takes a carrier's report. It may end the call only if nobody has answered: after that the line itself does. */
  #takeReport(fact: Fact): void {
    this.#add(fact)
    const is_end = fact.fact.kind === 'final' || fact.fact.kind === 'ended'
    if (!is_end || this.#is_answered || this.#is_over) return
    this.#is_over = true
    this.#options.journal.change({ status: 'closed', close_reason: 'idle' })
  }

  /** Ends the call at this side of the line. */
  #end(reason: EndReason, at: number): void {
    const { goals, journal, line } = this.#options
    const has_goal =
      reason === 'agent_hung_up' && goals.length > 0 && goals.every((goal) => Object.hasOwn(journal.results, goal))
    const end_reason = has_goal ? 'goal_reached' : reason
    this.#add(endedFact(at, end_reason))
    this.#is_over = true
    line.hangUp(at)
    this.#options.connection?.onEnd(end_reason)
  }

  /** Asks the carrier what has become of a call of which it reports nothing. */
  async #findOut(): Promise<void> {
    const { at, carrier, dialed, line, scheduler } = this.#options
    const now = scheduler.now()
    for (const fact of await carrier.find(at, dialed, now)) this.#takeReport(fact)
    if (this.#is_over) return
    const fact = isAnswered(this.#facts) ? endedFact(now, 'carrier_silent') : finalFact(now, 'unknown')
    this.#takeReport({ ...fact, key: 'silent' })
    line.hangUp(now)
  }

  /** Reads changes while the call goes on: nobody must wait for the database to be heard. */
  #readBeside(): void {
    this.#reading ??= this.#readChanges()
      .catch((error: unknown) => {
        this.#error ??= error
      })
      .finally(() => {
        this.#reading = undefined
        this.#wake()
      })
  }

  /** Reads what others have asked of the call, and what people have written into its conversation. */
  async #readChanges(): Promise<void> {
    this.#must_read = false
    const { at, id, scheduler } = this.#options
    if (this.#is_over) return
    // Turns of a save that has not ended would look like changes by others.
    if (!(await this.#isSaved())) return this.#readLater()
    try {
      const { request, facts } = scheduler.stands ? nothing_asked : await readAsked(at, id)
      if (this.#is_over || this.#released) return
      this.#takeVerdicts(facts)
      if (request) this.#obey(request)
      else if (!this.#is_new) await this.#readPeople()
    } catch (error) {
      // A busy database must not end the call.
      if (!isBusy(error)) throw error
      this.#readLater()
    }
  }

  #takeVerdicts(facts: Fact[]): void {
    for (const verdict of verdictsIn(facts)) {
      if (this.#verdicts.has(verdict)) continue
      this.#verdicts.add(verdict)
      this.#options.line.takeVerdict?.(verdict)
    }
  }

  /** Waits up to `check_every_ms` for the save that is under way. Resolves to whether none is left. */
  async #isSaved(): Promise<boolean> {
    if (!this.#saving) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(resolve, check_every_ms, false)
    void this.#saving.then(() => resolve(true))
    return promise.finally(() => clearTimeout(timer))
  }

  #readLater(): void {
    setTimeout(() => this.wake(), check_every_ms)
  }

  #obey(request: Request): void {
    // The carrier may report this before the stream ends, while the last words are still to be understood.
    if (request === 'contact_hung_up') return void this.#options.line.noteHungUp?.()
    if (request === 'transferred')
      return void this.#takeOwn({ type: 'close', reason: 'human_ended', end_reason: 'transferred' })
    const by_deletion = { reason: 'agent_deleted', end_reason: 'agent_hung_up' } as const
    const by_api = { reason: 'api', end_reason: this.#is_answered ? 'human_hung_up' : 'canceled' } as const
    this.#takeOwn({ type: 'close', ...(request === 'agent_deleted' ? by_deletion : by_api) })
  }

  async #readPeople(): Promise<void> {
    const { at, conversation, scheduler } = this.#options
    const { ended } = this.#saves
    const snapshot = await conversationWatch.of(at).readSnapshot(at, conversation.id)
    const after = this.#last_read_seq
    const page = { conversation_id: conversation.id, after, limit: 100 }
    const added = snapshot && snapshot.turn_count > after ? await turns.list(at, page) : []
    // What this drive writes meanwhile would look like a change by others.
    const is_unwritten = !scheduler.stands && (this.#is_changed || this.#saves.begun !== ended)
    if (is_unwritten) this.#must_read = true
    if (!snapshot || is_unwritten || this.#is_over || this.#released) return
    this.#last_read_seq = added.at(-1)?.seq ?? after
    const { phase } = this.#driver.state
    if (snapshot.status === 'handed_over' && phase !== 'handed_over')
      this.#takeOwn({ type: 'handed_over', reason: null })
    for (const { seq, role, text } of added) {
      if (role !== 'human') continue
      const id = newId()
      this.#people[id] = seq
      this.#takeOwn({ type: 'answer', text, id })
    }
    if (snapshot.status === 'open' && phase === 'handed_over') this.#takeOwn({ type: 'taken_back', id: newId() })
    if (snapshot.status === 'closed')
      this.#takeOwn({ type: 'close', reason: 'human_ended', end_reason: 'human_hung_up' })
  }

  /** Saves in the background: the call goes on while the database is busy or away. */
  #saveChanges(): void {
    if (this.#saving) return
    if (!this.#is_changed && !this.#driver.opening) {
      this.#driver.keepText()
      return
    }
    this.#saving = this.#save()
      .then(() => {})
      .catch((error: unknown) => {
        this.#error ??= error
      })
      .finally(() => {
        this.#saving = undefined
        this.#wake()
      })
  }

  /** Ends the lease. A call that is not over continues at the next time. */
  async #release(next: number | undefined): Promise<void> {
    await this.#options.journal.inOrder(() => {
      this.#released = { next }
      return this.#write()
    })
  }

  /**
   * Saves one after the other, because a transaction writes one save of a call. Undefined when another process has the
   * call.
   */
  #save(options: { begins?: string[] } = {}) {
    return this.#options.journal.inOrder(() => this.#write(options))
  }

  async #write({ begins = [] }: { begins?: string[] } = {}) {
    const { at, save, has_summary, journal, scheduler } = this.#options
    const is_closing = this.#is_over && !this.#is_closed
    const has_words = !journal.is_empty || this.#driver.opening || begins.length > 0 || is_closing || this.#is_new
    const release = { timers: {}, idle_ms: 0, needs_summary: has_summary }
    const now = scheduler.now()
    this.#is_changed = false
    this.#saves.begun += 1
    const saved =
      this.#is_closed || !has_words
        ? await save({ ...at, now }, this.#toSave({ ...at, now }, undefined))
        : await this.#driver.write({ begins, ...(is_closing && { release }) })
    this.#saves.ended += 1
    this.#is_lost ||= saved.is_lost
    if (saved.is_lost) return undefined
    this.#opt_out = null
    this.#is_new = false
    if (!this.#is_closed) this.#noteSaved(saved)
    this.#is_closed ||= is_closing
    return saved
  }

  /** Notes what a save has found. What people have written while time stands still is read at the next advance. */
  #noteSaved({ has_unseen, turn_count }: Extract<Saved, { is_lost: false }>): void {
    if (has_unseen) this.#must_read = true
    else if (!this.#options.scheduler.stands) this.#last_read_seq = Math.max(this.#last_read_seq, turn_count)
  }

  #toSave({ now }: At, conversation_save: Save | undefined): CallSave {
    const { id, token, due_at, dialed, conversation, is_recorded, line, scheduler, connection } = this.#options
    this.#opt_out ??= this.#driver.takeOptOut()
    const { next } = this.#released ?? { next: connection?.ends_at ?? clock.parse(due_at) }
    const is_final = this.#is_over && (!scheduler.stands || next === undefined)
    return {
      id,
      token,
      now,
      // On a real line a contact is recorded only after it has heard the notice.
      is_recorded: is_recorded && !(connection && this.#is_notice_due),
      contact_voice: line.contact_voice ?? null,
      conversation_save: conversation_save && { ...conversation_save, is_spoken: true },
      new_conversation: this.#is_new ? conversation : undefined,
      facts: this.#facts,
      // In a browser the number may not be known.
      opted_out: this.#opt_out && dialed.to !== '' ? { ...this.#opt_out, phone_number: dialed.to } : null,
      ...(line.speech_ms !== undefined &&
        connection?.has_speech_providers && {
          speech_ms: Math.round(this.#options.earlier_speech_ms + line.speech_ms),
        }),
      state: scheduler.stands && !is_final ? this.#state() : null,
      due_at: is_final || next === undefined ? null : clock.iso(next),
      is_released: this.#released !== undefined,
    }
  }

  #state(): CallState {
    const { line, dialed } = this.#options
    return {
      ...this.#driver.readState(),
      line: line.save(),
      to: dialed.to,
      is_over: this.#is_over,
      last_read_seq: this.#last_read_seq,
      people: this.#people,
    }
  }

  /**
   * Records an opt-out that could not be written with its call. While time stands still nothing is recorded: it is said
   * again.
   */
  async #keepOptOut(): Promise<void> {
    const { at, dialed, conversation, journal, scheduler, log } = this.#options
    await journal.inOrder(async () => {})
    const opt_out = this.#opt_out ?? this.#driver.takeOptOut()
    if (!opt_out || scheduler.stands || dialed.to === '' || this.#options.is_trial) return
    const { id: conversation_id, contact_id } = conversation
    const { to: phone_number, simulate } = dialed
    const evidence = { conversation_id, ...opt_out.shown }
    await keepOptOut(at, { phone_number, contact_id, evidence, at: opt_out.at, simulate }, log)
  }
}
