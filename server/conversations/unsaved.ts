import * as clock from '../kit/clock.ts'
import type { Turn as EngineTurn } from './input.ts'
import type { Changes, FinishedTurn } from './plan-save.ts'
import { no_usage, type ToolCall, type Usage } from './state.ts'
import type { RunToSave } from './tool-runs.ts'
import type { ToolOutcome } from './tools.ts'
import { no_latency } from './turns.ts'

/** What a drive has yet to write. */
export class Unsaved {
  #turns: { reply: string | null; turn: FinishedTurn }[] = []
  /** Runs that are not part of a turn, by id. */
  #runs = new Map<string, RunToSave>()
  #usage = no_usage
  #changes: Changes = {}
  #facts: Record<string, unknown>
  #error: string | null = null
  #latency = newLatency(0)

  constructor({ results, waited_ms }: { results: Record<string, unknown>; waited_ms: number }) {
    this.#facts = results
    this.#latency = newLatency(waited_ms)
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
    this.addTurn({ role: 'agent', reply, text, is_interrupted: true, runs: [], usage: no_usage })
  }

  addTurn({ role, reply, text, is_interrupted, runs, usage }: EngineTurn): void {
    const is_agents = role === 'agent'
    const tools = runs.map(({ run, name, arguments: values, result, status }) => {
      const duration_ms = this.#runs.get(run)?.duration_ms ?? null
      this.#runs.delete(run)
      return { id: run, name, arguments: values, result, status, duration_ms }
    })
    const latency = is_agents ? endLatency(this.#latency, tools) : no_latency
    const error = is_agents ? this.#error : null
    this.#turns.push({ reply, turn: { role, text, is_interrupted, tools, latency, usage, error } })
    if (is_agents) this.#error = null
  }

  /** The contact has said something. */
  restart(): void {
    this.#latency = newLatency(0)
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

const newLatency = (waited_ms: number): Latency => {
  const began_ticks = clock.ticks() - waited_ms
  return { began_ticks, asked_ticks: began_ticks, model_first_ms: null, model_ms: 0 }
}

const endLatency = (
  { began_ticks, model_first_ms, model_ms }: Latency,
  tools: { duration_ms: number | null }[],
): FinishedTurn['latency'] => ({
  model_first_ms,
  model_ms: Math.round(model_ms),
  tools_ms: tools.length === 0 ? null : tools.reduce((sum, { duration_ms }) => sum + (duration_ms ?? 0), 0),
  turn_ms: Math.max(0, Math.round(clock.ticks() - began_ticks)),
})
