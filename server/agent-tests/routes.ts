import { authorOf } from '../agents/schema.ts'
import { ById, Deleted } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import { toContent } from './report.ts'
import * as runs from './runs.ts'
import * as schema from './schema.ts'
import * as tests from './store.ts'
import { assertPatterns } from './test-faults.ts'

const path = '/agents/:id/tests'
const runs_path = '/agents/:id/test_runs'
const run_path = '/test_runs/:id'
const read = 'agents:read'
const write = 'agents:write'

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
    before: (_at, { body }) => assertPatterns(body),
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
    before: (_at, { body }) => assertPatterns(body),
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
    id: 'test_runs.create',
    method: 'POST',
    path: runs_path,
    collection: '/test_runs',
    scope: write,
    summary: 'Run tests',
    description:
      'Runs tests in the background, by default all that are enabled, on the deployed version. Get the run to see how far it is. No ' +
      'tool is really called unless a test says so, and nobody is called or written to. A workspace can have five runs at once.',
    params: ById,
    body: schema.NewTestRun,
    errors: ['INVALID_STATE'],
    response: schema.TestRun,
    status: 202,
    run: (at, { params, body, caller }) => runs.create(at, { agent_id: params.id, input: body, by: authorOf(caller) }),
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
    id: 'test_runs.get',
    path: run_path,
    scope: read,
    summary: 'Get a test run',
    description:
      'With `format=junit` the answer is a file for CI, which has no ids and times: two runs of the same tests on the same version have ' +
      'the same file, unless a model takes part.',
    params: ById,
    query: schema.TestRunFormat,
    response: schema.TestRunWithResults,
    file_types: ['application/xml'],
    runInPieces: async (at, { params, query: { format = 'json' } }) => toContent(at, { id: params.id, format }),
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
    run: (at, { params, query }) => runs.listResults(at, { id: params.id, query }),
  }),
  operation.write({
    id: 'test_runs.cancel',
    method: 'POST',
    path: `${run_path}/cancel`,
    scope: write,
    summary: 'Cancel a test run',
    description: 'Results that it has stay.',
    params: ById,
    errors: ['INVALID_STATE'],
    response: schema.TestRun,
    run: (at, { params }) => runs.cancel(at, params.id),
  }),
]
