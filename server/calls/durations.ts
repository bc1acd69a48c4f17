import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql } from '../kit/postgres/sql.ts'

const looked_at_max = 1_000
const looked_back_ms = 30 * clock.day_ms
const default_ms = 60_000

/** How long the calls of an agent that were answered took lately, on average. */
export async function averageAnswered({ db, workspace, now }: At, agent_id: string): Promise<number> {
  const { average } = await db.one<{ average: number | null }>(
    sql`select round(avg(duration_ms))::integer as average from (
      select duration_ms from calls
      where workspace_id = ${workspace} and agent_id = ${agent_id} and created_at > ${clock.iso(now - looked_back_ms)}
        and outcome = 'answered'
      order by created_at desc limit ${looked_at_max}) as answered`,
  )
  return average ?? default_ms
}
