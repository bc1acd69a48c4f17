import { type At, on, type Reaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { named, namesIn } from '../kit/postgres/names.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { announce } from '../kit/work/rows.ts'
import * as providers from '../models/store.ts'
import { table } from './store.ts'

export const reactions: Reaction[] = [
  named('document', namesIn(raw('documents'), raw('name'))),
  on(providers.changed, addVectorsAnew),
]

/** Lets the background work look for passages that lack a vector of the model that is used now. */
async function addVectorsAnew(at: At): Promise<void> {
  const { db, workspace, now } = at
  const due = await db.run(
    sql`update documents set due_at = ${clock.iso(now)}, attempt = 0,
        lease_until = case when lease_token is null then null else lease_until end
      where workspace_id = ${workspace} and edition_id is not null`,
  )
  if (due > 0) announce(at, { table })
}
