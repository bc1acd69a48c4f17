import * as documents from '../documents/store.ts'
import { type At, on, type Reaction } from '../kit/at.ts'
import { named, namesIn } from '../kit/postgres/names.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import type { Use } from '../kit/problem.ts'
import * as providers from '../models/store.ts'
import type { Tool } from '../tools/schema.ts'
import * as tools from '../tools/store.ts'

export const reactions: Reaction[] = [
  named('agent', namesIn(raw('agents'), raw('name'))),
  on(providers.findingUses, (at, { name }) => findNamingProvider(at, name)),
  on(documents.findingUses, (at, { id }) => findNamingDocument(at, id)),
  on(tools.findingUses, (at, tool) => findNamingTool(at, tool)),
]

const findNamingProvider = (at: At, name: string): Promise<Use[]> =>
  findAgents(
    at,
    (configuration) =>
      sql`${name} in (${configuration} #>> '{model,provider}', ${configuration} #>> '{fallback_model,provider}',
        ${configuration} #>> '{speech,listen,provider}', ${configuration} #>> '{speech,speak,provider}')`,
  )

/**
 * Finds the agents that name a tool. The tools of a script are also in `tools`. Agents name the tools of a server, such
 * as `crm__search`.
 */
const findNamingTool = (at: At, { name, kind }: Pick<Tool, 'name' | 'kind'>): Promise<Use[]> =>
  findAgents(at, (configuration) =>
    kind === 'mcp'
      ? sql`position(${`"${name}__`} in (${configuration} -> 'tools')::text) > 0`
      : sql`(${configuration} -> 'tools')::jsonb ? ${name}`,
  )

/** Finds the agents that name a document. A document that is found by its tags only can be deleted. */
const findNamingDocument = (at: At, id: string): Promise<Use[]> =>
  findAgents(at, (configuration) => sql`(${configuration} #> '{knowledge,document_ids}')::jsonb ? ${id}`)

/**
 * Finds the agents whose draft, deployed version or candidate meets the condition. A workspace has at most 1,000
 * agents.
 */
function findAgents({ db, workspace }: At, condition: (configuration: Sql) => Sql): Promise<Use[]> {
  return db.many<Use>(
    sql`select 'agent' as kind, id from agents
      where workspace_id = ${workspace} and (${condition(raw('draft'))} or exists (
        select from agent_versions as version
        where version.workspace_id = ${workspace} and version.id in (deployed_version_id, candidate_version_id)
          and ${condition(raw('configuration'))}))
      order by id`,
  )
}
