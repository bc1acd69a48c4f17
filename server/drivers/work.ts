import type { Configuration } from '../agents/configuration.ts'
import {
  beforeWords,
  type ClaimedConversation,
  claim,
  due_conversations,
  type LoadedTurn,
} from '../conversations/claim.ts'
import { renewLeases } from '../conversations/rows.ts'
import { isOverLimit } from '../conversations/store.ts'
import { newTurn } from '../conversations/turns.ts'
import { mustAnswer, mustAnswerBy, pausedUntil } from '../conversations/waiting.ts'
import { type At, type AtOutside, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import type { Log } from '../kit/log.ts'
import { plainShare } from '../kit/work/capacity.ts'
import { itemLeases } from '../kit/work/lease.ts'
import { openScheduler } from '../kit/work/scheduler.ts'
import type { RunContext, Work } from '../kit/work/work.ts'
import { takeSilenceForYes } from '../messages/opt-outs.ts'
import { awaitsPerson } from '../talk/engine.ts'
import type { EngineInput } from '../talk/input.ts'
import { sentencesIn } from '../talk/sentences.ts'
import { settingsFor, type TimeLimits, time_limits, valuesOf } from '../talk/settings.ts'
import { type Entry, history_turns, newState, type Settings, type State } from '../talk/state.ts'
import { asksForPerson, openAnswerer } from './answerer.ts'
import { Journal } from './journal.ts'
import { emptySave } from './plan-save.ts'
import { openConversationSaves } from './save.ts'
import { summarize } from './summary.ts'
import { TextDrive } from './text-drive.ts'
import { openTools } from './tools.ts'

/** A conversation is closed after this many attempts to continue it. */
const attempts_max = 20

type SaveOne = ReturnType<typeof openConversationSaves>

/** The work that lets agents answer, and closes conversations in which nobody says anything. Tests change the waits. */
export function answering(log: Log, waits: Partial<TimeLimits> = {}): Work<ClaimedConversation, void> {
  const save = openConversationSaves(log)
  return {
    due: due_conversations,
    openLeases: () => itemLeases(renewLeases),
    limits: {
      process: plainShare(2_000),
      // Each workspace has a limit, so that a few with slow models can't take all.
      workspace: plainShare(250),
    },
    claim,
    run: (at, claimed, context) => {
      const saveOne: SaveOne = (at, one) => {
        context.onProgress()
        return save(at, one)
      }
      return run(at, claimed, { ...context, save: saveOne, time_limits: { ...time_limits, ...waits } })
    },
  }
}

interface Context extends RunContext {
  save: SaveOne
  time_limits: TimeLimits
}

async function run(at: AtOutside, claimed: ClaimedConversation, context: Context): Promise<void> {
  const { configuration, attempt, needs_summary } = claimed
  const { save } = context
  const answer_by = mustAnswerBy(claimed)
  if (answer_by !== undefined && answer_by <= at.now) return takeSilence(at, claimed, context)
  if (!configuration || claimed.close_reason === 'agent_deleted')
    return close(at, { claimed, save, reason: 'agent_deleted' })
  if (attempt > attempts_max) return close(at, { claimed, save, reason: 'error' })
  const is_open = claimed.turns.some((turn) => turn.is_open)
  if (needs_summary && !configuration.script && !awaitsAgent(claimed) && !is_open) {
    const { person_ms } = context.time_limits
    const { idle: _idle, ...timers } = timersOf(claimed, { configuration, now: at.now, person_ms })
    return summarize(at, { claimed, configuration, timers, save })
  }
  const until = awaitsAgent(claimed) ? await pausedUntil(at, claimed) : undefined
  if (until !== undefined) return pause(at, { claimed, configuration, save, until })
  const [drive, first] = await Promise.all([
    openDrive(at, { claimed, configuration, context }),
    firstInputs(at, claimed, configuration),
  ])
  await drive.run(first)
}

/** Records an opt-out by silence. This is tried until it is written, so that no opt-out is lost. */
async function takeSilence(at: AtOutside, claimed: ClaimedConversation, context: Context): Promise<void> {
  const is_closed = await inTransaction(at, (at) => takeSilenceForYes(at, claimed.id))
  if (!is_closed) return run(at, { ...claimed, opt_out_asked_seq: null }, context)
  await context.save(at, { ...emptySave(claimed), release: { timers: {}, idle_ms: 0, needs_summary: true } })
}

interface Pause {
  claimed: ClaimedConversation
  configuration: Configuration
  save: SaveOne
  until: number
}

/** Delays the answer. The contact is told so once. */
async function pause(at: At, { claimed, configuration, save, until }: Pause): Promise<void> {
  const { limits, language } = configuration
  const is_told = claimed.turns.findLast(({ role }) => role !== 'contact')?.role === 'system'
  const told = systemTurn(at, sentencesIn(language).too_fast)
  const release = { timers: {}, idle_ms: limits.idle_seconds * 1_000, needs_summary: false, not_before: until }
  await save(at, { ...emptySave(claimed), turns: is_told ? [] : [told], release })
}

const awaitsAgent = ({ status, awaits_answer }: ClaimedConversation): boolean => status === 'open' && awaits_answer

async function openDrive(
  at: AtOutside,
  { claimed, configuration, context }: { claimed: ClaimedConversation; configuration: Configuration; context: Context },
): Promise<TextDrive> {
  const { id, agent_id, contact_id, contact, time_zone, kind, status, turn_count } = claimed
  const tools = await openTools(at, { conversation_id: id, agent_id, contact_id, kind, configuration })
  const values = valuesOf(claimed, { contact, time_zone, now: at.now })
  const settings = settingsFor(configuration, {
    values,
    say_while: tools.say_while,
    tool_rules: tools.rules,
    time_limits: context.time_limits,
    kind,
  })
  const open = claimed.turns.find(({ is_open }) => is_open)
  const scheduler = openScheduler(at)
  const journal = new Journal({
    id,
    token: claimed.token,
    seen: { status, turn_count },
    open: open && { reply: interrupted_reply, seq: open.seq, kept: open.text },
    results: claimed.results,
    waited_ms: scheduler.stands ? 0 : waitedFor(at, claimed),
    must_answer: mustAnswer(claimed),
    is_timed: true,
  })
  if (open) journal.addInterrupted(interrupted_reply, open.text)
  const history = await historyOf(at, claimed.turns, configuration)
  const engine = stateOf(claimed, { configuration, settings, history, now: at.now })
  return new TextDrive({
    at,
    scheduler,
    answerer: openAnswerer({ at, claimed, configuration, tools }),
    tools,
    journal,
    is_live: kind !== 'sms',
    state: { engine, progress: claimed.script_state, contact_ended_at: null },
    save: context.save,
    needsSummary: (phase, turns) => {
      const is_over = phase === 'ended' || phase === 'handed_over'
      const is_long = turns - claimed.summarized_until >= history_turns
      return !configuration.script && (claimed.needs_summary || (is_over && status === 'open') || is_long)
    },
    isStopping: context.isStopping,
    log: context.log,
  })
}

/** Stands for the reply of a process that was killed. */
const interrupted_reply = 'interrupted'

/** Returns how long the contact has waited for the answer to begin. */
function waitedFor({ now }: At, { turns }: ClaimedConversation): number {
  const said_at = turns.findLast(({ role }) => role === 'contact')?.created_at
  return said_at === undefined ? 0 : Math.max(0, now - clock.parse(said_at))
}

interface StateParts {
  configuration: Configuration
  settings: Settings
  history: Entry[]
  now: number
}

function stateOf(claimed: ClaimedConversation, { configuration, settings, history, now }: StateParts): State {
  const { status, turns, runs, turn_count, awaits_answer, tokens } = claimed
  const pending = awaitsAgent(claimed)
    ? runs.map((run) => ({ ...toRun(run), before_words: beforeWords(run, turns) }))
    : []
  return {
    ...newState(settings, now),
    phase: phases[status],
    history,
    is_unanswered: awaits_answer,
    open_runs: pending.flatMap(({ status, result: _, ...run }) =>
      status === 'running' ? [{ ...run, reply: interrupted_reply }] : [],
    ),
    ended_runs: pending.flatMap(({ status, ...run }) => (status === 'running' ? [] : [{ ...run, status }])),
    turns_before_runs: turn_count,
    timers: timersOf(claimed, { configuration, now, person_ms: settings.person_ms }),
    turns: turn_count,
    tokens,
  }
}

const phases = { open: 'listening', handed_over: 'handed_over', closed: 'ended' } as const

/**
 * Returns the timers. A conversation is idle since its last turn. A contact waits for a person since the hand-over, or
 * since the last words.
 */
function timersOf(
  claimed: ClaimedConversation,
  { configuration, now, person_ms }: { configuration: Configuration; now: number; person_ms: number },
): State['timers'] {
  const { timers, last_turn_at, created_at, status, turns } = claimed
  const idle =
    mustAnswerBy(claimed) ?? clock.parse(last_turn_at ?? created_at) + configuration.limits.idle_seconds * 1_000
  if (status !== 'handed_over' || !awaitsPerson({ history: turns.map(toEntry) })) return { idle }
  return { idle, person: timers.person ?? now + person_ms }
}

/** Returns the history. Only the last words of the contact may ask for a person now. */
async function historyOf(at: At, turns: LoadedTurn[], configuration: Configuration): Promise<Entry[]> {
  const last = configuration.script ? undefined : turns.findLast(({ role }) => role === 'contact')
  const asks_for_person = last !== undefined && (await asksForPerson(at, last.text, configuration))
  return turns.map((turn) => ({
    ...toEntry(turn),
    ...(turn === last && { asks_for_person }),
  }))
}

const toEntry = ({ role, text, is_interrupted, is_open, tools }: LoadedTurn): Entry => ({
  role,
  text,
  is_cut: is_interrupted || is_open,
  runs: tools.map(toRun).flatMap(({ status, ...run }) => (status === 'running' ? [] : [{ ...run, status }])),
})

const toRun = ({ id, name, arguments: values, result, status }: LoadedTurn['tools'][number]) => ({
  run: id,
  name,
  arguments: values,
  after: 0,
  status,
  result,
})

/** Returns the first events for a conversation that was due. */
async function firstInputs(at: At, claimed: ClaimedConversation, { script }: Configuration): Promise<EngineInput[]> {
  if (!awaitsAgent(claimed))
    return [
      { type: 'timer', name: 'person' },
      { type: 'timer', name: 'idle' },
    ]
  if (!script && (await isOverLimit(at, claimed))) return [{ type: 'limit' }]
  const id = newId()
  return [claimed.turn_count === 0 ? { type: 'opened', id } : { type: 'resumed', id }]
}

/** Closes the conversation without the engine: the agent is gone, or the conversation has failed again and again. */
async function close(
  at: At,
  { claimed, save, reason }: { claimed: ClaimedConversation; save: SaveOne; reason: 'agent_deleted' | 'error' },
): Promise<void> {
  const { status, configuration } = claimed
  const open = claimed.turns.find(({ is_open }) => is_open)
  const must_explain = reason === 'error' && configuration !== undefined && awaitsAgent(claimed)
  await save(at, {
    ...emptySave(claimed),
    turns: [
      ...(open ? [{ ...open, is_interrupted: true, finish_reason: 'interrupted' as const }] : []),
      ...(must_explain ? [systemTurn(at, sentencesIn(configuration.language).failed)] : []),
    ],
    open_seq: open?.seq,
    changes: status === 'closed' ? {} : { status: 'closed', close_reason: reason, awaits_answer: false },
    release: { timers: {}, idle_ms: 0, needs_summary: false },
  })
}

/** Makes a turn of the system. It gets its number when it is saved. */
const systemTurn = ({ now }: At, text: string) => newTurn({ seq: 0, role: 'system', text, created_at: clock.iso(now) })
