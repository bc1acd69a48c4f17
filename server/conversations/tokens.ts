import type { At } from '../kit/at.ts'
import { sharedRead } from '../kit/postgres/shared-read.ts'
import { sql } from '../kit/postgres/sql.ts'
import * as workspaces from '../workspaces/store.ts'
import { dayOf } from './settings.ts'

/** Runs in the transaction that writes the answers. */
export async function addTokens({ db, workspace, now }: At, tokens: number): Promise<void> {
  if (tokens === 0) return
  await db.run(
    sql`insert into token_days (workspace_id, day, tokens) values (${workspace}, ${dayOf(now)}, ${tokens})
      on conflict (workspace_id, day) do update set tokens = token_days.tokens + excluded.tokens`,
  )
}

/** Whether the workspace has used the tokens that it may use in a day. */
export const isOverDailyLimit = sharedRead(async (at: At): Promise<boolean> => {
  const { db, workspace, now } = at
  const [found, { tokens_per_day_max }] = await Promise.all([
    db.maybe<{ tokens: number }>(
      sql`select tokens from token_days where workspace_id = ${workspace} and day = ${dayOf(now)}`,
    ),
    workspaces.readSettings(at),
  ])
  return (found?.tokens ?? 0) >= tokens_per_day_max
})
