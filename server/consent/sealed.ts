import type { SealedColumn } from '../kit/crypto/reseal.ts'
import { firstIdOf } from '../kit/id.ts'
import { sql } from '../kit/postgres/sql.ts'

/** The sealed secrets of ledgers. A workspace has at most one row. */
export const sealed_column: SealedColumn = {
  name: 'consent_ledgers.secret',
  list: ({ db, workspace }, after = firstIdOf(0), limit) =>
    db.many(
      sql`select workspace_id as key, secret as sealed from consent_ledgers
        where workspace_id = ${workspace} and workspace_id > ${after} limit ${limit}`,
    ),
  replace: ({ db, workspace }, replacements) =>
    db.run(
      sql`update consent_ledgers set secret = replacement.after
        from unnest(${replacements.map(({ before }) => before)}::text[], ${replacements.map(({ after }) => after)}::text[])
          as replacement (before, after)
        where workspace_id = ${workspace} and secret = replacement.before`,
    ),
}
