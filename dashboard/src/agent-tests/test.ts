import { queryOptions } from '@tanstack/react-query'
import type {
  AgentTest,
  Expectation,
  TestGate,
  TestRun,
  TestRunResult,
  TestRunWithResults,
} from '../../../server/agent-tests/schema.ts'
import type { Api } from '../kit/api.ts'
import { formatCount, formatDuration, formatNumber } from '../kit/format.ts'
import { readAll } from '../kit/read-all.ts'
import type { Tone } from '../kit/Status.tsx'

export type Kind = AgentTest['kind']
export type ExpectationType = Expectation['type']

/** An agent can have this many tests. */
const tests_max = 500
const page_size = 100
const refetch_ms = 700
const minute_ms = 60_000
/** The last results of tests are looked for in this many runs. */
const looked_through_max = 10

export const kind_names: Record<Kind, string> = {
  reply: 'Reply',
  conversation: 'Conversation',
  simulation: 'Simulation',
}

export const kind_hints: Record<Kind, string> = {
  reply: 'One answer in a given situation.',
  conversation: 'The contact says fixed lines, one after the other.',
  simulation: 'A simulated person talks until the end.',
}

/** Each name ends the sentence "The agent should …". */
export const expectation_names: Record<ExpectationType, string> = {
  says: 'say one of',
  never_says: 'never say any of',
  calls_tool: 'call the tool',
  never_calls_tool: 'never call the tool',
  result: 'collect the result',
  ends: 'end the conversation',
  at_most: 'take at most',
  cites: 'cite the document',
  judge: 'convince a model',
}

export const end_names: Record<NonNullable<Expectation['how']>, string> = {
  agent_ended: 'The agent ends it',
  handed_over: 'It is handed over to a person',
  transferred: 'The call is transferred',
  opted_out: 'The contact opts out',
  limit: 'A limit is reached',
}

const short_end_names: typeof end_names = {
  agent_ended: 'ends the conversation',
  handed_over: 'hands over',
  transferred: 'transfers the call',
  opted_out: 'notes the opt-out',
  limit: 'reaches a limit',
}

const agentKey = (api: Api, agent_id: string) => [api.workspace, 'agents', agent_id]
export const testsKey = (api: Api, agent_id: string) => [...agentKey(api, agent_id), 'tests']
export const runsKey = (api: Api, agent_id: string) => [...agentKey(api, agent_id), 'test_runs']

/** Reads all tests of an agent, newest first. */
export const testsQuery = (api: Api, agent_id: string) =>
  queryOptions({
    queryKey: testsKey(api, agent_id),
    queryFn: ({ signal }) => readAll<AgentTest>(api, `/agents/${agent_id}/tests`, { items_max: tests_max, signal }),
  })

export const testQuery = (api: Api, agent_id: string, id: string) =>
  queryOptions({
    queryKey: [...testsKey(api, agent_id), id],
    queryFn: ({ signal }) => api.get<AgentTest>(`/agents/${agent_id}/tests/${id}`, {}, signal),
  })

/** The newest runs. Polls while one is in progress. */
export const runsQuery = (api: Api, agent_id: string) =>
  queryOptions({
    queryKey: runsKey(api, agent_id),
    queryFn: async ({ signal }) =>
      (await api.list<TestRun>(`/agents/${agent_id}/test_runs`, { limit: page_size }, signal)).data,
    refetchInterval: ({ state: { data } }) => (data?.some(isInProgress) ? refetch_ms : false),
  })

/** The key of all runs that are shown with results. */
export const resultsKey = (api: Api) => [api.workspace, 'test_runs']
export const gateKey = (api: Api, agent_id: string) => [...runsKey(api, agent_id), 'gate']

/** Reads how the tests of a version stand, or with null those of the draft. */
export const gateQuery = (api: Api, agent_id: string, version_id: string | null) =>
  queryOptions({
    queryKey: [...gateKey(api, agent_id), version_id],
    queryFn: ({ signal }) =>
      api.get<TestGate>(`/agents/${agent_id}/test_gate`, { version: version_id ?? 'draft' }, signal),
  })

/** A run with its first results, failures first. Polls while it is in progress. */
export const runQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [...resultsKey(api), id],
    queryFn: ({ signal }) => api.get<TestRunWithResults>(`/test_runs/${id}`, {}, signal),
    refetchInterval: ({ state: { data } }) => (data && isInProgress(data) ? refetch_ms : false),
  })

/** Reads all results of a run that has ended. Changes of a test reload them, because results say so. */
export const allResultsQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [...resultsKey(api), id, 'results'],
    queryFn: ({ signal }) => readAll<TestRunResult>(api, `/test_runs/${id}/results`, { items_max: tests_max, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })

export interface LastResult extends Pick<TestRunResult, 'id' | 'status' | 'passes' | 'runs'> {
  run: TestRun
}

/** Reads the last result of each test, by its id. Tests that were not run lately have none. */
export const lastResultsQuery = (api: Api, { agent_id, runs, test_ids }: LastResultsOf) => {
  const ended = runs.filter((run) => run.kind === 'tests' && run.status === 'completed').slice(0, looked_through_max)
  return queryOptions({
    queryKey: [...runsKey(api, agent_id), 'last_results', ended.map(({ id }) => id), test_ids],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ client }) => {
      const found = new Map<string, LastResult>()
      for (const run of ended) {
        if (test_ids.every((id) => found.has(id))) break
        for (const result of await client.ensureQueryData(allResultsQuery(api, run.id)))
          if (result.test_id && !found.has(result.test_id)) found.set(result.test_id, { ...result, run })
      }
      return found
    },
  })
}

interface LastResultsOf {
  agent_id: string
  /** The runs, newest first. */
  runs: TestRun[]
  test_ids: string[]
}

export const isInProgress = ({ status }: Pick<TestRun, 'status'>): boolean =>
  status === 'queued' || status === 'running'

/** "the draft", "v3". */
export const testedName = ({ agent_version: { id, version_label } }: Pick<TestRun, 'agent_version'>): string =>
  id === null ? 'the draft' : version_label

export const progressOf = ({ done, tests }: TestRun) => ({
  detail: `${formatNumber(done)} of ${formatNumber(tests)}. You can leave this page.`,
  percent: tests === 0 ? undefined : (100 * done) / tests,
})

/** "12 ms", "1.4 s", "2:05". */
export function formatTook(time_ms: number): string {
  if (time_ms < 1_000) return `${Math.round(time_ms)} ms`
  return time_ms < minute_ms ? `${(time_ms / 1_000).toFixed(1)} s` : formatDuration(time_ms)
}

/** "12 passed", "2 of 12 failed". */
export function describeRun(run: TestRun): { tone: Tone; text: string } {
  const { status, tests, done, passed, failed, errors, kind } = run
  if (status === 'queued') return { tone: 'neutral', text: 'Queued' }
  if (status === 'running') return { tone: 'live', text: `Running, ${formatNumber(done)} of ${formatNumber(tests)}` }
  if (status === 'canceled') return { tone: 'neutral', text: `Canceled after ${formatNumber(done)}` }
  const of = `of ${formatNumber(tests)}`
  if (kind === 'replay') {
    if (failed > 0) return { tone: 'warning', text: `${formatNumber(failed)} ${of} different` }
    if (errors > 0) return { tone: 'danger', text: `${formatCount(errors, 'error')} ${of}` }
    return { tone: 'success', text: `${formatNumber(passed)} the same` }
  }
  if (failed > 0) return { tone: 'danger', text: `${formatNumber(failed)} ${of} failed` }
  if (errors > 0) return { tone: 'danger', text: `${formatCount(errors, 'error')} ${of}` }
  return { tone: 'success', text: `${formatNumber(passed)} passed` }
}

const result_tones: Record<TestRunResult['status'], Tone> = {
  queued: 'neutral',
  passed: 'success',
  failed: 'danger',
  error: 'danger',
  canceled: 'neutral',
}
export const result_names: Record<TestRunResult['status'], string> = {
  queued: 'Waiting',
  passed: 'Passed',
  failed: 'Failed',
  error: 'Error',
  canceled: 'Canceled',
}
export const replay_result_names: Record<TestRunResult['status'], string> = {
  ...result_names,
  passed: 'Same',
  failed: 'Different',
}

interface ShownResult extends Pick<TestRunResult, 'status' | 'passes' | 'runs'> {
  is_replay?: boolean
}

/** "Passed", "Failed", "Passed 18 of 20". */
export function describeResult({ status, passes, runs, is_replay = false }: ShownResult): { tone: Tone; text: string } {
  const names = is_replay ? replay_result_names : result_names
  const is_counted = runs > 1 && (status === 'passed' || status === 'failed')
  const share = is_counted ? `, ${formatNumber(passes)} of ${formatNumber(runs)} passed` : ''
  const tone = is_replay && status === 'failed' ? 'warning' : result_tones[status]
  return { tone, text: `${names[status]}${share}` }
}

export const describesReplay = ({ kind }: Pick<TestRunResult, 'kind'>): boolean => kind === 'replay'

/** Describes in a sentence the first thing that went wrong. */
export function firstProblem({ error, failures, differences }: TestRunResult): string {
  if (error) return error
  const [failure, ...more] = failures
  if (failure)
    return more.length > 0 ? `${failure.sentence} And ${formatCount(more.length, 'other')}.` : failure.sentence
  const changed = differences.filter(({ is_by_chance }) => !is_by_chance).length
  const by_chance = differences.length - changed
  return [changed > 0 && formatCount(changed, 'difference'), by_chance > 0 && `${formatNumber(by_chance)} by chance`]
    .filter(Boolean)
    .join(', ')
}

/** Describes in a few words what a test checks: "says “open at nine”, ends". */
export function describeChecks({ steps, expect }: Pick<AgentTest, 'steps' | 'expect'>): string {
  const all = [...steps.flatMap((step) => step.expect ?? []), ...expect]
  return all.map(describeExpectation).join(', ')
}

function describeExpectation(one: Expectation): string {
  switch (one.type) {
    case 'says':
      return `says ${phrases(one)}`
    case 'never_says':
      return `never says ${phrases(one)}`
    case 'calls_tool':
      return `calls ${one.tool}`
    case 'never_calls_tool':
      return `never calls ${one.tool}`
    case 'result':
      return `collects ${one.name}`
    case 'ends':
      return one.how ? short_end_names[one.how] : 'ends'
    case 'at_most':
      return 'stays within limits'
    case 'cites':
      return 'cites a document'
    case 'judge':
      return 'convinces a model'
  }
}

const phrases = ({ any_of = [] }: Expectation): string =>
  any_of.length > 1 ? `“${any_of[0]}” or ${formatCount(any_of.length - 1, 'other')}` : `“${any_of[0] ?? ''}”`

export const enabledTests = (tests: AgentTest[]): AgentTest[] => tests.filter(({ is_enabled }) => is_enabled)
