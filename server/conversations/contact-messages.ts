import { stamp } from '../contacts/rows.ts'
import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { isId } from '../kit/id.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalidState, notFound, type Problem } from '../kit/problem.ts'
import { reportProgress } from './counted.ts'
import { event_types } from './event-types.ts'
import { addSaid, select } from './rows.ts'
import type { Conversation, Turn } from './schema.ts'
import { announce } from './store.ts'
import { said } from './threads.ts'
import { insertTurns, newTurn } from './turns.ts'

export interface Message {
  /** The id of the conversation. */
  id: string
  text: string
}

/** Adds what contacts say over the API, or in a web chat. Messages of one conversation keep their order. */
export async function add(at: At, messages: Message[], kind: 'api' | 'web_chat' = 'api'): Promise<(Turn | Problem)[]> {
  const { now } = at
  const by_id = Map.groupBy(
    messages.filter(({ id }) => isId(id)),
    ({ id }) => id,
  )
  const changed = await addSaid(at, by_id, kind)
  const turns = new Map<Message, Turn>()
  const recorded = changed.flatMap(({ id, contact_id, turn_count }) => {
    const added = by_id.get(id) ?? []
    return added.map((message, index) => {
      const seq = turn_count - added.length + index + 1
      const turn = newTurn({ seq, role: 'contact', text: message.text, created_at: clock.iso(now) })
      turns.set(message, turn)
      return { id, contact_id, turn }
    })
  })
  const others = [...by_id.keys()].filter((id) => !changed.some((conversation) => conversation.id === id))
  const [refusals] = await Promise.all([
    whyRefused(at, others),
    insertTurns(at, recorded),
    reportProgress(
      at,
      changed.map((conversation) => ({ conversation, turns: by_id.get(conversation.id)?.length ?? 0 })),
    ),
    stamp(
      at,
      changed.flatMap(({ contact_id, is_test }) => (contact_id === null || is_test ? [] : [{ contact_id, at: now }])),
    ),
    events.record(
      at,
      event_types.turn,
      recorded.map((data) => ({ data })),
    ),
  ])
  for (const { id } of changed) announce(at, id)
  const asked = new Map(changed.map(({ id, opt_out_asked_seq }) => [id, opt_out_asked_seq]))
  await at.hooks.run(
    at,
    said,
    recorded.map((one) => ({ ...one, is_answer: asked.get(one.id) === one.turn.seq - 1 })),
  )
  return messages.map((message) => turns.get(message) ?? refusals.get(message.id) ?? notFound())
}

async function whyRefused({ db, workspace }: At, ids: string[]): Promise<Map<string, Problem>> {
  if (ids.length === 0) return new Map()
  const found = await select(['id', 'kind', 'status']).many(
    db,
    sql`from conversations where workspace_id = ${workspace} and id = any(${ids}::uuid[])`,
  )
  return new Map(found.map(({ id, kind, status }) => [id, refusal(kind, status)]))
}

const refusal = (kind: Conversation['kind'], status: Conversation['status']): Problem =>
  status === 'closed'
    ? invalidState('This conversation is closed. Start a new one.', { status })
    : invalidState(`What the contact says in a conversation of kind ${kind} comes from its channel.`, { status })
