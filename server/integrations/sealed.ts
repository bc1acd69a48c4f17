import type { SealedColumn } from '../kit/crypto/reseal.ts'
import { firstIdOf } from '../kit/id.ts'
import { raw, sql } from '../kit/postgres/sql.ts'

export const sealed_columns: SealedColumn[] = ['token', 'signing_secret'].map((name) => {
  const column = raw(name)
  return {
    name: `integrations.${name}`,
    list: ({ db, workspace }, after = firstIdOf(0), limit) =>
      db.many(
        sql`select id as key, ${column} as sealed from integrations
          where workspace_id = ${workspace} and id > ${after} order by id limit ${limit}`,
      ),
    replace: ({ db, workspace }, replacements) =>
      db.run(
        sql`update integrations set ${column} = replacement.after
          from unnest(${replacements.map(({ key }) => key)}::uuid[], ${replacements.map(({ before }) => before)}::text[],
            ${replacements.map(({ after }) => after)}::text[]) as replacement (key, before, after)
          where workspace_id = ${workspace} and id = replacement.key and ${column} = replacement.before`,
      ),
  }
})
