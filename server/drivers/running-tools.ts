import type { AtOutside } from '../kit/at.ts'
import type { ToolCall } from '../talk/state.ts'
import type { ToolOutcome, Tools } from './tools.ts'

/** Tells the model about a tool that was running when its process was killed. */
export const unknown_result = 'It is not known whether this was done: the connection was lost. Do not repeat it.'

type OnEnd = (call: ToolCall, outcome: ToolOutcome) => void

/** Holds the tools of a conversation that are running. */
export class RunningTools {
  readonly #tools: Tools
  readonly #onEnd: OnEnd
  readonly #aborts = new Map<string, AbortController>()

  constructor(tools: Tools, onEnd: OnEnd) {
    this.#tools = tools
    this.#onEnd = onEnd
  }

  get is_idle(): boolean {
    return this.#aborts.size === 0
  }

  has(run: string): boolean {
    return this.#aborts.has(run)
  }

  /** Counts a tool as running from now on, although it is started later. */
  add(run: string): void {
    this.#aborts.set(run, new AbortController())
  }

  async start(at: AtOutside, call: ToolCall): Promise<void> {
    const { signal } = this.#aborts.get(call.run) ?? new AbortController()
    const outcome = await this.#tools.run(at, call, signal)
    this.#aborts.delete(call.run)
    this.#onEnd(call, outcome)
  }

  /**
   * Ends a run without starting it. It takes the place of `start` when the conversation was closed or handed over
   * meanwhile.
   */
  cancel(call: ToolCall): void {
    this.#aborts.delete(call.run)
    this.#onEnd(call, { status: 'failed', result: 'This tool was not run.', duration_ms: 0 })
  }

  stop(run: string): void {
    this.#aborts.get(run)?.abort()
  }
}
