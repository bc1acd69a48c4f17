import type { At } from '../kit/at.ts'
import { sql } from '../kit/postgres/sql.ts'
import type { Kind } from './schema.ts'
import { find, type StoredChannel } from './store.ts'

/** Whether an agent can call or write first by this channel. */
export const canBegin = (channel: StoredChannel, kind: Kind): boolean =>
  channel.kind === kind && channel.provider !== 'web' && channel.status !== 'disabled'

/**
 * Finds the only active channel of a kind that can call or write, when none is named. Returns undefined if there is none, or if there are several. In a
 * live workspace simulators don't count.
 */
export async function chooseActive(at: At, kind: Kind): Promise<StoredChannel | undefined> {
  const { db, workspace, is_test } = at
  const active = await db.many<{ id: string }>(
    sql`select id from channels
      where workspace_id = ${workspace} and kind = ${kind} and status = 'active' and provider <> 'web'
        and (provider <> 'simulator' or ${is_test})
      order by id limit 2`,
  )
  const [only, second] = active
  return only && !second ? find(at, only.id) : undefined
}
