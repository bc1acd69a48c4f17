import { type At, type InWorkspace, inTransaction } from '../kit/at.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import { selectRows } from '../kit/postgres/citus/tenants.ts'
import { likeContains, raw, type Sql, sql } from '../kit/postgres/sql.ts'
import * as workspaces from '../workspaces/store.ts'
import type { SearchWords } from './search-words.ts'
import { newTermCounter } from './term-counter.ts'

/*
 * Keeps the number of contacts that match each possible search of one word with one or two characters.
 *
 * No index helps such a search, and it matches a large part of all texts, so counting would read every text of the
 * workspace. Large workspaces therefore keep the totals in `contact_search_totals`.
 *
 * Writes don't update the totals, because all writes would wait for the same few rows. They insert the removed and the
 * added text into `contact_text_changes` (search-index.ts), and `applyChanges` adds these changes to the totals a few
 * seconds later. A total is the stored total plus the changes not yet applied, read in one statement, so it is always exact.
 *
 * A row in `contact_search_tallies` says that a workspace keeps totals. docs/decisions/0011 explains how they start.
 */

/** Lengths are in UTF-16 code units. @internal */
export const short_term_length_max = 2

/** Counting by reading every text is fast enough below this. */
const large_workspace_contacts = 10_000
const texts_per_batch = 2_000

/** A part of a statement that asks whether the workspace keeps totals, and so whether writes must record text changes. */
export const keepsTotals = (workspace: string): Sql =>
  sql`exists (select from contact_search_tallies where workspace_id = ${workspace})`

/**
 * Call this before the statement that records text changes if the workspace keeps totals, in the same transaction. A
 * transaction that doesn't record its changes shares the workspace's row, so that the totals are not built before it
 * has ended.
 */
export const shareUnlessRecording = (at: InWorkspace): Promise<number> =>
  workspaces.shareUnless(at, keepsTotals(at.workspace))

/** Returns undefined if the search is more than one word of two characters, or the workspace keeps no totals. */
export async function countShortMatches(
  { db, workspace }: At,
  { texts: [term = '', ...others], numbers }: SearchWords,
): Promise<number | undefined> {
  if (others.length > 0 || numbers.length > 0 || term.length > short_term_length_max) return undefined
  const pattern = likeContains(term)
  const found = await db.maybe<{ total: number }>(
    sql`select coalesce((select total from contact_search_totals where workspace_id = ${workspace} and term = ${term}), 0)
        + (select coalesce(sum((coalesce(added, '') like ${pattern})::int - (coalesce(removed, '') like ${pattern})::int), 0)
          from contact_text_changes where workspace_id = ${workspace})::bigint as total
      from contact_search_tallies where workspace_id = ${workspace} and is_built`,
  )
  return found?.total
}

/** Workspaces that keep totals, or are large enough to. */
export const workspacesWithTotals = ({ db }: Pick<At, 'db'>): Promise<{ workspace_id: string }[]> =>
  db.many(
    sql`select workspace_id from contact_search_tallies
      union select workspace_id from contact_counts group by workspace_id having sum(total) >= ${large_workspace_contacts}`,
  )

/** Starts the totals of a workspace that has become large, and applies its changes. */
export async function keepUpTotals(at: InWorkspace): Promise<void> {
  const { db, workspace } = at
  const large = await db.maybe(
    sql`select from contact_counts where workspace_id = ${workspace} and not ${keepsTotals(workspace)}
      having sum(total) >= ${large_workspace_contacts}`,
  )
  if (large) await startTotals(at)
  await applyChanges(at)
}

/** Begins to record text changes. The totals are built once no open transaction has missed this. @internal */
export async function startTotals({ db, workspace }: InWorkspace): Promise<void> {
  await db.run(sql`insert into contact_search_tallies (workspace_id) values (${workspace}) on conflict do nothing`)
}

/** Commits that record changes have this topic. */
export const topic = 'contact_text_changes'

/** Adds the recorded changes to the totals, or builds totals that were started. Returns true if it must do so later. */
export async function applyChanges(at: InWorkspace): Promise<boolean> {
  const tally = await at.db.maybe<{ is_built: boolean }>(
    sql`select is_built from contact_search_tallies where workspace_id = ${at.workspace}`,
  )
  if (!tally) return false
  if (!tally.is_built && (await workspaces.isShared(at))) return true
  if (!tally.is_built) await buildTotals(at)
  while ((await applyBatch(at)) === texts_per_batch);
  return false
}

/**
 * Builds the totals. One snapshot has the texts and the changes recorded so far, so these changes are dropped and not
 * applied.
 */
function buildTotals(at: InWorkspace): Promise<void> {
  return inTransaction(
    at,
    async (at) => {
      const { db, workspace } = at
      const locked = await db.maybe(
        sql`select from contact_search_tallies where workspace_id = ${workspace} and not is_built for update skip locked`,
      )
      if (!locked) return
      await addToTotals(at, await countAllTexts(at))
      await db.run(sql`delete from contact_text_changes where workspace_id = ${workspace}`)
      await db.run(sql`update contact_search_tallies set is_built = true where workspace_id = ${workspace}`)
    },
    { isolation: 'repeatable read' },
  )
}

async function countAllTexts({ db, workspace }: InWorkspace): Promise<Map<string, number>> {
  const counter = newTermCounter()
  let last_id: string | undefined
  do {
    const rows: { id: string; text: string }[] = await db.many(
      sql`select id, text from contact_texts
        where workspace_id = ${workspace} ${last_id === undefined ? raw('') : sql`and id > ${last_id}`}
        order by id limit ${texts_per_batch}`,
    )
    for (const { text } of rows) counter.count(text, 1)
    last_id = rows.at(-1)?.id
    await letOthersRun()
  } while (last_id !== undefined)
  return counter.totals()
}

/** Applies some changes. Returns their number. `skip locked` lets several processes share the work. */
function applyBatch(at: InWorkspace): Promise<number> {
  return inTransaction(at, async (at) => {
    const { db, workspace } = at
    const changes = await db.many<{ removed: string | null; added: string | null }>(
      sql`delete from contact_text_changes where workspace_id = ${workspace} and id = any(array(
          select id from contact_text_changes where workspace_id = ${workspace}
          order by id limit ${texts_per_batch} for update skip locked))
        returning removed, added`,
    )
    const counter = newTermCounter()
    for (const { removed, added } of changes) {
      if (removed !== null) counter.count(removed, -1)
      if (added !== null) counter.count(added, 1)
    }
    await addToTotals(at, counter.totals())
    return changes.length
  })
}

async function addToTotals(at: InWorkspace, totals: Map<string, number>): Promise<void> {
  if (totals.size === 0) return
  // Sorted, so that concurrent transactions lock rows in the same order and don't deadlock.
  const terms = [...totals.keys()].sort()
  const selected = selectRows(at, {
    columns: raw('term, total'),
    from: sql`unnest(${terms}::text[], ${terms.map((term) => totals.get(term))}::bigint[]) as change (term, total)`,
  })
  await at.db.run(
    sql`insert into contact_search_totals as stored (workspace_id, term, total) ${selected}
      on conflict (workspace_id, term) do update set total = stored.total + excluded.total`,
  )
}
