interface Job {
  workspace: string
  /** How much is left to do. */
  bytes_left: number
}

export interface RenderSlot {
  /** Runs the work when the slot is its own. One piece of work runs at a time. */
  take: <T>(job: Job, work: () => Promise<T>) => Promise<T>
}

type Waiting = Job & { start: () => void }

/**
 * Every other time the slot goes to the job with the least left, so that a short one doesn't wait for long ones. The times between go round the
 * workspaces, so that neither many jobs of one of them nor short ones keep another waiting forever.
 */
export function openRenderSlot(): RenderSlot {
  /** The jobs of each workspace that wait. The workspace that had the slot last is the last one. */
  const waiting = new Map<string, Waiting[]>()
  let is_running = false
  let is_for_shortest = false

  async function take<T>(job: Job, work: () => Promise<T>): Promise<T> {
    if (is_running) await new Promise<void>((start) => add({ ...job, start }))
    is_running = true
    try {
      return await work()
    } finally {
      startNext()
    }
  }

  const add = (job: Waiting) => void waiting.set(job.workspace, [...(waiting.get(job.workspace) ?? []), job])

  /** Starts the next job, if there is one. `is_running` stays set then, so that no other job takes the slot. */
  function startNext(): void {
    is_for_shortest = !is_for_shortest
    const of_each = [...waiting.values()].flatMap((jobs) => shortestOf(jobs) ?? [])
    const next = is_for_shortest ? shortestOf(of_each) : of_each[0]
    is_running = next !== undefined
    if (!next) return
    const later = waiting.get(next.workspace)?.filter((job) => job !== next) ?? []
    waiting.delete(next.workspace)
    if (later.length > 0) waiting.set(next.workspace, later)
    next.start()
  }

  return { take }
}

/** Returns the first of the jobs that have the least left. */
function shortestOf([first, ...others]: Waiting[]): Waiting | undefined {
  return others.reduce((shortest, job) => (shortest && shortest.bytes_left <= job.bytes_left ? shortest : job), first)
}
