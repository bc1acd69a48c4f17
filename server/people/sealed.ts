import type { SealedColumn } from '../kit/crypto/reseal.ts'
import { firstIdOf } from '../kit/id.ts'
import { sql } from '../kit/postgres/sql.ts'

/** The sealed secrets of all people at once, because people belong to no workspace. */
export const sealed_column: SealedColumn = {
  name: 'two_factor_secrets.secret',
  list: ({ db }, after = firstIdOf(0), limit) =>
    db.many(
      sql`select person_id as key, secret as sealed from two_factor_secrets
        where person_id > ${after} order by person_id limit ${limit}`,
    ),
  replace: ({ db }, replacements) =>
    db.run(
      sql`update two_factor_secrets set secret = replacement.after
        from unnest(${replacements.map(({ key }) => key)}::uuid[], ${replacements.map(({ before }) => before)}::text[],
          ${replacements.map(({ after }) => after)}::text[]) as replacement (key, before, after)
        where person_id = replacement.key and secret = replacement.before`,
    ),
}
