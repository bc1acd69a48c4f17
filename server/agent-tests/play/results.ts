import type { PlayedConversation } from '../../conversations/tool-runs.ts'
import * as clock from '../../kit/clock.ts'
import { isBusy } from '../../kit/postgres/errors.ts'
import { isShortage } from '../../kit/work/shortage.ts'
import { no_usage, type Usage } from '../../talk/state.ts'
import { own_errors } from '../own-errors.ts'
import { failures_max, type TestFailure, type TestRunResult } from '../schema.ts'
import { checkPlay } from './check.ts'
import { isRepeatable, play } from './play.ts'
import { AbortedError, PlayError, type PlayedTest, type PlayRecord, type Scene } from './scene.ts'

/** Limits the time of one play. */
const play_max_ms = 5 * 60_000
/** Limits the arguments and results of tools in one play, as JSON. */
const runs_bytes_max = 256 * 1024
/** Limits the failures of a result, as JSON. */
const failures_bytes_max = 32 * 1024

/** The members that a result gets when its test was played. */
export type NewResult = Pick<
  TestRunResult,
  | 'status'
  | 'passes'
  | 'runs'
  | 'is_repeatable'
  | 'failures'
  | 'differences'
  | 'error'
  | 'conversation_id'
  | 'conversation_ids'
  | 'usage'
>

/** The outcome of one play of a test, checked. */
export interface Outcome {
  status: 'passed' | 'failed' | 'error'
  failures: TestFailure[]
  error: string | null
  /** The conversation. Undefined if nothing was said. */
  kept: PlayedConversation | undefined
  /** The usage of all models. */
  usage: Usage
  has_called: boolean
}

/** Plays a test once and checks what it expects. Throws an AbortedError when the play was aborted. */
export const playAndCheck = (scene: Scene, test: PlayedTest, ids: object): Promise<Outcome> =>
  withinTime(scene, ids, async (scene) => toOutcome(scene, test, await play(scene, test), ids), failedOutcome)

/**
 * Limits the time of a play. A play that fails or takes too long has a result, too: it must not keep the others of a
 * run from being played. All that models have used is in its `usage`.
 */
export async function withinTime<Result extends object>(
  scene: Scene,
  ids: object,
  run: (scene: Scene) => Promise<Result>,
  toFailed: (error: string) => Result,
): Promise<Result & { usage: Usage }> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), play_max_ms)
  let usage: Usage = no_usage
  const spend = (used: Usage) => {
    usage = sum([usage, used])
    scene.spend(used)
  }
  const fail = (error: string) => ({ ...toFailed(error), usage })
  try {
    const result = await run({ ...scene, signal: AbortSignal.any([scene.signal, late.signal]), spend })
    return { ...result, usage }
  } catch (error) {
    if (scene.signal.aborted) throw new AbortedError('the play was aborted')
    if (error instanceof AbortedError) return fail(`It took longer than ${play_max_ms / 60_000} minutes.`)
    if (error instanceof PlayError) return fail(error.message)
    if (isBusy(error) || isShortage(error)) throw error
    scene.log.error({ err: error, workspace_id: scene.at.workspace, ...ids }, 'a test could not be played')
    return fail(own_errors.internal)
  } finally {
    clearTimeout(timer)
  }
}

export const failedOutcome = (error: string): Outcome => ({
  status: 'error',
  failures: [],
  error,
  kept: undefined,
  usage: no_usage,
  has_called: false,
})

async function toOutcome(
  scene: Scene,
  test: PlayedTest,
  played: PlayRecord,
  ids: object,
): Promise<Omit<Outcome, 'usage'>> {
  const nothing = { failures: [], error: null }
  const checked = played.error === null ? await checkPlay(scene, test, played) : nothing
  const { id: conversation_id } = played.conversation
  const error = played.error ?? checked.error
  const failures = checked.failures.map((failure) => ({ ...failure, conversation_id }))
  return {
    status: failures.length > 0 ? 'failed' : error === null ? 'passed' : 'error',
    failures,
    error,
    kept: keep(scene, played, ids),
    has_called: played.has_called,
  }
}

export const sum = (usages: Usage[]): Usage => ({
  input_tokens: usages.reduce((total, { input_tokens }) => total + input_tokens, 0),
  output_tokens: usages.reduce((total, { output_tokens }) => total + output_tokens, 0),
})

/**
 * Returns what is kept of a play. The conversation gets the time of its run, because the agent may have seen another
 * time.
 */
export function keep(
  { created_at }: Pick<Scene, 'created_at'>,
  { conversation, turns, runs }: Pick<PlayRecord, 'conversation' | 'turns' | 'runs'>,
  ids: object,
): PlayedConversation {
  const ahead_ms = clock.parse(conversation.created_at) - created_at
  const moved = (time: string) => clock.iso(clock.parse(time) - ahead_ms)
  const movedIf = (time: string | null) => (time === null ? null : moved(time))
  return {
    conversation: {
      ...conversation,
      metadata: { ...ids },
      created_at: moved(conversation.created_at),
      updated_at: moved(conversation.updated_at),
      last_turn_at: movedIf(conversation.last_turn_at),
      first_asked_at: movedIf(conversation.first_asked_at),
    },
    turns: turns.map(({ turn, ...one }) => ({ ...one, turn: { ...turn, created_at: moved(turn.created_at) } })),
    runs: withinBudget(runs),
  }
}

const not_kept = 'It was not kept, because the tools of this test have answered too much.'

/** Keeps arguments and answers of tools up to a limit in bytes. The agent has got all of them. */
function withinBudget(runs: PlayRecord['runs']): PlayRecord['runs'] {
  let bytes = 0
  return runs.map((run) => {
    bytes += Buffer.byteLength(JSON.stringify([run.arguments, run.result]))
    return bytes > runs_bytes_max ? { ...run, arguments: {}, result: not_kept } : run
  })
}

/**
 * Makes the result of all plays of a test. It passes if enough of them have. If plays with errors would decide, it is
 * an error.
 */
export function toResult(
  scene: Scene,
  test: PlayedTest,
  outcomes: Outcome[],
  passes_min: number,
): NewResult & { kept: PlayedConversation[] } {
  const count = (status: Outcome['status']) => outcomes.filter((one) => one.status === status).length
  const [passes, errors] = [count('passed'), count('error')]
  const wanted = Math.min(passes_min, outcomes.length)
  const status = passes >= wanted ? 'passed' : passes + errors >= wanted ? 'error' : 'failed'
  const kept = outcomes.flatMap(({ kept }) => kept ?? [])
  const shown = outcomes.find((one) => one.status === 'failed') ?? outcomes.find((one) => one.status === 'error')
  const conversation_ids = kept.map(({ conversation }) => conversation.id)
  return {
    status,
    passes,
    runs: outcomes.length,
    is_repeatable: isRepeatable(scene, test) && !outcomes.some(({ has_called }) => has_called),
    failures: bounded(
      outcomes.flatMap(({ failures }) => failures),
      { items_max: failures_max, bytes_max: failures_bytes_max },
    ),
    differences: [],
    error: outcomes.find(({ error }) => error !== null)?.error ?? null,
    conversation_id: shown?.kept?.conversation.id ?? conversation_ids[0] ?? null,
    conversation_ids,
    usage: sum(outcomes.map(({ usage }) => usage)),
    kept,
  }
}

/** Returns the first items, up to a number and their length as JSON. The first one is always among them. */
export function bounded<Item>(
  items: Item[],
  { items_max, bytes_max }: { items_max: number; bytes_max: number },
): Item[] {
  let bytes = 0
  return items.slice(0, items_max).filter((item, index) => {
    bytes += Buffer.byteLength(JSON.stringify(item))
    return index === 0 || bytes <= bytes_max
  })
}
