import { inParallel } from '../limits/in-parallel.ts'
import type { Log } from '../log.ts'
import type { Pool } from '../postgres/pool.ts'
import { repeat } from './periodic.ts'

const workspaces_at_once = 2

interface FollowUp {
  name: string
  /** Notifications of the commits that it follows have this topic. */
  topic: string
  every_ms: number
  /** Returns true if it must run again. */
  run: (workspace: string) => Promise<boolean>
}

/**
 * Follows the commits of this process: `run` is called once for all commits in a workspace since its last call. This is
 * for work that nobody waits for. A periodic task finds what a killed process has not done, or what has failed: a node
 * of the database may be down.
 */
export function openFollowUp(
  pool: Pool,
  { name, topic, every_ms, run }: FollowUp,
  log: Log,
): { stop: () => Promise<void> } {
  const waiting = new Set<string>()
  const unsubscribe = pool.subscribe((notification) => {
    if (notification.topic === topic) waiting.add(notification.workspace)
  })
  let is_stopped = false
  async function runIn(workspace: string): Promise<void> {
    waiting.delete(workspace)
    if (!is_stopped && (await run(workspace))) waiting.add(workspace)
  }
  let running: Promise<unknown> = Promise.resolve()
  const runAll = () => {
    const run = inParallel([...waiting], { at_once: workspaces_at_once }, runIn)
    running = run.catch(() => {})
    return run
  }
  const timer = repeat({ name, every_ms, run: runAll }, log)
  return {
    async stop() {
      is_stopped = true
      unsubscribe()
      clearInterval(timer)
      await running
    },
  }
}
