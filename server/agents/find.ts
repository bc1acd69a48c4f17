import type { At } from '../kit/at.ts'
import { isId } from '../kit/id.ts'
import { batchedGetById } from '../kit/postgres/get-by-id.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { notFound, preconditionFailed } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import { answeringOf, openAnsweringOf } from './answering.ts'
import { type ConfigurationChange, complete, withoutMcpTools } from './configuration.ts'
import type { Agent, AgentQuery, AgentWithDraft, Answering, FoundAgent } from './schema.ts'

const columns =
  raw(`id, name, description, instructions, deployed_version, candidate, has_unpublished_changes, deploy_requires,
  created_at, updated_at`)

const joinVersions = (workspace: Sql): Sql =>
  sql`join lateral (
    select instructions, configuration, jsonb_build_object('id', id, 'version_label', version_label) as deployed_version
    from agent_versions where agent_versions.workspace_id = ${workspace} and id = agents.deployed_version_id
  ) as deployed on true
  left join lateral (
    select jsonb_build_object('version', jsonb_build_object('id', id, 'version_label', version_label),
      'percent', agents.candidate_percent) as candidate
    from agent_versions where agent_versions.workspace_id = ${workspace} and id = agents.candidate_version_id
  ) as tried on true`

interface StoredAgent extends Omit<Agent, keyof Answering> {
  /** The draft. It is null until it is first changed: it is then the deployed version's configuration. */
  draft: ConfigurationChange | null
  configuration: ConfigurationChange
}

const byId = batchedGetById<StoredAgent>(sql`${columns}, draft, configuration`, raw('agents'), joinVersions)

async function find({ db, workspace }: At, id: string): Promise<StoredAgent> {
  const found = await byId(db, workspace, id)
  if (!found) throw notFound()
  return found
}

function withDraft({ configuration, ...agent }: StoredAgent): FoundAgent {
  const draft = complete(agent.draft ?? { ...configuration, instructions: agent.instructions })
  return { ...agent, draft: withoutMcpTools(draft) }
}

export const get = async (at: At, id: string): Promise<FoundAgent> => withDraft(await find(at, id))

/** Reads the agent as clients see it. */
export async function getShown(at: At, id: string): Promise<AgentWithDraft> {
  const found = await find(at, id)
  return { ...withDraft(found), ...(await answeringOf(at, found.configuration)) }
}

/** Removes the draft, as lists and events show an agent. */
export const withoutDraft = ({ draft: _, ...agent }: AgentWithDraft): Agent => agent

export async function list(at: At, query: AgentQuery): Promise<page.Page<Agent>> {
  const { db, workspace } = at
  const found = await page.readSelection<Omit<Agent, keyof Answering>>(
    db,
    query,
    page.newest_first,
    sql`select ${columns} from agents ${joinVersions(sql`${workspace}`)} where workspace_id = ${workspace}`,
    sql`select from agents where workspace_id = ${workspace}`,
  )
  const answering = await openAnsweringOf(
    at,
    found.data.map(({ deployed_version }) => deployed_version.id),
  )
  return { ...found, data: found.data.map((agent) => ({ ...agent, ...answering(agent.deployed_version.id) })) }
}

/** Keeps the agent from being deleted until the transaction ends. Returns false if there is none. */
export const share = async ({ db, workspace }: At, id: string): Promise<boolean> =>
  isId(id) && (await db.run(sql`select from agents where workspace_id = ${workspace} and id = ${id} for key share`)) > 0

export interface LockedAgent {
  agent: AgentWithDraft
  version_count: number
  /** The versions that were deployed before, oldest first. */
  earlier_version_ids: string[]
}

/**
 * Locks the workspace and the agent until the transaction ends: a tool or provider can't be deleted while a configuration
 * that names it is written. The versions are read after that, because they may have changed meanwhile.
 */
export async function lock(
  at: At,
  { id, isCurrent = () => true }: { id: string; isCurrent?: (agent: AgentWithDraft) => boolean },
): Promise<LockedAgent> {
  const { db, workspace } = at
  await workspaces.lock(at)
  const locked = await db.maybe<Omit<LockedAgent, 'agent'>>(
    sql`select version_count, earlier_version_ids from agents where workspace_id = ${workspace} and id = ${id}
      for no key update`,
  )
  if (!locked) throw notFound()
  const agent = await getShown(at, id)
  if (!isCurrent(agent)) throw preconditionFailed()
  return { ...locked, agent }
}
