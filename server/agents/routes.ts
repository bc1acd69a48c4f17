import { ById, Deleted } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import type { KeptMcpTool } from '../tools/mcp-schema.ts'
import * as deployments from './deployments.ts'
import * as find from './find.ts'
import { assertMayForce } from './force.ts'
import { readForDraft } from './mcp-tools.ts'
import * as schema from './schema.ts'
import { authorOf } from './schema.ts'
import * as agents from './store.ts'
import * as versions from './versions.ts'

const path = '/agents'

/** The `before` of an operation has returned these. */
const asRead = (prepared: unknown) => prepared as KeptMcpTool[]

export const operations: operation.Operation[] = [
  operation.list({
    id: 'agents.list',
    path,
    scope: 'agents:read',
    tool: { name: 'list_agents', description: 'Lists the agents, newest first.' },
    summary: 'List agents',
    description: 'Newest first.',
    query: schema.AgentQuery,
    items: schema.Agent,
    run: (at, { query }) => find.list(at, query),
  }),
  operation.write({
    id: 'agents.create',
    method: 'POST',
    path,
    scope: 'agents:write',
    summary: 'Create an agent',
    description:
      'Creates the version `v1` with the given configuration and deploys it. A workspace can have 1,000 agents. Servers of tools are ' +
      'asked as when a version is published.',
    body: schema.NewAgent,
    errors: ['INVALID_STATE'],
    response: schema.AgentWithDraft,
    version: schema.agentVersion,
    status: 201,
    before: (at, { body }) => agents.readMcpTools(at, body),
    run: (at, { body, caller, prepared }) =>
      agents.create(at, { input: body, by: authorOf(caller), mcp_tools: asRead(prepared) }),
  }),
  operation.get({
    id: 'agents.get',
    path: `${path}/:id`,
    scope: 'agents:read',
    tool: {
      name: 'get_agent',
      description:
        'Returns an agent with its instructions, its deployed version and its draft: the whole configuration that the next version would have.',
    },
    summary: 'Get an agent',
    description: 'The `draft` is the configuration that the next version would have.',
    params: ById,
    response: schema.AgentWithDraft,
    version: schema.agentVersion,
    run: (at, { params }) => find.getShown(at, params.id),
  }),
  operation.write({
    id: 'agents.update',
    method: 'PATCH',
    path: `${path}/:id`,
    scope: 'agents:write',
    summary: 'Update an agent',
    description:
      'The name and the description change at once. All other fields change the draft, and have no effect until it is ' +
      'published and deployed. Fields that are not sent keep their values.',
    params: ById,
    body: schema.AgentChange,
    response: schema.AgentWithDraft,
    version: schema.agentVersion,
    run: (at, { params, body, caller, isCurrent }) =>
      agents.update(at, { id: params.id, change: body, isCurrent, assertMayForce: () => assertMayForce(caller) }),
  }),
  operation.write({
    id: 'agents.delete',
    method: 'DELETE',
    path: `${path}/:id`,
    scope: 'agents:write',
    summary: 'Delete an agent',
    description:
      'Deletes the agent with its versions and deployments. While something uses the agent, the response is 409 with ' +
      '`details.used_by`.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: Deleted,
    version: schema.agentVersion,
    run: (at, { params, isCurrent }) => agents.remove(at, { id: params.id, isCurrent }),
  }),
  operation.list({
    id: 'agents.list_versions',
    path: `${path}/:id/versions`,
    scope: 'agents:read',
    tool: {
      name: 'list_agent_versions',
      description: 'Lists the published versions of an agent, newest first.',
    },
    summary: "List an agent's versions",
    description: 'Newest first. Get a version to see its whole configuration.',
    params: ById,
    query: schema.AgentQuery,
    items: schema.AgentVersion,
    run: (at, { params, query }) => versions.list(at, { agent_id: params.id, query }),
  }),
  operation.write({
    id: 'agents.publish',
    method: 'POST',
    path: `${path}/:id/versions`,
    scope: 'agents:write',
    tool: {
      name: 'publish_agent',
      description:
        'Publishes the draft of an agent as its next version. With `deploy`, people reach that version at once: ask the user first.',
      is_open_world: true,
    },
    summary: 'Publish a version',
    description:
      'Makes the next version from the draft. If a version with the same content exists, the response is 200 with that ' +
      'version. An agent can have 10,000 versions. If the agent has tools of servers (kind `mcp`), the servers are asked for them ' +
      'and what they say is kept in the version; if one does not answer, the response is 409.',
    params: ById,
    body: schema.NewVersion,
    errors: ['INVALID_STATE'],
    response: schema.AgentVersionWithConfiguration,
    status: 201,
    // `run` returns a published version.
    isCreated: ({ is_new }: versions.PublishedVersion) => is_new,
    collection: `${path}/:id/versions`,
    before: (at, { params }) => readForDraft(at, params.id),
    run: async (at, { params, body, caller, prepared }) => {
      if (body.force) assertMayForce(caller)
      const by = authorOf(caller)
      return versions.publish(at, { agent_id: params.id, input: body, by, mcp_tools: asRead(prepared) })
    },
  }),
  operation.get({
    id: 'agents.get_version',
    path: `${path}/:id/versions/:version_id`,
    scope: 'agents:read',
    summary: 'Get a version',
    params: schema.ByVersionId,
    response: schema.AgentVersionWithConfiguration,
    run: (at, { params }) => versions.get(at, { agent_id: params.id, version_id: params.version_id }),
  }),
  operation.get({
    id: 'agents.compare_versions',
    path: `${path}/:id/versions/:version_id/diff`,
    scope: 'agents:read',
    tool: {
      name: 'compare_agent_versions',
      description: 'Returns what differs between a version of an agent and another one, or the draft.',
    },
    summary: 'Compare versions',
    description:
      'Returns what changed from the older to the newer version. The draft is newer than every version. Instructions are ' +
      'compared by line, scripts by node, and all other fields by path.',
    params: schema.ByVersionId,
    query: schema.DifferenceQuery,
    response: schema.Difference,
    run: (at, { params, query }) =>
      versions.compare(at, { agent_id: params.id, version_id: params.version_id, against: query.against }),
  }),
  operation.write({
    id: 'agents.deploy',
    method: 'POST',
    path: `${path}/:id/deploy`,
    scope: 'agents:write',
    tool: {
      name: 'deploy_agent',
      description:
        'Deploys a version of an agent: for all, or with `percent` for some people beside the deployed one. Ask the user first.',
      is_open_world: true,
    },
    summary: 'Deploy a version',
    description:
      'With a `percent` below 100 the version becomes the candidate: it serves that share of the counterparts, and the ' +
      'deployed version the others. A counterpart stays with the same version, also when you raise the percentage. With ' +
      '100, the default, the version is deployed for all and a candidate ends. If the version names a tool, provider or model ' +
      'that no longer exists, the response is 409. If the agent requires tests, and not all that are enabled have passed on this ' +
      'version, it is 409 with `details.reason` `tests_required` and the last run of tests as `details.test_run_id`.',
    params: ById,
    body: schema.NewDeployment,
    errors: ['INVALID_STATE'],
    response: schema.AgentWithDraft,
    version: schema.agentVersion,
    run: async (at, { params, body: { force = false, ...body }, caller }) => {
      if (force) assertMayForce(caller)
      return deployments.deploy(at, { agent_id: params.id, ...body, is_forced: force, by: authorOf(caller) })
    },
  }),
  operation.write({
    id: 'agents.rollback',
    method: 'POST',
    path: `${path}/:id/rollback`,
    scope: 'agents:write',
    tool: {
      name: 'roll_back_agent',
      description: 'Deploys the version of an agent that was deployed before the current one. Ask the user first.',
      is_open_world: true,
    },
    summary: 'Roll back an agent',
    description:
      'Deploys the version that was deployed before the current one, and ends a candidate. Another rollback goes one ' +
      'version further back. If there is none, or if it names a tool, provider or model that no longer exists, the response ' +
      'is 409.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.AgentWithDraft,
    version: schema.agentVersion,
    run: (at, { params, caller }) => deployments.rollback(at, { agent_id: params.id, by: authorOf(caller) }),
  }),
  operation.list({
    id: 'agents.list_deployments',
    path: `${path}/:id/deployments`,
    scope: 'agents:read',
    summary: "List an agent's deployments",
    description: 'Newest first, with rollbacks.',
    params: ById,
    query: schema.AgentQuery,
    items: schema.Deployment,
    run: (at, { params, query }) => deployments.list(at, { agent_id: params.id, query }),
  }),
]
