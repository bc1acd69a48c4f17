import type { Log } from '../log.ts'
import type { Db, Pool } from '../postgres/pool.ts'
import { hasLeader, openLeader } from './leader.ts'

export interface PeriodicTask {
  name: string
  every_ms: number
  run: () => Promise<unknown>
}

const leader_name = 'periodic_tasks'

/** Whether a process runs the periodic tasks, and so also due work. */
export const hasWorker = (db: Db): Promise<boolean> => hasLeader(db, leader_name)

/** Repeats each task at its interval, in one process of all that share the database. */
export function openPeriodicTasks(pool: Pool, tasks: PeriodicTask[], log: Log): { stop: () => Promise<void> } {
  const runs = tasks.map((task) => ({ ...task, run: withoutOverlap(task, log) }))
  const leader = openLeader(
    pool,
    leader_name,
    () => {
      for (const { run } of runs) run()
    },
    log,
  )
  const timers = runs.map(({ every_ms, run }) => setInterval(() => leader.isLeader() && run(), every_ms).unref())
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await leader.stop()
    },
  }
}

/** Repeats a task in this process, beginning now. */
export function repeat(task: PeriodicTask, log: Log): NodeJS.Timeout {
  const run = withoutOverlap(task, log)
  run()
  return setInterval(run, task.every_ms).unref()
}

/** Skips a run while the last one is still running. A failed run is logged; the next one tries again. */
function withoutOverlap({ name, run }: PeriodicTask, log: Log): () => void {
  let is_running = false
  return () => {
    if (is_running) return
    is_running = true
    run()
      .catch((error: unknown) => log.warn({ err: error, task: name }, 'a periodic task failed'))
      .finally(() => {
        is_running = false
      })
  }
}
