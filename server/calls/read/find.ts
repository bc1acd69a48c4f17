import type { At } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { isId } from '../../kit/id.ts'
import * as page from '../../kit/postgres/page.ts'
import { rowByKey } from '../../kit/postgres/row-by-key.ts'
import { join, likeContains, raw, type Sql, sql } from '../../kit/postgres/sql.ts'
import { normalizeText } from '../../kit/text.ts'
import * as counts from '../change/counts.ts'
import { columns, joinConversation } from '../rows.ts'
import type { Call, CallQuery } from '../schema.ts'
import { table } from '../store.ts'

interface Found {
  rows: Call[]
  total: number
}

/** Lists calls, newest first. */
export function list(at: At, query: CallQuery): Promise<page.Page<Call>> {
  const { search, status } = query
  const filters = filtersOf(query)
  return page.read(query, page.newest_first, (page_sql) => {
    if (search !== undefined) return findBySearch(at, selectMatches(at, [...filters, contains(search)]), page_sql)
    const matches = selectMatches(at, filters)
    const is_kept = filters.length === (status === undefined ? 0 : 1)
    const counted = is_kept
      ? counts.selectTotal(at.workspace, status)
      : sql`select count(*) as total from (${matches}) as matching`
    return readPage(at, { matches, counted, page_sql })
  })
}

function filtersOf(query: CallQuery): Sql[] {
  return [
    query.contact_id !== undefined && byId(raw('contact_id'), query.contact_id),
    query.agent_id !== undefined && byId(raw('agent_id'), query.agent_id),
    query.campaign_id !== undefined && byId(raw('campaign_id'), query.campaign_id),
    query.channel_id !== undefined && byId(raw('channel_id'), query.channel_id),
    query.conversation_id !== undefined && byId(raw('conversation_id'), query.conversation_id),
    query.direction !== undefined && sql`direction = ${query.direction}`,
    query.status !== undefined && sql`status = ${query.status}`,
    query.outcome !== undefined && sql`outcome = ${query.outcome}`,
    query.created_after !== undefined && sql`created_at > ${clock.iso(clock.parse(query.created_after))}`,
    query.created_before !== undefined && sql`created_at < ${clock.iso(clock.parse(query.created_before))}`,
  ].filter((filter) => filter !== false)
}

/** An id that can't exist finds nothing. */
const byId = (column: Sql, id: string): Sql => (isId(id) ? sql`${column} = ${id}` : raw('false'))

const selectMatches = ({ workspace }: At, filters: Sql[]): Sql =>
  sql`select id, created_at from calls where ${join([sql`workspace_id = ${workspace}`, ...filters], ' and ')}`

/** Text of only accents would become empty, so it is used unchanged. */
function contains(search: string): Sql {
  const term = normalizeText(search) || search
  // The index finds only what has three letters or digits in a row. For the rest all texts are read.
  return /[\p{L}\p{N}]{3}/u.test(term)
    ? sql`search_text like ${likeContains(term)}`
    : sql`strpos(search_text, ${term}) > 0`
}

async function readPage(
  { db, workspace }: At,
  { matches, counted, page_sql }: { matches: Sql; counted: Sql; page_sql: page.PageSql },
): Promise<Found> {
  const [rows, { total }] = await Promise.all([
    db.many<Call>(sql`select ${columns} from ${joinPage(workspace, matches, page_sql)} order by ${page_sql.order}`),
    db.one<{ total: number }>(counted),
  ])
  return { rows, total }
}

/**
 * Selects the matches once, then both counts them and takes the page from them. They are materialized, because PostgreSQL
 * would else go through all calls in the order of the list, also when few match.
 */
async function findBySearch({ db, workspace }: At, matches: Sql, page_sql: page.PageSql): Promise<Found> {
  const rows = await db.many<Call & { total: number }>(
    sql`with matching as materialized (${matches})
      select found.*, total from (select count(*) as total from matching) as counted
      left join (select ${columns} from ${joinPage(workspace, raw('table matching'), page_sql)}) as found on true
      order by ${page_sql.order}`,
  )
  // An empty page still has one row, with the total and no call.
  const found = rows.filter(({ id }) => id !== null).map(({ total: _, ...call }) => call)
  return { rows: found, total: rows[0]?.total ?? 0 }
}

/** Takes the ids of one page from the matches and reads these calls by key. */
const joinPage = (workspace: string, matches: Sql, page_sql: page.PageSql): Sql =>
  sql`(${page_sql.rows(matches, raw('id as page_id'))}) as page
    cross join lateral (${rowByKey(table, workspace, 'id', raw('page_id'))}) as call
    ${joinConversation(sql`${workspace}`)}`
