import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { batchedGetById } from '../kit/postgres/get-by-id.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { notFound } from '../kit/problem.ts'
import { event_types } from './event-types.ts'
import type { Agent, AgentQuery, AgentVersion, NewAgent } from './schema.ts'

const columns = raw('id, name, description, instructions, deployed_version, created_at, updated_at')

const joinDeployedVersion = (workspace: Sql): Sql =>
  sql`join lateral (
    select instructions, jsonb_build_object('id', id, 'version_label', version_label) as deployed_version
    from agent_versions where agent_versions.workspace_id = ${workspace} and id = agents.deployed_version_id
  ) as version on true`

/** Creates the agent's version `v1` and deploys it. */
export async function create(at: At, input: NewAgent): Promise<Agent> {
  const { db, workspace, now } = at
  const created_at = clock.iso(now)
  const { name, description, instructions = null } = input
  const deployed_version = { id: newId(), version_label: 'v1' }
  const agent = {
    id: newId(),
    name,
    description: description ?? '',
    instructions,
    deployed_version,
    created_at,
    updated_at: created_at,
  }
  await Promise.all([
    db.run(
      sql`insert into agents (workspace_id, id, name, description, deployed_version_id, created_at, updated_at)
        values (${workspace}, ${agent.id}, ${name}, ${agent.description}, ${deployed_version.id}, ${created_at}, ${created_at})`,
    ),
    db.run(
      sql`insert into agent_versions (workspace_id, id, agent_id, version_label, instructions, created_at)
        values (${workspace}, ${deployed_version.id}, ${agent.id}, ${deployed_version.version_label}, ${instructions},
          ${created_at})`,
    ),
    events.record(at, event_types.created, [{ data: agent }]),
  ])
  return agent
}

export async function get({ db, workspace }: At, id: string): Promise<Agent> {
  const agent = await byId(db, workspace, id)
  if (!agent) throw notFound()
  return agent
}

const byId = batchedGetById<Agent>(columns, raw('agents'), joinDeployedVersion)

export function list({ db, workspace }: At, query: AgentQuery): Promise<page.Page<Agent>> {
  return page.readSelection(
    db,
    query,
    page.newest_first,
    sql`select ${columns} from agents ${joinDeployedVersion(sql`${workspace}`)} where workspace_id = ${workspace}`,
    sql`select from agents where workspace_id = ${workspace}`,
  )
}

export async function listVersions(
  at: At,
  { agent_id, query }: { agent_id: string; query: AgentQuery },
): Promise<page.Page<AgentVersion>> {
  const { db, workspace } = at
  await get(at, agent_id)
  const versions = sql`select id, version_label, instructions, created_at from agent_versions
    where workspace_id = ${workspace} and agent_id = ${agent_id}`
  return page.readSelection(db, query, page.newest_first, versions, versions)
}
