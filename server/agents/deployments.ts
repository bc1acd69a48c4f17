import { type At, newHook } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalid, invalidState } from '../kit/problem.ts'
import { toStored, withAuthors } from './authors.ts'
import { contentHash } from './configuration.ts'
import { get, getShown, type LockedAgent, lock } from './find.ts'
import { findVersion, type OneVersion } from './find-version.ts'
import { recordDeployment } from './record-change.ts'
import { unknownNames } from './references.ts'
import type {
  AgentQuery,
  AgentVersionWithConfiguration,
  AgentWithDraft,
  Author,
  Deployment,
  NewDeployment,
} from './schema.ts'

/** This many deployments can be rolled back, one after the other. */
const rollbacks_max = 100

interface NewRow extends Pick<NewDeployment, 'version_id' | 'percent'> {
  agent_id: string
  by: Author
}

/** The version that is about to be deployed. */
export interface VersionToDeploy {
  agent_id: string
  /** The hash of the version's content. */
  content_hash: string
}

/** What is missing before a version can be deployed. */
export interface MissingTestRun {
  /** The last run of tests on the same content, or else on another one. */
  test_run_id: string | null
}

/**
 * Runs with the agent locked when a version of an agent that requires tests is about to be deployed. Reactions return
 * what is missing, which prevents this unless it is forced.
 */
export const deploying = newHook<VersionToDeploy, MissingTestRun | undefined>('agents.deploying')

/**
 * Deploys a version. With less than 100 percent the version becomes the candidate. Nothing happens if it is deployed
 * like this already.
 */
export async function deploy(at: At, input: NewRow & { is_forced: boolean }): Promise<AgentWithDraft> {
  const { version_id, percent } = input
  const locked = await lock(at, { id: input.agent_id })
  const { deployed_version, candidate } = locked.agent
  const is_deployed = deployed_version.id === version_id
  const version = is_deployed ? undefined : await findUsable(at, input)
  if (percent < 100) {
    if (is_deployed) throw invalidState('This version is deployed. Only another version can be the candidate.')
    if (candidate?.version.id === version_id && candidate.percent === percent) return locked.agent
  } else if (is_deployed && !candidate) return locked.agent
  const missing = version && (await findMissing(at, locked.agent, version))
  if (missing && !input.is_forced) throw testsRequired(missing)
  const { earlier_version_ids: earlier } = locked
  const earlier_version_ids =
    is_deployed || percent < 100 ? earlier : [...earlier, deployed_version.id].slice(-rollbacks_max)
  return change(at, { locked, input, earlier_version_ids, is_forced: missing !== undefined })
}

const testsRequired = ({ test_run_id }: MissingTestRun) =>
  invalidState(
    'All tests of the agent that are enabled must pass on this version before it is deployed. Run them first.',
    {
      reason: 'tests_required',
      test_run_id,
    },
  )

/** Returns what is missing, or undefined if nothing is. */
async function findMissing(
  at: At,
  { id: agent_id, deploy_requires }: AgentWithDraft,
  { configuration }: AgentVersionWithConfiguration,
): Promise<MissingTestRun | undefined> {
  if (deploy_requires === 'none') return undefined
  const found = await at.hooks.run(at, deploying, { agent_id, content_hash: contentHash(configuration) })
  return found.find((one) => one !== undefined)
}

/** Deploys the version that was deployed before the current one, whatever its tests say. The next rollback goes further back. */
export async function rollback(at: At, { agent_id, by }: Pick<NewRow, 'agent_id' | 'by'>): Promise<AgentWithDraft> {
  const locked = await lock(at, { id: agent_id })
  const version_id = locked.earlier_version_ids.at(-1)
  if (version_id === undefined) throw invalidState('No other version was deployed before this one.')
  await findUsable(at, { agent_id, version_id })
  const earlier_version_ids = locked.earlier_version_ids.slice(0, -1)
  const input = { agent_id, version_id, percent: 100, by }
  return change(at, { locked, input, earlier_version_ids, is_forced: false })
}

interface DeploymentChange {
  locked: LockedAgent
  input: NewRow
  earlier_version_ids: string[]
  is_forced: boolean
}

async function change(at: At, { locked: { agent: before }, input, earlier_version_ids, is_forced }: DeploymentChange) {
  const { db, workspace, now } = at
  const { agent_id, version_id, percent } = input
  const is_candidate = percent < 100
  // Unlike `now`, this time grows in the order in which requests got the lock.
  const updated_at = clock.laterThan(before.updated_at, now)
  await Promise.all([
    insert(at, { ...input, is_forced, created_at: updated_at }),
    db.run(
      sql`update agents set deployed_version_id = ${is_candidate ? before.deployed_version.id : version_id},
          candidate_version_id = ${is_candidate ? version_id : null}, candidate_percent = ${is_candidate ? percent : null},
          earlier_version_ids = ${earlier_version_ids}, updated_at = ${updated_at}
        where workspace_id = ${workspace} and id = ${agent_id}`,
    ),
  ])
  const after = await getShown(at, agent_id)
  await recordDeployment(at, { before, after, is_forced })
  return after
}

/** Finds a version whose tools and providers exist. It can name some that were deleted since. */
async function findUsable(at: At, one: OneVersion): Promise<AgentVersionWithConfiguration> {
  const version = await findVersion(at, one)
  if (!version)
    throw invalid([{ path: 'version_id', code: 'unknown', message: 'version_id must be a version of this agent.' }])
  const [fault] = await unknownNames(at, version.configuration)
  if (fault) throw invalidState(`${version.version_label} can't be deployed: ${fault.message}`)
  return version
}

export async function insert(
  { db, workspace }: At,
  {
    agent_id,
    version_id,
    percent,
    by,
    created_at,
    is_forced = false,
  }: NewRow & { created_at: string; is_forced?: boolean },
): Promise<void> {
  await db.run(
    sql`insert into agent_deployments (workspace_id, id, agent_id, version_id, percent, is_forced, created_at, created_by)
      values (${workspace}, ${newId()}, ${agent_id}, ${version_id}, ${percent}, ${is_forced}, ${created_at},
        ${toStored(by)})`,
  )
}

export async function list(
  at: At,
  { agent_id, query }: { agent_id: string; query: AgentQuery },
): Promise<page.Page<Deployment>> {
  const { db, workspace } = at
  await get(at, agent_id)
  const own = sql`from agent_deployments as deployment
    where deployment.workspace_id = ${workspace} and deployment.agent_id = ${agent_id}`
  const selection = sql`select deployment.id, percent, is_forced, deployment.created_by, deployment.created_at, (
      select jsonb_build_object('id', version.id, 'version_label', version_label) from agent_versions as version
      where version.workspace_id = ${workspace} and version.id = deployment.version_id
    ) as version ${own}`
  const read = await page.readSelection<Deployment>(db, query, page.newest_first, selection, sql`select ${own}`)
  return { ...read, data: await withAuthors(at, read.data) }
}
