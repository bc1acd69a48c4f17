import fs from 'node:fs'
import type { Agent, AgentVersionWithConfiguration, AgentWithDraft, NewAgent } from '../../sdk/src/index.ts'
import { isId } from '../kit/id.ts'
import { errorCode, Problem } from '../kit/problem.ts'
import { ApiError, takeFirst } from './api-client.ts'
import type { Target } from './ask.ts'
import { UsageError } from './command.ts'
import { findByName } from './find-by-name.ts'
import { readJsonFile } from './json-file.ts'
import { type Answer, formatTable } from './run.ts'

/** A workspace has at most this many agents. */
const agents_max = 1_000

export async function listAgents(target: Target): Promise<Answer> {
  const agents = await listAll(target)
  const rows = agents.map(({ id, name, deployed_version, candidate, has_unpublished_changes }) => [
    id,
    name,
    deployed_version.version_label,
    candidate ? `${candidate.version.version_label} ${candidate.percent}%` : '',
    has_unpublished_changes ? 'unpublished changes' : '',
  ])
  return { data: { agents }, text: formatTable(['ID', 'NAME', 'DEPLOYED', 'CANDIDATE', 'DRAFT'], rows) }
}

const listAll = ({ api }: Target): Promise<Agent[]> => takeFirst(api.agents.list(), agents_max)

/** Finds an agent by its name or id. `name` may be the id here and below. */
export async function findAgent(target: Target, name: string): Promise<Agent> {
  const { api, workspace } = target
  if (!isId(name)) return findByName(await listAll(target), name, 'agent', workspace)
  return api.agents.get(name).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error
    throw new Problem('NOT_FOUND', `there is no agent ${name} in "${workspace.name}"`)
  })
}

export async function createAgent({ api, shell }: Target, file: string): Promise<Answer> {
  const agent = await api.agents.create(await readAgent(shell, file))
  return { data: { agent }, text: `Created "${agent.name}" ${agent.id}.` }
}

/**
 * Prints an agent, or writes it to a file. The fields are in the order of the API, so that a file changes only where
 * the agent does.
 */
export async function pullAgent(target: Target, name: string, file: string | undefined): Promise<Answer> {
  const agent = await target.api.agents.get((await findAgent(target, name)).id)
  const content = { name: agent.name, description: agent.description, ...agent.draft }
  const text = JSON.stringify(content, undefined, 2)
  if (file === undefined) return { data: content, text }
  try {
    fs.writeFileSync(file, `${text}\n`)
  } catch (error) {
    throw new UsageError(`the file ${file} can't be written (${errorCode(error)})`)
  }
  return { data: { agent: { id: agent.id, file } }, text: `The draft of "${agent.name}" is in ${file}.` }
}

export async function pushAgent(
  target: Target,
  file: string,
  {
    agent: wanted,
    publish,
    deploy,
    note,
    force,
  }: { agent?: string; publish?: true; deploy?: true; note?: string; force?: true },
): Promise<Answer> {
  const { api, shell } = target
  const input = await readAgent(shell, file)
  const found =
    wanted === undefined
      ? (await listAll(target)).find(({ name }) => name === input.name)
      : await findAgent(target, wanted)
  const before = found && (await api.agents.get(found.id))
  const agent = found ? await api.agents.update(found.id, input) : await api.agents.create(input)
  const did = !before ? 'Created' : contentOf(before) === contentOf(agent) ? 'No changes in' : 'Changed the draft of'
  const done = `${did} "${agent.name}" ${agent.id}.`
  // The first version of a new agent is deployed already.
  if (!found || (!publish && !deploy)) return { data: { agent }, text: done }
  const { data, text } = await publishDraft(target, agent, { note, deploy, force })
  return { data: { agent: await api.agents.get(agent.id), ...data }, text: `${done}\n${text}` }
}

const contentOf = ({ name, description, draft }: AgentWithDraft): string => JSON.stringify({ name, description, draft })

export async function publishAgent(
  target: Target,
  name: string,
  { file, ...options }: { file?: string; note?: string; deploy?: true; force?: true },
): Promise<Answer> {
  return publishDraft(target, await changeDraft(target, name, file), options)
}

async function changeDraft(target: Target, name: string, file: string | undefined): Promise<Agent> {
  const agent = await findAgent(target, name)
  return file === undefined ? agent : target.api.agents.update(agent.id, await readAgent(target.shell, file))
}

/** Makes a version of the draft. Deploys nothing if the version is the only one in use already. */
async function publishDraft(
  target: Target,
  agent: Agent | AgentWithDraft,
  { note, deploy = false, force = false }: PublishOptions,
): Promise<Answer & { data: { version: AgentVersionWithConfiguration; is_new: boolean } }> {
  const { api } = target
  const { id, name, has_unpublished_changes, deployed_version, candidate } = agent
  const input = {
    ...(note !== undefined && { note }),
    deploy: deploy && has_unpublished_changes,
    ...(force && { force }),
  }
  const refused = (what: string) => async (error: unknown) => {
    throw await whyNotDeployed(target, error, { agent, what })
  }
  const { data: version, response } = await api.agents.publish(id, input).withResponse().catch(refused('--draft'))
  const is_new = response.status === 201
  const what = `${version.version_label} of "${name}"`
  const done = is_new ? `Published ${what}.` : `Nothing has changed: the draft is the same as ${what}.`
  const data = { version, is_new }
  if (!deploy) return { data, text: done }
  const is_in_use = version.id === deployed_version.id && !candidate
  if (!input.deploy && is_in_use) return { data, text: `${done}\nIt is deployed already.` }
  if (!input.deploy)
    await api.agents
      .deploy(id, { version_id: version.id, percent: 100, ...(force && { force }) })
      .catch(refused(`--version ${version.version_label}`))
  return { data, text: `${done}\nDeployed ${what}.` }
}

interface PublishOptions {
  note?: string | undefined
  deploy?: boolean | undefined
  /** Whether to deploy without the tests that the agent requires. */
  force?: boolean | undefined
}

/** Says what to do when the agent requires tests that have not passed. `what` is the option of `parley test run`. */
async function whyNotDeployed(
  { api, toCommandError }: Target,
  error: unknown,
  { agent, what }: { agent: Agent | AgentWithDraft; what: string },
): Promise<unknown> {
  if (!(error instanceof ApiError) || error.details.reason !== 'tests_required') return error
  const reported = toCommandError(error)
  const { test_run_id } = error.details
  const run = typeof test_run_id === 'string' ? await api.testRuns.get(test_run_id).catch(() => undefined) : undefined
  const last =
    run?.status === 'completed' && run.passed < run.tests
      ? ` In the last run ${run.tests - run.passed} of ${run.tests} did not pass.`
      : ''
  const message =
    `"${agent.name}" is deployed only after all its enabled tests have passed with this content.${last} ` +
    `Run "parley test run ${quoted(agent.name)} ${what}", then deploy again. Owners can deploy all the same, with --force.`
  return reported instanceof Problem ? new Problem(reported.code, message, reported.details) : reported
}

/** Quotes a name as it is typed in a shell. */
const quoted = (name: string): string => (/^[\w-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`)

export async function deployAgent(
  target: Target,
  wanted: string,
  version: string | undefined,
  { percent, file, force }: { percent: number; file?: string; force?: true },
): Promise<Answer> {
  const changed = await changeDraft(target, wanted, file)
  const found =
    version === undefined
      ? (await publishDraft(target, changed, {})).data.version
      : await findVersion(target, changed, version)
  const agent = await target.api.agents
    .deploy(changed.id, { version_id: found.id, percent, ...(force && { force }) })
    .catch(async (error: unknown) => {
      throw await whyNotDeployed(target, error, { agent: changed, what: `--version ${found.version_label}` })
    })
  const what = `${found.version_label} of "${changed.name}"`
  const text = percent < 100 ? `${what} is the candidate for ${percent} percent.` : `Deployed ${what}.`
  return { data: { agent }, text }
}

export async function findVersion({ api }: Target, { id, name }: Agent, wanted: string) {
  for await (const version of api.agents.listVersions(id))
    if (version.version_label === wanted || version.id === wanted) return version
  throw new Problem('NOT_FOUND', `"${name}" has no version ${wanted}`)
}

export async function rollBackAgent(target: Target, name: string): Promise<Answer> {
  const agent = await target.api.agents.rollback((await findAgent(target, name)).id)
  return { data: { agent }, text: `Deployed ${agent.deployed_version.version_label} of "${agent.name}".` }
}

async function readAgent(shell: Target['shell'], file: string): Promise<NewAgent> {
  const content = await readJsonFile(shell, file)
  if (typeof content.name !== 'string') throw new UsageError(`the file ${file} has no "name"`)
  // The service checks the rest.
  return content as object as NewAgent
}
