import * as channels from '../channels/store.ts'
import * as channel_usage from '../channels/usage.ts'
import type { At } from '../kit/at.ts'
import { sharedRead } from '../kit/postgres/shared-read.ts'
import { sql } from '../kit/postgres/sql.ts'
import { dayOf } from '../talk/settings.ts'
import * as workspaces from '../workspaces/store.ts'

interface Used {
  channel_id: string | null
  tokens: number
}

/** Runs in the transaction that writes the answers. */
export async function addTokens(at: At, used: Used[]): Promise<void> {
  const { db, workspace, now } = at
  const tokens = used.reduce((sum, one) => sum + one.tokens, 0)
  if (tokens === 0) return
  await Promise.all([
    db.run(
      sql`insert into token_days (workspace_id, day, tokens) values (${workspace}, ${dayOf(now)}, ${tokens})
        on conflict (workspace_id, day) do update set tokens = token_days.tokens + excluded.tokens`,
    ),
    channel_usage.addTokens(
      at,
      used.flatMap(({ channel_id, tokens }) => (channel_id === null || tokens === 0 ? [] : [{ channel_id, tokens }])),
    ),
  ])
}

/** Returns whether no more tokens may be used today, in the workspace or on the channel. */
export async function isOverLimit(at: At, { channel_id }: { channel_id: string | null }): Promise<boolean> {
  const [is_over, channel] = await Promise.all([
    isOverDailyLimit(at),
    channel_id === null ? undefined : channels.find(at, channel_id),
  ])
  return is_over || (channel !== undefined && (await channel_usage.isOverTokens(at, channel)))
}

/** Returns whether the workspace has used the tokens that it may use in a day. */
const isOverDailyLimit = sharedRead(async (at: At): Promise<boolean> => {
  const { db, workspace, now } = at
  const [found, { tokens_per_day_max }] = await Promise.all([
    db.maybe<{ tokens: number }>(
      sql`select tokens from token_days where workspace_id = ${workspace} and day = ${dayOf(now)}`,
    ),
    workspaces.readSettings(at),
  ])
  return (found?.tokens ?? 0) >= tokens_per_day_max
})
