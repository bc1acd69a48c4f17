import type { At } from '../kit/at.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import type { Contact } from './schema.ts'

type Counted = Pick<Contact, 'source' | 'created_at'>

/** Each count is the sum of this many rows. Transactions that write to different rows don't wait for each other. */
const slots = 16

/** Runs in the transaction that creates the contacts. */
export const addToCounts = (at: At, contacts: Counted[]): Promise<void> => changeCounts(at, contacts, 1)

/** Runs in the transaction that deletes the contacts. */
export const subtractFromCounts = (at: At, contacts: Counted[]): Promise<void> => changeCounts(at, contacts, -1)

async function changeCounts({ db, workspace }: At, contacts: Counted[], sign: 1 | -1): Promise<void> {
  if (contacts.length === 0) return
  const slot = Math.floor(Math.random() * slots)
  const by_source = countBy(contacts, ({ source }) => source)
  const by_day = countBy(contacts, ({ created_at }) => created_at.slice(0, 10))
  const names = (counts: [string, number][]) => counts.map(([name]) => name)
  const changes = (counts: [string, number][]) => counts.map(([, count]) => sign * count)
  await Promise.all([
    db.run(
      sql`insert into contact_counts (workspace_id, source, slot, total)
        select ${workspace}, source, ${slot}, change
        from unnest(${names(by_source)}::text[], ${changes(by_source)}::bigint[]) as row (source, change)
        on conflict (workspace_id, source, slot) do update set total = contact_counts.total + excluded.total`,
    ),
    db.run(
      sql`insert into contact_day_counts (workspace_id, day, slot, total)
        select ${workspace}, day, ${slot}, change
        from unnest(${names(by_day)}::date[], ${changes(by_day)}::bigint[]) as row (day, change)
        on conflict (workspace_id, day, slot) do update set total = contact_day_counts.total + excluded.total`,
    ),
  ])
}

/** Sorts them by name, so that concurrent transactions lock rows in the same order and don't deadlock. */
function countBy(contacts: Counted[], nameOf: (contact: Counted) => string): [string, number][] {
  const counts = new Map<string, number>()
  for (const contact of contacts) counts.set(nameOf(contact), (counts.get(nameOf(contact)) ?? 0) + 1)
  return [...counts].sort(([left], [right]) => (left < right ? -1 : 1))
}

/** The number of contacts in the workspace, as part of a statement. */
export const contactTotal = (workspace: string): Sql =>
  sql`(select coalesce(sum(total), 0)::bigint from contact_counts where workspace_id = ${workspace})`

export const countContacts = async ({ db, workspace }: At): Promise<number> =>
  (await db.one<{ total: number }>(sql`select ${contactTotal(workspace)} as total`)).total

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
