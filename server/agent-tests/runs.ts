import { withAuthor, withAuthors } from '../agents/authors.ts'
import { type Configuration, contentHash } from '../agents/configuration.ts'
import * as agents from '../agents/find.ts'
import { findVersion } from '../agents/find-version.ts'
import { keepMcpTools } from '../agents/mcp-tools.ts'
import type { Author, FoundAgent } from '../agents/schema.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, rowsFrom, type Sql, sql } from '../kit/postgres/sql.ts'
import { type Fault, invalid, invalidState, notFound } from '../kit/problem.ts'
import { announce } from '../kit/work/rows.ts'
import type { KeptMcpTool } from '../tools/mcp-schema.ts'
import * as workspaces from '../workspaces/store.ts'
import type { ReportedRun } from './junit.ts'
import { by_position, type ResultRow, type RunRow, resultColumns, run_columns, table, toRun } from './run-rows.ts'
import {
  type NewTestRun,
  runs_at_once_max,
  type TestRun,
  type TestRunResult,
  type TestRunWithResults,
  tests_max,
} from './schema.ts'

/** A run is shown with this many results. */
const shown_results_max = 100

/** The version or draft that is tested. */
export interface TestedVersion {
  agent: FoundAgent
  version: { id: string | null; version_label: string }
  configuration: Configuration
}

/** A run that is to be created. */
export interface NewRun extends TestedVersion {
  kind: TestRun['kind']
  repeat: number
  passes_min: number
  tests: number
  by: Author
}

/** A run that someone has asked for. */
export interface RunRequest {
  agent_id: string
  input: NewTestRun
  by: Author
  /** The tools that `readForDraft` has returned. */
  mcp_tools: KeptMcpTool[]
}

export async function create(at: At, { agent_id, input, by, mcp_tools }: RunRequest): Promise<TestRun> {
  const faults = inputFaults(input)
  if (faults.length > 0) throw invalid(faults)
  await workspaces.lock(at)
  await assertRoom(at)
  const tested = await findTested(at, { agent_id, input, mcp_tools })
  const { repeat = 1, passes_min = repeat } = input
  const tests = await findTests(at, { agent_id, test_ids: input.test_ids })
  if (tests.length === 0)
    throw invalidState('The agent has no test that is enabled. Create one, or name tests in test_ids.')
  const run = await insertRun(at, { ...tested, kind: 'tests', repeat, passes_min, tests: tests.length, by })
  await insertResults(at, run.id, tests)
  return run
}

export function inputFaults({
  version_id,
  use_draft,
  test_ids,
  replay,
  repeat = 1,
  passes_min = repeat,
}: NewTestRun): Fault[] {
  const conflict = (path: string, other: string): Fault => ({
    path,
    code: 'conflict',
    message: `${path} can't be used together with ${other}.`,
  })
  const faults: Fault[] = []
  if (version_id && use_draft) faults.push(conflict('use_draft', 'version_id'))
  if (replay && test_ids) faults.push(conflict('test_ids', 'replay'))
  if (replay && repeat > 1) faults.push(conflict('repeat', 'replay'))
  if (passes_min > repeat)
    faults.push({ path: 'passes_min', code: 'maximum', message: 'passes_min must be at most repeat.' })
  return faults
}

/** Fails if too many runs have not ended. Such runs have a due time. */
export async function assertRoom({ db, workspace }: At): Promise<void> {
  const open = await page.count(db, sql`select from test_runs where workspace_id = ${workspace} and due_at is not null`)
  if (open >= runs_at_once_max)
    throw invalidState(
      `A workspace can have at most ${runs_at_once_max} test runs at once. Wait for one, or cancel it.`,
    )
}

/** Finds the version, the draft, or by default the deployed version. */
export async function findTested(
  at: At,
  { agent_id, input: { version_id, use_draft }, mcp_tools }: Omit<RunRequest, 'by'>,
): Promise<TestedVersion> {
  const agent = await agents.get(at, agent_id)
  if (use_draft)
    return {
      agent,
      version: { id: null, version_label: 'draft' },
      configuration: await keepMcpTools(at, agent.draft, mcp_tools),
    }
  const version = await findVersion(at, { agent_id, version_id: version_id ?? agent.deployed_version.id })
  if (!version)
    throw invalid([{ path: 'version_id', code: 'unknown', message: 'version_id must be a version of this agent.' }])
  return { agent, version, configuration: version.configuration }
}

/**
 * Finds tests, oldest first. Locks them, so that they are not deleted before they are copied: a run whose results are
 * fewer than it says would never end.
 */
async function findTests(
  { db, workspace }: At,
  { agent_id, test_ids }: { agent_id: string; test_ids: string[] | undefined },
): Promise<string[]> {
  const chosen = test_ids ? sql`id = any(${test_ids}::uuid[])` : raw('is_enabled')
  const rows = await db.many<{ id: string }>(
    sql`select id from agent_tests where workspace_id = ${workspace} and agent_id = ${agent_id} and ${chosen}
      order by created_at, id limit ${raw(String(tests_max))} for key share`,
  )
  const found = new Set(rows.map(({ id }) => id))
  const unknown = (test_ids ?? []).flatMap((id, index) => (found.has(id) ? [] : [`test_ids.${index}`]))
  if (unknown.length > 0)
    throw invalid(unknown.map((path) => ({ path, code: 'unknown', message: `${path} must be a test of this agent.` })))
  return [...found]
}

/** Inserts a run. Runs go by wall time, also in test workspaces, because nobody advances the clock for them. */
export async function insertRun(at: At, run: NewRun): Promise<TestRun> {
  const { db, workspace, now } = at
  const { agent, version, configuration, kind, repeat, passes_min, tests, by } = run
  const inserted = await db.one<RunRow>(
    sql`insert into test_runs (workspace_id, id, agent_id, agent_name, kind, version_id, version_label, draft, content_hash,
        status, repeat, passes_min, tests, created_by, created_at, due_at)
      values (${workspace}, ${newId()}, ${agent.id}, ${agent.name}, ${kind}, ${version.id}, ${version.version_label},
        ${version.id === null ? JSON.stringify(configuration) : null}, ${contentHash(configuration)}, 'queued', ${repeat},
        ${passes_min}, ${tests}, ${JSON.stringify({ ...by, name: null })}, ${clock.iso(clock.wall())}, ${clock.iso(now)})
      returning ${run_columns}`,
  )
  announce(at, { table })
  return withAuthor(at, toRun(inserted))
}

/** Inserts the results of a run, with the tests as they are now. */
async function insertResults({ db, workspace }: At, run_id: string, test_ids: string[]): Promise<void> {
  const rows = test_ids.map((test_id, position) => ({ id: newId(), test_id, position }))
  await db.run(
    sql`insert into test_run_results (workspace_id, id, run_id, position, test_id, name, kind, content, content_hash, status)
      select test.workspace_id, row.id, ${run_id}::uuid, row.position, test.id, test.name, test.kind, test.content,
        test.content_hash, 'queued'
      from agent_tests as test join ${rowsFrom(rows, 'id uuid, test_id uuid, position integer')} on row.test_id = test.id
      where test.workspace_id = ${workspace}`,
  )
}

export async function list(
  at: At,
  { agent_id, query }: { agent_id: string; query: page.PageQuery },
): Promise<page.Page<TestRun>> {
  const { db, workspace } = at
  await agents.get(at, agent_id)
  const own = sql`from test_runs where workspace_id = ${workspace} and agent_id = ${agent_id}`
  const found = await page.readSelection<RunRow>(
    db,
    query,
    page.newest_first,
    sql`select ${run_columns} ${own}`,
    sql`select ${own}`,
  )
  return { ...found, data: await withAuthors(at, found.data.map(toRun)) }
}

async function get(at: At, id: string): Promise<TestRun> {
  const { db, workspace } = at
  const found = await db.maybe<RunRow>(
    sql`select ${run_columns} from test_runs where workspace_id = ${workspace} and id = ${id}`,
  )
  if (!found) throw notFound()
  return withAuthor(at, toRun(found))
}

/** Reads a run with its results, failures first. */
export async function getWithResults(at: At, id: string): Promise<TestRunWithResults> {
  const [run, rows] = await Promise.all([
    get(at, id),
    at.db.many<ResultRow>(
      sql`select ${resultColumns(at)} from test_run_results where ${ofRun(at, id)}
        order by array_position(array['failed', 'error', 'queued', 'canceled', 'passed'], status::text), position
        limit ${raw(String(shown_results_max))}`,
    ),
  ])
  return { ...run, results: rows.map(toResult) }
}

export async function listResults(
  at: At,
  { id, query }: { id: string; query: page.PageQuery & { status?: TestRunResult['status'] } },
): Promise<page.Page<TestRunResult>> {
  await get(at, id)
  const by_status = query.status ? sql` and status = ${query.status}` : raw('')
  const own = sql`from test_run_results where ${ofRun(at, id)}${by_status}`
  const found = await page.readSelection<ResultRow>(
    at.db,
    query,
    by_position,
    sql`select ${resultColumns(at)} ${own}`,
    sql`select ${own}`,
  )
  return { ...found, data: found.data.map(toResult) }
}

/** Reads all results, in the order of the tests, with what a file shows of them. */
export async function readForReport(at: At, id: string): Promise<ReportedRun> {
  const { db, workspace } = at
  const [run, { agent_name }, results] = await Promise.all([
    get(at, id),
    db
      .maybe<{ agent_name: string }>(
        sql`select agent_name from test_runs where workspace_id = ${workspace} and id = ${id}`,
      )
      .then((found) => found ?? { agent_name: '' }),
    db.many<ReportedRun['results'][number]>(
      sql`select name, kind, status, passes, runs, failures, error from test_run_results where ${ofRun(at, id)}
        order by position`,
    ),
  ])
  return { agent_name, run, results }
}

const toResult = ({ position: _, ...result }: ResultRow): TestRunResult => result

export const ofRun = ({ workspace }: Pick<At, 'workspace'>, run_id: string): Sql =>
  sql`workspace_id = ${workspace} and run_id = ${run_id}`

export async function cancel(at: At, id: string): Promise<TestRun> {
  const [canceled] = await cancelThose(at, sql`id = ${id}`)
  if (canceled) return withAuthor(at, toRun(canceled))
  const { status } = await get(at, id)
  throw invalidState(`The run is ${status}. Only a run that is queued or running can be canceled.`)
}

/** Cancels the runs of an agent that is being deleted. Results that they have stay until they are old. */
export async function cancelOfAgent(at: At, agent_id: string): Promise<void> {
  await cancelThose(at, sql`agent_id = ${agent_id}`)
}

/** Cancels runs. Whoever works on them loses the lease, and what it has not written yet is lost. */
async function cancelThose({ db, workspace }: At, which: Sql): Promise<RunRow[]> {
  const canceled = await db.many<RunRow>(
    sql`update test_runs set status = 'canceled', ended_at = ${clock.iso(clock.wall())}, due_at = null, lease_token = null,
        lease_until = null, draft = null
      where workspace_id = ${workspace} and ${which} and status in ('queued', 'running')
      returning ${run_columns}`,
  )
  const run_ids = canceled.map(({ id }) => id)
  if (run_ids.length > 0)
    await db.run(
      sql`update test_run_results set status = 'canceled', content = null
        where workspace_id = ${workspace} and run_id = any(${run_ids}::uuid[]) and status = 'queued'`,
    )
  return canceled
}
