import * as page from '../kit/postgres/page.ts'
import { join, raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { invalid } from '../kit/problem.ts'
import { normalizeTag } from './normalize.ts'
import { type ContactFilters, parseSort } from './schema.ts'
import { parseSearch, type SearchWords, textContains } from './search-words.ts'

export const isFiltered = (query: ContactFilters): boolean => query.search !== undefined || hasOtherFilters(query)

/** Whether the query filters by anything but `search`. `crm_system` is never used without `crm_id`. */
export const hasOtherFilters = (query: ContactFilters): boolean =>
  other_filters.some((name) => query[name] !== undefined)

const other_filters = [
  'tag',
  'custom_field',
  'phone_number',
  'email',
  'source',
  'created_after',
  'created_before',
  'crm_id',
] as const

export function assertCrmFilterIsComplete({ crm_system, crm_id }: ContactFilters): void {
  if ((crm_system === undefined) === (crm_id === undefined)) return
  const path = crm_system === undefined ? 'crm_system' : 'crm_id'
  throw invalid([{ path, code: 'required', message: 'crm_system and crm_id must be used together.' }])
}

/** Makes a condition that can be used on any table: it reads the text of one contact by its key. */
export const contactContains = (workspace: string, { id, words }: { id: Sql; words: SearchWords }): Sql =>
  sql`(select ${textContains(words)} from contact_texts as searched
    where searched.workspace_id = ${workspace} and searched.id = ${id})`

/**
 * Selects the `id` and the sort column of the contacts that match, from the narrowest table that has what the filters
 * need. `query.search` is ignored; a search is passed as `text_condition`, a condition on `contact_texts`.
 */
export function selectMatches(workspace: string, query: ContactFilters, text_condition?: Sql): Sql {
  const { phone_number, email, source, created_after, created_before, crm_system, crm_id } = query
  const values = [
    ...(query.tag ?? []).map((tag) => ({ table: 'contact_tags', column: 'tag', value: normalizeTag(tag) })),
    ...(query.custom_field ?? []).map((value) => ({ table: 'contact_custom_fields', column: 'field', value })),
  ]
  // One value selects the rows of its table. The others are looked up for each of these rows.
  const [selected, others] = text_condition ? [undefined, values] : [values[0], values.slice(1)]
  const table = text_condition ? 'contact_texts' : (selected?.table ?? 'contacts')
  // The narrow tables have only `id` and `created_at` of the contact.
  const { column } = parseSort(query.sort)
  const needs_contacts = table !== 'contacts' && (source !== undefined || column !== 'created_at')
  const contact = needs_contacts ? 'contacts' : 'candidate'
  const conditions = [
    sql`candidate.workspace_id = ${workspace}`,
    text_condition,
    selected && sql`candidate.${raw(selected.column)} = ${selected.value}`,
    ...others.map((value) => candidateHas(workspace, value)),
    source !== undefined && sql`${raw(contact)}.source = ${source}`,
    created_after !== undefined && sql`candidate.created_at > ${created_after}`,
    created_before !== undefined && sql`candidate.created_at < ${created_before}`,
    // The ids are in arrays, so that PostgreSQL finds these contacts first. Otherwise it may look for them in the order
    // of the list.
    phone_number !== undefined &&
      sql`candidate.id = any(array(select id from contacts as named
        where named.workspace_id = ${workspace} and named.phone_number = ${phone_number}))`,
    email !== undefined &&
      sql`candidate.id = any(array(select id from contacts as named
        where named.workspace_id = ${workspace} and lower(named.email) = lower(${email}::text collate "C")))`,
    crm_id !== undefined &&
      sql`candidate.id = (select contact_id from contact_crm_ids
        where workspace_id = ${workspace} and system = ${crm_system} and crm_id = ${crm_id})`,
  ].filter((condition) => condition !== undefined && condition !== false)
  const joined = needs_contacts
    ? sql`join contacts on contacts.workspace_id = ${workspace} and contacts.id = candidate.id`
    : raw('')
  return sql`select candidate.id, ${raw(`${contact}.${column} from ${table} as candidate`)} ${joined}
    where ${join(conditions, ' and ')}`
}

interface Chunk {
  /** The last contact of the chunk before. */
  after?: page.CursorPosition | undefined
  limit: number
}

/**
 * Selects the `id` and the sort column of the next contacts that match. It reads texts in the order of the sort, so that no
 * chunk repeats the search of the chunks before it.
 */
export function selectChunk(workspace: string, query: ContactFilters, { after, limit }: Chunk): Sql {
  const sort = parseSort(query.sort)
  const contains_words =
    query.search === undefined
      ? raw('true')
      : contactContains(workspace, { id: raw('matching.id'), words: parseSearch(query.search) })
  return sql`select * from (${selectMatches(workspace, query)}) as matching
    where ${after ? page.after(sort, after) : raw('true')} and ${contains_words}
    order by ${page.orderBy(sort)} limit ${limit}`
}

/**
 * Uses a scalar subquery, because PostgreSQL may turn `exists` into a join. With statistics from before many contacts
 * were added, that join can be very slow.
 */
const candidateHas = (
  workspace: string,
  { table, column, value }: { table: string; column: string; value: string },
): Sql =>
  sql`(select true from ${raw(table)} as other
    where other.workspace_id = ${workspace} and other.${raw(column)} = ${value}
    and other.created_at = candidate.created_at and other.id = candidate.id)`
