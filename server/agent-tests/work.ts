import { type Configuration, complete } from '../agents/configuration.ts'
import { findConfiguration } from '../agents/find-version.ts'
import { addTokens, isOverLimit } from '../conversations/store.ts'
import { insertPlayed, type PlayedConversation } from '../conversations/tool-runs.ts'
import * as events from '../events/store.ts'
import { type At, type AtOutside, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { raw, rowsFrom, sql } from '../kit/postgres/sql.ts'
import { assertHeld, isHeld, type Lease, leaseLost, type RowWork } from '../kit/work/rows.ts'
import type { RunContext } from '../kit/work/work.ts'
import { openEmbedder } from '../models/embedding.ts'
import { no_usage, type Usage } from '../talk/state.ts'
import { findOffered } from '../tools/mcp-tools.ts'
import * as workspaces from '../workspaces/store.ts'
import { event_types } from './event-types.ts'
import { own_errors } from './own-errors.ts'
import { isRepeatable } from './play/play.ts'
import { failedOutcome, type NewResult, type Outcome, playAndCheck, sum, toResult } from './play/results.ts'
import { type PlayedTest, playAtOnce, type Scene } from './play/scene.ts'
import { replayBatch } from './replay-batch.ts'
import { withoutGone } from './replays.ts'
import { type RunRow, run_columns, table, toRun } from './run-rows.ts'
import { ofRun } from './runs.ts'
import { completeContent } from './store.ts'
import { openPace, type Pace, testSlots } from './test-slots.ts'

/** A run has this many plays at a time that wait for models or tools. */
const plays_at_once_max = 8
/** This many tests are read at a time. */
const read_max = 20
/** Tests that wait for nothing are played for about this long, or up to this many turns, and then written together. */
const batch_ms = 250
const batch_turns_max = 1_000
/** When this many tests in a row could not be played, because a model has failed, the others are not tried. */
const errors_in_row_max = 5
const given_up_at_once_max = 100
const check_every_ms = 500

/**
 * Plays what is queued of a run. Each batch is written in one transaction, so a run that is taken over writes nothing
 * twice.
 */
export const work: RowWork = {
  table,
  begin,
  giveUp: async (at, lease) => {
    await giveUpAll(at, lease, 'The run has failed again and again.')
  },
}

interface StoredRun extends RunRow {
  agent_name: string
  draft: Configuration | null
}

/** A result whose test is still to be played. */
interface QueuedResult {
  id: string
  test_id: string | null
  position: number
  kind: PlayedTest['kind']
  content: Parameters<typeof completeContent>[0]
}

interface QueuedTest extends QueuedResult {
  test: PlayedTest
}

interface WrittenResult extends NewResult {
  id: string
  kept: PlayedConversation[]
}

async function begin(at: AtOutside, lease: Lease, context: RunContext): Promise<() => Promise<boolean>> {
  const run = await start(at, lease)
  if (!run) return async () => false
  const configuration = await configurationOf(at, run)
  if (!configuration)
    return () => inTransaction(at, (at) => giveUpAll(at, lease, 'The version does not exist any more.'))
  const scene = await openScene(at, { run, configuration, context })
  return async () => {
    context.onProgress()
    const stopped = new AbortController()
    const stopWatching = watch(at, { lease, context, stopped })
    let spent: Usage = no_usage
    const spend = (usage: Usage) => {
      spent = sum([spent, usage])
    }
    try {
      return await runBatch(at, { run, lease, context, scene: { ...scene, signal: stopped.signal, spend } })
    } catch (error) {
      // Nothing of the batch is kept, but its tokens count.
      await countTokens(at, spent)
      if (!stopped.signal.aborted) throw error
      // The next process goes on where this one has stopped.
      if (context.isStopping()) return true
      throw leaseLost()
    } finally {
      stopWatching()
    }
  }
}

/** Marks the run as running. Returns undefined if it has ended meanwhile. */
const start = ({ db }: At, lease: Lease): Promise<StoredRun | undefined> =>
  db.maybe<StoredRun>(
    sql`update test_runs set status = 'running', started_at = coalesce(started_at, ${clock.iso(clock.wall())})
      where ${isHeld(lease)} and status in ('queued', 'running')
      returning ${run_columns}, agent_name, draft`,
  )

async function configurationOf(at: At, { agent_id, version_id, draft }: StoredRun) {
  if (version_id === null) return draft ? complete(draft) : undefined
  return findConfiguration(at, { agent_id, version_id })
}

async function openScene(
  at: AtOutside,
  { run, configuration, context }: { run: StoredRun; configuration: Configuration; context: RunContext },
): Promise<Omit<Scene, 'signal' | 'spend'>> {
  const [tools, settings, embedder] = await Promise.all([
    findOffered(at, configuration.tools, configuration.mcp_tools),
    workspaces.readSettings(at),
    openEmbedder(at),
  ])
  return {
    at,
    agent: { id: run.agent_id, name: run.agent_name },
    version: { id: run.version_id, version_label: run.version_label },
    configuration,
    tools,
    settings,
    has_embedder: embedder !== undefined,
    created_at: clock.parse(run.created_at),
    log: context.log,
  }
}

/** Aborts plays when the process stops, or the run was canceled. */
function watch(
  { db }: At,
  { lease, context, stopped }: { lease: Lease; context: RunContext; stopped: AbortController },
): () => void {
  let is_asking = false
  const ask = async () => {
    is_asking = true
    // An error of the database counts as held: the next check asks again.
    const held = await db.run(sql`select from test_runs where ${isHeld(lease)}`).catch(() => 1)
    is_asking = false
    if (held === 0) stopped.abort()
  }
  const check = () => {
    if (context.isStopping()) stopped.abort()
    else if (!is_asking) void ask()
  }
  const timer = setInterval(check, check_every_ms)
  return () => clearInterval(timer)
}

interface Batch {
  run: StoredRun
  lease: Lease
  context: RunContext
  scene: Scene
}

/** Plays a batch. Returns whether something is left to be played. */
async function runBatch(at: AtOutside, batch: Batch): Promise<boolean> {
  const { run, scene, context } = batch
  if (run.kind === 'replay') {
    const knownErrorOfRun = () => knownError(at, run)
    const said = await replayBatch(at, { run, scene, isStopping: context.isStopping, knownError: knownErrorOfRun })
    return write(at, batch, said, (at) => withoutGone(at, said))
  }
  const queued = await readQueued(at, batch.run.id)
  const all = queued.map((one): QueuedTest => ({ ...one, test: { kind: one.kind, ...completeContent(one.content) } }))
  const [first] = all
  if (!first) return write(at, batch, [])
  if (!isRepeatable(scene, first.test)) {
    const end = all.findIndex(({ test }) => isRepeatable(scene, test))
    const some = all.slice(0, Math.min(testsAtOnce(run), end < 0 ? all.length : end))
    return write(at, batch, await playTogether(at, batch, some))
  }
  const { is_left, calling } = await testSlots.of(at).run(at.workspace, scene.signal, async () => {
    const pace = openPace()
    const { results, calling } = await playInTurn(batch, all, pace)
    const is_left = await write(at, batch, results)
    await pace.pause()
    return { is_left, calling }
  })
  if (calling.length === 0) return is_left
  const pace = openPace()
  const is_any_left = await write(at, batch, await playTogether(at, batch, calling, pace))
  // The pause is taken in the slot, so that the pauses of several runs follow each other.
  await testSlots.of(at).run(at.workspace, scene.signal, pace.pause)
  return is_any_left
}

const testsAtOnce = ({ repeat }: StoredRun): number => Math.max(1, Math.floor(plays_at_once_max / repeat))

const readQueued = (at: At, run_id: string): Promise<QueuedResult[]> =>
  at.db.many<QueuedResult>(
    sql`select id, test_id, position, kind, content from test_run_results
      where ${ofRun(at, run_id)} and status = 'queued' order by position limit ${raw(String(read_max))}`,
  )

/**
 * Plays tests whose plays are all the same, so that each is played once, however often it is to be repeated. Tests that
 * turn out to call something else are returned as `calling`, because others need not wait for them.
 */
async function playInTurn(
  { run, scene, context }: Batch,
  all: QueuedTest[],
  pace: Pace,
): Promise<{ results: WrittenResult[]; calling: QueuedTest[] }> {
  const until = clock.ticks() + batch_ms
  const results: WrittenResult[] = []
  const calling: QueuedTest[] = []
  let turns = 0
  for (const one of all) {
    const is_full = clock.ticks() > until || turns > batch_turns_max || context.isStopping()
    const has_some = results.length + calling.length > 0
    if (has_some && (is_full || calling.length === testsAtOnce(run) || !isRepeatable(scene, one.test))) break
    const outcome = await playAndCheck({ ...scene, calls_nothing: true }, one.test, idsOf(run, one))
    await pace.yield()
    turns += outcome.kept?.turns.length ?? 0
    if (outcome.has_called) calling.push(one)
    else results.push({ id: one.id, ...toResult(scene, one.test, [outcome], 1) })
  }
  return { results, calling }
}

/** Plays tests that wait for others at the same time. */
async function playTogether(
  at: AtOutside,
  { run, scene }: Batch,
  some: QueuedTest[],
  pace?: Pace,
): Promise<WrittenResult[]> {
  const known = await knownError(at, run)
  const plays = some.flatMap((one) => Array.from({ length: run.repeat }, () => ({ one, outcome: failedOutcome('') })))
  await playAtOnce(scene, plays, { at_once: plays_at_once_max }, async (play) => {
    const { one } = play
    play.outcome =
      known !== undefined && needsModel(scene, one.test)
        ? failedOutcome(known)
        : await playAndCheck(scene, one.test, idsOf(run, one))
    await pace?.yield()
  })
  return some.map((one) => {
    const outcomes = plays.flatMap((play): Outcome[] => (play.one === one ? [play.outcome] : []))
    return { id: one.id, ...toResult(scene, one.test, outcomes, run.passes_min) }
  })
}

/** Makes the metadata of a conversation, which says to which run and test it belongs. */
const idsOf = ({ id }: StoredRun, { test_id }: QueuedResult) => ({
  test_run_id: id,
  ...(test_id !== null && { test_id }),
})

const needsModel = ({ configuration }: Scene, { persona, expect, steps }: PlayedTest): boolean =>
  configuration.script === null ||
  persona !== null ||
  [...expect, ...steps.flatMap((step) => step.expect ?? [])].some(({ type }) => type === 'judge')

/** Returns why models are not asked: all tokens of the day are used, or a model has failed again and again. */
async function knownError(at: At, { id }: StoredRun): Promise<string | undefined> {
  if (await isOverLimit(at, { channel_id: null })) return 'The workspace has used the tokens that it may use in a day.'
  const last = await at.db.many<{ status: string; error: string | null }>(
    sql`select status, error from test_run_results where ${ofRun(at, id)} and status not in ('queued', 'canceled')
        and coalesce(error, '') <> all(${Object.values(own_errors)}::text[])
      order by position desc limit ${raw(String(errors_in_row_max))}`,
  )
  const is_failing = last.length === errors_in_row_max && last.every(({ status }) => status === 'error')
  if (!is_failing) return undefined
  const { error } = last[0] ?? { error: null }
  return error?.startsWith(not_tried) ? error : `${not_tried} ${error ?? ''}`
}

const not_tried = 'Not run, because the tests before it could not be run either:'

/** Writes results, their conversations and the progress of the run together. Returns whether something is left to be played. */
const write = (
  at: At,
  { lease }: Pick<Batch, 'lease'>,
  played: WrittenResult[],
  check: (at: At) => Promise<WrittenResult[]> = async () => played,
): Promise<boolean> =>
  inTransaction(at, async (at) => {
    const results = await check(at)
    const run = await recordProgress(at, lease, results)
    await Promise.all([
      insertPlayed(
        at,
        results.flatMap(({ kept }) => kept),
      ),
      writeResults(at, results),
      countTokens(at, sum(results.map(({ usage }) => usage))),
    ])
    if (run.status === 'completed') await events.record(at, event_types.completed, [{ data: toRun(run) }])
    return run.status !== 'completed'
  })

const countTokens = (at: At, { input_tokens, output_tokens }: Usage): Promise<void> =>
  addTokens(at, [{ channel_id: null, tokens: input_tokens + output_tokens }])

/** Records the progress of a run. The run is completed with its last result. */
async function recordProgress(
  at: At,
  lease: Lease,
  results: Pick<WrittenResult, 'status' | 'usage'>[],
): Promise<RunRow> {
  const count = (status: NewResult['status']) => results.filter((one) => one.status === status).length
  const { input_tokens, output_tokens } = sum(results.map(({ usage }) => usage))
  const done = results.length
  const run = await at.db.maybe<RunRow>(
    sql`update test_runs
      set done = done + ${done}, passed = passed + ${count('passed')}, failed = failed + ${count('failed')},
        errors = errors + ${count('error')}, input_tokens = input_tokens + ${input_tokens},
        output_tokens = output_tokens + ${output_tokens}, attempt = 0,
        status = case when done + ${done} >= tests then 'completed' else status end,
        ended_at = case when done + ${done} >= tests then ${clock.iso(clock.wall())}::timestamptz end,
        due_at = case when done + ${done} < tests then ${clock.iso(at.now)}::timestamptz end,
        draft = case when done + ${done} < tests then draft end
      where ${isHeld(lease)}
      returning ${run_columns}`,
  )
  assertHeld(run ? 1 : 0)
  // `assertHeld` has thrown otherwise.
  return run as RunRow
}

async function writeResults({ db, workspace }: At, results: Omit<WrittenResult, 'kept'>[]): Promise<void> {
  if (results.length === 0) return
  const rows = results.map(({ usage, ...result }) => ({ ...result, ...usage, kept: undefined }))
  await db.run(
    sql`update test_run_results as result
      set status = row.status, passes = row.passes, runs = row.runs, is_repeatable = row.is_repeatable,
        failures = row.failures, differences = row.differences, error = row.error, conversation_id = row.conversation_id,
        conversation_ids = row.conversation_ids, input_tokens = row.input_tokens, output_tokens = row.output_tokens,
        content = null
      from ${rowsFrom(
        rows,
        `id uuid, status text, passes integer, runs integer, is_repeatable boolean, failures jsonb, differences jsonb,
          error text, conversation_id uuid, conversation_ids uuid[], input_tokens bigint, output_tokens bigint`,
      )}
      where result.workspace_id = ${workspace} and result.id = row.id`,
  )
}

/** Gives up all that is left, because it can't be played. Returns false. */
async function giveUpAll(at: At, lease: Lease, error: string): Promise<false> {
  const of_run = ofRun(at, lease.id)
  for (;;) {
    const left = await at.db.many<{ id: string }>(
      sql`select id from test_run_results where ${of_run} and status = 'queued' order by position
        limit ${raw(String(given_up_at_once_max))}`,
    )
    const results = left.map(({ id }): Omit<WrittenResult, 'kept'> => ({ ...nothing, id, error }))
    const run = await recordProgress(at, lease, results)
    await writeResults(at, results)
    if (run.status === 'completed') {
      await events.record(at, event_types.completed, [{ data: toRun(run) }])
      return false
    }
    if (left.length === 0) throw leaseLost()
  }
}

const nothing: NewResult = {
  status: 'error',
  passes: 0,
  runs: 0,
  is_repeatable: true,
  failures: [],
  differences: [],
  error: null,
  conversation_id: null,
  conversation_ids: [],
  usage: no_usage,
}
