import * as clocks from '../clocks/store.ts'
import { stamp } from '../contacts/stamps.ts'
import * as conversations from '../conversations/begin.ts'
import { lockAll } from '../conversations/rows.ts'
import type { Conversation } from '../conversations/schema.ts'
import { findOpen } from '../conversations/turns.ts'
import type { OptOut, TalkState } from '../drivers/driver.ts'
import type { Plan, Save, Saved } from '../drivers/plan-save.ts'
import { saveAll } from '../drivers/save.ts'
import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { rowsFrom, sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { leaseEnd } from '../kit/work/lease.ts'
import { takeBatch } from '../kit/work/recorder.ts'
import { openSaves } from '../kit/work/saves.ts'
import { type ChangedCall, changed } from './changed.ts'
import * as counts from './counts.ts'
import { insertEvents } from './end.ts'
import { event_types } from './event-types.ts'
import { type Fact, merge, summarize, toEvents } from './facts.ts'
import { insertComplete, type ToInsert } from './insert.ts'
import { recordOptOuts } from './opt-outs.ts'
import type { Call } from './schema.ts'
import { announce, type LockedCall, lockMany, toCall } from './store.ts'
import { addTotals } from './totals.ts'

/** What a driver has to write about one call. It is written only while the driver has the lease. */
export interface CallSave {
  id: string
  token: string
  now: number
  /** Of the conversation. Undefined when nothing of it has changed. */
  save: Save | undefined
  /** The conversation, when it has no row yet. */
  inserted: Conversation | undefined
  facts: Fact[]
  /** The contact wants no more calls. */
  opted_out: (OptOut & { phone_number: string }) | null
  is_recorded: boolean
  contact_voice: string | null
  state: CallState | null
  due_at: string | null
  is_released: boolean
  /** The carrier is asked to dial after this save. */
  is_dialing?: boolean
  /** Of a save that is repeated until it is answered. What was committed before is not written again. */
  save_id?: string
}

/** Where a call of a test workspace is between two advances of the clock. */
export interface CallState extends TalkState {
  line: unknown
  /** The number that was dialled. The call doesn't have it any more when its contact was deleted. */
  to: string
  is_over: boolean
  /** The last turn that was looked at for words of people. */
  last_read_seq: number
  /** The turns of people that are spoken, by the reply that the line knows. */
  people?: Record<string, number>
}

/** Saves of one workspace that come together share a transaction. */
export const openCallSaves = (log: Log): ((at: At, save: CallSave) => Promise<Saved>) =>
  openSaves({ saveAll: saveCalls, weigh: turnsOf, weight_max: turns_max, log })

/** Of a transaction, so that the process answers requests in between. A call may have more. */
const turns_max = 1_000

export const turnsOf = ({ save }: CallSave): number => 1 + (save?.turns.length ?? 0)

/** Conversations that the transaction has locked. */
type Rows = Awaited<ReturnType<typeof lockAll>>

interface Held {
  save: CallSave
  before: LockedCall
  /** Of a call that has no row yet. */
  insert?: ToInsert
}

/** One call of a transaction. */
interface Change extends Held {
  after: Call
  facts: Fact[]
  plan: Plan | undefined
  search_text: string | null
}

async function saveCalls(at: At, saves: CallSave[]): Promise<Saved[]> {
  const { saved, changes } = await saveHeld(at, saves)
  await at.hooks.run(at, changed, changes.map(toChanged))
  return saved
}

async function saveHeld(at: At, saves: CallSave[]) {
  // Conversations before calls, as when people change a conversation, or a contact is deleted.
  const ids = saves.flatMap(({ save, inserted }) => (save && !inserted ? [save.id] : []))
  const [locked, held] = await Promise.all([lockAll(at, ids), lockHeld(at, saves)])
  const repeated = held.filter(isWritten)
  const { outcomes, changes } = await writeHeld(at, { held: held.filter((one) => !isWritten(one)), locked })
  for (const one of repeated) outcomes.set(one.save.id, await outcomeOf(at, one, locked))
  return { saved: saves.map(({ id }): Saved => outcomes.get(id) ?? { is_lost: true }), changes }
}

/** Whether the save was committed, although nobody was told. */
const isWritten = ({ save: { save_id }, before: { last_save } }: Held): boolean =>
  save_id !== undefined && save_id === last_save

async function outcomeOf(at: At, { save: { save } }: Held, locked: Rows): Promise<Saved> {
  const row = save && locked.get(save.id)
  if (!row) return written
  const open = save.opened ? await findOpen(at, row.id) : undefined
  // What people have written since is read before the next save.
  return { ...written, has_unseen: true, status: row.status, turn_count: row.turn_count, seq: open?.seq }
}

/** Writes calls that have no row yet and were run ahead. The room that has done so takes their ends into account itself. */
export async function insertAhead(at: At, made: { insert: ToInsert; save: CallSave }[]): Promise<void> {
  for (const rest = [...made]; rest.length > 0; ) {
    const some = takeBatch(rest, ({ save }) => turnsOf(save), turns_max)
    const held = some.map(({ insert, save }) => ({ save, before: toLocked(insert), insert }))
    await writeHeld(at, { held, locked: new Map() })
  }
}

const toLocked = ({ call, variables, simulate, due_at }: ToInsert): LockedCall => ({
  ...call,
  variables,
  simulate,
  facts: [],
  request: null,
  due_at: clock.iso(due_at),
  lease_until: null,
  lease_token: null,
  last_save: null,
})

async function writeHeld(at: At, { held, locked }: { held: Held[]; locked: Rows }) {
  const [begun, without_words] = [held.filter(({ save }) => save.save), held.filter(({ save }) => !save.save)]
  await conversations.insert(at, without_words.flatMap(toInsert))
  const with_words = held.flatMap(({ save: { save, now } }) => (save ? [{ save, now }] : []))
  const plans = await saveAll(at, with_words, { begun: begun.flatMap(toInsert), locked })
  const by_conversation = new Map(plans.map((plan) => [plan?.after.id, plan]))
  const changes = held.map((one) => toChange(one, by_conversation.get(one.save.save?.id)))
  await write(at, changes)
  const outcomes = new Map(changes.map(({ save: { id }, plan }): [string, Saved] => [id, plan?.outcome ?? written]))
  return { outcomes, changes }
}

/** The contact may have been deleted since the call was read. */
const toInsert = ({ save: { inserted, id }, before: { contact_id, to } }: Held) =>
  inserted ? [{ conversation: { ...inserted, contact_id, counterpart: to }, lease_token: id }] : []

const written: Extract<Saved, { is_lost: false }> = {
  ...{ is_lost: false, is_stale: false, is_dropped: false, has_unseen: false },
  ...{ status: 'closed', turn_count: 0, seq: undefined },
}

/** Those whose lease is not lost, with their rows. What lies beyond the clock, after an advance has stopped, runs again. */
async function lockHeld(at: At, saves: CallSave[]): Promise<Held[]> {
  const by_id = new Map(saves.map((save) => [save.id, save]))
  const ids = toArrayLiteral([...by_id.keys()])
  const [rows, horizon] = await Promise.all([
    lockMany(at, { where: sql`id = any(${ids}::uuid[])`, limit: by_id.size }),
    clocks.lockHorizon(at),
  ])
  return rows.flatMap((before) => {
    const save = by_id.get(before.id)
    return save && save.token === before.lease_token && save.now <= horizon ? [{ save, before }] : []
  })
}

/** What is learned after the end refines the call. */
function toChange({ save, before, insert }: Held, plan: Plan | undefined): Change {
  const facts = merge(before.facts, save.facts)
  const summary = summarize(facts)
  const { results, turn_count, usage } = plan?.after ?? before
  const is_answered = summary.answered_at !== null
  const is_ready = summary.ended_at !== null && is_answered && save.is_recorded && before.recording.status === 'none'
  const after: Call = {
    ...toCall(before),
    ...summary,
    conversation_id: save.inserted?.id ?? before.conversation_id,
    ...(before.redacted_at === null && { results }),
    turn_count,
    usage,
    recording: is_ready ? { status: 'ready', duration_ms: summary.duration_ms, format: 'wav' } : before.recording,
  }
  return { save, before, ...(insert && { insert }), after, facts, plan, search_text: null }
}

const isEnding = ({ before, after }: Change): boolean => before.ended_at === null && after.ended_at !== null

async function write(at: At, changes: Change[]): Promise<void> {
  const ending = changes.filter(isEnding)
  await addTotals(at, ending)
  for (const change of changes) {
    const { before, after, save } = change
    const is_changed = JSON.stringify(after) !== JSON.stringify(toCall(before))
    after.updated_at = is_changed ? clock.laterThan(before.updated_at, save.now) : before.updated_at
  }
  await Promise.all([
    updateRows(
      at,
      changes.filter(({ insert }) => !insert),
    ),
    insertComplete(
      at,
      changes.flatMap((change) => (change.insert ? [{ ...change.insert, row: toRow(change) }] : [])),
    ),
    insertEvents(
      at,
      changes.flatMap((one) =>
        toEvents(one.facts, one.before.facts).map((event) => ({ ...event, call_id: one.before.id })),
      ),
    ),
    counts.count(
      at,
      changes.map(({ before, after, insert }) => ({ from: insert ? null : before.status, to: after.status })),
    ),
    recordEvents(at, changes),
    stampContacts(at, changes),
  ])
  await recordOptOuts(at, changes.flatMap(toOptOut))
  for (const { save, before, after } of changes)
    announce(at, after, save.is_released && dueAt(save, before, after) !== null)
}

const toChanged = ({ before, after, save }: Change): ChangedCall => ({
  call: after,
  is_answered_now: before.answered_at === null && after.answered_at !== null,
  is_ended_now: before.ended_at === null && after.ended_at !== null,
  refined_from: before.ended_at !== null && before.outcome !== after.outcome ? before.outcome : null,
  is_opt_out: save.opted_out !== null || after.end_reason === 'opted_out',
})

async function recordEvents(at: At, changes: Change[]): Promise<void> {
  const become = (isNow: (change: Change) => boolean, timeOf: (call: Call) => string | null) =>
    changes.flatMap((change) =>
      isNow(change) ? [{ data: change.after, created_at: timeOf(change.after) ?? change.after.updated_at }] : [],
    )
  const isStarting = ({ before, after }: Change) => before.started_at === null && after.started_at !== null
  const isAnswering = ({ before, after }: Change) => before.answered_at === null && after.answered_at !== null
  const isReady = ({ before, after }: Change) =>
    before.recording.status !== 'ready' && after.recording.status === 'ready'
  const isRefined = ({ before, after }: Change) => before.ended_at !== null && after.updated_at !== before.updated_at
  const { started, answered, ended, recording_ready, updated } = event_types
  const times = {
    started: ({ started_at }: Call) => started_at,
    answered: ({ answered_at }: Call) => answered_at,
    ended: ({ ended_at }: Call) => ended_at,
    updated: ({ updated_at }: Call) => updated_at,
  }
  await Promise.all([
    events.record(at, started, become(isStarting, times.started)),
    events.record(at, answered, become(isAnswering, times.answered)),
    events.record(at, ended, become(isEnding, times.ended)),
    events.record(at, recording_ready, become(isReady, times.ended)),
    events.record(at, updated, become(isRefined, times.updated)),
  ])
}

/** A person that only the request has simulated was not reached. */
const stampContacts = (at: At, changes: Change[]) =>
  stamp(
    at,
    changes.flatMap(({ before, after }) => {
      const is_reached = before.answered_at === null && after.answered_at !== null && before.simulate === null
      return is_reached && after.contact_id !== null
        ? [{ contact_id: after.contact_id, at: clock.parse(after.answered_at ?? '') }]
        : []
    }),
  )

const toOptOut = ({ save: { opted_out }, before: { simulate }, after: { contact_id, conversation_id } }: Change) => {
  if (opted_out === null) return []
  const { phone_number, seq, at } = opted_out
  return [{ phone_number, contact_id, evidence: { conversation_id, seq }, at, simulate }]
}

/** What was asked meanwhile of a call that continues is done now. */
const dueAt = (save: CallSave, { request }: LockedCall, { ended_at }: Call): string | null =>
  request !== null && ended_at === null ? clock.iso(save.now) : save.due_at

const toRow = ({ save, before, after, facts, search_text }: Change) => ({
  ...after,
  ...after.usage,
  ...after.latency,
  ...{ recording_status: after.recording.status, recording_format: after.recording.format },
  ...{ facts, search_text, state: save.state, due_at: dueAt(save, before, after), is_released: save.is_released },
  is_dialing: save.is_dialing ?? false,
  last_save: save.save_id ?? null,
  contact_voice: save.contact_voice,
  is_over: after.ended_at !== null,
})

async function updateRows({ db, workspace }: At, changes: Change[]): Promise<void> {
  if (changes.length === 0) return
  const rows = changes.map(toRow)
  await db.run(
    sql`update calls
      set status = row.status, outcome = row.outcome, end_reason = row.end_reason, ended_by = row.ended_by,
        conversation_id = row.conversation_id, started_at = row.started_at, answered_at = row.answered_at,
        ended_at = row.ended_at, duration_ms = row.duration_ms, results = row.results, turn_count = row.turn_count,
        recording_status = row.recording_status, recording_format = row.recording_format,
        turn_p50_ms = row.turn_p50_ms, turn_p95_ms = row.turn_p95_ms, input_tokens = row.input_tokens,
        output_tokens = row.output_tokens, cost_micros = row.cost_micros, facts = row.facts, state = row.state,
        search_text = coalesce(row.search_text, calls.search_text),
        contact_voice = coalesce(row.contact_voice, calls.contact_voice), updated_at = row.updated_at, due_at = row.due_at,
        is_dialing = row.is_dialing, last_save = row.last_save, request = case when row.is_over then null else request end,
        lease_token = case when row.is_released then null else lease_token end,
        lease_until = case when row.is_released then null else ${leaseEnd(db)}::timestamptz end,
        claims = case when row.is_released then 0 else claims end
      from ${rowsFrom(
        rows,
        `id uuid, status text, outcome text, end_reason text, ended_by text, conversation_id uuid, started_at timestamptz,
          answered_at timestamptz, ended_at timestamptz, duration_ms integer, results jsonb, turn_count integer,
          recording_status text, recording_format text, turn_p50_ms integer, turn_p95_ms integer, input_tokens integer,
          output_tokens integer, cost_micros bigint, facts jsonb, state jsonb, search_text text, contact_voice text,
          updated_at timestamptz, due_at timestamptz, is_over boolean, is_released boolean, is_dialing boolean,
          last_save uuid`,
      )}
      where calls.workspace_id = ${workspace} and calls.id = row.id`,
  )
}
