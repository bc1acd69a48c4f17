import { removeMany } from '../conversations/erase.ts'
import * as replayable from '../conversations/store.ts'
import type { At } from '../kit/at.ts'
import { newId } from '../kit/id.ts'
import { selectRows } from '../kit/postgres/citus/tenants.ts'
import { rowsFrom, type Sql, sql } from '../kit/postgres/sql.ts'
import { invalid, invalidState } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import { own_errors } from './own-errors.ts'
import { failedReplay, type ReplayOutcome } from './play/replay.ts'
import { assertRoom, findTested, inputFaults, insertRun, type RunRequest } from './runs.ts'
import type { NewTestRun, TestRun } from './schema.ts'

/** The content of a queued replay, which has no test. */
export interface ReplayContent {
  /** The version that was deployed when the run was created. */
  deployed_version_id: string
}

interface NewReplay extends RunRequest {
  input: NewTestRun & { replay: NonNullable<NewTestRun['replay']> }
}

/** Creates a run. Nothing is copied: what was said is read when it is said again. */
export async function create(at: At, { agent_id, input, by, mcp_tools }: NewReplay): Promise<TestRun> {
  const faults = inputFaults(input)
  if (faults.length > 0) throw invalid(faults)
  // The conversations are read before the lock, because up to a thousand are read, and others need not wait for that.
  const sources = await replayable.listReplayable(at, { agent_id, last: input.replay.last })
  await workspaces.lock(at)
  await assertRoom(at)
  const tested = await findTested(at, { agent_id, input, mcp_tools })
  if (sources.length === 0)
    throw invalidState(
      'The agent has had no conversation yet that is closed and in which a contact has said something.',
    )
  const run = await insertRun(at, { ...tested, kind: 'replay', repeat: 1, passes_min: 1, tests: sources.length, by })
  const content: ReplayContent = { deployed_version_id: tested.agent.deployed_version.id }
  const rows = sources.map(({ id, contact_id, created_at }, position) => ({
    id: newId(),
    position,
    source_conversation_id: id,
    source_contact_id: contact_id,
    name: `Conversation of ${created_at.slice(0, 16).replace('T', ' ')} UTC`,
  }))
  const selected = selectRows(at, {
    columns: sql`id, ${run.id}::uuid, position, source_conversation_id, source_contact_id, name, 'replay',
      ${JSON.stringify(content)}::jsonb, '', 'queued'`,
    from: rowsFrom(rows, 'id uuid, position integer, source_conversation_id uuid, source_contact_id uuid, name text'),
  })
  await at.db.run(
    sql`insert into test_run_results (workspace_id, id, run_id, position, source_conversation_id, source_contact_id, name, kind,
        content, content_hash, status) ${selected}`,
  )
  return run
}

export interface ReplayResult extends ReplayOutcome {
  id: string
  source_conversation_id: string
  /** The contact when the run was created. */
  source_contact_id: string | null
  /** The contact with whom the agent has talked in the replay. */
  contact_id: string | null
}

/**
 * Leaves out what replays keep of conversations that were redacted or deleted meanwhile. Call it in the transaction
 * that writes the results.
 */
export async function withoutGone(at: At, results: ReplayResult[]): Promise<ReplayResult[]> {
  const there = await replayable.shareReplayable(
    at,
    results.map((one) => one.source_conversation_id),
  )
  const kept = results.map((one) => {
    const source = there.get(one.source_conversation_id)
    if (one.kept.length === 0 || (source && source.contact_id === one.contact_id)) return one
    const nothing = failedReplay(own_errors.gone_meanwhile)
    return { ...one, ...nothing, usage: one.usage }
  })
  // A conversation may have been linked to a contact since the run was created.
  for (const { id, contact_id, source_contact_id, kept: said } of kept)
    if (said.length > 0 && contact_id !== source_contact_id)
      await at.db.run(
        sql`update test_run_results set source_contact_id = ${contact_id} where workspace_id = ${at.workspace} and id = ${id}`,
      )
  return kept
}

export const forgetConversations = (at: At, ids: string[]): Promise<void> =>
  forget(at, sql`source_conversation_id = any(${ids}::uuid[])`)

export const forgetContacts = (at: At, ids: string[]): Promise<void> =>
  forget(at, sql`source_contact_id = any(${ids}::uuid[])`)

/**
 * Deletes what replays keep of these conversations: what was said again, and the differences. Results keep whether
 * there were differences.
 */
async function forget(at: At, which: Sql): Promise<void> {
  const { db, workspace } = at
  const found = await db.many<{ id: string; conversation_ids: string[] }>(
    sql`select id, conversation_ids from test_run_results where workspace_id = ${workspace} and ${which}
      order by id for no key update`,
  )
  if (found.length === 0) return
  await db.run(
    sql`update test_run_results
      set differences = '[]', conversation_ids = '{}', conversation_id = null, source_contact_id = null
      where workspace_id = ${workspace} and id = any(${found.map(({ id }) => id)}::uuid[])`,
  )
  await removeMany(
    at,
    found.flatMap(({ conversation_ids }) => conversation_ids),
  )
}
