import type { Scheduler } from '../kit/work/scheduler.ts'
import type { Settings, State } from '../talk/state.ts'

/** These timers run while the agent answers. The others go by the time of the workspace, and are due work. */
const names = ['first_piece', 'answer', 'tools'] as const
type Name = (typeof names)[number]

export const isShort = (name: string): boolean => names.some((one) => one === name)

/** Holds timers that run from when they are set, also in a test workspace, whose clock stands still. */
export class ShortTimers {
  readonly #onDue: (name: Name, due: number) => void
  readonly #after: Scheduler['after']
  readonly #running = new Map<Name, NodeJS.Timeout>()

  constructor(after: Scheduler['after'], onDue: (name: Name, due: number) => void) {
    this.#after = after
    this.#onDue = onDue
  }

  set({ timers, settings }: { timers: State['timers']; settings: Settings }): void {
    for (const name of names) {
      const due = timers[name]
      if (due === undefined) this.clear(name)
      else if (!this.#running.has(name)) this.#running.set(name, this.#start(name, due, settings[`${name}_ms`]))
    }
  }

  #start(name: Name, due: number, wait_ms: number): NodeJS.Timeout {
    return this.#after(wait_ms, () => {
      this.#running.delete(name)
      this.#onDue(name, due)
    })
  }

  clear(name: Name): void {
    clearTimeout(this.#running.get(name))
    this.#running.delete(name)
  }

  clearAll(): void {
    for (const name of names) this.clear(name)
  }
}
