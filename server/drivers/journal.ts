import type { RunToSave } from '../conversations/tool-runs.ts'
import * as turns from '../conversations/turns.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { truncate } from '../kit/text.ts'
import type { Turn as EngineTurn } from '../talk/input.ts'
import type { SoundLatency } from '../talk/line.ts'
import { no_usage, type Reply, type ToolCall, type Usage } from '../talk/state.ts'
import { citationsFor, type FoundPassage, passagesOf } from './citations.ts'
import type { Changes, FinishedTurn, Save, Saved } from './plan-save.ts'
import type { ToolOutcome } from './tools.ts'

/** Limits the error of a turn, in characters. */
const error_length_max = 500

export interface JournalOptions {
  /** The id of the conversation. */
  id: string
  token: string
  /** The state of the conversation that this process knows. */
  seen: Save['seen']
  /** The turn that was open when another process was killed. */
  open?: OpenTurn | undefined
  results: Record<string, unknown>
  /** The time that the contact has waited when the drive begins. */
  waited_ms: number
  /** Whether a save keeps the answer when the contact has written meanwhile, which is answered next. */
  must_answer?: boolean
  /** Whether the duration of things is measured. In simulated calls nothing depends on how fast the machine is. */
  is_timed: boolean
}

export interface OpenTurn {
  reply: string
  seq: number
  /** The part of the text that is stored. */
  kept: string
}

export type WriteOptions = Pick<Save, 'opened' | 'release'> & {
  /** The runs of tools that are to be called after the write. */
  begins?: string[]
}

/** Further members of a spoken turn. */
type SpokenParts = Partial<Pick<FinishedTurn, 'heard' | 'speech' | 'created_at'>> & {
  turn_ms?: number | null
  sound?: SoundLatency | undefined
}

/** Holds what a drive has said and learned. Writes come one after the other, as long as the drive has the lease. */
export class Journal {
  readonly #options: JournalOptions
  #queue: Promise<unknown> = Promise.resolve()
  #turns: { reply: string | null; turn: FinishedTurn }[] = []
  /** The runs that are not part of a turn, by their ids. */
  #runs = new Map<string, RunToSave>()
  #usage = no_usage
  #changes: Changes = {}
  #results: Record<string, unknown>
  #error: string | null = null
  /** The passages from which a script has answered, and that are not yet part of a turn. */
  #passages: FoundPassage[] = []
  #latency: Latency
  seen: Save['seen']
  open: OpenTurn | undefined
  /** Whether another drive continues. Only what was shown is written from then on. */
  is_leaving = false

  constructor(options: JournalOptions) {
    this.#options = options
    this.#results = options.results
    this.#latency = newLatency(clock.ticks() - options.waited_ms)
    this.seen = options.seen
    this.open = options.open
  }

  get id(): string {
    return this.#options.id
  }

  get must_answer(): boolean {
    return this.#options.must_answer ?? false
  }

  get results(): Record<string, unknown> {
    return this.#results
  }

  /**
   * Whether nothing is to be written. Runs don't count, because they are written with the turn to which they belong.
   */
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

  /** Adds a turn that will not be continued, and of which words were shown. */
  addInterrupted(reply: string, text: string, spoken: SpokenParts = {}): void {
    const ended = { is_interrupted: true, finish_reason: 'interrupted' as const }
    this.addTurn({ role: 'agent', reply, text, ...ended, runs: [], usage: no_usage }, spoken)
  }

  /** Adds a turn. Returns how long its parts took. */
  addTurn(
    { reply, runs, ...turn }: EngineTurn,
    { turn_ms, sound, ...spoken }: SpokenParts = {},
  ): FinishedTurn['latency'] {
    const { is_timed } = this.#options
    const { role, text, is_interrupted, finish_reason = null, script = null, usage } = turn
    const is_agents = role === 'agent'
    const tools = runs.map(({ run, name, arguments: values, result, status }) => {
      const duration_ms = is_timed ? (this.#runs.get(run)?.duration_ms ?? null) : null
      this.#runs.delete(run)
      return { id: run, name, arguments: values, result, status, duration_ms }
    })
    const measured = is_agents && is_timed ? endLatency(this.#latency, clock.ticks(), tools) : turns.no_latency
    const latency = turn_ms === undefined ? measured : { ...measured, turn_ms, ...sound }
    const error = is_agents ? (turn.error ?? this.#error) : null
    const citations = is_agents ? citationsFor(text, [...passagesOf(runs), ...this.#passages]) : []
    const said = {
      role,
      text,
      is_interrupted,
      finish_reason,
      tools,
      latency,
      usage,
      error,
      script,
      citations,
      ...spoken,
    }
    this.#turns.push({ reply, turn: said })
    if (is_agents) {
      this.#error = null
      this.#passages = []
    }
    return latency
  }

  /** Measures from now on, because the contact has said something. */
  restart(): void {
    this.#latency = newLatency(clock.ticks())
  }

  beginModel(): void {
    this.#latency.asked_ticks = clock.ticks()
  }

  notePiece(): void {
    this.#latency.model_first_ms ??= Math.round(clock.ticks() - this.#latency.asked_ticks)
  }

  /** Adds what a complete answer has changed. */
  addAnswer(
    {
      facts,
      progress,
      passages,
    }: { facts: Record<string, unknown>; progress: Changes['script_state']; passages: FoundPassage[] },
    usage: Usage,
  ): void {
    this.#latency.model_ms += clock.ticks() - this.#latency.asked_ticks
    this.#usage = {
      input_tokens: this.#usage.input_tokens + usage.input_tokens,
      output_tokens: this.#usage.output_tokens + usage.output_tokens,
    }
    if (progress) this.change({ script_state: progress })
    this.#passages.push(...passages)
    this.#addResults(facts)
  }

  fail(error: string): void {
    this.#latency.model_ms += clock.ticks() - this.#latency.asked_ticks
    this.#error = error
  }

  /** Notes a failure that is no fault of the model. The agent's next turn has it as its error. */
  note(error: string): void {
    this.#error = this.#error === null ? error : truncate(`${this.#error} ${error}`, error_length_max)
  }

  beginRun({ run, name, arguments: values }: ToolCall): void {
    const begun = { id: run, name, arguments: values, result: null, status: 'running' as const, duration_ms: null }
    this.#runs.set(run, { conversation_id: this.id, ...begun })
  }

  /**
   * Ends a run. When the process stops, its requests do too: then it is not known what a tool has done, and its row
   * stays as it is.
   */
  endRun(id: string, { status, result, duration_ms, facts = {} }: ToolOutcome): void {
    if (this.is_leaving && status !== 'succeeded') return void this.#runs.delete(id)
    const run = this.#runs.get(id)
    if (run) this.#runs.set(id, { ...run, status, result, duration_ms })
    this.#addResults(facts)
  }

  #addResults(facts: Record<string, unknown>): void {
    if (Object.keys(facts).length === 0) return
    this.#results = { ...this.#results, ...facts }
    this.change({ results: this.#results })
  }

  /** Runs the work after everything that is being written. */
  inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work)
    this.#queue = done.catch(() => {})
    return done
  }

  /** Writes everything that is unwritten. When others have written meanwhile, what they wrote is yet to be read. */
  async write({ begins = [], ...more }: WriteOptions, save: (save: Save) => Promise<Saved>): Promise<Saved> {
    const { id, token } = this.#options
    const { must_answer } = this
    const is_last = more.release !== undefined
    const runs = [...this.#runs.values()].filter((run) => is_last || begins.includes(run.id))
    const said = this.#turns
    const [usage, changes] = [this.#usage, this.#changes]
    this.#turns = []
    this.#usage = no_usage
    this.#changes = {}
    const open_seq = said[0]?.reply === this.open?.reply ? this.open?.seq : undefined
    if (open_seq !== undefined) this.open = undefined
    const { seen, is_leaving } = this
    const saved = await save({
      id,
      token,
      seen,
      is_leaving,
      begins_tools: begins.length > 0,
      must_answer,
      open_seq,
      runs,
      usage,
      changes,
      ...more,
      turns: said.map(({ turn }) => turn),
    })
    const is_all_seen = !saved.is_lost && !saved.is_stale && !(must_answer && saved.has_unseen)
    if (is_all_seen) this.seen = { ...this.seen, turn_count: saved.turn_count }
    return saved
  }

  /** Stores what the open turn has shown so far. This is only a precaution, so the answer goes on if it fails. */
  keepText(at: At, reply: Reply | null): void {
    const { open, id } = this
    if (!open || !reply || open.reply !== reply.id || open.kept === reply.text) return
    open.kept = reply.text
    const kept = { id, seq: open.seq, text: reply.text }
    void this.inOrder(() => turns.keepText(at, kept).catch(() => {}))
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
