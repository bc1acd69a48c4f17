import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalid, invalidState, notFound } from '../kit/problem.ts'
import type { KeptMcpTool } from '../tools/mcp-schema.ts'
import { serverOf } from '../tools/mcp-tools.ts'
import { toStored, withAuthor, withAuthors } from './authors.ts'
import { assertConfiguration } from './check-configuration.ts'
import { type Configuration, contentHash, withMcpTools, withoutMcpTools } from './configuration.ts'
import * as deployments from './deployments.ts'
import { differenceBetween } from './difference.ts'
import { event_types } from './event-types.ts'
import { get as getAgent, lock } from './find.ts'
import { columns, findVersion, type OneVersion, type StoredVersion, toVersion } from './find-version.ts'
import { keepMcpTools } from './mcp-tools.ts'
import { recordChange } from './record-change.ts'
import {
  type AgentQuery,
  type AgentVersion,
  type AgentVersionWithConfiguration,
  type AgentWithDraft,
  type Author,
  type Difference,
  type NewVersion,
  versions_max,
} from './schema.ts'

/** At most this many versions are compared with a draft that names tools of servers. */
const compared_max = 100

export interface PublishedVersion extends AgentVersionWithConfiguration {
  is_new: boolean
}

interface DraftToPublish {
  agent_id: string
  input: NewVersion
  by: Author
  /** The tools that `readForDraft` has returned. */
  mcp_tools?: KeptMcpTool[]
}

/** Makes a version from the draft. If there is one with the same content, returns that one. */
export async function publish(
  at: At,
  { agent_id, input, by, mcp_tools = [] }: DraftToPublish,
): Promise<PublishedVersion> {
  const { agent, version_count } = await lock(at, { id: agent_id })
  const configuration = await keepMcpTools(at, agent.draft, mcp_tools)
  const existing = await findByContent(at, { agent_id, configuration })
  const publishing = { agent, configuration, number: version_count + 1, note: input.note ?? null, by }
  const version = existing ?? (await publishDraft(at, publishing))
  const is_forced = input.force ?? false
  if (input.deploy) await deployments.deploy(at, { agent_id, version_id: version.id, percent: 100, is_forced, by })
  return { ...(await withAuthor(at, version)), is_new: !existing }
}

async function publishDraft(
  at: At,
  { agent, ...input }: { agent: AgentWithDraft } & Omit<NewVersionFields, 'created_at'>,
): Promise<AgentVersionWithConfiguration> {
  if (input.number > versions_max) throw invalidState(`An agent can have at most ${versions_max} versions.`)
  await assertConfiguration(at, agent.draft, 'draft.')
  // Unlike `now`, this time grows in the order in which requests got the lock.
  const updated_at = clock.laterThan(agent.updated_at, at.now)
  const version = newVersion({ created_at: updated_at, ...input })
  const after = { ...agent, has_unpublished_changes: false, updated_at }
  await Promise.all([
    insert(at, { agent_id: agent.id, version }),
    at.db.run(
      sql`update agents set draft = ${JSON.stringify(agent.draft)}, has_unpublished_changes = false,
          version_count = ${input.number}, updated_at = ${updated_at}
        where workspace_id = ${at.workspace} and id = ${agent.id}`,
    ),
    recordChange(at, event_types.updated, { before: agent, after }),
  ])
  return version
}

interface NewVersionFields {
  configuration: Configuration
  number: number
  note: string | null
  by: Author
  created_at: string
}

export const newVersion = (fields: NewVersionFields): AgentVersionWithConfiguration => ({
  id: newId(),
  version_label: `v${fields.number}`,
  instructions: fields.configuration.instructions,
  note: fields.note,
  created_by: { ...fields.by, name: null },
  created_at: fields.created_at,
  configuration: fields.configuration,
  mcp_tools: fields.configuration.mcp_tools ?? [],
})

export async function insert(
  { db, workspace }: At,
  { agent_id, version }: { agent_id: string; version: AgentVersionWithConfiguration },
): Promise<void> {
  const { instructions, ...rest } = version.configuration
  await db.run(
    sql`insert into agent_versions (workspace_id, id, agent_id, version_label, instructions, configuration, note,
        content_hash, created_by, created_at)
      values (${workspace}, ${version.id}, ${agent_id}, ${version.version_label}, ${instructions},
        ${JSON.stringify(rest)}, ${version.note}, ${contentHash(version.configuration)},
        ${toStored(version.created_by)}, ${version.created_at})`,
  )
}

async function findByContent(
  { db, workspace }: At,
  { agent_id, configuration }: { agent_id: string; configuration: Configuration },
): Promise<AgentVersionWithConfiguration | undefined> {
  const found = await db.maybe<StoredVersion>(
    sql`select ${columns}, configuration from agent_versions
      where workspace_id = ${workspace} and agent_id = ${agent_id} and content_hash = ${contentHash(configuration)}`,
  )
  return found && toVersion(found)
}

/** Whether a version has the draft as its configuration, whatever it keeps of the tools of servers. */
export async function isPublished(
  at: At,
  { agent_id, draft }: { agent_id: string; draft: Configuration },
): Promise<boolean> {
  if (!draft.tools.some(serverOf)) return (await findByContent(at, { agent_id, configuration: draft })) !== undefined
  const rows = await at.db.many<StoredVersion>(
    sql`select ${columns}, configuration from agent_versions where workspace_id = ${at.workspace} and agent_id = ${agent_id}
      order by created_at desc, id desc limit ${compared_max}`,
  )
  const hash = contentHash(draft)
  return rows.some((row) => contentHash(withoutMcpTools(toVersion(row).configuration)) === hash)
}

export async function list(
  at: At,
  { agent_id, query }: { agent_id: string; query: AgentQuery },
): Promise<page.Page<AgentVersion>> {
  await getAgent(at, agent_id)
  const own = sql`from agent_versions where workspace_id = ${at.workspace} and agent_id = ${agent_id}`
  const counted = sql`select ${own}`
  const read = await page.readSelection<AgentVersion>(
    at.db,
    query,
    page.newest_first,
    sql`select ${columns} ${own}`,
    counted,
  )
  return { ...read, data: await withAuthors(at, read.data) }
}

export async function get(at: At, version: OneVersion): Promise<AgentVersionWithConfiguration> {
  const found = await findVersion(at, version)
  if (!found) throw notFound()
  return await withAuthor(at, found)
}

/** Compares a version with another one, or with the draft. */
export async function compare(at: At, { against, ...version }: OneVersion & { against: string }): Promise<Difference> {
  const one = await get(at, version)
  if (against === 'draft') {
    const { draft } = await getAgent(at, version.agent_id)
    // The draft gets the tools of the version, because it gets its own only when it is published.
    const configuration = withMcpTools(draft, one.mcp_tools)
    return differenceBetween(one, { id: null, version_label: 'draft', configuration })
  }
  const other = await findVersion(at, { ...version, version_id: against })
  if (!other)
    throw invalid([{ path: 'against', code: 'unknown', message: 'against must be a version of this agent, or draft.' }])
  const is_older = numberOf(other) < numberOf(one)
  return is_older ? differenceBetween(other, one) : differenceBetween(one, other)
}

const numberOf = ({ version_label }: AgentVersion): number => Number(version_label.slice(1))
