import fs from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Agent, AgentTest, NewAgentTest, NewTestRun, TestRun, TestRunResult } from '../../sdk/src/index.ts'
import { test_defaults } from '../agent-tests/schema.ts'
import { isObject } from '../kit/json.ts'
import { errorCode, Problem } from '../kit/problem.ts'
import { counted } from '../kit/text.ts'
import { consoleOf } from '../start/shell.ts'
import { findAgent, findVersion } from './agent-actions.ts'
import { ApiError, takeFirst } from './api-client.ts'
import type { Target } from './ask.ts'
import { UsageError } from './command.ts'
import { readJsonFile } from './json-file.ts'
import { openProgress } from './progress.ts'
import { type Answer, formatTable } from './run.ts'
import { stopSignal } from './stop-signal.ts'

/** An agent has at most this many tests. */
const tests_max = 500
const poll_first_ms = 100
const poll_max_ms = 1_000
const bar_width = 24

export interface RunOptions {
  workspace?: string
  version?: string
  draft?: true
  test?: string[]
  repeat?: number
  passesMin?: number
  junit?: string
}

/** Finds an agent. A name that is not found is wrong usage here, so that CI can tell it from a failed test. */
const findAgentToTest = (target: Target, name: string): Promise<Agent> =>
  findAgent(target, name).catch((error: unknown) => {
    throw error instanceof Problem && error.code === 'NOT_FOUND' ? new UsageError(error.message) : error
  })

/** Lists all tests, oldest first. */
const listAll = async ({ api }: Target, { id }: Agent): Promise<AgentTest[]> =>
  (await takeFirst(api.agentTests.list(id), tests_max)).reverse()

export async function listTests(target: Target, name: string): Promise<Answer> {
  const tests = await listAll(target, await findAgentToTest(target, name))
  const rows = tests.map(({ id, name, kind, is_enabled }) => [id, name, kind, is_enabled ? '' : 'disabled'])
  return { data: { tests }, text: formatTable(['ID', 'NAME', 'KIND', ''], rows) }
}

export async function runTests(target: Target, name: string, options: RunOptions): Promise<Answer | undefined> {
  const { api, shell } = target
  const { version, draft, test: names, repeat, passesMin, junit } = options
  const agent = await findAgentToTest(target, name)
  const input: NewTestRun = {
    ...(version !== undefined && { version_id: await findVersionId(target, agent, version) }),
    ...(draft && { use_draft: true }),
    ...(names && { test_ids: findTests(await listAll(target, agent), names, agent) }),
    ...(repeat !== undefined && { repeat }),
    ...(passesMin !== undefined && { passes_min: passesMin }),
  }
  if (junit !== undefined) assertWritable(junit)
  const stop = stopSignal(shell)
  const run = await untilEnded(target, await api.testRuns.create(agent.id, input), stop)
  if (!run) return undefined
  if (junit !== undefined) writeFile(junit, await api.testRuns.get(run.id, { format: 'junit' }))
  const results = await takeFirst(api.testRuns.listResults(run.id), tests_max)
  const has_failed = run.status !== 'completed' || run.passed < run.tests
  return { data: { run, results }, text: describeRun(agent, run, results), has_failed }
}

async function findVersionId(target: Target, agent: Agent, wanted: string): Promise<string> {
  const version = await findVersion(target, agent, wanted).catch((error: unknown) => {
    throw error instanceof Problem && error.code === 'NOT_FOUND' ? new UsageError(error.message) : error
  })
  return version.id
}

function findTests(tests: AgentTest[], names: string[], agent: Agent): string[] {
  const found = names.flatMap((wanted) => {
    const named = tests.filter(({ id, name }) => id === wanted || name === wanted)
    if (named.length === 0) throw new UsageError(`"${agent.name}" has no test "${wanted}"`)
    return named.map(({ id }) => id)
  })
  return [...new Set(found)]
}

/** Waits until the run has ended, with a bar on a terminal. Returns undefined after Ctrl-C, which cancels the run. */
async function untilEnded(target: Target, created: TestRun, stop: AbortSignal): Promise<TestRun | undefined> {
  const { api, shell } = target
  const progress = openProgress(shell)
  let run = created
  try {
    for (let wait_ms = poll_first_ms; !isOver(run); wait_ms = Math.min(2 * wait_ms, poll_max_ms)) {
      const shown = run
      progress.show(() => barOf(shown))
      await setTimeout(wait_ms, undefined, { signal: stop })
      const { results: _, ...read } = await api.testRuns.get(created.id)
      run = read
    }
  } catch (error) {
    if (!stop.aborted) throw error
    progress.clear()
    await api.testRuns.cancel(created.id).catch((error: unknown) => {
      // The run has ended just before.
      if (!(error instanceof ApiError && error.code === 'INVALID_STATE')) throw error
    })
    consoleOf(shell).error(`Canceled the run ${created.id}.`)
    return undefined
  }
  progress.clear()
  return run
}

const isOver = ({ status }: TestRun): boolean => status === 'completed' || status === 'canceled'

function barOf({ tests, done, failed, errors }: TestRun): string {
  const filled = Math.round((bar_width * done) / Math.max(tests, 1))
  const broken = failed + errors
  const note = broken > 0 ? `, ${broken} failed` : ''
  return `[${'#'.repeat(filled)}${'.'.repeat(bar_width - filled)}] ${done} of ${tests}${note}`
}

function describeRun({ name }: Agent, run: TestRun, results: TestRunResult[]): string {
  const { agent_version, status, tests, passed, failed, errors } = run
  const what = agent_version.id === null ? 'the draft' : agent_version.version_label
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(errors > 0 ? [`${errors} not run`] : []),
  ]
  const all = `${counted(tests, 'test', 'tests')} of ${what} of "${name}"`
  const last = status === 'canceled' ? `The run of ${all} was canceled` : all
  const broken = results.filter((result) => result.status === 'failed' || result.status === 'error')
  return [...broken.map(describeResult), `${last}: ${counts.join(', ')}.`].join('\n')
}

function describeResult({ name, status, passes, runs, failures, error, conversation_id }: TestRunResult): string {
  const share = runs > 1 ? ` (${passes} of ${runs} runs passed)` : ''
  const lines = failures.map(({ sentence, step, seq }) => {
    const places = [...(step === null ? [] : [`line ${step}`]), ...(seq === null ? [] : [`turn ${seq}`])]
    return places.length > 0 ? `${places.join(', ')}: ${sentence}` : sentence
  })
  const reasons = [...new Set(status === 'error' ? [error ?? 'It could not be run.'] : lines)]
  const shown = reasons.map((line) => `  ${line.replaceAll('\n', '\n    ')}`)
  const link = conversation_id === null ? [] : [`  Conversation ${conversation_id}`]
  return [`${status === 'error' ? 'NOT RUN' : 'FAILED'} ${name}${share}`, ...shown, ...link, ''].join('\n')
}

/** Checks before the tests run that the file can be written. A file that is there stays until they have ended. */
const assertWritable = (file: string): void =>
  writing(file, (unfinished) => {
    fs.writeFileSync(unfinished, '')
    // The rename fails, as it would after the run.
    if (fs.statSync(file, { throwIfNoEntry: false })?.isDirectory()) fs.renameSync(unfinished, file)
    fs.rmSync(unfinished)
  })

const writeFile = (file: string, content: string): void =>
  writing(file, (unfinished) => {
    fs.writeFileSync(unfinished, content)
    fs.renameSync(unfinished, file)
  })

function writing(file: string, write: (unfinished: string) => void): void {
  const unfinished = `${file}.part`
  try {
    write(unfinished)
  } catch (error) {
    fs.rmSync(unfinished, { force: true })
    throw new UsageError(`--junit: the file ${file} can't be written (${errorCode(error)})`)
  }
}

/** Returns a test without ids and times, so that a file changes only where a test does. */
function contentOf(test: AgentTest): NewAgentTest {
  const { id: _, agent_id: _agent, created_at: _created, updated_at: _updated, ...content } = test
  const is_default = (name: string, value: unknown) =>
    Object.hasOwn(test_defaults, name) && isDeepStrictEqual(value, test_defaults[name as keyof typeof test_defaults])
  const kept = Object.entries(content).filter(([name, value]) => !is_default(name, value))
  // Only fields are left out that a new test need not have.
  return Object.fromEntries(kept) as object as NewAgentTest
}

export async function exportTests(target: Target, name: string): Promise<Answer> {
  const tests = (await listAll(target, await findAgentToTest(target, name))).map(contentOf)
  return { data: { tests }, text: JSON.stringify({ tests }, undefined, 2) }
}

export async function importTests(target: Target, name: string, file: string): Promise<Answer> {
  const { api, shell } = target
  const wanted = readTests(file, await readJsonFile(shell, file))
  const agent = await findAgentToTest(target, name)
  // Several tests may have the same name: the first in the file is the first of these.
  const left = Map.groupBy(await listAll(target, agent), (test) => test.name)
  const done = { created: [] as string[], updated: [] as string[], unchanged: [] as string[] }
  for (const test of wanted) {
    const known = left.get(test.name)?.shift()
    const save = async () => {
      if (!known) await api.agentTests.create(agent.id, test)
      else if (isSame(known, test)) return 'unchanged'
      else await api.agentTests.update(agent.id, known.id, { ...test_defaults, ...test })
      return known ? 'updated' : 'created'
    }
    done[
      await save().catch((error: unknown) => {
        throw atTest(target, error, test.name)
      })
    ].push(test.name)
  }
  const others = [...left.values()].flat().map((test) => test.name)
  return { data: { ...done, others }, text: describeImport(agent, { ...done, others }) }
}

function readTests(file: string, { tests }: Record<string, unknown>): NewAgentTest[] {
  if (!Array.isArray(tests)) throw new UsageError(`the file ${file} must have a list "tests"`)
  if (tests.length > tests_max) throw new UsageError(`the file ${file} has more than ${tests_max} tests`)
  for (const [index, test] of tests.entries())
    if (!isObject(test) || typeof test.name !== 'string')
      throw new UsageError(`the file ${file} has no "name" in its test ${index + 1}`)
  // The service checks the rest.
  return tests as NewAgentTest[]
}

const isSame = (known: AgentTest, test: NewAgentTest): boolean =>
  isDeepStrictEqual({ ...test_defaults, ...contentOf(known) }, { ...test_defaults, ...test })

/** Adds to an error which test the service has refused. */
function atTest({ toCommandError }: Target, error: unknown, name: string): unknown {
  const reported = toCommandError(error)
  if (!(reported instanceof Problem)) return reported
  return new Problem(reported.code, `the test "${name}": ${reported.message}`, reported.details)
}

const describeImport = (
  { name }: Agent,
  { created, updated, unchanged, others }: Record<'created' | 'updated' | 'unchanged' | 'others', string[]>,
): string =>
  [
    ...created.map((test) => `Created "${test}".`),
    ...updated.map((test) => `Updated "${test}".`),
    `"${name}": ${created.length} created, ${updated.length} updated, ${unchanged.length} unchanged.`,
    ...(others.length > 0
      ? [
          others.length === 1
            ? '1 test is not in the file, and stays as it is.'
            : `${others.length} tests are not in the file, and stay as they are.`,
        ]
      : []),
  ].join('\n')
