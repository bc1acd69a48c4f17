import * as events from '../events/store.ts'
import { type At, newHook } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { redactAnswers } from '../kit/http/idempotency.ts'
import { sql } from '../kit/postgres/sql.ts'
import * as people from './people.ts'
import { eraseRow } from './rows.ts'
import type { Conversation } from './schema.ts'
import { announce, lock } from './store.ts'

/** Runs in the transaction that redacts a conversation, before anything is erased. A reaction that throws prevents it. */
export const redacting = newHook<Conversation>('conversations.redacting')

/** Erases what was said, and all copies of it. A conversation that is not closed is closed before. */
export async function redact(
  at: At,
  { id, reason }: { id: string; reason: 'api' | 'human_ended' },
): Promise<Conversation> {
  const { db, workspace, now } = at
  const found = await lock(at, id)
  const { awaits_answer: _, ...before } = found
  await at.hooks.run(at, redacting, before)
  const closed = before.status === 'closed' ? before : await people.close(at, { id, reason })
  const redacted_at = before.redacted_at ?? clock.iso(now)
  const updated_at = clock.laterThan(closed.updated_at, now)
  const of_conversation = sql`workspace_id = ${workspace} and conversation_id = ${id}`
  await Promise.all([
    eraseRow(at, { id, redacted_at, updated_at }),
    db.run(
      sql`update conversation_turns set text = '', heard = null, speech = null, script = null, error = null,
          is_open = false where ${of_conversation}`,
    ),
    db.run(sql`update tool_runs set arguments = '{}', result = null where ${of_conversation}`),
    events.redact(at, [id]),
    redactAnswers(at, [id]),
  ])
  announce(at, id)
  const erased = { counterpart: null, variables: {}, metadata: {}, results: {}, summary: null, hand_over_reason: null }
  return { ...closed, ...erased, redacted_at, updated_at }
}
