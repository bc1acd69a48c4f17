import type { At } from '../kit/at.ts'
import * as page from '../kit/postgres/page.ts'
import { rowByKey } from '../kit/postgres/row-by-key.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { contactTotal, countContacts } from './counts.ts'
import { assertCrmFilterIsComplete, contactContains, hasOtherFilters, isFiltered, selectMatches } from './filters.ts'
import { columns } from './rows.ts'
import { type Contact, type ContactQuery, parseSort } from './schema.ts'
import { hasIndexedWord, parseSearch, type SearchWords, textContains, textContainsIndexed } from './search-words.ts'
import { countShortMatches, keepsTotals } from './short-search-totals.ts'

/*
 * Finds one page of contacts, and the exact total of contacts that match.
 *
 * The rows of `contacts` are wide, so a search reads `contact_texts`, which has only the searchable text of each contact,
 * and a tag filter reads `contact_tags`, which has a row for each tag of a contact. A list first selects the ids that
 * match, then takes the ids of one page, and only then reads the contacts of that page.
 *
 * `list` chooses one of four strategies:
 *
 * - Without filters (`listAll`), the total comes from counts that every write updates.
 * - A search with a word of three letters or digits in a row (`searchByIndex`) uses the trigram index on `contact_texts`.
 * - Any other search (`searchWithoutIndex`) has to read texts one by one. If it is one word of one or two characters, a
 *   large workspace already has its total (short-search-totals.ts), so only the page must be found.
 * - Filters without a search (`readPageAndCount`) read the page and count the matches in two concurrent statements.
 *
 * A workspace is large if it keeps short-search totals, which starts at 10,000 contacts. The measurements behind these
 * choices are in docs/decisions/0010 and 0011.
 */

/** From this offset on, it pays to read the total first and then the page from the nearer end of the list. */
const deep_offset = 1_000

/** A search first tries this many of the newest contacts: they fill a page of 20 if about one contact in 38 matches. */
const newest_searched = 800

/** Reading one text by its contact's key costs about as much as reading this many texts in a scan of the table. */
const text_by_key_cost = 10

interface ListRequest {
  at: At
  query: ContactQuery
  /** Limits a selection to the requested page and one more row, which shows whether there is a next page. */
  page_sql: page.PageSql
}

interface SearchRequest extends ListRequest {
  words: SearchWords
}

interface FoundContacts {
  rows: Contact[]
  total: number
}

export async function list(at: At, query: ContactQuery): Promise<page.Page<Contact>> {
  assertCrmFilterIsComplete(query)
  return page.read(query, parseSort(query.sort), (page_sql) => {
    const request = { at, query, page_sql }
    if (!isFiltered(query)) return listAll(request)
    if (query.search === undefined) return readPageAndCount(request, selectMatches(at.workspace, query))
    const words = parseSearch(query.search)
    return hasIndexedWord(words) ? searchByIndex({ ...request, words }) : searchWithoutIndex({ ...request, words })
  })
}

async function listAll(request: ListRequest): Promise<FoundContacts> {
  const { at, query, page_sql } = request
  if (query.offset >= deep_offset) return listAllFromNearerEnd(request)
  const all = sql`select ${columns} from contacts where workspace_id = ${at.workspace}`
  const [rows, total] = await Promise.all([at.db.many<Contact>(page_sql.rows(all)), countContacts(at)])
  return { rows, total }
}

async function listAllFromNearerEnd({ at, query, page_sql }: ListRequest): Promise<FoundContacts> {
  const total = await countContacts(at)
  const is_end_nearer = query.offset > total / 2
  // Rows are skipped from the end, so the total must be read in the same statement as the page.
  const nearer_page_sql = is_end_nearer
    ? page.fromEnd(query, parseSort(query.sort), contactTotal(at.workspace))
    : page_sql
  return { rows: await readPage(at, selectMatches(at.workspace, query), nearer_page_sql), total }
}

async function searchByIndex(request: SearchRequest): Promise<FoundContacts> {
  const { at, query, words } = request
  const indexed_matches = selectMatches(at.workspace, query, textContainsIndexed(words))
  if (isFirstPageOfNewest(query) && !hasOtherFilters(query)) {
    const rows = await searchNewest(request)
    // The page is full if there is also the additional row that `page_sql` selects.
    if (rows.length > query.limit) return { rows, total: await page.count(at.db, indexed_matches) }
  }
  return searchInOneStatement(request, indexed_matches)
}

const isFirstPageOfNewest = ({ sort, offset, cursor }: ContactQuery): boolean =>
  sort === '-created_at' && offset === 0 && cursor === undefined

/**
 * Searches only the newest contacts of a large workspace. A common term fills the first page from these, so that its
 * matches need only be counted, not sorted. In a small workspace this selects nothing.
 */
function searchNewest({ at, words, page_sql }: SearchRequest): Promise<Contact[]> {
  const { workspace } = at
  const newest = sql`select id, created_at from contacts
    where workspace_id = ${workspace} and (select ${keepsTotals(workspace)})
    order by created_at desc, id desc limit ${raw(String(newest_searched))}`
  const matches = sql`select id, created_at from (${newest}) as newest
    where ${contactContains(workspace, { id: raw('newest.id'), words })}`
  return readPage(at, matches, page_sql)
}

/**
 * Selects the matches once, then both counts them and takes the page from them.
 *
 * The index covers the texts of all workspaces. In a small workspace it is faster to read all of the workspace's texts
 * instead. The statement has both halves, and PostgreSQL skips the half whose size condition is false.
 */
async function searchInOneStatement(
  { at, query, words, page_sql }: SearchRequest,
  indexed_matches: Sql,
): Promise<FoundContacts> {
  const { db, workspace } = at
  const large_condition = keepsTotals(workspace)
  const scanned_matches = selectMatches(workspace, query, textContains(words))
  const rows = await db.many<Contact & { total: number }>(
    sql`with matching as materialized (
        ${indexed_matches} and (select ${large_condition}) union all ${scanned_matches} and not (select ${large_condition}))
      select ${columns}, total from (select count(*) as total from matching) as counted
      left join (${joinPageContacts(workspace, raw('table matching'), page_sql)}) on true
      order by ${page_sql.order}`,
  )
  // An empty page still has one row, with the total and no contact.
  return { rows: rows.filter(({ id }) => id !== null), total: rows[0]?.total ?? 0 }
}

async function searchWithoutIndex(request: SearchRequest): Promise<FoundContacts> {
  const { at, query, words, page_sql } = request
  const matches = selectMatches(at.workspace, query, textContains(words))
  const total = hasOtherFilters(query) ? undefined : await countShortMatches(at, words)
  if (total === undefined) return readPageAndCount(request, matches)
  if (total === 0) return { rows: [], total }
  return {
    rows: await readPage(at, isListOrderCheaper(request, total) ? selectInListOrder(request) : matches, page_sql),
    total,
  }
}

/**
 * Compares two ways to read texts. A scan reads all texts of the workspace. Reading in list order looks up each text by
 * its key and stops when the page is full: after about `(offset + limit) / total` of all contacts.
 */
const isListOrderCheaper = ({ query }: SearchRequest, total: number): boolean =>
  total >= text_by_key_cost * (query.offset + query.limit)

/** Selects matches so that PostgreSQL can go through the contacts in the order of the list. */
const selectInListOrder = ({ at, query, words }: SearchRequest): Sql =>
  sql`select id, ${raw(parseSort(query.sort).column)} from contacts
    where workspace_id = ${at.workspace} and ${contactContains(at.workspace, { id: raw('contacts.id'), words })}`

async function readPageAndCount({ at, page_sql }: ListRequest, matches: Sql): Promise<FoundContacts> {
  const [rows, total] = await Promise.all([readPage(at, matches, page_sql), page.count(at.db, matches)])
  return { rows, total }
}

function readPage({ db, workspace }: At, matches: Sql, page_sql: page.PageSql): Promise<Contact[]> {
  return db.many<Contact>(
    sql`select ${columns} from ${joinPageContacts(workspace, matches, page_sql)} order by ${page_sql.order}`,
  )
}

/** Takes the ids of one page from the matches and reads these contacts by key. */
const joinPageContacts = (workspace: string, matches: Sql, page_sql: page.PageSql): Sql =>
  sql`(${page_sql.rows(matches, raw('id as page_id'))}) as page
    cross join lateral (${rowByKey('contacts', workspace, 'id', raw('page_id'))}) as contact`
