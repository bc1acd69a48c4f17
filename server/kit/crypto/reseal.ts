import type { At } from '../at.ts'
import { firstIdOf } from '../id.ts'
import { inBatches } from '../postgres/in-batches.ts'
import { raw, sql } from '../postgres/sql.ts'
import type { Seal } from './seal.ts'

/** A row with a sealed text, or `null` if it has none. */
interface SealedRow {
  key: string
  sealed: string | null
}

interface Replacement {
  key: string
  before: string
  after: string
}

/** A column of a workspace's rows that holds sealed texts. */
export interface SealedColumn {
  /** Table and column, for the report. */
  name: string
  /** The first `limit` rows after this key, or from the start, by an index. */
  list: (at: At, after: string | undefined, limit: number) => Promise<SealedRow[]>
  /** Replaces texts that are still the same as before, and returns how many. */
  replace: (at: At, replacements: Replacement[]) => Promise<number>
}

/** Columns of a table whose rows have an `id`. They are resealed in this order. */
export function sealedColumns(table: string, columns: string[]): SealedColumn[] {
  const rows = raw(table)
  return columns.map((name) => {
    const column = raw(name)
    return {
      name: `${table}.${name}`,
      list: ({ db, workspace }, after = firstIdOf(0), limit) =>
        db.many(
          sql`select id as key, ${column} as sealed from ${rows}
            where workspace_id = ${workspace} and id > ${after} order by id limit ${limit}`,
        ),
      replace: ({ db, workspace }, replacements) =>
        db.run(
          sql`update ${rows} set ${column} = replacement.after
            from unnest(${replacements.map(({ key }) => key)}::uuid[], ${replacements.map(({ before }) => before)}::text[],
              ${replacements.map(({ after }) => after)}::text[]) as replacement (key, before, after)
            where workspace_id = ${workspace} and id = replacement.key and ${column} = replacement.before`,
        ),
    }
  })
}

export interface Resealed {
  resealed: number
  /** Texts that were sealed with an unknown key, and are left as they are. */
  unreadable: number
}

const batch_rows = 1_000

/**
 * Seals the column's texts with the current key, in batches. Texts that were sealed with it already keep their value.
 */
export async function resealColumn(at: At, { list, replace }: SealedColumn): Promise<Resealed> {
  const { seal } = at.tools
  const result: Resealed = { resealed: 0, unreadable: 0 }
  let last: string | undefined
  await inBatches(batch_rows, async () => {
    const rows = await list(at, last, batch_rows)
    const replacements: Replacement[] = []
    for (const { key, sealed: before } of rows) {
      if (before === null || seal.isCurrent(before)) continue
      const after = reseal(seal, before)
      if (after === undefined) result.unreadable += 1
      else replacements.push({ key, before, after })
    }
    if (replacements.length > 0) result.resealed += await replace(at, replacements)
    last = rows.at(-1)?.key ?? last
    return rows.length
  })
  return result
}

function reseal({ open, close }: Seal, sealed: string): string | undefined {
  let text: string
  try {
    text = open(sealed)
  } catch {
    return undefined
  }
  return close(text)
}
