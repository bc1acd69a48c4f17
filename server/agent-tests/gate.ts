import { contentHash } from '../agents/configuration.ts'
import type { MissingTestRun, VersionToDeploy } from '../agents/deployments.ts'
import * as agents from '../agents/find.ts'
import { findVersion } from '../agents/find-version.ts'
import { keepMcpTools, readForDraft } from '../agents/mcp-tools.ts'
import type { At, AtOutside } from '../kit/at.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { invalid } from '../kit/problem.ts'
import type { TestGate } from './schema.ts'

/** The newest runs on the same content are looked at, up to this many. */
const runs_max = 50

interface TestedContent {
  agent_id: string
  /** The id of a version, or `draft`. */
  version: string
}

/** Says how the tests of a version or the draft stand, by the same rules as a deployment. */
export async function get(at: AtOutside, { agent_id, version }: TestedContent): Promise<TestGate> {
  const { agent, content_hash } = await findContent(at, { agent_id, version })
  const to_deploy = { agent_id, content_hash }
  const enabled = await listEnabled(at, agent_id)
  const [passed_run_id = null, last_run_id = null] = await Promise.all([
    findPassed(at, to_deploy, enabled),
    findLast(at, to_deploy),
  ])
  const has_passed = enabled.length === 0 || passed_run_id !== null
  return { deploy_requires: agent.deploy_requires, tests: enabled.length, has_passed, passed_run_id, last_run_id }
}

async function findContent(at: AtOutside, { agent_id, version }: TestedContent) {
  const agent = await agents.get(at, agent_id)
  if (version === 'draft') {
    // The draft gets the tools that its servers have now, as a version of it would.
    const configuration = await keepMcpTools(at, agent.draft, await readForDraft(at, agent_id))
    return { agent, content_hash: contentHash(configuration) }
  }
  const found = await findVersion(at, { agent_id, version_id: version })
  if (!found)
    throw invalid([{ path: 'version', code: 'unknown', message: 'version must be a version of this agent, or draft.' }])
  return { agent, content_hash: contentHash(found.configuration) }
}

/**
 * Returns what is missing before a version can be deployed: a run on the same content in which all tests that are
 * enabled now have passed, as they are now. Returns undefined if nothing is missing, or if no test is enabled.
 */
export async function findMissing(at: At, to_deploy: VersionToDeploy): Promise<MissingTestRun | undefined> {
  const enabled = await listEnabled(at, to_deploy.agent_id)
  if (enabled.length === 0 || (await findPassed(at, to_deploy, enabled))) return undefined
  return { test_run_id: (await findLast(at, to_deploy)) ?? (await findLastOfAll(at, to_deploy.agent_id)) ?? null }
}

/** Lists the enabled tests, each as its id and the hash of its content. */
async function listEnabled({ db, workspace }: At, agent_id: string): Promise<string[]> {
  const enabled = await db.many<{ tested: string }>(
    sql`select id::text || content_hash as tested from agent_tests
      where workspace_id = ${workspace} and agent_id = ${agent_id} and is_enabled`,
  )
  return enabled.map((one) => one.tested)
}

/**
 * Finds the last run on the same content in which all tests have passed that are enabled now, as they are now. Joins no
 * tables: with old statistics that takes seconds.
 */
async function findPassed(
  { db, workspace }: At,
  { agent_id, content_hash }: VersionToDeploy,
  enabled: string[],
): Promise<string | undefined> {
  if (enabled.length === 0) return undefined
  const found = await db.many<{ id: string }>(
    sql`select id from test_runs
      where workspace_id = ${workspace} and agent_id = ${agent_id} and content_hash = ${content_hash}
        and status = 'completed' and kind = 'tests' and passed >= ${enabled.length}
      order by created_at desc limit ${raw(String(runs_max))}`,
  )
  if (found.length === 0) return undefined
  const passed = await db.many<{ run_id: string }>(
    sql`select run_id from test_run_results
      where workspace_id = ${workspace} and run_id = any(${found.map(({ id }) => id)}::uuid[]) and status = 'passed'
        and test_id::text || content_hash = any(${enabled})
      group by run_id having count(*) = ${enabled.length}`,
  )
  const ids = new Set(passed.map(({ run_id }) => run_id))
  return found.find(({ id }) => ids.has(id))?.id
}

/** Finds the last run on the same content. A run that was canceled tells nothing. */
const findLast = (at: At, { agent_id, content_hash }: VersionToDeploy): Promise<string | undefined> =>
  findLastOf(at, sql`agent_id = ${agent_id} and content_hash = ${content_hash} and status <> 'canceled'`)

const findLastOfAll = (at: At, agent_id: string): Promise<string | undefined> =>
  findLastOf(at, sql`agent_id = ${agent_id}`)

async function findLastOf({ db, workspace }: At, which: Sql): Promise<string | undefined> {
  const last = await db.maybe<{ id: string }>(
    sql`select id from test_runs where workspace_id = ${workspace} and kind = 'tests' and ${which}
      order by created_at desc, id desc limit 1`,
  )
  return last?.id
}
