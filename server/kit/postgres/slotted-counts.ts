import type { InWorkspace } from '../at.ts'
import { selectRows } from './citus/tenants.ts'
import { join, raw, type Sql, sql } from './sql.ts'

/** Each total is the sum of this many rows. Transactions that write to different rows don't wait for each other. */
const slots = 16

/** A thing moves from one value to another. A new thing comes from `null`, and a deleted one goes to it. */
export interface CountChange<Value extends string> {
  from: Value | null
  to: Value | null
}

type ColumnType = 'text' | 'uuid' | 'date'

/** The columns of a table. It also has `workspace_id`, `slot` and `total`; the primary key is all but the total. */
interface Columns<Key extends string> {
  /** Columns whose values are fields of a change. */
  keys?: Record<Key, ColumnType>
  /** The column whose value changes. */
  value: { name: string; type: ColumnType }
}

interface SlottedCounts<Change extends CountChange<string>> {
  /** Runs in the transaction that changes what is counted. */
  count: (at: InWorkspace, changes: Change[]) => Promise<void>
  /** Selects the total of one value, or of all. */
  selectTotal: (workspace: string, value?: NonNullable<Change['to']>) => Sql
}

/** Totals by workspace, keys and value, each kept in several rows. */
export function slottedCounts<Change extends CountChange<string>>(
  name: string,
  { keys, value }: Columns<Exclude<keyof Change & string, keyof CountChange<string>>>,
): SlottedCounts<Change> {
  const table = raw(name)
  // The keys of the record are those of its type: descriptions are literals.
  const key_names = Object.keys(keys ?? {}) as (keyof Change)[]
  const columns = raw([...key_names, value.name].join(', '))
  const types = [...Object.values<ColumnType>(keys ?? {}), value.type].map((type) => raw(`::${type}[]`))

  /** Sums up the changes and sorts them, so that concurrent transactions lock the rows in the same order. */
  function sumUp(changes: Change[]): Total[] {
    const totals = new Map<string, Total>()
    const add = (change: Change, to: string | null, by: number) => {
      if (to === null) return
      const values = [...key_names.map((key) => String(change[key])), to]
      const key = values.join(' ')
      const total = totals.get(key)
      if (total) total.by += by
      else totals.set(key, { values, by })
    }
    for (const change of changes) {
      add(change, change.from, -1)
      add(change, change.to, 1)
    }
    return [...totals]
      .filter(([, { by }]) => by !== 0)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([, total]) => total)
  }

  return {
    async count(at, changes) {
      const totals = sumUp(changes)
      if (totals.length === 0) return
      const lists = types.map((type, index) => sql`${totals.map(({ values }) => values[index])}${type}`)
      const selected = selectRows(at, {
        columns: sql`${columns}, ${Math.floor(Math.random() * slots)}, change`,
        from: sql`unnest(${join(lists, ', ')}, ${totals.map(({ by }) => by)}::bigint[]) as row (${columns}, change)`,
      })
      await at.db.run(
        sql`insert into ${table} as kept (workspace_id, ${columns}, slot, total) ${selected}
          on conflict (workspace_id, ${columns}, slot) do update set total = kept.total + excluded.total`,
      )
    },
    selectTotal: (workspace, wanted) =>
      sql`select coalesce(sum(total), 0)::bigint as total from ${table} where workspace_id = ${workspace}
        ${wanted === undefined ? raw('') : sql`and ${raw(value.name)} = ${wanted}`}`,
  }
}

interface Total {
  /** The values of the columns, in their order. */
  values: string[]
  by: number
}
