import { setTimeout as sleep } from 'node:timers/promises'
import * as live from '../conversations/live.ts'
import * as turns from '../conversations/turns.ts'
import { newId } from '../kit/id.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import { isBusy } from '../kit/postgres/errors.ts'
import { openScheduler, type Scheduler } from '../kit/work/scheduler.ts'
import type { EngineInput } from '../talk/input.ts'
import type { CallLineEvent } from './carrier.ts'
import type { CallDrive } from './drive.ts'
import { endedBy } from './endings.ts'
import { type Fact, isAnswered } from './facts.ts'
import { CallRecord } from './record.ts'
import type { EndReason } from './schema.ts'
import { type Request, readRequest } from './store.ts'
import { Talk } from './talk.ts'

/** Longer than a carrier lets a telephone ring. Then it is asked what has become of the call. */
const ring_max_ms = 45_000
/** What a carrier reports after the end is waited for this long. */
const late_facts_ms = 15_000
const check_every_ms = 500

/**
 * Drives one call. In a live workspace it follows the line in real time, and writes each turn when it ends. In a test workspace
 * it runs ahead in memory as far as the clock may advance, and writes everything at once.
 */
export class CallDriver {
  readonly #drive: CallDrive
  readonly #talk: Talk
  readonly #record: CallRecord
  readonly #scheduler: Scheduler
  readonly #is_test: boolean
  #now: number
  #error: unknown
  #last_read_seq: number
  #must_read: boolean
  #is_woken = false
  #saving: Promise<void> | undefined
  #endSleep = () => {}

  constructor(drive: CallDrive) {
    const { at, conversation, state, line, dialed, carrier } = drive
    this.#drive = drive
    this.#is_test = at.is_test
    this.#scheduler = openScheduler(at.now, at.is_test ? 1 : carrier.speed)
    this.#now = at.now
    this.#last_read_seq = state.last_read_seq
    this.#must_read = !drive.is_new
    const onError = (error: unknown) => {
      this.#error ??= error
      this.#wake()
    }
    this.#talk = new Talk(
      {
        ...drive,
        conversation_id: conversation.id,
        now: () => this.#time(),
        after: this.#scheduler.after,
        onChange: () => {
          this.#noteChange()
          this.#wake()
        },
        onSay: (words) => this.#record.show(words),
        flush: async (begins) => (await this.#record.save(this.#time(), () => ({ begins }))) !== undefined,
        onError,
      },
      state,
    )
    this.#record = new CallRecord({
      ...drive,
      is_over: state.is_over,
      readReply: () => this.#talk.state.reply,
      onShown: (reply) => this.#talk.take({ type: 'shown', reply }, this.#time()),
      readState: () => ({
        ...{ ...this.#talk.save(), line: line.save(), to: dialed.to, last_read_seq: this.#last_read_seq },
      }),
      takeOptOut: () => this.#talk.takeOptOut(),
      onSaved: ({ turn_count, has_unseen }) => {
        if (has_unseen) this.#must_read = true
        else if (!at.is_test) this.#last_read_seq = Math.max(this.#last_read_seq, turn_count)
      },
      onError,
    })
    // That the carrier has answered is written at once.
    this.#record.is_changed = !at.is_test
  }

  /** Someone wants something of the call, or has said something. Never throws. */
  wake(): void {
    this.#must_read = true
    this.#wake()
  }

  /** Resolves when the lease has ended. Rejects when something could not be written: the lease then ends by itself. */
  async run(): Promise<void> {
    const { at, conversation, line, request } = this.#drive
    const stopWatching = this.#is_test
      ? () => {}
      : at.tools.watch.open(at, conversation.id, (snapshot) => {
          if (!snapshot || snapshot.turn_count > this.#last_read_seq || snapshot.status !== this.#talk.status)
            this.wake()
        })
    line.onEvent?.(() => this.#wake())
    try {
      await this.#talk.continueTools()
      if (request && !this.#record.is_over) this.#obey(request)
      await this.#loop()
    } finally {
      this.#talk.stop()
      // Nobody speaks any more.
      if (!this.#is_test) line.hangUp(this.#time())
      stopWatching()
      live.endTurn(conversation.id)
      await this.#record.keepOptOut()
    }
  }

  async #loop(): Promise<void> {
    for (;;) {
      if (this.#is_test) await this.#talk.idle()
      if (this.#is_test) await letOthersRun()
      if (this.#error) throw this.#error
      const next = this.#nextTime()
      const until = this.#drive.horizon ?? this.#time()
      // Everything that has happened is written together.
      if (next !== undefined && next <= until && !this.#must_read) {
        await this.#happen(next)
        continue
      }
      const is_ended = next === undefined && this.#record.is_over
      // At the end everything is written when the lease ends.
      if (!this.#is_test && !is_ended) this.#saveChanges()
      if (this.#record.is_lost) return
      if (this.#must_read) {
        await this.#readChanges()
        continue
      }
      if (this.#is_test || is_ended) return this.#record.release(this.#now, next)
      // The process stops. Another one ends the call.
      if (this.#drive.isStopping()) return this.#record.release(this.#now, this.#now)
      await this.#sleep(this.#nextTime())
    }
  }

  /** Beside what happens: the call goes on while the database is busy or away. */
  #saveChanges(): void {
    if (this.#saving) return
    if (!this.#record.has_changes) {
      this.#record.keepText()
      return
    }
    this.#saving = this.#record
      .saveChanges(this.#time())
      .catch((error: unknown) => {
        this.#error ??= error
      })
      .finally(() => {
        this.#saving = undefined
        this.#wake()
      })
  }

  /** The time of the workspace. In a test workspace it is that of what happens. */
  #time(): number {
    if (!this.#is_test) this.#now = this.#scheduler.now()
    return this.#now
  }

  get #is_answered(): boolean {
    return this.#talk.state.voice?.answered_at !== null
  }

  #nextTime(): number | undefined {
    const { line, dialed } = this.#drive
    if (this.#record.is_over) {
      const ended = this.#record.facts.find(({ fact }) => fact.kind === 'ended' || fact.kind === 'final')
      const is_late = line.next_at !== undefined && line.next_at > (ended?.at ?? this.#now) + late_facts_ms
      return is_late ? undefined : line.next_at
    }
    const own = this.#is_answered ? this.#talk.next_timer?.at : dialed.started_at + ring_max_ms
    return line.next_at === undefined ? own : Math.min(line.next_at, own ?? line.next_at)
  }

  /** Waits for the next time, or until something happens. Returns at once if something has happened since it last returned. */
  async #sleep(next = Number.POSITIVE_INFINITY): Promise<void> {
    const wait_ms = this.#is_woken ? 0 : Math.min(check_every_ms, Math.max(0, next - this.#time()))
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = this.#scheduler.after(wait_ms, resolve)
    this.#endSleep = resolve
    await promise
    clearTimeout(timer)
    this.#is_woken = false
  }

  #wake(): void {
    this.#is_woken = true
    this.#endSleep()
  }

  /** What the line has comes before the agent's own timers. */
  async #happen(time: number): Promise<void> {
    const { line } = this.#drive
    if (this.#is_test) this.#now = Math.max(this.#now, time)
    this.#drive.onProgress()
    if (line.next_at !== undefined && line.next_at <= time) {
      for (const event of line.take(time)) this.#takeEvent(event)
      return
    }
    if (!this.#is_answered) return this.#findOut()
    const timer = this.#talk.next_timer
    if (timer) this.#takeOwn({ type: 'timer', name: timer.name, id: newId() }, timer.at)
  }

  #takeEvent({ at, ...event }: CallLineEvent): void {
    if (event.type === 'fact') return void this.#addFact(event.fact)
    if (this.#record.is_over) return
    if (event.type === 'answered')
      this.#record.add({ key: 'answered', at, source: 'system', fact: { kind: 'answered' } })
    const seq = event.type === 'played' ? Number(/^person (\d+)$/.exec(event.reply)?.[1]) : 0
    if (event.type === 'played' && seq > 0) this.#record.keepSpeech(seq, event.parts)
    const needs_id = event.type === 'machine' || event.type === 'beep' || event.type === 'transferred'
    this.#take(needs_id ? { ...event, id: newId() } : event, at)
  }

  /** What the line doesn't say may cut the agent's words too: how much of them was heard is asked before. */
  #takeOwn(input: EngineInput, now: number): void {
    const played = this.#drive.line.readPlayed(now)
    if (played) this.#talk.take({ type: 'played', ...played }, now)
    this.#take(input, now)
  }

  #take(input: EngineInput, now: number): void {
    this.#talk.take(input, now)
    this.#noteChange()
    const { end_reason } = this.#talk
    if (end_reason && !this.#record.is_over) this.#end(end_reason, now)
  }

  /** Not everything that happens is to be written. */
  #noteChange(): void {
    if (!this.#drive.unsaved.is_empty || this.#talk.has_opt_out) this.#record.is_changed = true
  }

  /** A carrier's report. If nobody has answered, it may end the call; after that the line itself does. */
  #addFact(fact: Fact): void {
    this.#record.add(fact)
    const is_end = fact.fact.kind === 'final' || fact.fact.kind === 'ended'
    if (!is_end || this.#is_answered || this.#record.is_over) return
    this.#record.end()
    this.#drive.unsaved.change({ status: 'closed', close_reason: 'idle' })
  }

  /** Ends the call at this side of the line. */
  #end(reason: EndReason, at: number): void {
    const { goals, unsaved, line } = this.#drive
    const has_goal = reason === 'agent_hung_up' && goals.length > 0 && goals.every((goal) => goal in unsaved.results)
    const end_reason = has_goal ? 'goal_reached' : reason
    const ended_by = endedBy(end_reason)
    this.#record.add({ key: 'ended', at, source: ended_by, fact: { kind: 'ended', end_reason, ended_by } })
    this.#record.end()
    line.hangUp(at)
  }

  /** Nothing was heard from the carrier. */
  async #findOut(): Promise<void> {
    const { at, carrier, dialed, line } = this.#drive
    for (const fact of await carrier.find(at, dialed, this.#now)) this.#addFact(fact)
    if (this.#record.is_over) return
    const silent = { key: 'silent', at: this.#now, source: 'system' } as const
    if (isAnswered(this.#record.facts))
      this.#addFact({ ...silent, fact: { kind: 'ended', end_reason: 'carrier_silent', ended_by: 'system' } })
    else this.#addFact({ ...silent, fact: { kind: 'final', final: 'unknown' } })
    line.hangUp(this.#now)
  }

  /** What others have asked of the call, and what people have written into its conversation. */
  async #readChanges(): Promise<void> {
    this.#must_read = false
    const { at, id } = this.#drive
    if (this.#record.is_over) return
    // What is not yet written would look like a change by others.
    if (!(await this.#isSaved())) return this.#readLater()
    try {
      const request = this.#is_test ? null : await readRequest(at, id)
      if (request) this.#obey(request)
      else if (!this.#record.is_new) await this.#readPeople()
    } catch (error) {
      // A busy database must not end the call.
      if (!isBusy(error)) throw error
      this.#readLater()
    }
  }

  /** Waits a little for what is being written. */
  async #isSaved(): Promise<boolean> {
    const stop = new AbortController()
    const too_long = sleep(check_every_ms, false, { signal: stop.signal }).catch(() => false)
    const is_saved = await Promise.race([this.#saving?.then(() => true) ?? true, too_long])
    stop.abort()
    return is_saved
  }

  #readLater(): void {
    setTimeout(() => this.wake(), check_every_ms)
  }

  #obey(request: Request): void {
    const by_deletion = { reason: 'agent_deleted', end_reason: 'agent_hung_up' } as const
    const by_api = { reason: 'api', end_reason: this.#is_answered ? 'human_hung_up' : 'canceled' } as const
    this.#takeOwn({ type: 'close', ...(request === 'agent_deleted' ? by_deletion : by_api) }, this.#time())
  }

  async #readPeople(): Promise<void> {
    const { at, conversation } = this.#drive
    const snapshot = await at.tools.watch.readSnapshot(at, conversation.id)
    // What is not yet written would look like a change by others.
    const is_unwritten = this.#record.is_changed && !this.#is_test
    if (is_unwritten) this.#must_read = true
    if (!snapshot || is_unwritten) return
    const after = this.#last_read_seq
    const page = { conversation_id: conversation.id, after, limit: 100 }
    const added = snapshot.turn_count > after ? await turns.list(at, page) : []
    this.#last_read_seq = added.at(-1)?.seq ?? after
    const { phase } = this.#talk.state
    const now = this.#time()
    if (snapshot.status === 'handed_over' && phase !== 'handed_over')
      this.#takeOwn({ type: 'handed_over', reason: null }, now)
    for (const { seq, role, text } of added)
      if (role === 'human') this.#takeOwn({ type: 'answer', text, id: `person ${seq}` }, now)
    if (snapshot.status === 'open' && phase === 'handed_over') this.#takeOwn({ type: 'taken_back', id: newId() }, now)
    if (snapshot.status === 'closed')
      this.#takeOwn({ type: 'close', reason: 'human_ended', end_reason: 'human_hung_up' }, now)
  }
}
