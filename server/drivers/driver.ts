import * as live from '../conversations/live.ts'
import * as turns from '../conversations/turns.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import type { Log } from '../kit/log.ts'
import { openScheduler, type Scheduler } from '../kit/work/scheduler.ts'
import { describeModelError } from '../models/model-error.ts'
import { step } from '../talk/engine.ts'
import type { Effect, EffectOf, EngineInput, Input } from '../talk/input.ts'
import type { State, ToolCall } from '../talk/state.ts'
import type { Answerer } from './answerer.ts'
import { RunningTools, unknown_result } from './running-tools.ts'
import { ShortTimers } from './short-timers.ts'
import type { Tools } from './tools.ts'
import { Writing, type WritingOptions } from './writing.ts'

/** What an open turn has shown is stored this often. */
const keep_text_every_ms = 500
/** How long an answer may continue while the process stops. */
const stop_grace_ms = 1_500

export interface Drive extends WritingOptions {
  at: At
  state: State
  answerer: Answerer
  tools: Tools
  /** Words are shown while they come. If not, a new message begins the answer anew, after a pause. */
  is_live: boolean
  needsSummary: (phase: State['phase'], turn_count: number) => boolean
  isStopping: () => boolean
  log: Log
}

/**
 * Drives one conversation until nothing is left to do now: passes what happens to the engine, carries out what it says, and
 * writes turns, under the lease. What others write into the conversation meanwhile interrupts it.
 */
export class Driver {
  readonly #drive: Drive
  readonly #scheduler: Scheduler
  readonly #done = Promise.withResolvers<void>()
  readonly #timers: ShortTimers
  readonly #writing: Writing
  readonly #running: RunningTools
  #state: State
  #asking: AbortController | undefined
  #is_opening = false
  #is_over = false
  #stopping_ticks: number | undefined

  constructor(drive: Drive) {
    this.#drive = drive
    this.#scheduler = openScheduler(drive.at.now)
    this.#timers = new ShortTimers(this.#scheduler.after, (name, due) => {
      if (name !== 'tools') drive.unsaved.fail('The model took too long to answer.')
      this.#happen({ type: 'timer', name }, due)
    })
    this.#state = drive.state
    this.#writing = new Writing(drive, this.#done.reject)
    this.#running = new RunningTools(drive.tools, (call, outcome) => {
      // The process ends, and its requests with it: what the tool has done is not known.
      const is_unknown = this.#writing.is_leaving && outcome.status !== 'succeeded'
      if (is_unknown) drive.unsaved.forgetRun(call.run)
      else drive.unsaved.endRun(call.run, outcome)
      this.#happen({ type: 'tool_done', run: call.run, ...outcome })
    })
    // It may fail when `run` no longer waits for it.
    this.#done.promise.catch(() => {})
  }

  /** Resolves when the lease has ended. Rejects when something could not be written: the lease then ends by itself. */
  async run(first: EngineInput[]): Promise<void> {
    const { at, id } = this.#drive
    const stopWatching = at.tools.watch.open(at, id, (snapshot) => {
      const { turn_count, status } = this.#writing.seen
      if (snapshot?.turn_count !== turn_count || snapshot.status !== status)
        this.#writing.inOrder(() => this.#readChanges())
    })
    const ticking = setInterval(() => this.#tick(), keep_text_every_ms)
    try {
      for (const input of first) this.#take(input)
      this.#continueRuns()
      this.#settle()
      await this.#done.promise
    } finally {
      this.#is_over = true
      stopWatching()
      clearInterval(ticking)
      this.#timers.clearAll()
      this.#asking?.abort()
      live.endTurn(id)
    }
  }

  /** Tools that were running when another process was killed. What they have done is not known. */
  #continueRuns(): void {
    const { tools } = this.#drive
    for (const call of this.#state.open_runs) {
      if (this.#running.has(call.run)) continue
      if (tools.hasSideEffects(call.name))
        this.#take({ type: 'tool_done', run: call.run, status: 'unknown', result: unknown_result })
      else this.#startTools([call])
    }
  }

  /** The time of the workspace. */
  get #now(): number {
    const { now, is_test } = this.#drive.at
    return is_test ? now : this.#scheduler.now()
  }

  #take(input: EngineInput, now = this.#now): void {
    const { state, effects } = step(this.#state, { ...input, now } as Input)
    this.#state = state
    const calls = effects.flatMap((effect) => (effect.type === 'run_tool' ? [effect.call] : []))
    for (const effect of effects) this.#carryOut(effect)
    if (calls.length > 0) this.#startTools(calls)
  }

  #carryOut(effect: Effect): void {
    const { unsaved } = this.#drive
    switch (effect.type) {
      case 'ask':
        unsaved.beginModel()
        this.#timers.clear('first_piece')
        this.#timers.clear('answer')
        this.#inBackground(this.#ask(effect))
        break
      case 'stop_asking':
        this.#asking?.abort()
        break
      case 'say':
        this.#show(effect)
        break
      case 'stop_tool':
        this.#running.stop(effect.run)
        break
      case 'write':
        unsaved.addTurn(effect.turn)
        break
      case 'hand_over':
        unsaved.change({ status: 'handed_over', hand_over_reason: effect.reason })
        break
      case 'close':
        unsaved.change({ status: 'closed', close_reason: effect.reason })
    }
  }

  /** After something has happened: ends the drive when nothing is left to wait for. */
  #settle(): void {
    if (this.#is_over) return
    this.#timers.set(this.#state)
    const { reply, open_runs } = this.#state
    const is_resting = !reply && open_runs.length === 0 && this.#running.is_idle
    if (is_resting) return void this.#end()
    if (this.#drive.unsaved.has_turns) this.#writing.inOrder(() => this.#save())
  }

  /** Never throws, because timers call it. */
  #happen(input: EngineInput, now?: number): void {
    if (this.#is_over) return
    try {
      this.#take(input, now)
      this.#settle()
    } catch (error) {
      this.#done.reject(error)
    }
  }

  async #ask(request: EffectOf<'ask'>): Promise<void> {
    const { answerer, unsaved, log, at, id } = this.#drive
    const asking = new AbortController()
    this.#asking = asking
    const { reply } = request
    for await (const answer of answerer.ask(request, this.#now, asking.signal)) {
      if (asking.signal.aborted || this.#is_over) return
      if (answer.type === 'asked') {
        unsaved.addAnswer(answerer.readResult(answer), answer.usage)
        this.#happen({ type: 'asked', reply, usage: answer.usage, finish_reason: answer.finish_reason })
      } else if (answer.type === 'ask_failed') {
        const { status, message } = describeModelError(answer.error)
        unsaved.fail(message)
        log.warn({ workspace_id: at.workspace, conversation_id: id, status }, 'a model has not answered')
        this.#happen({ type: 'ask_failed', reply })
      } else {
        unsaved.notePiece()
        this.#happen({ ...answer, reply })
      }
    }
  }

  /** Begins to show the answer when the model makes a pause: a whole answer needs no open turn. */
  #show({ reply, text }: EffectOf<'say'>): void {
    if (!this.#drive.is_live) return
    if (this.#writing.open?.reply === reply) return void live.say(this.#drive.id, this.#writing.open.seq, text)
    if (this.#is_opening) return
    this.#is_opening = true
    setImmediate(() => this.#writing.inOrder(() => this.#openTurn()))
  }

  async #openTurn(): Promise<void> {
    this.#is_opening = false
    const { reply } = this.#state
    if (!reply || reply.text === '' || this.#writing.open?.reply === reply.id) return
    const { text, id } = reply
    const saved = await this.#save({ opened: { text } })
    if (saved?.seq === undefined) return
    this.#writing.open = { reply: id, seq: saved.seq, kept: text }
    const { unsaved } = this.#drive
    if (this.#state.reply?.id === id) {
      // The model may have said more meanwhile.
      live.say(this.#drive.id, saved.seq, this.#state.reply.text)
      this.#happen({ type: 'shown', reply: id })
    } else if (!unsaved.hasTurnOf(id)) {
      // It was interrupted before anyone was told.
      unsaved.addInterrupted(id, text)
      this.#writing.inOrder(() => this.#save())
    }
  }

  /** A tool is called when its row is there: if the process is killed, one with side effects is not called again. */
  #startTools(calls: ToolCall[]): void {
    const { unsaved, tools, id, at } = this.#drive
    for (const call of calls) {
      this.#running.add(call.run)
      unsaved.beginRun(id, call)
    }
    const startAll = () => {
      for (const call of calls) this.#inBackground(this.#running.start({ ...at, now: this.#now }, call))
    }
    const begins = calls.map(({ run, name }) => (tools.isRemote(name) ? run : '')).filter((run) => run !== '')
    if (begins.length === 0) return void startAll()
    this.#writing.inOrder(async () => {
      const { status } = this.#writing.seen
      const saved = await this.#save({ begins })
      if (saved?.status === status) startAll()
      else if (saved) for (const call of calls) this.#running.cancel(call)
    })
  }

  /** What others have written. Words of the contact are answered together; all else ends this drive. */
  async #readChanges(): Promise<void> {
    if (this.#is_over || this.#writing.is_leaving) return
    const { at, id, answerer, unsaved, is_live } = this.#drive
    const snapshot = await at.tools.watch.readSnapshot(at, id).catch(() => this.#writing.seen)
    if (!snapshot) return this.#done.resolve()
    const { turn_count, status } = this.#writing.seen
    if (snapshot.turn_count === turn_count && snapshot.status === status) return
    const added = await turns.list(at, { conversation_id: id, after: turn_count, limit: 100 })
    // The answer may have ended meanwhile: its save then finds that there is more.
    if (this.#is_over) return
    if (!is_live || snapshot.status !== status || added.some(({ role }) => role !== 'contact')) return this.#leave()
    for (const { seq, text } of added) {
      this.#writing.seen = { status, turn_count: seq }
      answerer.addMessage({ seq, text })
      unsaved.restart()
      this.#take({ type: 'message', id: newId(), text, asks_for_person: answerer.asksForPerson(text) })
    }
    this.#settle()
  }

  /** Keeps what was shown, and leaves the rest to another drive: what this one knows is no longer true, or it must end. */
  #leave(): void {
    this.#writing.is_leaving = true
    this.#happen({ type: 'left' })
  }

  #tick(): void {
    const { isStopping, at } = this.#drive
    if (isStopping()) this.#stopping_ticks ??= clock.ticks()
    if (clock.ticks() - (this.#stopping_ticks ?? Number.POSITIVE_INFINITY) > stop_grace_ms) this.#leave()
    this.#writing.keepText(at, this.#state.reply)
  }

  #end(): void {
    const { unsaved, needsSummary } = this.#drive
    this.#is_over = true
    this.#writing.inOrder(async () => {
      const { phase, is_unanswered, settings, timers } = this.#state
      const needs_summary = needsSummary(phase, this.#writing.seen.turn_count)
      unsaved.change({ awaits_answer: phase !== 'ended' && is_unanswered })
      await this.#save({ release: { timers: { person: timers.person }, idle_ms: settings.idle_ms, needs_summary } })
      this.#done.resolve()
    })
  }

  /** Undefined when another process has the lease. */
  async #save(options: Parameters<Writing['save']>[1] = {}) {
    const saved = await this.#writing.save({ ...this.#drive.at, now: this.#now }, options)
    if (saved.is_lost) return void this.#done.resolve()
    if (saved.is_stale && !this.#is_over) this.#writing.inOrder(() => this.#readChanges())
    if (saved.is_dropped && !this.#is_over) this.#leave()
    return saved
  }

  #inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => this.#done.reject(error))
  }
}
