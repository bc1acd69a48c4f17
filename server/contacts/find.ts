import type { At } from '../kit/at.ts'
import * as page from '../kit/postgres/page.ts'
import { rowByKey } from '../kit/postgres/row-by-key.ts'
import { join, likeContains, raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { invalid } from '../kit/problem.ts'
import { fold, foldTag } from './normalize.ts'
import { type Contact, type ContactQuery, type ExportQuery, sortOf } from './schema.ts'
import * as grams from './short-search-totals.ts'
import { columns } from './store.ts'

/** From there on it is worth a statement to know which end of the list is nearer. */
const far_offset = 1_000
/** Looking at contacts in their order, until a page is full, is dearer for each than looking at all: by about that. */
const walk_cost = 10

/** Enough that a term which one in forty holds fills a page; each costs as much as the index of a rare term saves. */
const newest_max = 800

interface Found {
  rows: Contact[]
  total: number
}

export async function list(at: At, query: ContactQuery): Promise<page.Page<Contact>> {
  assertWholeCrmId(query)
  const term = query.search === undefined ? undefined : fold(query.search) || query.search
  return page.read(query, sortOf(query.sort), (cut) => {
    if (!isFiltered(query)) return readAll(at, query, cut)
    const matches = matchesOf(at.workspace, query, term === undefined ? undefined : holds(term))
    if (term !== undefined && hasIndexedPart(term)) return readIndexed(at, query, term, matches, cut)
    if (term !== undefined && isOnlySearch(query)) return readHolding(at, query, term, matches, cut)
    return readAndCount(at, matches, cut)
  })
}

/** Whether the list has to look for what it shows. */
export const isFiltered = ({ search, ...others }: ExportQuery): boolean => search !== undefined || !isOnlySearch(others)

const isOnlySearch = ({ tag, source, created_after, created_before, crm_id }: Partial<ContactQuery>): boolean =>
  [tag, source, created_after, created_before, crm_id].every((said) => said === undefined)

/** Ids with what they are sorted by, from the narrowest table that knows enough. */
export function matchesOf(workspace: string, query: ExportQuery, searched: Sql | undefined): Sql {
  const { tag = [], source, created_after, created_before, crm_system, crm_id } = query
  const [first_tag, ...more_tags] = tag.map(foldTag)
  const is_by_tag = searched === undefined && first_tag !== undefined
  const table = searched ? 'contact_texts' : is_by_tag ? 'contact_tags' : 'contacts'
  const { column } = sortOf(query.sort)
  const needs_contact = table !== 'contacts' && (source !== undefined || column !== 'created_at')
  const contact = needs_contact ? 'contacts' : 'it'
  const conditions = [
    sql`it.workspace_id = ${workspace}`,
    searched !== undefined && searched,
    is_by_tag && sql`it.tag = ${first_tag}`,
    ...(is_by_tag ? more_tags : tag.map(foldTag)).map(hasTag),
    source !== undefined && sql`${raw(contact)}.source = ${source}`,
    created_after !== undefined && sql`it.created_at > ${created_after}`,
    created_before !== undefined && sql`it.created_at < ${created_before}`,
    crm_id !== undefined &&
      sql`it.id = (select contact_id from contact_crm_ids
        where workspace_id = ${workspace} and system = ${crm_system} and crm_id = ${crm_id})`,
  ].filter((condition) => condition !== false)
  const joined = needs_contact ? 'join contacts on contacts.workspace_id = it.workspace_id and contacts.id = it.id' : ''
  return sql`select it.id, ${raw(`${contact}.${column} from ${table} as it ${joined}`)} where ${join(conditions, ' and ')}`
}

/** Not by `exists`, which may become a join: with old statistics, right after many were added, that can be a bad one. */
const hasTag = (tag: string): Sql =>
  sql`(select true from contact_tags as other where other.workspace_id = it.workspace_id and other.tag = ${tag}
    and other.created_at = it.created_at and other.id = it.id)`

/** The index knows texts by three letters or digits in a row: without them in the term, every text must be read. */
const hasIndexedPart = (term: string): boolean => /[\p{L}\p{N}]{3}/u.test(term)

const holdsIndexed = (term: string): Sql => sql`it.text like ${likeContains(term)}`

/** The same, but such that no index is asked. */
export const holds = (term: string): Sql => sql`strpos(it.text, ${term}) > 0`

/** The page is cut out of narrow rows; only what it shows is read whole, each by its key. */
const pageOf = (workspace: string, matches: Sql, cut: page.Cut): Sql =>
  sql`(${cut.rows(matches, raw('id as page_id'))}) as page
    cross join lateral (${rowByKey('contacts', workspace, 'id', raw('page_id'))}) as contact`

function readPage({ db, workspace }: At, matches: Sql, cut: page.Cut): Promise<Contact[]> {
  return db.many<Contact>(sql`select ${columns} from ${pageOf(workspace, matches, cut)} order by ${cut.order}`)
}

/** Everything: how many there are is known, and a far page is read from the nearer end. */
async function readAll(at: At, query: ContactQuery, cut: page.Cut): Promise<Found> {
  const { db, workspace } = at
  const counted = sql`(select coalesce(sum(total), 0)::bigint from contact_counts where workspace_id = ${workspace})`
  const count = async () => (await db.one<{ total: number }>(sql`select ${counted} as total`)).total
  if (query.offset < far_offset) {
    const everything = sql`select ${columns} from contacts where workspace_id = ${workspace}`
    const page_rows = db.many<Contact>(cut.rows(everything))
    const [rows, total] = await Promise.all([page_rows, count()])
    return { rows, total }
  }
  const total = await count()
  const nearer = query.offset > total / 2 ? page.fromEnd(query, sortOf(query.sort), counted) : cut
  return { rows: await readPage(at, matchesOf(workspace, query, undefined), nearer), total }
}

async function readIndexed(at: At, query: ContactQuery, term: string, by_reading: Sql, cut: page.Cut): Promise<Found> {
  const by_index = matchesOf(at.workspace, query, holdsIndexed(term))
  const rows = isFirstPage(query) && isOnlySearch(query) ? await readNewest(at, term, cut) : []
  if (rows.length > query.limit) return { rows, total: await page.count(at.db, by_index) }
  return readOnce(at, by_index, by_reading, cut)
}

const isFirstPage = ({ sort, offset, cursor }: ContactQuery): boolean =>
  sort === '-created_at' && offset === 0 && cursor === undefined

/** Of a large workspace, only what the newest contacts hold: with a common term that is a page, and nothing need be sorted. */
function readNewest(at: At, term: string, cut: page.Cut): Promise<Contact[]> {
  const { workspace } = at
  const newest = sql`select id, created_at from contacts
    where workspace_id = ${workspace} and (select ${grams.isTallied(workspace)})
    order by created_at desc, id desc limit ${raw(String(newest_max))}`
  const holding = sql`select id, created_at from (${newest}) as newest where (select ${holds(term)}
    from contact_texts as it where it.workspace_id = ${workspace} and it.id = newest.id)`
  return readPage(at, holding, cut)
}

/**
 * In one statement: what is found is kept to be counted and sorted. The index knows all workspaces' texts: for a small
 * one it is faster to read its own.
 */
async function readOnce({ db, workspace }: At, by_index: Sql, by_reading: Sql, cut: page.Cut): Promise<Found> {
  const is_large = grams.isTallied(workspace)
  const found = await db.many<Contact & { total: number }>(
    sql`with matching as materialized (
        ${by_index} and (select ${is_large}) union all ${by_reading} and not (select ${is_large}))
      select ${columns}, total from (select count(*) as total from matching) as counted
      left join (${pageOf(workspace, raw('table matching'), cut)}) on true
      order by ${cut.order}`,
  )
  // An empty page still has a row for the total.
  return { rows: found.filter(({ id }) => id !== null), total: found[0]?.total ?? 0 }
}

async function readAndCount(at: At, matches: Sql, cut: page.Cut): Promise<Found> {
  const [rows, total] = await Promise.all([readPage(at, matches, cut), page.count(at.db, matches)])
  return { rows, total }
}

/** A term that no index knows. */
async function readHolding(at: At, query: ContactQuery, term: string, matches: Sql, cut: page.Cut): Promise<Found> {
  const total = term.length <= grams.gram_length_max ? await grams.countHolding(at, term) : undefined
  if (total === undefined) return readAndCount(at, matches, cut)
  const is_page_soon_full = total >= walk_cost * (query.offset + query.limit)
  const walked = sql`select id, ${raw(sortOf(query.sort).column)} from contacts
    where workspace_id = ${at.workspace} and (select ${holds(term)} from contact_texts as it
      where it.workspace_id = contacts.workspace_id and it.id = contacts.id)`
  const rows = total === 0 ? [] : await readPage(at, is_page_soon_full ? walked : matches, cut)
  return { rows, total }
}

export function assertWholeCrmId({ crm_system, crm_id }: ExportQuery): void {
  if ((crm_system === undefined) === (crm_id === undefined)) return
  const path = crm_system === undefined ? 'crm_system' : 'crm_id'
  throw invalid([{ path, code: 'required', message: 'crm_system and crm_id go together.' }])
}
