import type { Shown } from '../consent/spoken.ts'
import type { ScriptProgress } from '../conversations/rows.ts'
import type { Conversation } from '../conversations/schema.ts'
import { liveWords, type Speaker } from '../conversations/stream.ts'
import { findEndedRuns } from '../conversations/tool-runs.ts'
import type { At, AtOutside } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { Metric } from '../kit/metrics.ts'
import { currentSpan } from '../kit/traces/span.ts'
import type { Scheduler } from '../kit/work/scheduler.ts'
import { describeModelError } from '../models/model-error.ts'
import { step } from '../talk/engine.ts'
import type { Effect, EffectOf, EndReason, EngineInput, Input, Turn } from '../talk/input.ts'
import type { Line } from '../talk/line.ts'
import type { Reply, State, TimerName, ToolCall } from '../talk/state.ts'
import type { Answerer } from './answerer.ts'
import type { Journal, WriteOptions } from './journal.ts'
import type { FinishedTurn, Save, Saved } from './plan-save.ts'
import { RunningTools, unknown_result } from './running-tools.ts'
import { isShort, ShortTimers } from './short-timers.ts'
import type { Tools } from './tools.ts'

export const turn_latency: Metric = {
  name: 'turn_latency_seconds',
  help: 'How long the stages of turns take in calls on real lines.',
  type: 'histogram',
  labels: ['stage'],
  buckets: [0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 5, 10],
}

/** The parts with which a talk is held. */
export interface Parts {
  at: AtOutside
  scheduler: Scheduler
  answerer: Answerer
  tools: Tools
  journal: Journal
  /** Whether words are shown while they come. */
  is_live: boolean
  /** The line of a call. */
  line?: Line<unknown>
  /** The numbers that a call may be transferred to, by name. */
  transfers?: Map<string, string>
  log: Log
}

/** The functions of the drive that opens a driver. */
export interface Drive {
  save: (at: At, save: Save) => Promise<Saved>
  /**
   * Writes that these tools begin. Returns false when they must not, and undefined when another process has the lease.
   */
  beginRuns: (begins: string[]) => Promise<boolean | undefined>
  /** Runs when a model, a tool or a timer has changed something. It must not throw. */
  onChange: () => void
  onError: (error: unknown) => void
}

/** The state of a talk. A call of a test workspace keeps it between two advances of the clock. */
export interface TalkState {
  engine: State
  progress: ScriptProgress | null
  /** The progress of the script before its last answer. */
  before?: ScriptProgress | null
  /** When the contact was last heard. */
  contact_ended_at: number | null
}

/** An opt-out. `seq` is the number of the turn with the words. */
export interface OptOut {
  at: number
  seq: number
  shown: Shown | undefined
}

/**
 * Holds a talk by text or by voice: passes what happens to the engine, and carries out what it says with the model, the tools,
 * the timers, the line and the journal. The drive that opens it decides what is written when, and when it ends.
 */
export class Driver {
  readonly #parts: Parts
  readonly #drive: Drive
  readonly #running: RunningTools
  readonly #timers: ShortTimers
  /** Shows the words while they come. Undefined if they are not shown. */
  readonly #speaker: Speaker | undefined
  /** The requests to models, and the tools, that are at work. */
  readonly #working = new Set<Promise<void>>()
  #asking: AbortController | undefined
  #state: State
  #progress: ScriptProgress | null
  #before: ScriptProgress | null
  #contact_ended_at: number | null
  /** The last reply for which a turn was opened, or should have been. */
  #opened_reply: string | undefined
  #opt_out: OptOut | null = null
  #is_stopped = false
  /** Set when the engine has ended a call. */
  end_reason: EndReason | undefined

  constructor(parts: Parts, { engine, progress, before = null, contact_ended_at }: TalkState, drive: Drive) {
    const { at, journal, scheduler, tools, is_live } = parts
    this.#parts = parts
    this.#drive = drive
    this.#speaker = is_live ? liveWords.of(at).openSpeaker(at, journal.id) : undefined
    this.#state = engine
    this.#progress = progress
    this.#before = before
    this.#contact_ended_at = contact_ended_at
    this.#timers = new ShortTimers(scheduler.after, (name, due) => {
      if (name !== 'tools') journal.fail('The model took too long to answer.')
      this.#happen({ type: 'timer', name }, due)
    })
    this.#running = new RunningTools(tools, (call, outcome) => {
      journal.endRun(call.run, outcome)
      this.#happen({ type: 'tool_done', run: call.run, ...outcome })
    })
  }

  get state(): State {
    return this.#state
  }

  /** Returns the next timer of the engine, except for those that run while a model or a tool does. */
  get next_timer(): { name: TimerName; at: number } | undefined {
    let next: { name: TimerName; at: number } | undefined
    for (const [name, at] of Object.entries(this.#state.timers) as [TimerName, number][])
      if (!isShort(name) && (!next || at < next.at)) next = { name, at }
    return next
  }

  get status(): Conversation['status'] {
    const { phase } = this.#state
    if (phase === 'ended') return 'closed'
    return phase === 'handed_over' ? 'handed_over' : 'open'
  }

  /** Whether nothing is to be done until something happens. */
  get is_resting(): boolean {
    return !this.#state.reply && this.#state.open_runs.length === 0 && this.#running.is_idle
  }

  /** The reply whose words are to be shown from now on, if one has just begun. */
  get opening(): Reply | undefined {
    const { reply } = this.#state
    if (!this.#parts.is_live || !reply || reply.text === '') return undefined
    return this.#opened_reply === reply.id ? undefined : reply
  }

  get has_opt_out(): boolean {
    return this.#opt_out !== null
  }

  /** Returns an opt-out that the contact has said, once. The next time it returns null. */
  takeOptOut(): OptOut | null {
    const opt_out = this.#opt_out
    this.#opt_out = null
    return opt_out
  }

  readState(): TalkState {
    return {
      engine: this.#state,
      progress: this.#progress,
      before: this.#before,
      contact_ended_at: this.#contact_ended_at,
    }
  }

  take(input: EngineInput, now = this.#parts.scheduler.now()): void {
    // While a person answers, nobody waits for the agent.
    if (input.type === 'heard' && input.part && this.#state.phase !== 'handed_over') this.#contact_ended_at = now
    const { state, effects } = step(this.#state, { ...input, now } as Input)
    this.#state = state
    const calls = effects.flatMap((effect) => (effect.type === 'run_tool' ? [effect.call] : []))
    for (const effect of effects) this.#carryOut(effect, now)
    if (calls.length > 0) this.#startTools(calls)
    this.#timers.set(this.#state)
  }

  /**
   * Continues tools that were running when a process was killed. Some may have ended; it is not known what the others
   * have done.
   */
  async continueTools(): Promise<void> {
    const { at, tools, journal } = this.#parts
    const open_runs = this.#state.open_runs.filter(({ run }) => !this.#running.has(run))
    if (open_runs.length === 0) return
    const ids = open_runs.map(({ run }) => run)
    const ended = await findEndedRuns(at, { conversation_id: journal.id, ids })
    for (const call of open_runs) {
      const outcome = ended.get(call.run)
      journal.beginRun(call)
      if (outcome) this.#happen({ type: 'tool_done', run: call.run, ...outcome })
      else if (tools.hasSideEffects(call.name))
        this.#happen({ type: 'tool_done', run: call.run, status: 'unknown', result: unknown_result })
      else this.#startTools([call])
    }
  }

  /** Resolves when no model and no tool is at work. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working)
  }

  /** Stops. Models and tools that end later change nothing any more. */
  stop(): void {
    this.#is_stopped = true
    this.#timers.clearAll()
    this.#asking?.abort()
    this.#speaker?.endTurn()
  }

  /** Writes all that is unwritten, and opens a turn for words that are to be shown. */
  async write(options: WriteOptions = {}): Promise<Saved> {
    const { at, journal, scheduler, line } = this.#parts
    const { opening } = this
    this.#opened_reply = opening?.id ?? this.#opened_reply
    // In a call the turn is written in any case, also if nothing of it is heard: turns are counted as they are said.
    if (opening && line) this.take({ type: 'shown', reply: opening.id })
    const opened = opening && { opened: { text: opening.text } }
    const saved = await journal.write({ ...options, ...opened }, (save) => {
      if (save.open_seq !== undefined) this.#speaker?.endTurn()
      return this.#drive.save({ ...at, now: scheduler.now() }, save)
    })
    const seq = saved.is_lost || this.#is_stopped ? undefined : saved.seq
    if (opening && seq !== undefined) this.#showOpened(opening, seq)
    return saved
  }

  /** Keeps what was shown so far of the turn that is open. */
  keepText(): void {
    const { at, journal } = this.#parts
    journal.keepText(at, this.#state.reply)
  }

  /**
   * Shows the turn that was opened. The agent may have said more while the turn was written. By text it may have been
   * interrupted before anyone saw the turn.
   */
  #showOpened({ id, text }: Reply, seq: number): void {
    const { journal, line } = this.#parts
    journal.open = { reply: id, seq, kept: text }
    const { reply } = this.#state
    if (reply?.id === id) this.#speaker?.say(seq, reply.text)
    if (line) return
    if (reply?.id === id) this.#happen({ type: 'shown', reply: id })
    else if (!journal.hasTurnOf(id)) {
      journal.addInterrupted(id, text)
      this.#drive.onChange()
    }
  }

  #carryOut(effect: Effect, now: number): void {
    const { journal, line, transfers } = this.#parts
    switch (effect.type) {
      case 'ask':
        journal.beginModel()
        this.#timers.clear('first_piece')
        this.#timers.clear('answer')
        this.#inBackground(this.#ask(effect))
        break
      case 'stop_asking':
        this.#asking?.abort()
        break
      case 'say':
        line?.say(now, effect)
        if (journal.open?.reply === effect.reply) this.#speaker?.say(journal.open.seq, effect.text)
        break
      case 'end_words':
        line?.endReply(now, effect.reply, effect)
        break
      case 'clear':
        line?.clear(now, effect.reply)
        break
      case 'press':
        line?.press(now, effect.digits)
        break
      case 'transfer':
        line?.transfer(now, transfers?.get(effect.to) ?? '')
        break
      case 'stop_tool':
        this.#running.stop(effect.run)
        break
      case 'write':
        if (line) this.#addSpoken(effect.turn, now)
        else journal.addTurn(effect.turn)
        break
      case 'end_reply':
        if (line && effect.outcome !== 'done') this.#returnToNode()
        break
      case 'hand_over':
        journal.change({ status: 'handed_over', hand_over_reason: effect.reason })
        break
      case 'take_back':
        journal.change({ status: 'open', hand_over_reason: null })
        break
      case 'opt_out':
        this.#opt_out ??= { at: now, seq: this.#state.turns, shown: effect.shown }
        break
      case 'close':
        journal.change({ status: 'closed', close_reason: effect.reason })
        this.end_reason = effect.end_reason
    }
  }

  /** Adds a turn that was said. A turn of the agent has taken as long as the contact had to wait for its first word. */
  #addSpoken(turn: Turn, now: number): void {
    const { at, journal, answerer, line } = this.#parts
    const { heard = turn.text, speech = [] } = turn.spoken ?? {}
    const began_ms = speech[0]?.start_ms
    const { answered_at } = this.#state.voice ?? {}
    const waited_from = turn.role === 'agent' ? this.#contact_ended_at : null
    const turn_ms =
      began_ms === undefined || waited_from === null ? null : Math.max(0, (answered_at ?? 0) + began_ms - waited_from)
    if (turn.role === 'contact') {
      answerer.addMessage({ seq: this.#state.turns, text: turn.text })
      journal.restart()
    }
    if (turn.role === 'agent') this.#contact_ended_at = null
    // A turn that nobody has waited for, such as the first words of a call, has no latency of its sound.
    const sound = turn.reply === null || turn_ms === null ? undefined : line?.readLatency?.(turn.reply)
    const latency = journal.addTurn(turn, { heard, speech, created_at: clock.iso(now), turn_ms, sound })
    if (sound) observeTurn(at, { latency, conversation_id: journal.id, ago_ms: now - (waited_from ?? now) })
  }

  /** Returns a script to where it was before, if it has come to its end and was interrupted. */
  #returnToNode(): void {
    if (this.#progress?.node !== null || !this.#before?.node) return
    this.#progress = { ...this.#before, heard_until: this.#progress.heard_until }
    this.#parts.answerer.continueFrom(this.#progress)
    this.#parts.journal.change({ script_state: this.#progress })
  }

  async #ask(request: EffectOf<'ask'>): Promise<void> {
    const { answerer, journal, scheduler, log, at } = this.#parts
    this.#before = this.#progress
    const asking = new AbortController()
    this.#asking = asking
    const { reply } = request
    for await (const answer of answerer.ask(request, scheduler.now(), asking.signal)) {
      if (asking.signal.aborted) return
      if (answer.type === 'asked') {
        const { is_uninterruptible, script, ...result } = answerer.readResult(answer)
        this.#progress = result.progress ?? this.#progress
        const { usage, finish_reason } = answer
        journal.addAnswer(result, usage)
        this.#happen({ type: 'asked', reply, usage, finish_reason, script, is_uninterruptible })
      } else if (answer.type === 'ask_failed') {
        const { message, status, kind, sentence: reason } = describeModelError(answer.error)
        const conversation_id = journal.id
        journal.fail(message)
        log.warn({ workspace_id: at.workspace, conversation_id, status, kind, reason }, 'a model has not answered')
        this.#happen({ type: 'ask_failed', reply })
      } else {
        journal.notePiece()
        if (answer.type === 'tool_call') this.#happen({ ...answer, call: this.#checked(answer.call), reply })
        else this.#happen({ ...answer, reply })
      }
    }
  }

  /**
   * Marks a call as invalid if the tool would refuse its arguments, so that nobody is asked whether the tool is to run.
   */
  #checked(call: Omit<ToolCall, 'after'>): Omit<ToolCall, 'after'> {
    return this.#parts.tools.accepts(call) ? call : { ...call, is_invalid: true }
  }

  /** Passes an event to the engine. It never throws, because timers call it. */
  #happen(input: EngineInput, due = 0): void {
    if (this.#is_stopped) return
    try {
      this.take(input, Math.max(due, this.#parts.scheduler.now()))
      this.#drive.onChange()
    } catch (error) {
      this.#drive.onError(error)
    }
  }

  /**
   * Starts tools. A tool is called when its row is there: if the process is killed, a tool with side effects is not
   * called again.
   */
  #startTools(calls: ToolCall[]): void {
    const { journal, tools } = this.#parts
    for (const call of calls) {
      this.#running.add(call.run)
      journal.beginRun(call)
    }
    const begins = calls.flatMap(({ run, name }) => (tools.isRemote(name) ? [run] : []))
    const must_write = calls.some(({ name }) => tools.hasEffects(name))
    this.#inBackground(this.#runAll(calls, must_write ? this.#drive.beginRuns(begins) : true))
  }

  async #runAll(calls: ToolCall[], beginning: true | Promise<boolean | undefined>): Promise<void> {
    const { at, scheduler } = this.#parts
    const may_begin = await beginning
    if (may_begin) await Promise.all(calls.map((call) => this.#running.start({ ...at, now: scheduler.now() }, call)))
    else if (may_begin === false) for (const call of calls) this.#running.cancel(call)
  }

  #inBackground(work: Promise<void>): void {
    const working = work.catch(this.#drive.onError).finally(() => this.#working.delete(working))
    this.#working.add(working)
  }
}

interface SpokenTurn {
  latency: FinishedTurn['latency']
  conversation_id: string
  /** The time since the contact's words ended. */
  ago_ms: number
}

/** Measures a turn. Its span lasts from the end of the contact's words to the first word of the agent's. */
function observeTurn({ tools }: At, { latency, conversation_id, ago_ms }: SpokenTurn): void {
  const stages = Object.entries(latency).filter(([, ms]) => typeof ms === 'number')
  for (const [name, ms] of stages) tools.metrics.observe(turn_latency, ms ?? 0, name.replace(/_ms$/, ''))
  const began_ticks = clock.ticks() - ago_ms
  const attributes = { 'gen_ai.conversation.id': conversation_id, ...Object.fromEntries(stages) }
  const span = currentSpan()?.child({ name: 'turn', kind: 'internal', attributes, began_ticks })
  span?.end({ ended_ticks: began_ticks + (latency.turn_ms ?? 0) })
}
