import type { At } from '../kit/at.ts'
import { isId } from '../kit/id.ts'
import { ExpiringMap } from '../kit/limits/expiring-map.ts'
import { openTokenLookup } from '../kit/limits/token-lookup.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import * as workspaces from '../workspaces/store.ts'

/** The workspace of a channel. */
export interface Owner {
  workspace_id: string
  is_test: boolean
}

/** A channel that was deleted is still found for this long. */
const fresh_ms = 500
const cached_max = 10_000

/** Finds the workspaces of channels, for requests that name only the channel. `now` is wall time. */
export function openOwnerLookup(db: Db): (id: string, now: number) => Promise<Owner | undefined> {
  const known = new ExpiringMap<Owner>(fresh_ms, cached_max)
  const find = openTokenLookup<{ token: string }, Owner>((wanted) =>
    findOwners(
      { db },
      wanted.map(({ token }) => token),
    ),
  )
  return async (id, now) => {
    const cached = known.get(id, now)
    if (cached || !isId(id)) return cached
    const owner = await find({ token: id }, now)
    if (owner) known.set(id, owner, now)
    return owner
  }
}

async function findOwners({ db }: Pick<At, 'db'>, ids: string[]): Promise<(Owner | undefined)[]> {
  const rows = await db.many<Owner & { channel_id: string }>(
    sql`select channel_id, workspace_id, ${workspaces.isTest(raw('workspace_id'))} as is_test
      from channel_directory where channel_id = any(${ids}::uuid[])`,
  )
  const found = new Map(rows.map(({ channel_id, ...owner }) => [channel_id, owner]))
  return ids.map((id) => found.get(id))
}
