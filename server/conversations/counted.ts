import { type At, type InWorkspace, newHook } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import type { Conversation, Turn } from './schema.ts'

/** What a conversation is counted by. */
export interface CountedConversation
  extends Pick<Conversation, 'id' | 'kind' | 'agent_id' | 'channel_id' | 'is_test' | 'created_at'> {
  agent_version: Pick<Conversation['agent_version'], 'id'>
}

/** What has happened in a conversation. */
export interface ConversationProgress {
  conversation: CountedConversation
  is_new?: boolean
  is_handed_over?: boolean
  is_closed?: boolean
  /** Added ones. */
  turns?: number
  /** The first turn of an agent or a person that was finished. */
  answer?: { at: string; seq: number } | undefined
}

/** Runs in the transaction that changes conversations. Those of calls are left out, because calls are counted instead, and trials. */
export const progressed = newHook<ConversationProgress[]>('conversations.progressed')

/** Reports what is more than nothing. */
export async function reportProgress(at: At, all: ConversationProgress[]): Promise<void> {
  const some = all.filter(
    ({ conversation, is_new, is_handed_over, is_closed, turns, answer }) =>
      conversation.kind !== 'voice' &&
      !conversation.is_test &&
      (is_new || is_handed_over || is_closed || turns || answer),
  )
  if (some.length > 0) await at.hooks.run(at, progressed, some)
}

/** The first answer is looked for among this many turns. */
const first_turns_max = 16

/** For each conversation whose contact is answered for the first time by this turn, how long that took. */
export async function findFirstAnswers(
  at: InWorkspace,
  answers: { id: string; at: string; seq: number }[],
): Promise<Map<string, number>> {
  const early = answers.filter(({ seq }) => seq <= first_turns_max)
  const turns = await readFirstTurns(
    at,
    early.map(({ id }) => id),
  )
  return new Map(
    early.flatMap(({ id, at, seq }) => {
      const earlier = (turns.get(id) ?? []).filter((turn) => turn.seq < seq)
      const time_ms = firstAnswerOf([...earlier, { role: 'agent', created_at: at, seq }])
      // Null: nobody has asked. Another one has answered before: what is measured then is known already.
      return time_ms === null || firstAnswerOf(earlier) !== null ? [] : [[id, time_ms]]
    }),
  )
}

interface EarlyTurn {
  seq: number
  role: 'contact' | 'agent' | 'human'
  created_at: string
}

async function readFirstTurns({ db, workspace }: InWorkspace, ids: string[]): Promise<Map<string, EarlyTurn[]>> {
  if (ids.length === 0) return new Map()
  const turns = await db.many<EarlyTurn & { conversation_id: string }>(
    sql`select conversation_id, seq, role, created_at from conversation_turns
      where workspace_id = ${workspace} and conversation_id = any(${toArrayLiteral(ids)}::uuid[])
        and seq <= ${first_turns_max} and role in ('contact', 'agent', 'human') and not is_open
      order by conversation_id, seq`,
  )
  return Map.groupBy(turns, ({ conversation_id }) => conversation_id)
}

/** From the contact's first words to the first answer after them. */
function firstAnswerOf(turns: EarlyTurn[]): number | null {
  const first = turns.findIndex(({ role }) => role === 'contact')
  const asked = turns[first]
  const answer = turns.slice(first).find(({ role }) => role !== 'contact')
  return asked && answer ? Math.max(0, clock.parse(answer.created_at) - clock.parse(asked.created_at)) : null
}

const columns = sql`id, kind, agent_id, jsonb_build_object('id', version_id) as agent_version, channel_id, is_test, created_at`

/** Those of the conversations that still exist. */
export const findCounted = async ({ db, workspace }: InWorkspace, ids: string[]): Promise<CountedConversation[]> =>
  ids.length === 0
    ? []
    : db.many<CountedConversation>(
        sql`select ${columns} from conversations
      where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[])`,
      )

/** A conversation as it is, with all that has happened in it so far. */
export type WholeProgress = Required<Omit<ConversationProgress, 'answer'>> & { first_answer_ms: number | null }

/** Conversations with ids after one and before another, in order. Of a hand-over that is over, only its reason is known. */
export async function readProgress(
  at: InWorkspace,
  { after, before, limit }: { after: string; before: string; limit: number },
): Promise<WholeProgress[]> {
  const { db, workspace } = at
  const rows = await db.many<CountedConversation & { is_closed: boolean; is_handed_over: boolean; turn_count: number }>(
    sql`select ${columns}, status = 'closed' as is_closed,
        status = 'handed_over' or hand_over_reason is not null as is_handed_over, turn_count
      from conversations
      where workspace_id = ${workspace} and id > ${after} and id < ${before} order by id limit ${limit}`,
  )
  const turns = await readFirstTurns(
    at,
    rows.filter(({ kind }) => kind !== 'voice').map(({ id }) => id),
  )
  return rows.map(({ is_closed, is_handed_over, turn_count, ...conversation }) => ({
    conversation,
    is_new: true,
    is_handed_over,
    is_closed,
    turns: turn_count,
    first_answer_ms: firstAnswerOf(turns.get(conversation.id) ?? []),
  }))
}

/** The first turn among these that is not the contact's. */
export function answerIn(turns: { turn: Pick<Turn, 'role' | 'seq' | 'created_at'> }[]): ConversationProgress['answer'] {
  const found = turns.find(({ turn: { role } }) => role === 'agent' || role === 'human')
  return found && { at: found.turn.created_at, seq: found.turn.seq }
}
