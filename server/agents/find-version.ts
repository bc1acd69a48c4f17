import { type At, newTool } from '../kit/at.ts'
import { setBounded } from '../kit/limits/bounded-map.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { type Configuration, type ConfigurationChange, complete } from './configuration.ts'
import type { AgentVersion, AgentVersionWithConfiguration } from './schema.ts'

export const columns = raw('id, version_label, instructions, note, created_by, created_at')

export interface StoredVersion extends AgentVersion {
  /** The configuration without the instructions. */
  configuration: ConfigurationChange
}

export interface OneVersion {
  agent_id: string
  version_id: string
}

export async function findVersion(
  { db, workspace }: At,
  { agent_id, version_id }: OneVersion,
): Promise<AgentVersionWithConfiguration | undefined> {
  const stored = await db.maybe<StoredVersion>(
    sql`select ${columns}, configuration from agent_versions
      where workspace_id = ${workspace} and agent_id = ${agent_id} and id = ${version_id}`,
  )
  return stored && toVersion(stored)
}

export function toVersion(stored: StoredVersion): AgentVersionWithConfiguration {
  const configuration = complete({ ...stored.configuration, instructions: stored.instructions })
  return { ...stored, configuration, mcp_tools: configuration.mcp_tools ?? [] }
}

const configurations_max = 500

/**
 * The configurations by workspace and version. A version never changes, so that conversations of the same version read
 * it once.
 */
const knownConfigurations = newTool(() => new Map<string, Configuration>())

/** Finds a configuration. Returns undefined if there is no such version. */
export async function findConfiguration(at: At, version: OneVersion): Promise<Configuration | undefined> {
  const key = `${at.workspace} ${version.version_id}`
  const configurations = knownConfigurations.of(at)
  const known = configurations.get(key)
  if (known) return known
  const configuration = (await findVersion(at, version))?.configuration
  if (configuration) setBounded(configurations, key, configuration, configurations_max)
  return configuration
}
