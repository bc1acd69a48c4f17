import type { Conversation } from '../conversations/schema.ts'
import type { At } from '../kit/at.ts'
import { isId } from '../kit/id.ts'
import { sql } from '../kit/postgres/sql.ts'
import { ofRun } from './runs.ts'
import type { TestFailure } from './schema.ts'

/** Replaces the words of a result about a conversation that was redacted. */
const erased = 'It was erased with its conversation.'

/**
 * Erases what the results of a run say about a conversation that is redacted. Results keep whether the test has passed.
 */
export async function eraseConversation(
  at: At,
  { id, metadata, is_test }: Pick<Conversation, 'id' | 'metadata' | 'is_test'>,
): Promise<void> {
  const { test_run_id = '' } = metadata
  if (!is_test || !isId(test_run_id)) return
  const { db, workspace } = at
  const results = await db.many<{ id: string; failures: TestFailure[]; error: string | null }>(
    sql`select id, failures, error from test_run_results
      where ${ofRun(at, test_run_id)} and ${id}::uuid = any(conversation_ids) for no key update`,
  )
  for (const { id: result_id, failures, error } of results) {
    const kept = failures.map((failure) =>
      failure.conversation_id === id ? { ...failure, sentence: erased } : failure,
    )
    await db.run(
      sql`update test_run_results set differences = '[]', failures = ${JSON.stringify(kept)}, error = ${error === null ? null : erased}
        where workspace_id = ${workspace} and id = ${result_id}`,
    )
  }
}
