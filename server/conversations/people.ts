import { stamp } from '../contacts/rows.ts'
import * as contacts from '../contacts/store.ts'
import * as events from '../events/store.ts'
import { type At, type InWorkspace, newHook } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { isId } from '../kit/id.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalid, invalidState, notFound, type Problem } from '../kit/problem.ts'
import { sms_characters_max } from '../talk/settings.ts'
import * as counts from './counted.ts'
import { firstAnswerIn, reportProgress } from './counted.ts'
import { event_types } from './event-types.ts'
import { addSaid, lockAll, select, setCounterpart, updateAnswered, updateContact, updateStatus } from './rows.ts'
import type { Conversation, Turn } from './schema.ts'
import { announce, answering_by_sms, get, type LockedConversation, lock, said, threads_changed } from './store.ts'
import { insertTurns, newTurn, withAuthors } from './turns.ts'
import { waitingSince } from './waiting.ts'

/** People do these things in conversations. The process that drives the conversation is told after the commit, and does the rest. */

/** Runs when a person has changed a call's conversation, in the same transaction. The call's driver does the rest. */
export const call_changed = newHook<{ conversation_id: string }>('conversations.call_changed')

interface HandOver {
  id: string
  reason: string | null
}

export async function handOver(at: At, { id, reason }: HandOver): Promise<Conversation> {
  const before = await lock(at, id)
  assertStatus(before, ['open'])
  return change(at, { before, status: 'handed_over', hand_over_reason: reason })
}

/** The agent answers again, also what the contact has said meanwhile. */
export async function takeBack(at: At, id: string): Promise<Conversation> {
  const before = await lock(at, id)
  assertStatus(before, ['handed_over'])
  return change(at, { before, status: 'open', hand_over_reason: null })
}

export async function close(
  at: At,
  { id, reason }: { id: string; reason: 'api' | 'human_ended' },
): Promise<Conversation> {
  const before = await lock(at, id)
  assertStatus(before, ['open', 'handed_over'])
  return change(at, { before, status: 'closed', close_reason: reason })
}

const event_of = { handed_over: event_types.handed_over, open: event_types.taken_back, closed: event_types.closed }

type Change = { before: LockedConversation } & Pick<Conversation, 'status'> &
  Partial<Pick<Conversation, 'hand_over_reason' | 'close_reason'>>

async function change(at: At, { before, ...changed }: Change): Promise<Conversation> {
  const { awaits_answer, ...shown } = before
  const updated_at = clock.laterThan(before.updated_at, at.now)
  const is_answering = changed.status === 'open' && awaits_answer
  const waiting_since = waitingSince(before, { status: changed.status, now: clock.iso(at.now) })
  const after: Conversation = { ...shown, ...changed, is_answering, waiting_since, updated_at }
  await Promise.all([
    updateStatus(at, { ...after, needs_summary: after.status !== 'open', due_at: dueAt(at, before.kind) }),
    tellCall(at, before),
    counts.count(at, [{ from: before.status, to: after.status, is_test: after.is_test }]),
    reportProgress(at, [
      { conversation: after, is_handed_over: after.status === 'handed_over', is_closed: after.status === 'closed' },
    ]),
    events.record(at, event_of[after.status], [{ data: after }]),
  ])
  if (after.kind === 'sms' && after.status === 'closed')
    await at.hooks.run(at, threads_changed, [{ id: after.id, what: 'closed' }])
  announce(at, after.id)
  return after
}

/** A call drives its conversation itself. */
const dueAt = ({ now }: At, kind: Conversation['kind']): string | null => (kind === 'voice' ? null : clock.iso(now))

async function tellCall(at: At, { id, kind }: Pick<Conversation, 'id' | 'kind'>): Promise<void> {
  if (kind === 'voice') await at.hooks.run(at, call_changed, { conversation_id: id })
}

interface Answer {
  id: string
  text: string
  /** The person who is signed in. */
  author_id: string | null
}

/** Adds what a person says instead of the agent. */
export async function answer(at: At, { id, text, author_id }: Answer): Promise<Turn> {
  const { now } = at
  const conversation = isId(id) ? (await lockAll(at, [id])).get(id) : undefined
  if (!conversation) throw notFound()
  const { kind, status, turn_count, updated_at, contact_id, channel_id, counterpart } = conversation
  if (status === 'closed') throw invalidState(refusals.closed, { status })
  if (status === 'open') throw invalidState('Hand the conversation over before you answer in it.', { status })
  const author = author_id === null ? null : { id: author_id, name: null }
  const said = newTurn({ seq: turn_count + 1, role: 'human', text, author, created_at: clock.iso(now) })
  if (kind === 'sms' && text.length > sms_characters_max) throw tooLong()
  const [carried] =
    kind === 'sms' && counterpart !== null
      ? await at.hooks.run(at, answering_by_sms, { id, turn: said, channel_id, counterpart })
      : []
  const turn = { ...said, message: carried?.message ?? null }
  const recorded = { id, contact_id, turn }
  await Promise.all([
    updateAnswered(at, { id, turn, updated_at: clock.laterThan(updated_at, now), due_at: dueAt(at, kind) }),
    insertTurns(at, [{ id, turn, ...(carried && { carried }) }]),
    reportProgress(at, [{ conversation, turns: 1, first_answer_ms: firstAnswerIn(conversation, [{ turn }]) }]),
    tellCall(at, { id, kind }),
    // What is said in a call is no event.
    kind === 'voice' || events.record(at, event_types.turn, [{ data: recorded }]),
  ])
  announce(at, id)
  const [named = turn] = await withAuthors(at, [turn])
  return named
}

const tooLong = () =>
  invalid([
    { path: 'text', code: 'too_long', message: `text must have at most ${sms_characters_max} characters by SMS.` },
  ])

/** Someone has made sure who the visitor of a web chat is: from now on the agent knows the contact. */
export async function link(at: At, { id, contact_id }: { id: string; contact_id: string }): Promise<Conversation> {
  await get(at, id)
  // The contact is locked first, as when it is deleted.
  if (!(await contacts.share(at, contact_id)))
    throw invalid([{ path: 'contact_id', code: 'unknown', message: 'contact_id must be the id of a contact.' }])
  const { awaits_answer: _, ...before } = await lock(at, id)
  const { status } = before
  if (before.kind !== 'web_chat')
    throw invalidState('Only conversations of kind web_chat can be linked to a contact.', { status })
  if (before.contact_id !== null && before.contact_id !== contact_id)
    throw invalidState('This conversation is linked to another contact.', { status, contact_id: before.contact_id })
  const updated_at = clock.laterThan(before.updated_at, at.now)
  await Promise.all([
    updateContact(at, { id, contact_id, updated_at }),
    stamp(
      at,
      [before.created_at, before.last_turn_at ?? before.created_at].map((time) => ({
        contact_id,
        at: clock.parse(time),
      })),
    ),
  ])
  announce(at, id)
  return { ...before, contact_id, updated_at }
}

function assertStatus({ status }: Conversation, allowed: Conversation['status'][]): void {
  if (!allowed.includes(status)) throw invalidState(refusals[status], { status })
}

const refusals: Record<Conversation['status'], string> = {
  open: 'This conversation is not handed over.',
  handed_over: 'This conversation is handed over already.',
  closed: 'This conversation is closed.',
}

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

/** A visitor of a web chat may see this of a turn. */
export type SeenTurn = Pick<Turn, 'seq' | 'role' | 'text' | 'created_at' | 'citations'>

/** Reads the last turns of a conversation, oldest first. They end before a turn that is not finished. */
export async function lastTurns(
  { db, workspace }: InWorkspace,
  { id, limit }: { id: string; limit: number },
): Promise<SeenTurn[]> {
  const turns = await db.many<SeenTurn>(
    sql`select seq, role, text, created_at, coalesce(citations, '[]') as citations from conversation_turns as turn
      where workspace_id = ${workspace} and conversation_id = ${id}
        and not exists (select from conversation_turns as unfinished
          where unfinished.workspace_id = ${workspace} and unfinished.conversation_id = ${id}
            and unfinished.seq <= turn.seq and unfinished.is_open)
      order by seq desc limit ${limit}`,
  )
  return turns.reverse()
}

/** Finds the contact's turn with this text after a number, if there is one. */
export const findSaid = (
  { db, workspace }: InWorkspace,
  { id, after, text }: { id: string; after: number; text: string },
): Promise<Omit<SeenTurn, 'citations'> | undefined> =>
  db.maybe(
    sql`select seq, role, text, created_at from conversation_turns
      where workspace_id = ${workspace} and conversation_id = ${id} and seq > ${after} and role = 'contact'
        and text = ${text}
      order by seq limit 1`,
  )

/** Keeps the number that the visitor has left. Returns false if there is one already, or the conversation is closed. */
export async function keepCounterpart(
  at: At,
  { id, counterpart }: { id: string; counterpart: string },
): Promise<boolean> {
  const is_kept = (await setCounterpart(at, { id, counterpart })) > 0
  if (is_kept) announce(at, id)
  return is_kept
}
