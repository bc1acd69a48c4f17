import type { At } from '../at.ts'
import { inBatches } from '../postgres/in-batches.ts'
import type { Seal } from './seal.ts'

/** A row with a sealed text, or `null` if it has none. */
export interface SealedRow {
  key: string
  sealed: string | null
}

export interface Replacement {
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

export interface Resealed {
  resealed: number
  /** Sealed with an unknown key, and left as they are. */
  unreadable: number
}

const batch_rows = 1_000

/** Seals the column's texts with the current key, in batches. Texts that already are keep their value. */
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
