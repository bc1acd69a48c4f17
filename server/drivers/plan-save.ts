import { type Row, type ScriptProgress, shownOf, type Timers } from '../conversations/rows.ts'
import type { Conversation, Turn } from '../conversations/schema.ts'
import type { RunToSave } from '../conversations/tool-runs.ts'
import { newTurn, type TurnOf } from '../conversations/turns.ts'
import { isAsked, mustAnswerBy, waitingSince } from '../conversations/waiting.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { no_usage, type SpeechPart, type Usage } from '../talk/state.ts'

/** The changes of one conversation that a driver writes. They are written only while the driver has the lease. */
export interface Save {
  id: string
  token: string
  /**
   * The state that the driver knows. If there is more, what nobody has seen yet is not written: the next driver begins
   * again.
   */
  seen: Pick<Conversation, 'status' | 'turn_count'>
  /** Begins the agent's turn, whose words are shown from now on. */
  opened?: { text: string }
  /** The turns in the order in which they were said. The first one is the open turn, if there is one. */
  turns: FinishedTurn[]
  open_seq: number | undefined
  runs: RunToSave[]
  usage: Usage
  changes: Changes
  /** Whether tools begin now. The progress of the script must be stored when they end. */
  begins_tools?: boolean
  /** Whether another drive continues: only what was shown, and what tools have done, is written. */
  is_leaving: boolean
  /** Whether the turns were spoken in a call: these are written, whatever others have written meanwhile. */
  is_spoken?: boolean
  /** Whether the turns are written although the contact may have written more meanwhile. That is answered next. */
  must_answer?: boolean
  /** Ends the lease. */
  release?: Release
}

interface Release {
  timers: Timers
  idle_ms: number
  needs_summary: boolean
  /** The earliest time at which the agent answers. */
  not_before?: number
}

export type FinishedTurn = Pick<
  Turn,
  'role' | 'text' | 'is_interrupted' | 'finish_reason' | 'latency' | 'usage' | 'tools' | 'error'
> &
  Partial<Pick<Turn, 'heard' | 'created_at' | 'script' | 'citations'>> & { speech?: SpeechPart[] }

/** A save that writes nothing. */
export const emptySave = ({ id, token, status, turn_count }: SavedConversation) => ({
  id,
  token,
  seen: { status, turn_count },
  turns: [],
  open_seq: undefined,
  runs: [],
  usage: no_usage,
  changes: {},
  is_leaving: false,
})

type SavedConversation = Pick<Conversation, 'id' | 'status' | 'turn_count'> & { token: string }

/** New values of columns. Columns that are left out stay as they are. */
export interface Changes {
  status?: Conversation['status']
  close_reason?: Conversation['close_reason']
  hand_over_reason?: string | null
  awaits_answer?: boolean
  results?: Record<string, unknown>
  script_state?: ScriptProgress | null
  summary?: string | null
  summarized_until?: number
}

/** The outcome of a save. `seq` is the number of the turn that was opened. */
export type Saved = { is_lost: true } | WrittenSave

interface WrittenSave {
  is_lost: false
  /** Whether others have written meanwhile. */
  is_stale: boolean
  /** Whether turns were not written because of that. */
  is_dropped: boolean
  /** Whether there are turns that the writer has not seen. */
  has_unseen: boolean
  status: Conversation['status']
  turn_count: number
  seq: number | undefined
}

/** The rows that one save writes. */
export interface Plan {
  save: Save
  before: Row
  after: Row
  opened: TurnOf[]
  /** The turns that were open. */
  closed: TurnOf[]
  inserted: TurnOf[]
  runs: RunToSave[]
  due_at: string | null
  is_released: boolean
  outcome: Saved
}

/**
 * Plans a save. Turns that others have written meanwhile come first: then the unseen part of the agent's answer is
 * dropped, but not its tools.
 */
export function planFor({ now }: At, save: Save, before: Row): Plan {
  const { id, seen, open_seq } = save
  const has_unseen = before.turn_count !== seen.turn_count
  // An answer after the question about an opt-out would close that question.
  const may_follow = !has_unseen || (save.must_answer && !isAsked(before))
  const is_changed_by_others = before.status !== seen.status || !may_follow
  const is_stale = save.is_leaving || (is_changed_by_others && !save.is_spoken)
  const created_at = clock.iso(now)
  const is_kept = before.redacted_at === null
  const written = is_stale ? save.turns.slice(0, open_seq === undefined ? 0 : 1) : save.turns
  const finished = is_kept ? written : []
  const dropped = save.turns.slice(finished.length).map((turn) => ({ turn }))
  let seq = before.turn_count
  const turns = finished.map((turn, index) => {
    const is_open = index === 0 && open_seq !== undefined
    if (!is_open) seq += 1
    const { speech, ...said } = turn
    const finished = newTurn({ created_at, ...said, seq: is_open ? open_seq : seq })
    return { id, is_open, turn: finished, ...(speech && { speech }) }
  })
  const begins = save.opened !== undefined && !is_stale
  if (begins) seq += 1
  const opened = begins
    ? [{ id, turn: newTurn({ seq, role: 'agent', text: save.opened?.text ?? '', created_at }) }]
    : []
  const answers = turns.filter(({ turn }) => turn.role !== 'contact').map(({ turn }) => turn.seq)
  const own_changes = is_kept ? changesOf(save, { is_stale, is_dropped: dropped.length > 0 }) : {}
  const changes = has_unseen && save.must_answer ? { ...own_changes, awaits_answer: before.awaits_answer } : own_changes
  // The reason of whoever has closed the conversation stays.
  const { status, close_reason } = before.status === 'closed' ? before : { ...before, ...changes }
  const after: Row = {
    ...before,
    ...changes,
    status,
    close_reason,
    waiting_since: waitingSince(before, { status, now: created_at, said_at: saidAt(turns) }),
    turn_count: seq,
    last_turn_at:
      seq > before.turn_count || turns.length > 0 ? (turns.at(-1)?.turn.created_at ?? created_at) : before.last_turn_at,
    last_answer_seq: Math.max(before.last_answer_seq, ...answers),
    usage: {
      input_tokens: before.usage.input_tokens + save.usage.input_tokens,
      output_tokens: before.usage.output_tokens + save.usage.output_tokens,
    },
    is_answering: status === 'open' && (changes.awaits_answer ?? before.awaits_answer),
    needs_summary: is_kept && (save.release && !is_stale ? save.release.needs_summary : before.needs_summary),
    timers: save.release && !is_stale ? save.release.timers : before.timers,
  }
  const is_changed = JSON.stringify(shownOf(after)) !== JSON.stringify(shownOf(before))
  after.updated_at = is_changed ? clock.laterThan(before.updated_at, now) : before.updated_at
  return {
    save,
    before,
    after,
    opened,
    closed: turns.filter(({ is_open }) => is_open),
    inserted: turns.filter(({ is_open }) => !is_open),
    runs: is_kept ? [...save.runs, ...runsOf(id, turns), ...runsOf(id, dropped)] : [],
    due_at: save.release ? nextDue(after, { is_stale, now, ...save.release }) : null,
    is_released: save.release !== undefined,
    outcome: {
      is_lost: false,
      is_stale,
      is_dropped: dropped.length > 0,
      has_unseen,
      status,
      turn_count: seq,
      seq: opened[0]?.turn.seq,
    },
  }
}

/** Returns when the contact has first said something in these turns. */
const saidAt = (turns: TurnOf[]): string | undefined =>
  turns.find(({ turn }) => turn.role === 'contact')?.turn.created_at

/**
 * Returns the changes to write. When others have written meanwhile, these are the facts, and the progress of the script
 * if all that it said is written.
 */
function changesOf(
  { changes, begins_tools }: Save,
  { is_stale, is_dropped }: { is_stale: boolean; is_dropped: boolean },
): Changes {
  if (!is_stale) return changes
  const { results, script_state } = changes
  return {
    ...(results !== undefined && { results }),
    ...(script_state !== undefined && (begins_tools || !is_dropped) && { script_state }),
  }
}

/** Lists the runs of turns. Those of a turn that is not written become part of the next one. */
const runsOf = (conversation_id: string, turns: { turn: { tools: Turn['tools']; seq?: number } }[]): RunToSave[] =>
  turns.flatMap(({ turn: { tools, seq = null } }) => tools.map((run) => ({ ...run, conversation_id, seq })))

function nextDue(row: Row, { is_stale, now, idle_ms, not_before = now }: { is_stale: boolean; now: number } & Release) {
  const { timers, needs_summary, status, close_reason, is_answering, last_turn_at, created_at, due_at } = row
  const must_close = close_reason === 'agent_deleted' && status !== 'closed'
  // Others who wrote meanwhile have set when to continue.
  if (is_stale) return due_at
  if (needs_summary || must_close || is_answering) return clock.iso(Math.max(now, not_before))
  if (status === 'closed') return null
  const idle = mustAnswerBy(row) ?? clock.parse(last_turn_at ?? created_at) + idle_ms
  return clock.iso(Math.min(idle, timers.person ?? idle))
}
