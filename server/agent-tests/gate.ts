import type { Missing, ToDeploy } from '../agents/deployments.ts'
import type { At } from '../kit/at.ts'
import { raw, sql } from '../kit/postgres/sql.ts'

/** The newest runs on the same content that are looked at. */
const runs_max = 50

/**
 * Returns what is missing before a version can be deployed: a run on the same content in which all tests that are enabled now have
 * passed, as they are now. Undefined if nothing is, and if no test is enabled.
 */
export async function findMissing(at: At, { agent_id, content_hash }: ToDeploy): Promise<Missing | undefined> {
  const { db, workspace } = at
  const [enabled] = await db.many(
    sql`select from agent_tests where workspace_id = ${workspace} and agent_id = ${agent_id} and is_enabled limit 1`,
  )
  if (!enabled) return undefined
  const [passed] = await db.many(
    sql`select from (
        select id from test_runs
        where workspace_id = ${workspace} and agent_id = ${agent_id} and content_hash = ${content_hash}
          and status = 'completed' and kind = 'tests'
        order by created_at desc limit ${raw(String(runs_max))}
      ) as run
      where not exists (
        select from agent_tests as test
        where test.workspace_id = ${workspace} and test.agent_id = ${agent_id} and test.is_enabled
          and not exists (
            select from test_run_results as result
            where result.workspace_id = ${workspace} and result.run_id = run.id and result.test_id = test.id
              and result.content_hash = test.content_hash and result.status = 'passed'))
      limit 1`,
  )
  return passed ? undefined : { test_run_id: await findLastRun(at, { agent_id, content_hash }) }
}

/** The last one on the same content, or else the last one at all. */
async function findLastRun({ db, workspace }: At, { agent_id, content_hash }: ToDeploy): Promise<string | null> {
  const [last] = await db.many<{ id: string }>(
    sql`select id from test_runs where workspace_id = ${workspace} and agent_id = ${agent_id} and kind = 'tests'
      order by content_hash = ${content_hash} desc, created_at desc, id desc limit 1`,
  )
  return last?.id ?? null
}
