import { readForDraft } from '../agents/mcp-tools.ts'
import { authorOf } from '../agents/schema.ts'
import { ById, Deleted } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import { forbidden } from '../kit/problem.ts'
import type { KeptMcpTool } from '../tools/mcp-schema.ts'
import * as gate from './gate.ts'
import { type MadeTest, makeTest } from './make-test.ts'
import * as replays from './replays.ts'
import { toContent, withoutWords } from './report.ts'
import * as runs from './runs.ts'
import * as schema from './schema.ts'
import * as tests from './store.ts'

const path = '/agents/:id/tests'
const runs_path = '/agents/:id/test_runs'
const run_path = '/test_runs/:id'
const read = 'agents:read'
const write = 'agents:write'
/** The scope to read what was said in conversations. */
const conversations_read = 'conversations:read'

const readsConversations = ({ scopes }: operation.Caller): boolean => scopes.has(conversations_read)

const toOne = ({ id, test_id }: { id: string; test_id: string }): tests.OneTest => ({ agent_id: id, test_id })

export const operations: operation.Operation[] = [
  operation.list({
    id: 'agent_tests.list',
    path,
    scope: read,
    summary: "List an agent's tests",
    description: 'Newest first.',
    params: ById,
    query: schema.AgentTestQuery,
    items: schema.AgentTest,
    run: (at, { params, query }) => tests.list(at, { agent_id: params.id, query }),
  }),
  operation.write({
    id: 'agent_tests.create',
    method: 'POST',
    path,
    collection: path,
    scope: write,
    summary: 'Create a test',
    description:
      'A test says what a contact says, and what must hold for what the agent answers. Nothing happens before you run it: see "Run ' +
      'tests". An agent can have 500 tests.',
    params: ById,
    body: schema.NewAgentTest,
    errors: ['INVALID_STATE'],
    response: schema.AgentTest,
    status: 201,
    run: (at, { params, body }) => tests.create(at, { agent_id: params.id, input: body }),
  }),
  operation.get({
    id: 'agent_tests.get',
    path: `${path}/:test_id`,
    scope: read,
    summary: 'Get a test',
    params: schema.ByTestId,
    response: schema.AgentTest,
    run: (at, { params }) => tests.get(at, toOne(params)),
  }),
  operation.write({
    id: 'agent_tests.update',
    method: 'PATCH',
    path: `${path}/:test_id`,
    scope: write,
    summary: 'Update a test',
    description:
      'Fields that are not sent keep their values; lists are replaced as a whole. A run that has begun goes on with the test as it was.',
    params: schema.ByTestId,
    body: schema.AgentTestChange,
    response: schema.AgentTest,
    run: (at, { params, body, isCurrent }) => tests.update(at, { ...toOne(params), change: body, isCurrent }),
  }),
  operation.write({
    id: 'agent_tests.delete',
    method: 'DELETE',
    path: `${path}/:test_id`,
    scope: write,
    summary: 'Delete a test',
    description: 'Results of runs stay.',
    params: schema.ByTestId,
    response: Deleted,
    run: (at, { params, isCurrent }) => tests.remove(at, { ...toOne(params), isCurrent }),
  }),
  operation.write({
    id: 'conversations.make_test',
    method: 'POST',
    path: '/conversations/:id/make_test',
    collection: '/agents/:agent_id/tests',
    scope: write,
    second_scope: conversations_read,
    summary: 'Make a test of a conversation',
    description:
      'Makes a test of kind `conversation`: what the contact has said to the agent, what tools have answered, and as expectations what ' +
      'the agent did. The name, number, email, address, company and custom fields of the contact are replaced by made-up ones ' +
      'wherever they occur. Read it before you keep it: what is said about other people stays. Nothing refers to the conversation, so the ' +
      'test stays when the conversation is redacted or deleted.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.AgentTest,
    status: 201,
    before: (at, { params }) => makeTest(at, params.id),
    // `before` has returned the test.
    run: (at, { prepared }) => tests.create(at, prepared as MadeTest),
  }),
  operation.write({
    id: 'test_runs.create',
    method: 'POST',
    path: runs_path,
    collection: '/test_runs',
    scope: write,
    tool: {
      name: 'run_agent_tests',
      description:
        'Runs the tests of an agent in the background, on its draft with `use_draft`, or else on a version. Nobody is called or written to. ' +
        'Then read the run with get_test_run until its status is `completed`.',
    },
    is_audited: false,
    summary: 'Run tests',
    description:
      'Runs tests in the background, by default all that are enabled, on the deployed version. Get the run to see how far it is. No ' +
      'tool is really called unless a test says so, and nobody is called or written to. A workspace can have five runs at once.',
    params: ById,
    body: schema.NewTestRun,
    errors: ['INVALID_STATE'],
    response: schema.TestRun,
    status: 202,
    before: async (at, { params, body }) => (body.use_draft ? readForDraft(at, params.id) : []),
    run: (at, { params, body, caller, prepared }) => {
      const { replay } = body
      // `before` has returned the tools.
      const new_run = { agent_id: params.id, by: authorOf(caller), mcp_tools: prepared as KeptMcpTool[] }
      if (!replay) return runs.create(at, { ...new_run, input: body })
      if (!readsConversations(caller)) throw forbidden(conversations_read)
      return replays.create(at, { ...new_run, input: { ...body, replay } })
    },
  }),
  operation.list({
    id: 'test_runs.list',
    path: runs_path,
    scope: read,
    summary: "List an agent's test runs",
    description: 'Newest first. Runs are kept for 90 days, and their conversations for 30.',
    params: ById,
    query: schema.TestRunQuery,
    items: schema.TestRun,
    run: (at, { params, query }) => runs.list(at, { agent_id: params.id, query }),
  }),
  operation.get({
    id: 'agent_tests.get_gate',
    path: '/agents/:id/test_gate',
    scope: read,
    summary: 'Get how the tests stand',
    description:
      'Says whether all tests have passed on what would be deployed: a version, or the draft. A deployment of an agent whose ' +
      '`deploy_requires` is `tests` asks the same.',
    params: ById,
    query: schema.TestGateQuery,
    errors: ['INVALID_STATE'],
    response: schema.TestGate,
    version: undefined,
    // The servers of MCP tools are asked for the draft.
    runRemote: (at, { params, query }) => gate.get(at, { agent_id: params.id, version: query.version }),
  }),
  operation.get({
    id: 'test_runs.get',
    path: run_path,
    scope: read,
    tool: {
      name: 'get_test_run',
      description:
        'Returns how far a run of tests is, and what failed: each with a sentence and the line at which it shows.',
      without: ['format'],
      fixed: { format: 'json' },
    },
    summary: 'Get a test run',
    description:
      'With `format=junit` the answer is a file for CI, which has no ids and times: two runs of the same tests on the same version have ' +
      'the same file, unless a model takes part.',
    params: ById,
    query: schema.TestRunFormat,
    response: schema.TestRunWithResults,
    file_types: ['application/xml'],
    runInPieces: async (at, { params, query: { format = 'json' }, caller }) =>
      toContent(at, { id: params.id, format, hides_words: !readsConversations(caller) }),
  }),
  operation.list({
    id: 'test_runs.list_results',
    path: `${run_path}/results`,
    scope: read,
    summary: 'List the results of a test run',
    description: 'In the order of the tests.',
    params: ById,
    query: schema.TestRunResultQuery,
    items: schema.TestRunResult,
    run: async (at, { params, query, caller }) => {
      const page = await runs.listResults(at, { id: params.id, query })
      return readsConversations(caller) ? page : { ...page, data: page.data.map(withoutWords) }
    },
  }),
  operation.write({
    id: 'test_runs.cancel',
    method: 'POST',
    path: `${run_path}/cancel`,
    scope: write,
    is_audited: false,
    summary: 'Cancel a test run',
    description: 'Results that it has stay.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.TestRun,
    run: (at, { params }) => runs.cancel(at, params.id),
  }),
]
