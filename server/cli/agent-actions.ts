import * as deployments from '../agents/deployments.ts'
import * as find from '../agents/find.ts'
import { type Agent, type AgentWithDraft, type Author, NewVersion } from '../agents/schema.ts'
import * as versions from '../agents/versions.ts'
import { type At, atWorkspace, inTransaction, type Service } from '../kit/at.ts'
import { type RequestSchema, validate } from '../kit/http/validate.ts'
import { isId } from '../kit/id.ts'
import { invalid, Problem } from '../kit/problem.ts'
import { findByName } from './find-by-name.ts'
import { type Answer, formatTable } from './run.ts'
import { findWorkspace } from './workspace-actions.ts'

const by: Author = { kind: 'command', id: null }
const page_size = 100

export async function listAgents(service: Service, workspace_name: string): Promise<Answer> {
  const { id } = await findWorkspace(service, workspace_name)
  const agents = await listAll(await atWorkspace(service, id))
  const rows = agents.map(({ id, name, deployed_version, candidate, has_unpublished_changes }) => [
    id,
    name,
    deployed_version.version_label,
    candidate ? `${candidate.version.version_label} ${candidate.percent}%` : '',
    has_unpublished_changes ? 'unpublished changes' : '',
  ])
  return { data: { agents }, text: formatTable(['ID', 'NAME', 'DEPLOYED', 'CANDIDATE', 'DRAFT'], rows) }
}

export const findAgent = async (at: At, name: string, workspace: { name: string }): Promise<Agent> =>
  findByName(await listAll(at), name, 'agent', workspace)

/** A workspace has at most 1,000. */
async function listAll(at: At): Promise<Agent[]> {
  const agents: Agent[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await find.list(at, { limit: page_size, offset: 0, ...(cursor && { cursor }) })
    agents.push(...page.data)
    cursor = page.pagination.next_cursor
  }
  return agents
}

export async function publishAgent(
  service: Service,
  id: string,
  { workspace, note, deploy }: { workspace: string; note?: string; deploy?: boolean },
): Promise<Answer> {
  // `NewVersion` uses only keywords that `validate` checks, as for the API.
  const { value, faults } = validate(NewVersion as object as RequestSchema, {
    ...(note !== undefined && { note }),
    deploy: deploy ?? false,
  })
  if (faults.length > 0) throw invalid(faults)
  return changeAgent(service, { id, workspace }, async (at, agent) => {
    const { is_new, ...version } = await versions.publish(at, { agent_id: agent.id, input: value, by })
    const what = `${version.version_label} of "${agent.name}"`
    const done = is_new ? `Published ${what}.` : `Nothing has changed: the draft is the same as ${what}.`
    return { data: { version, is_new }, text: deploy ? `${done}\nDeployed ${what}.` : done }
  })
}

export async function deployAgent(
  service: Service,
  id: string,
  version: string,
  { workspace, percent }: { workspace: string; percent: number },
): Promise<Answer> {
  return changeAgent(service, { id, workspace }, async (at, { id: agent_id, name }) => {
    const found = await versions.findByName(at, { agent_id, name: version })
    if (!found) throw new Problem('NOT_FOUND', `"${name}" has no version ${version}`)
    const agent = await deployments.deploy(at, { agent_id, version_id: found.id, percent, by })
    const what = `${found.version_label} of "${name}"`
    const text = percent < 100 ? `${what} is the candidate for ${percent} percent.` : `Deployed ${what}.`
    return { data: { agent }, text }
  })
}

export async function rollBackAgent(service: Service, id: string, workspace: string): Promise<Answer> {
  return changeAgent(service, { id, workspace }, async (at, { id: agent_id, name }) => {
    const agent = await deployments.rollback(at, { agent_id, by })
    return { data: { agent }, text: `Deployed ${agent.deployed_version.version_label} of "${name}".` }
  })
}

async function changeAgent(
  service: Service,
  { id, workspace: name }: { id: string; workspace: string },
  work: (at: At, agent: AgentWithDraft) => Promise<Answer>,
): Promise<Answer> {
  const workspace = await findWorkspace(service, name)
  const unknown = () => new Problem('NOT_FOUND', `there is no agent ${id} in "${workspace.name}"`)
  if (!isId(id)) throw unknown()
  return inTransaction(await atWorkspace(service, workspace.id), async (at) => {
    const { agent } = await find.lock(at, { id }).catch((error: unknown) => {
      throw error instanceof Problem && error.code === 'NOT_FOUND' ? unknown() : error
    })
    return work(at, agent)
  })
}
