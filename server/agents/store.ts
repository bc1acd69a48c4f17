import * as events from '../events/store.ts'
import { type At, type AtOutside, newHook } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalidState, stillUsed, type Use } from '../kit/problem.ts'
import type { KeptMcpTool } from '../tools/mcp-schema.ts'
import { readForVersion } from '../tools/mcp-tools.ts'
import * as workspaces from '../workspaces/store.ts'
import { answeringOf } from './answering.ts'
import { assertConfiguration } from './check-configuration.ts'
import { applyChange, type ConfigurationChange, complete } from './configuration.ts'
import * as deployments from './deployments.ts'
import { event_types } from './event-types.ts'
import { lock, withoutDraft } from './find.ts'
import { keepMcpTools } from './mcp-tools.ts'
import { recordChange } from './record-change.ts'
import { type AgentChange, type AgentWithDraft, type Author, agents_max, type NewAgent } from './schema.ts'
import * as versions from './versions.ts'

/** Runs in the transaction that deletes an agent. The input is its id. */
export const deleted = newHook<string>('agents.deleted')

/** Runs when an agent is about to be deleted. Reactions return what refers to it, which prevents this. */
export const findingUses = newHook<{ agent_id: string }, Use[]>('agents.finding_uses')

type IsCurrent = (agent: AgentWithDraft) => boolean

/** Asks the servers whose tools the agent will have, before the transaction that creates it. */
export function readMcpTools(at: AtOutside, input: NewAgent): Promise<KeptMcpTool[]> {
  const { fields, path } = configurationIn(input)
  return readForVersion(at, fields.tools ?? [], path)
}

interface Creation {
  input: NewAgent
  by: Author
  /** The tools that `readMcpTools` has returned. */
  mcp_tools?: KeptMcpTool[]
}

/** Creates the agent's version `v1` and deploys it. */
export async function create(at: At, { input, by, mcp_tools = [] }: Creation): Promise<AgentWithDraft> {
  const { db, workspace, now } = at
  const change = configurationIn(input)
  const draft = complete(change.fields)
  await workspaces.lock(at)
  await assertConfiguration(at, draft, change.path)
  await assertRoom(at)
  const created_at = clock.iso(now)
  const configuration = await keepMcpTools(at, draft, mcp_tools)
  const version = versions.newVersion({ configuration, number: 1, note: null, by, created_at })
  const { id: version_id, version_label } = version
  const agent: AgentWithDraft = {
    id: newId(),
    name: input.name,
    description: input.description ?? '',
    instructions: draft.instructions,
    deployed_version: { id: version_id, version_label },
    candidate: null,
    has_unpublished_changes: false,
    deploy_requires: 'none',
    ...(await answeringOf(at, draft)),
    draft,
    created_at,
    updated_at: created_at,
  }
  await Promise.all([
    db.run(
      sql`insert into agents (workspace_id, id, name, description, deployed_version_id, created_at, updated_at)
        values (${workspace}, ${agent.id}, ${agent.name}, ${agent.description}, ${version_id}, ${created_at},
          ${created_at})`,
    ),
    versions.insert(at, { agent_id: agent.id, version }),
    deployments.insert(at, { agent_id: agent.id, version_id, percent: 100, by, created_at }),
    events.record(at, event_types.created, [{ data: withoutDraft(agent) }]),
  ])
  return agent
}

async function assertRoom({ db, workspace }: At): Promise<void> {
  const total = await page.count(db, sql`select from agents where workspace_id = ${workspace}`)
  if (total >= agents_max) throw invalidState(`A workspace can have at most ${agents_max} agents.`)
}

export interface AgentUpdate {
  id: string
  change: AgentChange
  isCurrent: IsCurrent
  /**
   * Throws a Problem unless the caller may deploy what tests forbid: only such callers say whether tests are required.
   */
  assertMayForce: () => void
}

/** Changes an agent. The name and the description change at once, the configuration only in the draft. */
export async function update(at: At, { id, change, isCurrent, assertMayForce }: AgentUpdate): Promise<AgentWithDraft> {
  const { db, workspace, now } = at
  const { agent: before } = await lock(at, { id, isCurrent })
  if (Object.keys(change).length === 0) return before
  const { deploy_requires = before.deploy_requires } = change
  if (deploy_requires !== before.deploy_requires) assertMayForce()
  const { fields, path } = configurationIn(change)
  const is_configured = Object.keys(fields).length > 0
  const draft = applyChange(before.draft, fields)
  if (is_configured) await assertConfiguration(at, draft, path)
  const published = is_configured && (await versions.isPublished(at, { agent_id: id, draft }))
  const after: AgentWithDraft = {
    ...before,
    name: change.name ?? before.name,
    description: change.description === undefined ? before.description : (change.description ?? ''),
    draft,
    has_unpublished_changes: is_configured ? !published : before.has_unpublished_changes,
    deploy_requires,
    updated_at: clock.laterThan(before.updated_at, now),
  }
  await Promise.all([
    db.run(
      sql`update agents set name = ${after.name}, description = ${after.description},
          draft = coalesce(${is_configured ? JSON.stringify(draft) : null}::json, draft),
          has_unpublished_changes = ${after.has_unpublished_changes}, deploy_requires = ${deploy_requires},
          updated_at = ${after.updated_at}
        where workspace_id = ${workspace} and id = ${id}`,
    ),
    recordChange(at, event_types.updated, { before, after }),
  ])
  return after
}

/**
 * Returns the configuration in a body. `draft` comes before the other configuration fields, so that the body of a GET
 * can be sent back.
 */
function configurationIn(input: AgentChange): { fields: ConfigurationChange; path: string } {
  const { name: _name, description: _description, deploy_requires: _deploy_requires, draft, ...fields } = input
  return draft ? { fields: draft, path: 'draft.' } : { fields, path: '' }
}

/** Deletes the agent with its versions and deployments. */
export async function remove(
  at: At,
  { id, isCurrent }: { id: string; isCurrent: IsCurrent },
): Promise<{ deleted: true }> {
  const { agent } = await lock(at, { id, isCurrent })
  const used_by = (await at.hooks.run(at, findingUses, { agent_id: id })).flat()
  if (used_by.length > 0) throw stillUsed('The agent is in use. Change what uses it first.', used_by)
  await Promise.all([
    at.hooks.run(at, deleted, id),
    at.db.run(sql`delete from agents where workspace_id = ${at.workspace} and id = ${id}`),
    events.record(at, event_types.deleted, [{ data: withoutDraft(agent) }]),
  ])
  return { deleted: true }
}
