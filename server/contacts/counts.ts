import type { At } from '../kit/at.ts'
import { sql } from '../kit/postgres/sql.ts'
import type { Contact } from './schema.ts'

type Counted = Pick<Contact, 'source' | 'created_at'>

/** Transactions that write to different slots don't wait for each other. */
const slots = 16

/** Adds these contacts to the counts, or with -1 subtracts them, in the transaction that creates or deletes them. */
export async function addToCounts({ db, workspace }: At, contacts: Counted[], sign: 1 | -1): Promise<void> {
  if (contacts.length === 0) return
  const slot = Math.floor(Math.random() * slots)
  const by_source = tallied(contacts, ({ source }) => source)
  const by_day = tallied(contacts, ({ created_at }) => created_at.slice(0, 10))
  const totals = (tally: [string, number][]) => tally.map(([, total]) => sign * total)
  const names = (tally: [string, number][]) => tally.map(([name]) => name)
  await Promise.all([
    db.run(
      sql`insert into contact_counts (workspace_id, source, slot, total)
        select ${workspace}, source, ${slot}, more
        from unnest(${names(by_source)}::text[], ${totals(by_source)}::bigint[]) as row (source, more)
        on conflict (workspace_id, source, slot) do update set total = contact_counts.total + excluded.total`,
    ),
    db.run(
      sql`insert into contact_day_counts (workspace_id, day, slot, total)
        select ${workspace}, day, ${slot}, more
        from unnest(${names(by_day)}::date[], ${totals(by_day)}::bigint[]) as row (day, more)
        on conflict (workspace_id, day, slot) do update set total = contact_day_counts.total + excluded.total`,
    ),
  ])
}

/** Sorted, so that transactions wait for each other instead of deadlocking. */
function tallied(contacts: Counted[], nameOf: (contact: Counted) => string): [string, number][] {
  const tally = new Map<string, number>()
  for (const contact of contacts) tally.set(nameOf(contact), (tally.get(nameOf(contact)) ?? 0) + 1)
  return [...tally].sort(([left], [right]) => (left < right ? -1 : 1))
}

export const countBySource = ({ db, workspace }: At): Promise<{ source: Contact['source']; total: number }[]> =>
  db.many(
    sql`select source, sum(total)::bigint as total from contact_counts where workspace_id = ${workspace} group by source`,
  )

/** By day in UTC. Days without contacts are left out. */
export const countByDay = ({ db, workspace }: At, since: string): Promise<{ day: string; total: number }[]> =>
  db.many(
    sql`select day::text as day, sum(total)::bigint as total from contact_day_counts
      where workspace_id = ${workspace} and day >= ${since}::date group by day`,
  )
