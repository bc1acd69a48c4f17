import type { At } from '../kit/at.ts'
import { type CountChange, slottedCounts } from '../kit/postgres/slotted-counts.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import type { Contact } from './schema.ts'

type CountedContact = Pick<Contact, 'source' | 'created_at'>

const by_source = slottedCounts<CountChange<Contact['source']>>('contact_counts', {
  value: { name: 'source', type: 'text' },
})
const by_day = slottedCounts<CountChange<string>>('contact_day_counts', { value: { name: 'day', type: 'date' } })

/** Runs in the transaction that creates the contacts. */
export const addToCounts = (at: At, contacts: CountedContact[]): Promise<void> =>
  changeCounts(at, contacts, (value) => ({ from: null, to: value }))

/** Runs in the transaction that deletes the contacts. */
export const subtractFromCounts = (at: At, contacts: CountedContact[]): Promise<void> =>
  changeCounts(at, contacts, (value) => ({ from: value, to: null }))

async function changeCounts(
  at: At,
  contacts: CountedContact[],
  toChange: <Value extends string>(value: Value) => CountChange<Value>,
): Promise<void> {
  await Promise.all([
    by_source.count(
      at,
      contacts.map(({ source }) => toChange(source)),
    ),
    by_day.count(
      at,
      contacts.map(({ created_at }) => toChange(created_at.slice(0, 10))),
    ),
  ])
}

/** The number of contacts in the workspace, as part of a statement. */
export const contactTotal = (workspace: string): Sql => sql`(${by_source.selectTotal(workspace)})`

export const countContacts = async ({ db, workspace }: At): Promise<number> =>
  (await db.one<{ total: number }>(by_source.selectTotal(workspace))).total

export const countBySource = ({ db, workspace }: At): Promise<{ source: Contact['source']; total: number }[]> =>
  db.many(
    sql`select source, sum(total)::bigint as total from contact_counts where workspace_id = ${workspace} group by source`,
  )

/** Counts contacts by the day in UTC on which they were created. Days without contacts are left out. */
export const countByDay = ({ db, workspace }: At, first_day: string): Promise<{ day: string; total: number }[]> =>
  db.many(
    sql`select day::text as day, sum(total)::bigint as total from contact_day_counts
      where workspace_id = ${workspace} and day >= ${first_day}::date group by day`,
  )
