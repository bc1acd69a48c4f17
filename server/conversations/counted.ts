import { type At, type InWorkspace, newHook } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { type CountChange, slottedCounts } from '../kit/postgres/slotted-counts.ts'
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
  /** How many turns were added. */
  turns?: number
  /** How long the contact has waited for the first answer, if that is among the turns. */
  first_answer_ms?: number | null
}

/** Conversations of calls are not counted, because calls are counted instead, and trials are not counted either. */
const isCounted = ({ kind, is_test }: Pick<CountedConversation, 'kind' | 'is_test'>): boolean =>
  kind !== 'voice' && !is_test

/** Runs in the transaction that changes conversations which are counted. */
export const progressed = newHook<ConversationProgress[]>('conversations.progressed')

/** Reports progress in conversations that are counted. Leaves out those in which nothing has happened. */
export async function reportProgress(at: At, all: ConversationProgress[]): Promise<void> {
  const some = all.filter(
    ({ conversation, is_new, is_handed_over, is_closed, turns, first_answer_ms = null }) =>
      isCounted(conversation) && (is_new || is_handed_over || is_closed || turns || first_answer_ms !== null),
  )
  if (some.length > 0) await at.hooks.run(at, progressed, some)
}

/**
 * How long the contact has waited for the first answer, if it is among these turns. An agent says at most one thing before the contact has
 * said something: later answers follow others.
 */
export function firstAnswerIn(
  { first_asked_at, last_answer_seq }: { first_asked_at: string | null; last_answer_seq: number },
  turns: { turn: Pick<Turn, 'role' | 'seq' | 'created_at'> }[],
): number | null {
  if (first_asked_at === null || last_answer_seq > 1) return null
  // What the contact has said lies between the last answer and this one.
  const answer = turns.find(
    ({ turn: { role, seq } }) => (role === 'agent' || role === 'human') && seq > last_answer_seq + 1,
  )
  return answer ? Math.max(0, clock.parse(answer.turn.created_at) - clock.parse(first_asked_at)) : null
}

const columns = sql`id, kind, agent_id, jsonb_build_object('id', version_id) as agent_version, channel_id, is_test, created_at`

/** Returns those of the conversations that still exist. */
export const findCounted = async ({ db, workspace }: InWorkspace, ids: string[]): Promise<CountedConversation[]> =>
  ids.length === 0
    ? []
    : db.many<CountedConversation>(
        sql`select ${columns} from conversations
      where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[])`,
      )

const kept = slottedCounts<CountChange<Conversation['status']>>('conversation_counts', {
  value: { name: 'status', type: 'text' },
})

export const { selectTotal } = kept

/** Counts changes of status, in the transaction that makes them. Trials are not counted. */
export const count = (
  at: InWorkspace,
  changes: (CountChange<Conversation['status']> & Pick<Conversation, 'is_test'>)[],
): Promise<void> =>
  kept.count(
    at,
    changes.flatMap(({ is_test, ...change }) => (is_test ? [] : [change])),
  )
