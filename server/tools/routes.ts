import * as clock from '../kit/clock.ts'
import { ById, Deleted, TestResult } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import { rateLimited } from '../kit/problem.ts'
import { ListedMcpTools } from './mcp-schema.ts'
import * as mcp_tools from './mcp-tools.ts'
import { testTool } from './run.ts'
import * as schema from './schema.ts'
import * as tools from './store.ts'

const path = '/tools'

/** Hides the address of a tool from people who are not owners: they only see which tools there are. */
function shown({ caller }: operation.ValidRequest, tool: schema.Tool): schema.Tool {
  const is_hidden = caller.authenticated_by === 'session' && !caller.scopes.has('tools:write')
  return is_hidden ? { ...tool, url: null, headers: {} } : tool
}

export const operations: operation.Operation[] = [
  operation.write({
    id: 'tools.create',
    method: 'POST',
    path,
    scope: 'tools:write',
    summary: 'Create a tool',
    description:
      'A request to your server that agents can make, or the tools of a server that speaks the Model Context Protocol: see "Tools" in the ' +
      'guide. The `secret` that signs the requests is returned ' +
      'only this once. A workspace can have 200 tools.',
    body: schema.NewTool,
    errors: ['CONFLICT', 'INVALID_STATE'],
    response: schema.ToolWithSecret,
    status: 201,
    is_secret: true,
    before: (at, { body }) => tools.check(at, body),
    run: (at, { body }) => tools.create(at, body),
  }),
  operation.list({
    id: 'tools.list',
    path,
    scope: 'tools:read',
    summary: 'List tools',
    description: 'Newest first.',
    query: schema.ToolQuery,
    items: schema.Tool,
    run: async (at, request) => {
      const page = await tools.list(at, request.query)
      return { ...page, data: page.data.map((tool) => shown(request, tool)) }
    },
  }),
  operation.get({
    id: 'tools.get',
    path: `${path}/:id`,
    scope: 'tools:read',
    summary: 'Get a tool',
    params: ById,
    response: schema.Tool,
    run: async (at, request) => shown(request, await tools.get(at, request.params.id)),
  }),
  operation.get({
    id: 'tools.list_mcp_tools',
    path: `${path}/:id/mcp_tools`,
    // People who are not owners don't see where the server is, so they don't make it answer either.
    scope: 'tools:write',
    summary: "List a server's tools",
    description:
      'Asks the server of a tool of kind `mcp` for its tools. If it does not answer within `timeout_ms`, or not as the protocol says, ' +
      '`error` says so.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: ListedMcpTools,
    version: undefined,
    runRemote: (at, { params }, signal) => mcp_tools.list(at, params.id, signal),
  }),
  operation.write({
    id: 'tools.update',
    method: 'PATCH',
    path: `${path}/:id`,
    scope: 'tools:write',
    summary: 'Update a tool',
    description:
      'Fields that are not sent keep their values. With a new scheme, host or port in `url`, stored headers are removed, unless ' +
      'their values are sent too.',
    params: ById,
    body: schema.ToolChange,
    response: schema.Tool,
    before: (at, { body }) => tools.check(at, body),
    run: (at, { params, body, isCurrent }) => tools.update(at, { id: params.id, change: body, isCurrent }),
  }),
  operation.write({
    id: 'tools.delete',
    method: 'DELETE',
    path: `${path}/:id`,
    scope: 'tools:write',
    summary: 'Delete a tool',
    description:
      'Fails with `details.used_by` while the draft, the deployed version or the candidate of an agent names it.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: Deleted,
    run: (at, { params, isCurrent }) => tools.remove(at, { id: params.id, isCurrent }),
  }),
  operation.write({
    id: 'tools.rotate_secret',
    method: 'POST',
    path: `${path}/:id/rotate_secret`,
    scope: 'tools:write',
    summary: "Rotate a tool's secret",
    description:
      'Returns the new secret, only this once. For 24 hours the previous secret also signs: the header has both signatures. ' +
      'A secret from an earlier rotation stops at once.',
    params: ById,
    response: schema.ToolWithSecret,
    is_secret: true,
    run: (at, { params }) => tools.rotateSecret(at, params.id),
  }),
  operation.remote({
    id: 'tools.test',
    path: `${path}/:id/test`,
    scope: 'tools:write',
    summary: 'Test a tool',
    description:
      'Calls the tool as an agent would, without a conversation. What it answers is not returned. With a tool of kind `mcp`, its server is ' +
      'asked for its tools. A workspace can test one provider or tool per second.',
    params: ById,
    body: schema.ToolTest,
    response: TestResult,
    run: async (at, { params, body }) => {
      const tool = await tools.getStored(at, params.id)
      if (at.tools.tests.count(at.workspace, clock.wall()).is_exceeded) throw rateLimited(1)
      return testTool(at, { tool, arguments: body.arguments ?? {} })
    },
  }),
]
