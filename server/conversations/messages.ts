import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { isId } from '../kit/id.ts'
import { sql } from '../kit/postgres/sql.ts'
import { notFound, Problem } from '../kit/problem.ts'
import { event_types } from './event-types.ts'
import type { Conversation, Turn } from './schema.ts'
import { announce } from './store.ts'
import { insertTurns, newTurn } from './turns.ts'

export interface Message {
  id: string
  text: string
}

/** Adds what contacts say over the API. Messages of one conversation keep their order. */
export async function add(at: At, messages: Message[]): Promise<(Turn | Problem)[]> {
  const { db, workspace, now } = at
  const known = messages.filter(({ id }) => isId(id))
  const by_id = Map.groupBy(known, ({ id }) => id)
  const ids = [...by_id.keys()].sort()
  const open = await db.many<Pick<Conversation, 'id' | 'contact_id' | 'turn_count'>>(
    sql`update conversations
      set turn_count = turn_count + said.count, unanswered_from = coalesce(unanswered_from, turn_count + 1),
        last_turn_at = ${clock.iso(now)}, updated_at = greatest(updated_at + interval '1 millisecond', ${clock.iso(now)}),
        due_at = least(due_at, ${clock.iso(now)})
      from unnest(${ids}::uuid[], ${ids.map((id) => by_id.get(id)?.length ?? 0)}::integer[]) as said (id, count)
      where workspace_id = ${workspace} and conversations.id = said.id and kind = 'api' and status <> 'closed'
      returning conversations.id, contact_id, turn_count`,
  )
  const turns = new Map<Message, Turn>()
  const recorded = open.flatMap(({ id, contact_id, turn_count }) => {
    const said = by_id.get(id) ?? []
    return said.map((message, index) => {
      const seq = turn_count - said.length + index + 1
      const turn = newTurn({ seq, role: 'contact', text: message.text, created_at: clock.iso(now) })
      turns.set(message, turn)
      return { id, contact_id, turn }
    })
  })
  await Promise.all([
    insertTurns(at, recorded),
    events.record(at, event_types.turn, recorded.map((data) => ({ data }))),
  ])
  for (const { id } of open) announce(at, id)
  const refused = await whyRefused(at, ids.filter((id) => !open.some((conversation) => conversation.id === id)))
  return messages.map((message) => turns.get(message) ?? refused.get(message.id) ?? notFound())
}

async function whyRefused({ db, workspace }: At, ids: string[]): Promise<Map<string, Problem>> {
  if (ids.length === 0) return new Map()
  const found = await db.many<Pick<Conversation, 'id' | 'kind' | 'status'>>(
    sql`select id, kind, status from conversations where workspace_id = ${workspace} and id = any(${ids}::uuid[])`,
  )
  return new Map(found.map(({ id, kind, status }) => [id, refusal(kind, status)]))
}

const refusal = (kind: Conversation['kind'], status: Conversation['status']): Problem =>
  status === 'closed'
    ? new Problem('INVALID_STATE', 'This conversation is closed. Start a new one.', { status })
    : new Problem('INVALID_STATE', `What the contact says in a conversation of kind ${kind} comes from its channel.`, {
        status,
      })
