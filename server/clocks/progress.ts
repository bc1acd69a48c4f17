import * as clock from '../kit/clock.ts'
import { setBounded } from '../kit/limits/bounded-map.ts'
import type { Log } from '../kit/log.ts'
import type { Pool } from '../kit/postgres/pool.ts'
import { sql } from '../kit/postgres/sql.ts'

const note_every_ms = 1_000
const workspaces_max = 1_000

/**
 * Returns a function that notes, at most once a second, that work of a test workspace was done. The process that
 * advances its clock then knows that the advance makes progress. Skips a note while the last one waits for the
 * database. Never throws.
 */
export function openProgressNotes(pool: Pool, log: Log): (workspace: string) => void {
  /** When progress of each workspace was last noted. */
  const noted_ticks = new Map<string, number>()
  /** Workspaces of which a note waits for the database. */
  const pending = new Set<string>()
  return (workspace) => {
    const ticks = clock.ticks()
    if (pending.has(workspace) || pending.size === workspaces_max) return
    if (ticks - (noted_ticks.get(workspace) ?? Number.NEGATIVE_INFINITY) < note_every_ms) return
    setBounded(noted_ticks, workspace, ticks, workspaces_max)
    pending.add(workspace)
    pool
      .run(
        sql`update test_clocks set progress_at = ${clock.iso(clock.wall())}
          where workspace_id = ${workspace} and target is not null`,
      )
      .catch((error: unknown) => log.warn({ err: error, workspace_id: workspace }, 'progress could not be noted'))
      .finally(() => pending.delete(workspace))
  }
}
