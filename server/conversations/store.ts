import * as contacts from '../contacts/store.ts'
import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { isId, newId } from '../kit/id.ts'
import { batchedGetById } from '../kit/postgres/get-by-id.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { invalid, notFound, Problem } from '../kit/problem.ts'
import { event_types } from './event-types.ts'
import type { Conversation, ConversationQuery, NewConversation } from './schema.ts'

/** The topic of the notifications that announce something to do in a conversation. */
export const table = 'conversations'

export const columns = raw(`id, kind, status, channel_id, agent_id, agent_name,
  jsonb_build_object('id', version_id, 'version_label', version_label) as agent_version, contact_id, counterpart,
  status = 'open' and unanswered_from is not null as is_answering, turn_count, last_turn_at, close_reason, results, summary,
  variables, metadata, jsonb_build_object('input_tokens', input_tokens, 'output_tokens', output_tokens) as usage,
  redacted_at, created_at, updated_at`)

const getById = batchedGetById<Conversation>(columns, raw(table))

export async function get({ db, workspace }: At, id: string): Promise<Conversation> {
  const found = isId(id) ? await getById(db, workspace, id) : undefined
  if (!found) throw notFound()
  return found
}

const by_last_turn = { column: 'last_turn_at', is_nullable: true }
const by_created = { column: 'created_at', is_nullable: false }
const sorts: Record<ConversationQuery['sort'], page.Sort> = {
  created_at: { name: 'created_at', is_descending: false, ...by_created },
  '-created_at': page.newest_first,
  last_turn_at: { name: 'last_turn_at', is_descending: false, ...by_last_turn },
  '-last_turn_at': { name: '-last_turn_at', is_descending: true, ...by_last_turn },
}

export async function list(
  { db, workspace }: At,
  query: ConversationQuery,
): Promise<page.Page<Conversation>> {
  const filters = [
    query.contact_id && byId(raw('contact_id'), query.contact_id),
    query.agent_id && byId(raw('agent_id'), query.agent_id),
    query.kind && sql`kind = ${query.kind}`,
    query.status && sql`status = ${query.status}`,
    query.created_after && sql`created_at > ${clock.iso(clock.parse(query.created_after))}`,
    query.created_before && sql`created_at < ${clock.iso(clock.parse(query.created_before))}`,
  ].filter((filter) => filter !== undefined && filter !== '')
  const where = filters.reduce<Sql>((all, filter) => sql`${all} and ${filter}`, sql`workspace_id = ${workspace}`)
  const own = sql`from conversations where ${where}`
  return page.readSelection(db, query, sorts[query.sort], sql`select ${columns} ${own}`, sql`select ${own}`)
}

/** An id that can't exist finds nothing. */
const byId = (column: Sql, id: string): Sql => (isId(id) ? sql`${column} = ${id}` : raw('false'))
