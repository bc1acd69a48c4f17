import type { ScriptProgress } from '../conversations/claim.ts'
import type { Conversation } from '../conversations/schema.ts'
import { findEndedRuns } from '../conversations/tool-runs.ts'
import type { Answerer } from '../drivers/answerer.ts'
import { RunningTools, unknown_result } from '../drivers/running-tools.ts'
import { isShort, ShortTimers } from '../drivers/short-timers.ts'
import type { Tools } from '../drivers/tools.ts'
import type { Unsaved } from '../drivers/unsaved.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { Scheduler } from '../kit/work/scheduler.ts'
import { describeModelError } from '../models/model-error.ts'
import { step } from '../talk/engine.ts'
import type { Effect, EffectOf, EndReason, EngineInput, Input, Turn } from '../talk/input.ts'
import type { State, TimerName, ToolCall } from '../talk/state.ts'
import type { CallLine } from './carrier.ts'

export interface TalkOptions {
  at: At
  conversation_id: string
  answerer: Answerer
  tools: Tools
  unsaved: Unsaved
  line: CallLine
  /** The numbers that the call may be transferred to, by name. */
  transfers: Map<string, string>
  /** The time of the workspace. */
  now: () => number
  /** Waits for models and tools. */
  after: Scheduler['after']
  /** Something has happened, at another time than the driver's. */
  onChange: () => void
  /** The agent begins or continues to say something. */
  onSay: (words: { reply: string; text: string }) => void
  /** Writes what is unsaved. False when another process has the call. */
  flush: (begins: string[]) => Promise<boolean>
  onError: (error: unknown) => void
  log: Log
}

/** What is kept of a talk between two advances of a test clock. */
export interface TalkState {
  engine: State
  progress: ScriptProgress | null
  /** When the contact was last heard. */
  contact_ended_at: number | null
}

/** `seq` is that of the turn with the words. */
export interface OptOut {
  at: number
  seq: number
}

/** What is said in a call: passes what happens to the engine, and carries out what it says. */
export class Talk {
  readonly #options: TalkOptions
  readonly #running: RunningTools
  readonly #timers: ShortTimers
  /** Requests to models, and tools. */
  readonly #working = new Set<Promise<void>>()
  #asking: AbortController | undefined
  #state: State
  #progress: ScriptProgress | null
  /** Where the script was before its last answer. */
  #before: ScriptProgress | null = null
  #contact_ended_at: number | null
  /** Set when the engine has ended the call. */
  end_reason: EndReason | undefined
  #opt_out: OptOut | null = null

  constructor(options: TalkOptions, { engine, progress, contact_ended_at }: TalkState) {
    this.#options = options
    this.#timers = new ShortTimers(options.after, (name, due) => {
      if (name !== 'tools') options.unsaved.fail('The model took too long to answer.')
      this.#happen({ type: 'timer', name }, due)
    })
    this.#state = engine
    this.#progress = progress
    this.#contact_ended_at = contact_ended_at
    this.#running = new RunningTools(options.tools, (call, outcome) => {
      options.unsaved.endRun(call.run, outcome)
      this.#happen({ type: 'tool_done', run: call.run, ...outcome })
    })
  }

  get state(): State {
    return this.#state
  }

  /** The next timer of the engine, without those that run while a model or a tool does. */
  get next_timer(): { name: TimerName; at: number } | undefined {
    let next: { name: TimerName; at: number } | undefined
    for (const [name, at] of Object.entries(this.#state.timers) as [TimerName, number][])
      if (!isShort(name) && (!next || at < next.at)) next = { name, at }
    return next
  }

  /** Of the conversation. */
  get status(): Conversation['status'] {
    const { phase } = this.#state
    if (phase === 'ended') return 'closed'
    return phase === 'handed_over' ? 'handed_over' : 'open'
  }

  get has_opt_out(): boolean {
    return this.#opt_out !== null
  }

  /** When the contact has said that it wants no more calls, once. */
  takeOptOut(): OptOut | null {
    const opt_out = this.#opt_out
    this.#opt_out = null
    return opt_out
  }

  save(): TalkState {
    return { engine: this.#state, progress: this.#progress, contact_ended_at: this.#contact_ended_at }
  }

  take(input: EngineInput, now: number): void {
    // While a person answers, nobody waits for the agent.
    if (input.type === 'heard' && input.part && this.#state.phase !== 'handed_over') this.#contact_ended_at = now
    const { state, effects } = step(this.#state, { ...input, now } as Input)
    this.#state = state
    const calls = effects.flatMap((effect) => (effect.type === 'run_tool' ? [effect.call] : []))
    for (const effect of effects) this.#carryOut(effect, now)
    if (calls.length > 0) this.#startTools(calls)
    this.#timers.set(this.#state)
  }

  /** Tools that were running when a process of a test workspace was killed: some may have ended. */
  async continueTools(): Promise<void> {
    const { at, conversation_id, tools, unsaved } = this.#options
    const { open_runs } = this.#state
    if (open_runs.length === 0) return
    const ended = await findEndedRuns(at, { conversation_id, ids: open_runs.map(({ run }) => run) })
    for (const call of open_runs) {
      const outcome = ended.get(call.run)
      unsaved.beginRun(conversation_id, call)
      if (outcome) this.#happen({ type: 'tool_done', run: call.run, ...outcome })
      else if (tools.isRemote(call.name) && tools.hasSideEffects(call.name))
        this.#happen({ type: 'tool_done', run: call.run, status: 'unknown', result: unknown_result })
      else this.#startTools([call])
    }
  }

  /** Resolves when no model and no tool is at work. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working)
  }

  stop(): void {
    this.#timers.clearAll()
    this.#asking?.abort()
  }

  #carryOut(effect: Effect, now: number): void {
    const { unsaved, line, transfers, onSay } = this.#options
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
        line.say(now, effect)
        onSay(effect)
        break
      case 'end_words':
        line.endReply(now, effect.reply)
        break
      case 'clear':
        line.clear(now, effect.reply)
        break
      case 'press':
        line.press(now, effect.digits)
        break
      case 'transfer':
        line.transfer(now, transfers.get(effect.to) ?? '')
        break
      case 'stop_tool':
        this.#running.stop(effect.run)
        break
      case 'write':
        this.#write(effect.turn, now)
        break
      case 'end_reply':
        if (effect.outcome !== 'done') this.#returnToNode()
        break
      case 'hand_over':
        unsaved.change({ status: 'handed_over', hand_over_reason: effect.reason })
        break
      case 'take_back':
        unsaved.change({ status: 'open', hand_over_reason: null })
        break
      case 'opt_out':
        this.#opt_out ??= { at: now, seq: this.#state.turns }
        break
      case 'close':
        unsaved.change({ status: 'closed', close_reason: effect.reason })
        this.end_reason = effect.end_reason
    }
  }

  /** A turn of the agent has taken as long as the contact had to wait for its first word. */
  #write(turn: Turn, now: number): void {
    const { unsaved, answerer } = this.#options
    const { heard = turn.text, speech = [] } = turn.spoken ?? {}
    const began_ms = speech[0]?.start_ms
    const { answered_at } = this.#state.voice ?? {}
    const waited_from = turn.role === 'agent' ? this.#contact_ended_at : null
    const turn_ms =
      began_ms === undefined || waited_from === null ? null : Math.max(0, (answered_at ?? 0) + began_ms - waited_from)
    if (turn.role === 'contact') answerer.addMessage({ seq: this.#state.turns, text: turn.text })
    if (turn.role === 'contact') unsaved.restart()
    if (turn.role === 'agent') this.#contact_ended_at = null
    unsaved.addTurn(turn, { heard, speech, created_at: clock.iso(now), turn_ms })
  }

  /** A script that has come to its end, and was interrupted, continues where it was before. */
  #returnToNode(): void {
    if (this.#progress?.node !== null || !this.#before?.node) return
    this.#progress = { ...this.#before, heard_until: this.#progress.heard_until }
    this.#options.answerer.continueFrom(this.#progress)
    this.#options.unsaved.change({ script_state: this.#progress })
  }

  async #ask(request: EffectOf<'ask'>): Promise<void> {
    const { answerer, unsaved, now, log, at, conversation_id } = this.#options
    this.#before = this.#progress
    const asking = new AbortController()
    this.#asking = asking
    const { reply } = request
    for await (const answer of answerer.ask(request, now(), asking.signal)) {
      if (asking.signal.aborted) return
      if (answer.type === 'asked') {
        const { is_uninterruptible, ...result } = answerer.readResult(answer)
        this.#progress = result.progress ?? this.#progress
        const { usage, finish_reason } = answer
        unsaved.addAnswer(result, usage)
        this.#happen({ type: 'asked', reply, usage, finish_reason, is_uninterruptible })
      } else if (answer.type === 'ask_failed') {
        const { status, message } = describeModelError(answer.error)
        unsaved.fail(message)
        log.warn({ workspace_id: at.workspace, conversation_id, status }, 'a model has not answered')
        this.#happen({ type: 'ask_failed', reply })
      } else {
        unsaved.notePiece()
        this.#happen({ ...answer, reply })
      }
    }
  }

  /** Never throws, because timers call it. */
  #happen(input: EngineInput, due?: number): void {
    const { now, onChange, onError } = this.#options
    try {
      this.take(input, Math.max(due ?? 0, now()))
      onChange()
    } catch (error) {
      onError(error)
    }
  }

  /** A tool is called when its row is there: if the process is killed, one with side effects is not called again. */
  #startTools(calls: ToolCall[]): void {
    const { unsaved, tools, conversation_id, at, now, flush } = this.#options
    for (const call of calls) {
      this.#running.add(call.run)
      unsaved.beginRun(conversation_id, call)
    }
    const startAll = async () => {
      await Promise.all(calls.map((call) => this.#running.start({ ...at, now: now() }, call)))
    }
    const begins = calls.flatMap(({ run, name }) => (tools.isRemote(name) ? [run] : []))
    const must_flush = calls.some(({ name }) => tools.hasEffects(name))
    this.#inBackground(must_flush ? flush(begins).then((is_held) => (is_held ? startAll() : undefined)) : startAll())
  }

  #inBackground(work: Promise<void>): void {
    const working = work.catch(this.#options.onError).finally(() => this.#working.delete(working))
    this.#working.add(working)
  }
}
