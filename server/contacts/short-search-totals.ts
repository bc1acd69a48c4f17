import { setImmediate } from 'node:timers/promises'
import { type At, inTransaction } from '../kit/at.ts'
import { likeContains, raw, type Sql, sql } from '../kit/postgres/sql.ts'

/**
 * How many contacts' texts hold a given character, or a given two. No index finds so little, and most texts hold it:
 * counting means reading them all. So large workspaces keep these totals. A write notes only which text went and which
 * came (contact_text_changes, in lookup.ts and store.ts), and `tally` sums that up now and then; a total is what was summed up and what was noted,
 * read in one statement, and so exact at any time.
 */
export const gram_length_max = 2

type InWorkspace = Pick<At, 'db' | 'workspace'>

const worthwhile_contacts = 10_000
const texts_at_once = 2_000

/** Whether writes must note their changes: part of the statement that makes them. */
export const isTallied = (workspace: string): Sql =>
  sql`exists (select from contact_search_tallies where workspace_id = ${workspace})`

/** Undefined as long as the workspace keeps no totals. */
export async function countHolding({ db, workspace }: At, gram: string): Promise<number | undefined> {
  const pattern = likeContains(gram)
  const found = await db.maybe<{ total: number }>(
    sql`select coalesce((select total from contact_search_totals where workspace_id = ${workspace} and term = ${gram}), 0)
        + (select coalesce(sum((coalesce(added, '') like ${pattern})::int - (coalesce(removed, '') like ${pattern})::int), 0)
          from contact_text_changes where workspace_id = ${workspace})::bigint as total
      from contact_search_tallies where workspace_id = ${workspace} and is_built`,
  )
  return found?.total
}

/** Begins for workspaces so large that it is worth while. */
export async function beginWorthwhile({ db }: Pick<At, 'db'>): Promise<void> {
  const large = await db.many<{ workspace_id: string }>(
    sql`select workspace_id from contact_counts
      where not exists (select from contact_search_tallies as tally where tally.workspace_id = contact_counts.workspace_id)
      group by workspace_id having sum(total) >= ${worthwhile_contacts}`,
  )
  for (const { workspace_id } of large) await begin({ db, workspace: workspace_id })
}

/** From now on changes are noted; `tally` does the rest as soon as all writes under way know it. */
export async function begin({ db, workspace }: InWorkspace): Promise<void> {
  await db.run(sql`insert into contact_search_tallies (workspace_id) values (${workspace}) on conflict do nothing`)
  // In a statement of its own: whoever doesn't see that row yet is older than what comes now.
  await db.run(
    sql`update contact_search_tallies set noted_from = pg_snapshot_xmax(pg_current_snapshot())
      where workspace_id = ${workspace} and noted_from is null`,
  )
}

/** Sums up what was noted. */
export async function tally({ db }: Pick<At, 'db'>): Promise<void> {
  const tallies = await db.many<{ workspace_id: string; is_built: boolean; is_due: boolean }>(
    sql`select workspace_id, is_built, noted_from <= pg_snapshot_xmin(pg_current_snapshot()) as is_due
      from contact_search_tallies`,
  )
  for (const { workspace_id, is_built, is_due } of tallies) {
    const at = { db, workspace: workspace_id }
    if (!is_built && is_due) await build(at)
    else if (is_built) while ((await sumUp(at)) === texts_at_once);
  }
}

/** From all texts there are: those that are noted in the same snapshot are among them. */
function build(at: InWorkspace): Promise<void> {
  return inTransaction(
    at,
    async (at) => {
      const { db, workspace } = at
      const held = await db.maybe(
        sql`select from contact_search_tallies where workspace_id = ${workspace} and not is_built for update skip locked`,
      )
      if (!held) return
      const counter = gramCounter()
      let last: string | undefined
      do {
        const rows: { id: string; text: string }[] = await db.many(
          sql`select id, text from contact_texts
            where workspace_id = ${workspace} ${last === undefined ? raw('') : sql`and id > ${last}`}
            order by id limit ${texts_at_once}`,
        )
        for (const { text } of rows) counter.add(text, 1)
        last = rows.at(-1)?.id
        await setImmediate()
      } while (last !== undefined)
      await add(at, counter.totals())
      await db.run(sql`delete from contact_text_changes where workspace_id = ${workspace}`)
      await db.run(sql`update contact_search_tallies set is_built = true where workspace_id = ${workspace}`)
    },
    { isolation: 'repeatable read' },
  )
}

function sumUp(at: InWorkspace): Promise<number> {
  return inTransaction(at, async (at) => {
    const { db, workspace } = at
    const changes = await db.many<{ removed: string | null; added: string | null }>(
      sql`delete from contact_text_changes where workspace_id = ${workspace} and id = any(array(
          select id from contact_text_changes where workspace_id = ${workspace}
          order by id limit ${texts_at_once} for update skip locked))
        returning removed, added`,
    )
    const counter = gramCounter()
    for (const { removed, added } of changes) {
      if (removed !== null) counter.add(removed, -1)
      if (added !== null) counter.add(added, 1)
    }
    await add(at, counter.totals())
    return changes.length
  })
}

async function add({ db, workspace }: InWorkspace, totals: Map<string, number>): Promise<void> {
  if (totals.size === 0) return
  const grams = [...totals.keys()].sort()
  await db.run(
    sql`insert into contact_search_totals as held (workspace_id, term, total)
      select ${workspace}, term, total
      from unnest(${grams}::text[], ${grams.map((gram) => totals.get(gram))}::bigint[]) as more (term, total)
      on conflict (workspace_id, term) do update set total = held.total + excluded.total`,
  )
}

const unit_bits = 16

/** Counts texts by the units and pairs of units in each: once a text, however often they stand there. */
function gramCounter() {
  const entries = new Map<number, { total: number; last_text: number }>()
  let texts = 0
  const count = (code: number, more: number) => {
    const entry = entries.get(code)
    if (!entry) entries.set(code, { total: more, last_text: texts })
    else if (entry.last_text !== texts) {
      entry.total += more
      entry.last_text = texts
    }
  }
  return {
    add(text: string, more: 1 | -1): void {
      texts += 1
      for (let at = 0; at < text.length; at += 1) {
        const unit = text.charCodeAt(at)
        count(unit, more)
        if (at > 0) count(text.charCodeAt(at - 1) * 2 ** unit_bits + unit, more)
      }
    },
    /** Without halves of characters and line breaks, which nobody can ask for. */
    totals(): Map<string, number> {
      const named = Array.from(entries, ([code, { total }]): [string, number] => [gramOf(code), total])
      return new Map(named.filter(([gram, total]) => total !== 0 && gram.isWellFormed() && !gram.includes('\n')))
    },
  }
}

/** No text holds the character 0, so that it can stand for none. */
function gramOf(code: number): string {
  const first = Math.floor(code / 2 ** unit_bits)
  const second = String.fromCharCode(code % 2 ** unit_bits)
  return first === 0 ? second : String.fromCharCode(first) + second
}
