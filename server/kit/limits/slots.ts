import { Problem } from '../problem.ts'

export interface Slots {
  /** Whether work of the key is running or waiting. */
  has: (key: string) => boolean
  /**
   * Runs the work when a slot is free. Rejects with 503 when too many wait, or it has waited too long, and with the reason of the
   * signal when that is aborted before.
   */
  run: <T>(key: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>
}

interface SlotLimits {
  running_max: number
  /** Keys that wait for a slot. */
  waiting_max: number
  /** How long the first work of a key waits for a slot. The caller bounds what waits behind work of its own key. */
  wait_max_ms: number
}

interface Job {
  key: string
  begin: () => void
  giveUp: (reason: unknown) => void
  timer?: NodeJS.Timeout
}

/**
 * Work that uses a whole processor waits for a slot, in order of arrival. A key has one slot at a time, and its next
 * work goes to the end of the line, so that no key comes before others twice.
 */
export function openSlots({ running_max, waiting_max, wait_max_ms }: SlotLimits): Slots {
  /** The first job of each key runs or is in the line. */
  const jobs_of = new Map<string, Job[]>()
  const line: Job[] = []
  let running = 0
  const busy = () => {
    const seconds = Math.ceil(wait_max_ms / 1_000)
    const message = `Too many others are waiting for this. Try again in ${seconds} seconds.`
    return new Problem('SERVICE_UNAVAILABLE', message, {}, { 'retry-after': String(seconds) })
  }

  function enter(job: Job): void {
    if (running < running_max) {
      running += 1
      job.begin()
    } else if (line.length >= waiting_max) job.giveUp(busy())
    else {
      job.timer = setTimeout(() => job.giveUp(busy()), wait_max_ms)
      line.push(job)
    }
  }

  function add(job: Job): void {
    const jobs = jobs_of.get(job.key) ?? []
    jobs_of.set(job.key, jobs)
    jobs.push(job)
    if (jobs.length === 1) enter(job)
  }

  function remove(job: Job): void {
    const jobs = jobs_of.get(job.key) ?? []
    const is_first = jobs[0] === job
    jobs.splice(jobs.indexOf(job), 1)
    if (line.includes(job)) line.splice(line.indexOf(job), 1)
    if (jobs.length === 0) jobs_of.delete(job.key)
    else if (is_first && jobs[0]) enter(jobs[0])
  }

  /** Ends the job and passes its slot on. */
  function end(job: Job): void {
    running -= 1
    const next = line.shift()
    if (next) enter(next)
    remove(job)
  }

  /** Resolves when the job has a slot. */
  function waitForSlot(key: string, signal: AbortSignal): Promise<Job> {
    return new Promise((resolve, reject) => {
      const onAbort = () => job.giveUp(signal.reason)
      const stopWaiting = () => {
        clearTimeout(job.timer)
        signal.removeEventListener('abort', onAbort)
      }
      const job: Job = {
        key,
        begin() {
          stopWaiting()
          resolve(job)
        },
        giveUp(reason) {
          stopWaiting()
          remove(job)
          reject(reason)
        },
      }
      signal.addEventListener('abort', onAbort)
      add(job)
    })
  }

  return {
    has: (key) => jobs_of.has(key),
    async run(key, signal, work) {
      signal.throwIfAborted()
      const job = await waitForSlot(key, signal)
      try {
        return await work()
      } finally {
        end(job)
      }
    },
  }
}
