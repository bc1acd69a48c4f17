import { overloaded } from '../problem.ts'
import { currentSpan, inSpan, type Span, sharedSpan } from '../traces/span.ts'

const default_wait_max_ms = 2_000
const check_waits_every_ms = 100

export interface BatchLimits {
  /** Inputs in one batch. */
  size_max: number
  /** Batches of one key that run at the same time. */
  in_flight_max: number
  /** While a batch of the key is in flight, a further one starts only when this many inputs wait. 1 by default. */
  concurrent_size_min?: number
  /** Inputs that wait longer are rejected. */
  wait_max_ms?: number
}

interface WaitingInput<In, Out> {
  input: In
  /** How many checks there were before the input came. */
  since: number
  /** The span that the caller runs in. */
  span: Span | undefined
  resolve: (output: Out) => void
  reject: (error: unknown) => void
}

interface KeyState<In, Out> {
  waiting: WaitingInput<In, Out>[]
  in_flight: number
  is_scheduled: boolean
  /**
   * Whether an input has timed out and no batch has finished since. New inputs are rejected while all batches are busy.
   */
  is_stalled: boolean
}

/**
 * Batches concurrent inputs with the same key into one use of `run`, which returns one output per input, in order.
 * A single input starts at the end of the current turn of the event loop. Under load, batches form because inputs wait while
 * earlier batches are in flight. Rejects inputs that wait longer than `wait_max_ms`.
 */
export function openBatcher<In, Out>(
  { size_max, in_flight_max, concurrent_size_min = 1, wait_max_ms = default_wait_max_ms }: BatchLimits,
  run: (key: string, inputs: In[]) => Promise<Out[]>,
): (key: string, input: In) => Promise<Out> {
  const keys = new Map<string, KeyState<In, Out>>()
  const checks_max = Math.ceil(wait_max_ms / check_waits_every_ms)
  let checks = 0
  let wait_timer: NodeJS.Timeout | undefined

  /**
   * One timer serves all keys and stops when nothing is waiting. It counts its checks instead of the time: a process that was
   * paused had no chance to start anything.
   */
  function rejectLate(): void {
    checks += 1
    const oldest_allowed = checks - checks_max
    let is_any_waiting = false
    for (const state of keys.values()) {
      const first_not_late = state.waiting.findIndex(({ since }) => since > oldest_allowed)
      const late = state.waiting.splice(0, first_not_late === -1 ? state.waiting.length : first_not_late)
      for (const { reject } of late) reject(overloaded('waited_too_long'))
      state.is_stalled ||= late.length > 0
      is_any_waiting ||= state.waiting.length > 0
    }
    if (is_any_waiting) return
    clearInterval(wait_timer)
    wait_timer = undefined
  }

  function schedule(key: string, state: KeyState<In, Out>): void {
    const size_min = state.in_flight === 0 ? 1 : concurrent_size_min
    if (state.is_scheduled || state.waiting.length < size_min || state.in_flight === in_flight_max) return
    state.is_scheduled = true
    setImmediate(() => {
      state.is_scheduled = false
      const batch = state.waiting.splice(0, size_max)
      if (batch.length > 0) return void runBatch(key, state, batch)
      if (state.in_flight === 0) keys.delete(key)
    })
  }

  async function runBatch(key: string, state: KeyState<In, Out>, batch: WaitingInput<In, Out>[]): Promise<void> {
    state.in_flight += 1
    schedule(key, state)
    try {
      const inputs = batch.map(({ input }) => input)
      const outputs = await inSpan(sharedSpan(batch), () => run(key, inputs))
      if (outputs.length !== batch.length)
        throw new Error(`batch "${key}" returned ${outputs.length} outputs for ${batch.length} inputs`)
      outputs.forEach((output, index) => {
        batch[index]?.resolve(output)
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    state.in_flight -= 1
    state.is_stalled = false
    schedule(key, state)
    if (state.in_flight === 0 && state.waiting.length === 0) keys.delete(key)
  }

  return (key, input) =>
    new Promise((resolve, reject) => {
      let state = keys.get(key)
      if (!state) {
        state = { waiting: [], in_flight: 0, is_scheduled: false, is_stalled: false }
        keys.set(key, state)
      }
      if (state.is_stalled && state.in_flight === in_flight_max) return reject(overloaded('waited_too_long'))
      state.waiting.push({ input, since: checks, span: currentSpan(), resolve, reject })
      wait_timer ??= setInterval(rejectLate, check_waits_every_ms).unref()
      schedule(key, state)
    })
}
