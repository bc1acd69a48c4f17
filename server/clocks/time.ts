import type { Tools } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { setBounded } from '../kit/limits/bounded-map.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'

const live_max = 10_000

/** Selects the `workspace_id` and `now` of all test workspaces, which are few. */
export const test_times: Sql = raw('select workspace_id, now from test_clocks')

/** Reads the time of test workspaces. Which workspaces are live is cached, because that never changes. */
export function openTestTime(pool: Pick<Db, 'maybe'>): Tools['readTestTime'] {
  const live = new Map<string, true>()
  return async (workspace) => {
    if (live.has(workspace)) return undefined
    const found = await pool.maybe<{ now: string }>(sql`select now from test_clocks where workspace_id = ${workspace}`)
    if (found) return clock.parse(found.now)
    setBounded(live, workspace, true, live_max)
    return undefined
  }
}
