import type { RunToSave } from '../conversations/tool-runs.ts'
import { no_latency } from '../conversations/turns.ts'
import * as clock from '../kit/clock.ts'
import type { Turn as EngineTurn } from '../talk/input.ts'
import { no_usage, type ToolCall, type Usage } from '../talk/state.ts'
import type { Changes, FinishedTurn } from './plan-save.ts'
import type { ToolOutcome } from './tools.ts'

interface UnsavedOptions {
  results: Record<string, unknown>
  waited_ms: number
  /** Whether it is measured how long things take. In simulated calls nothing depends on how fast the machine is. */
  is_timed?: boolean
}

/** What is known of a spoken turn. */
type Spoken = Partial<Pick<FinishedTurn, 'heard' | 'speech' | 'created_at'>> & { turn_ms?: number | null }

/** What a drive has yet to write. */
export class Unsaved {
  #turns: { reply: string | null; turn: FinishedTurn }[] = []
  /** Runs that are not part of a turn, by id. */
  #runs = new Map<string, RunToSave>()
  #usage = no_usage
  #changes: Changes = {}
  #facts: Record<string, unknown>
  #error: string | null = null
  #latency: Latency

  readonly #is_timed: boolean

  constructor({ results, waited_ms, is_timed = true }: UnsavedOptions) {
    this.#facts = results
    this.#is_timed = is_timed
    this.#latency = newLatency(clock.ticks() - waited_ms)
  }

  get results(): Record<string, unknown> {
    return this.#facts
  }

  /** Runs are written with what they belong to. */
  get is_empty(): boolean {
    const { input_tokens, output_tokens } = this.#usage
    return this.#turns.length + input_tokens + output_tokens + Object.keys(this.#changes).length === 0
  }

  get has_turns(): boolean {
    return this.#turns.length > 0
  }

  hasTurnOf(reply: string): boolean {
    return this.#turns.some((turn) => turn.reply === reply)
  }

  change(changes: Changes): void {
    this.#changes = { ...this.#changes, ...changes }
  }

  /** A turn that was open when another process was killed. */
  addInterrupted(reply: string, text: string): void {
    const ended = { is_interrupted: true, finish_reason: 'interrupted' as const }
    this.addTurn({ role: 'agent', reply, text, ...ended, runs: [], usage: no_usage })
  }

  addTurn({ reply, runs, ...turn }: EngineTurn, { turn_ms, ...spoken }: Spoken = {}): void {
    const { role, text, is_interrupted, finish_reason = null, usage } = turn
    const is_agents = role === 'agent'
    const tools = runs.map(({ run, name, arguments: values, result, status }) => {
      const duration_ms = this.#is_timed ? (this.#runs.get(run)?.duration_ms ?? null) : null
      this.#runs.delete(run)
      return { id: run, name, arguments: values, result, status, duration_ms }
    })
    const measured = is_agents && this.#is_timed ? endLatency(this.#latency, clock.ticks(), tools) : no_latency
    const latency = turn_ms === undefined ? measured : { ...measured, turn_ms }
    const error = is_agents ? (turn.error ?? this.#error) : null
    const said = { role, text, is_interrupted, finish_reason, tools, latency, usage, error, ...spoken }
    this.#turns.push({ reply, turn: said })
    if (is_agents) this.#error = null
  }

  /** The contact has said something. */
  restart(): void {
    this.#latency = newLatency(clock.ticks())
  }

  beginModel(): void {
    this.#latency.asked_ticks = clock.ticks()
  }

  notePiece(): void {
    this.#latency.model_first_ms ??= Math.round(clock.ticks() - this.#latency.asked_ticks)
  }

  /** An answer is complete. */
  addAnswer(
    { facts, progress }: { facts: Record<string, unknown>; progress: Changes['script_state'] },
    usage: Usage,
  ): void {
    this.#latency.model_ms += clock.ticks() - this.#latency.asked_ticks
    this.#usage = {
      input_tokens: this.#usage.input_tokens + usage.input_tokens,
      output_tokens: this.#usage.output_tokens + usage.output_tokens,
    }
    if (progress) this.change({ script_state: progress })
    this.#addFacts(facts)
  }

  fail(error: string): void {
    this.#latency.model_ms += clock.ticks() - this.#latency.asked_ticks
    this.#error = error
  }

  beginRun(conversation_id: string, { run, name, arguments: values }: ToolCall): void {
    const begun = { id: run, name, arguments: values, result: null, status: 'running' as const, duration_ms: null }
    this.#runs.set(run, { conversation_id, ...begun })
  }

  endRun(id: string, { status, result, duration_ms, facts = {} }: ToolOutcome): void {
    const run = this.#runs.get(id)
    if (run) this.#runs.set(id, { ...run, status, result, duration_ms })
    this.#addFacts(facts)
  }

  /** Its row stays as it is. */
  forgetRun(id: string): void {
    this.#runs.delete(id)
  }

  #addFacts(facts: Record<string, unknown>): void {
    if (Object.keys(facts).length === 0) return
    this.#facts = { ...this.#facts, ...facts }
    this.change({ results: this.#facts })
  }

  /**
   * What to write now. `open_reply` is the reply whose turn is open: it is the first to end. Runs are written when they
   * begin, with their turn, and at the end.
   */
  take({ open_reply, begins, is_last }: { open_reply: string | undefined; begins: string[]; is_last: boolean }) {
    const turns = this.#turns
    const usage = this.#usage
    const changes = this.#changes
    const runs = [...this.#runs.values()].filter(({ id }) => is_last || begins.includes(id))
    this.#turns = []
    this.#usage = no_usage
    this.#changes = {}
    const closes_open = open_reply !== undefined && turns[0]?.reply === open_reply
    return { turns: turns.map(({ turn }) => turn), runs, usage, changes, closes_open }
  }
}

interface Latency {
  began_ticks: number
  asked_ticks: number
  model_first_ms: number | null
  model_ms: number
}

const newLatency = (began_ticks: number): Latency => ({
  began_ticks,
  asked_ticks: began_ticks,
  model_first_ms: null,
  model_ms: 0,
})

const endLatency = (
  { began_ticks, model_first_ms, model_ms }: Latency,
  ticks: number,
  tools: { duration_ms: number | null }[],
): FinishedTurn['latency'] => ({
  model_first_ms,
  model_ms: Math.round(model_ms),
  tools_ms: tools.length === 0 ? null : tools.reduce((sum, { duration_ms }) => sum + (duration_ms ?? 0), 0),
  turn_ms: Math.max(0, Math.round(ticks - began_ticks)),
})
