import * as events from '../events/store.ts'
import { type At, atLater, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { raw, sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { openRecorder } from '../kit/work/recording.ts'
import type { ScriptProgress } from './claim.ts'
import * as counts from './counts.ts'
import { event_types } from './event-types.ts'
import type { Conversation, Turn } from './schema.ts'
import type { TimerName, Usage } from './state.ts'
import { announce, columns } from './store.ts'
import { addTokens } from './tokens.ts'
import { type RunToSave, saveRuns } from './tool-runs.ts'
import { closeTurns, insertTurns, newTurn, type TurnOf } from './turns.ts'

/** What a driver has to write about one conversation. It is written only while the driver has the lease. */
export interface Save {
  id: string
  token: string
  /** What the driver knows. If there is more, what nobody has seen yet is not written: the next driver begins again. */
  seen: Pick<Conversation, 'status' | 'turn_count'>
  /** Begins the agent's turn: from now on its words are shown. */
  opened?: { text: string }
  /** In the order in which they were said. The first one is the open turn, if there is one. */
  turns: FinishedTurn[]
  open_seq: number | undefined
  runs: RunToSave[]
  usage: Usage
  changes: Changes
  /** The changes are written in any case, because what the tools do that begin now can't be undone. */
  is_firm?: boolean
  /** Ends the lease. */
  release?: { timers: Partial<Record<TimerName, number>>; needs_summary: boolean }
}

export type FinishedTurn = Pick<Turn, 'role' | 'text' | 'is_interrupted' | 'latency' | 'usage' | 'tools' | 'error'>

/** New values of columns. Those that are left out stay. */
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

/** `seq` is that of the turn that was opened. */
export type Saved =
  | { is_lost: true }
  | { is_lost: false; is_stale: boolean; turn_count: number; seq: number | undefined }

interface PendingSave {
  at: At
  save: Save
  outcome: Saved | undefined
  resolve: (saved: Saved) => void
  reject: (error: Error) => void
}

/** Saves of one workspace that come together share a transaction. */
export function openSaves(log: Log): (at: At, save: Save) => Promise<Saved> {
  const recorder = openRecorder<PendingSave>({
    record: async (_workspace, pending) => {
      const [first] = pending
      if (!first) return
      try {
        await saveTogether(first.at, pending)
      } catch (error) {
        if (pending.length === 1) throw error
        // One that can't be written must not keep the others from being written.
        for (const one of pending) await saveTogether(one.at, [one]).catch(one.reject)
      }
    },
    onRecorded: (_workspace, pending, is_recorded) => {
      for (const { outcome, resolve, reject } of pending) {
        if (is_recorded && outcome) resolve(outcome)
        else reject(new Error('a conversation could not be saved'))
      }
    },
    log,
  })
  return (at, save) =>
    new Promise((resolve, reject) =>
      recorder.add(at.workspace, { at: atLater(at), save, outcome: undefined, resolve, reject }),
    )
}

interface Locked extends Conversation {
  lease_token: string | null
  awaits_answer: boolean
  last_answer_seq: number
  needs_summary: boolean
  script_state: ScriptProgress | null
  summarized_until: number
  timers: Partial<Record<TimerName, number>>
}

const locked_columns = raw(
  `lease_token, awaits_answer, last_answer_seq, needs_summary, script_state, summarized_until, timers`,
)

function saveTogether(at: At, pending: PendingSave[]): Promise<void> {
  return inTransaction(at, async (at) => {
    const rows = await lockAll(at, pending)
    const plans = pending.map((one) => {
      const row = rows.get(one.save.id)
      const plan = row && row.lease_token === one.save.token ? planFor(at, one.save, row) : undefined
      one.outcome = plan ? plan.outcome : { is_lost: true }
      // Several saves of one conversation build on each other.
      if (plan) rows.set(one.save.id, plan.after)
      return plan
    })
    await write(
      at,
      plans.filter((plan) => plan !== undefined),
    )
  })
}

async function lockAll({ db, workspace }: At, pending: PendingSave[]): Promise<Map<string, Locked>> {
  const ids = pending.map(({ save }) => save.id)
  const rows = await db.many<Locked>(
    sql`select ${columns}, ${locked_columns} from conversations
      where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[]) order by id for no key update`,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

interface Plan {
  save: Save
  before: Locked
  after: Locked
  opened: TurnOf[]
  /** Turns that were open. */
  closed: TurnOf[]
  inserted: TurnOf[]
  runs: RunToSave[]
  due_at: string | null
  is_released: boolean
  outcome: Saved
}

/** Without what clients don't see. */
function shownOf({
  lease_token: _lease_token,
  awaits_answer: _awaits_answer,
  last_answer_seq: _last_answer_seq,
  needs_summary: _needs_summary,
  script_state: _script_state,
  summarized_until: _summarized_until,
  timers: _timers,
  ...shown
}: Locked): Conversation {
  return shown
}

/** What was said meanwhile comes first. What nobody has seen of the agent's answer is then forgotten, but not its tools. */
function planFor({ now }: At, save: Save, before: Locked): Plan {
  const { id, seen, open_seq } = save
  const is_stale = before.turn_count !== seen.turn_count || before.status !== seen.status
  const created_at = clock.iso(now)
  const is_kept = before.redacted_at === null
  const written = is_stale ? save.turns.slice(0, open_seq === undefined ? 0 : 1) : save.turns
  const finished = is_kept ? written : []
  const dropped = save.turns.slice(finished.length).map((turn) => ({ turn }))
  let seq = before.turn_count
  const turns = finished.map((turn, index) => {
    const is_open = index === 0 && open_seq !== undefined
    if (!is_open) seq += 1
    return { id, is_open, turn: newTurn({ ...turn, seq: is_open ? open_seq : seq, created_at }) }
  })
  const begins = save.opened !== undefined && !is_stale
  if (begins) seq += 1
  const opened = begins
    ? [{ id, turn: newTurn({ seq, role: 'agent', text: save.opened?.text ?? '', created_at }) }]
    : []
  const answers = turns.filter(({ turn }) => turn.role !== 'contact').map(({ turn }) => turn.seq)
  const changes = is_stale && !save.is_firm ? {} : save.changes
  const status = changes.status ?? before.status
  const after: Locked = {
    ...before,
    ...changes,
    status,
    turn_count: seq,
    last_turn_at: seq > before.turn_count || turns.length > 0 ? created_at : before.last_turn_at,
    last_answer_seq: Math.max(before.last_answer_seq, ...answers),
    usage: {
      input_tokens: before.usage.input_tokens + save.usage.input_tokens,
      output_tokens: before.usage.output_tokens + save.usage.output_tokens,
    },
    is_answering: status === 'open' && (changes.awaits_answer ?? before.awaits_answer),
    needs_summary: save.release && !is_stale ? save.release.needs_summary : before.needs_summary,
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
    due_at: save.release ? nextDue(after, is_stale, now) : null,
    is_released: save.release !== undefined,
    outcome: { is_lost: false, is_stale, turn_count: seq, seq: opened[0]?.turn.seq },
  }
}

/** Those of a turn that is not written stay, and become part of the next one. */
const runsOf = (conversation_id: string, turns: { turn: { tools: Turn['tools']; seq?: number } }[]): RunToSave[] =>
  turns.flatMap(({ turn: { tools, seq = null } }) => tools.map((run) => ({ ...run, conversation_id, seq })))

function nextDue({ timers, needs_summary, status, close_reason }: Locked, is_stale: boolean, now: number) {
  const must_close = close_reason !== null && status !== 'closed'
  if (is_stale || needs_summary || must_close) return clock.iso(now)
  const times = Object.values(timers)
  return status === 'closed' || times.length === 0 ? null : clock.iso(Math.min(...times))
}

async function write(at: At, plans: Plan[]): Promise<void> {
  if (plans.length === 0) return
  const finished = plans.flatMap(({ closed, inserted }) => [...closed, ...inserted])
  const contacts = new Map(plans.map(({ after }) => [after.id, after.contact_id]))
  const byEvent = (status: Conversation['status']) =>
    plans.flatMap(({ before, after }) =>
      after.status === status && before.status !== status ? [{ data: shownOf(after) }] : [],
    )
  await Promise.all([
    updateRows(at, plans),
    insertTurns(at, [
      ...plans.flatMap(({ opened }) => opened.map((turn) => ({ ...turn, is_open: true }))),
      ...plans.flatMap(({ inserted }) => inserted),
    ]),
    closeTurns(
      at,
      plans.flatMap(({ closed }) => closed),
    ),
    saveRuns(
      at,
      plans.flatMap(({ runs }) => runs),
    ),
    addTokens(
      at,
      plans.reduce((sum, { save: { usage } }) => sum + usage.input_tokens + usage.output_tokens, 0),
    ),
    counts.count(
      at,
      plans.map(({ before, after }) => ({ from: before.status, to: after.status })),
    ),
    events.record(
      at,
      event_types.turn,
      finished.map(({ id, turn }) => ({ data: { id, contact_id: contacts.get(id) ?? null, turn } })),
    ),
    events.record(at, event_types.handed_over, byEvent('handed_over')),
    events.record(at, event_types.closed, byEvent('closed')),
  ])
  // A turn that begins shows nothing yet in the database.
  for (const { after, closed, inserted, is_released } of plans)
    if (is_released || closed.length + inserted.length > 0) announce(at, after.id)
}

async function updateRows({ db, workspace }: At, plans: Plan[]): Promise<void> {
  const rows = plans.map(({ after, due_at, is_released }) => ({
    ...after,
    ...after.usage,
    due_at,
    is_released,
  }))
  await db.run(
    sql`update conversations
      set status = row.status, close_reason = row.close_reason, hand_over_reason = row.hand_over_reason,
        turn_count = row.turn_count, last_turn_at = row.last_turn_at, last_answer_seq = row.last_answer_seq,
        awaits_answer = row.awaits_answer, results = row.results, script_state = row.script_state, summary = row.summary,
        summarized_until = row.summarized_until, needs_summary = row.needs_summary, timers = row.timers,
        input_tokens = row.input_tokens, output_tokens = row.output_tokens, updated_at = row.updated_at,
        due_at = case when row.is_released then row.due_at else conversations.due_at end,
        lease_token = case when row.is_released then null else conversations.lease_token end,
        lease_until = case when row.is_released then null else conversations.lease_until end,
        attempt = case when row.is_released then 0 else conversations.attempt end
      from json_to_recordset(${JSON.stringify(rows)}) as row (id uuid, status text, close_reason text,
        hand_over_reason text, turn_count integer, last_turn_at timestamptz, last_answer_seq integer, awaits_answer boolean,
        results jsonb, script_state jsonb, summary text, summarized_until integer, needs_summary boolean, timers jsonb,
        input_tokens integer, output_tokens integer, updated_at timestamptz, due_at timestamptz, is_released boolean)
      where conversations.workspace_id = ${workspace} and conversations.id = row.id`,
  )
}
