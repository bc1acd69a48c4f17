import type { Log } from '../kit/log.ts'
import { errorMessage } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'
import { describeModelError } from '../models/model-error.ts'
import { ProviderError } from '../models/provider-error.ts'
import type { Timers } from './timers.ts'

/** A failure of speech. After a fatal one nobody can hear, or speak. */
export interface SpeechFault {
  message: string
  is_fatal: boolean
}

/** A model that hears or speaks in one call, and the one that takes over when it fails. */
export interface ModelUse<Model> {
  /**
   * Resolves with undefined if the work was aborted, or if no model could do it. Never rejects. Work without progress
   * takes at most twice the time limit.
   */
  run: <T>(work: Work<Model, T>, signal: AbortSignal) => Promise<T | undefined>
  /** The model that works now. */
  readonly current: Model
  /** Whether the first model works: then its sound is charged. */
  readonly is_first: boolean
}

/** Work that calls `onProgress` is not done yet, and has more time. */
type Work<Model, T> = (model: Model, signal: AbortSignal, onProgress: () => void) => PromiseLike<T>

interface ModelUseOptions<Model> {
  first: Model
  fallback: Model | undefined
  /** The beginning of messages about faults, such as `Speech recognition`. */
  task: string
  nameOf: (model: Model) => string
  onFault: (fault: SpeechFault) => void
  timers: Timers
  log: Log
}

/** A model that nobody can replace has more time: late words are better than none, and the machine may be busy. */
const time_max_ms = { replaceable: 5_000, last: 15_000 }

/** A turn's `error` has room for two faults. */
const reason_length_max = 160

/**
 * Opens the use of a model, which fails when it rejects or takes too long. The fallback then works for the rest of the
 * call. Without a fallback the model is tried once more.
 */
export function openModelUse<Model>(options: ModelUseOptions<Model>): ModelUse<Model> {
  const { first, fallback, task, nameOf, onFault, timers, log } = options
  let model = first
  const use: ModelUse<Model> = {
    get current() {
      return model
    },
    get is_first() {
      return model === first
    },
    async run(work, signal) {
      for (let attempt = 1; !signal.aborted; attempt += 1) {
        const used = model
        try {
          const is_last = used !== first || fallback === undefined
          const limit_ms = is_last ? time_max_ms.last : time_max_ms.replaceable
          return await inTime((...given) => work(used, ...given), { signal, timers, limit_ms })
        } catch (error) {
          if (signal.aborted) break
          const reason = error instanceof ProviderError ? describeModelError(error).message : errorMessage(error)
          log.warn({ reason, model: nameOf(used) }, 'speech model failed')
          const failed = `${task} by ${nameOf(used)} failed: ${truncate(reason, reason_length_max).replace(/\.$/, '')}`
          if (model !== used) continue
          if (model === first && fallback !== undefined) {
            model = fallback
            onFault({ message: `${failed}. Offline speech took over.`, is_fatal: false })
          } else if (attempt > 1) {
            onFault({ message: `${failed}.`, is_fatal: true })
            break
          }
        }
      }
      return undefined
    },
  }
  return use
}

/** Rejects at once when `signal` is aborted, or when time is up, whatever the work does. */
async function inTime<T>(
  work: (signal: AbortSignal, onProgress: () => void) => PromiseLike<T>,
  { signal, timers, limit_ms }: { signal: AbortSignal; timers: Timers; limit_ms: number },
): Promise<T> {
  const stop = new AbortController()
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const abort = (reason: string) => {
    reject(new Error(reason))
    stop.abort()
  }
  const onAbort = () => abort('it was stopped')
  signal.addEventListener('abort', onAbort, { once: true })
  const startTimer = () => timers.after(limit_ms, () => abort(`no answer within ${limit_ms / 1_000} seconds`))
  let cancel = startTimer()
  const onProgress = () => {
    cancel()
    if (!stop.signal.aborted && !is_done) cancel = startTimer()
  }
  let is_done = false
  try {
    return await Promise.race([work(stop.signal, onProgress), stopped])
  } finally {
    is_done = true
    cancel()
    signal.removeEventListener('abort', onAbort)
  }
}
