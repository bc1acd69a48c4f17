import * as clocks from '../../clocks/store.ts'
import { stamp } from '../../contacts/rows.ts'
import * as conversations from '../../conversations/begin.ts'
import { lockAll } from '../../conversations/rows.ts'
import type { Conversation } from '../../conversations/schema.ts'
import { findOpen, readSpoken } from '../../conversations/turns.ts'
import type { OptOut } from '../../drivers/driver.ts'
import type { Plan, Save, Saved } from '../../drivers/plan-save.ts'
import { saveAll } from '../../drivers/save.ts'
import { agentActor } from '../../events/actors.ts'
import * as events from '../../events/store.ts'
import type { At } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { sql, toArrayLiteral } from '../../kit/postgres/sql.ts'
import { normalizeText } from '../../kit/text.ts'
import { leaseEnd } from '../../kit/work/lease.ts'
import { openSaves } from '../../kit/work/saves.ts'
import * as workspaces from '../../workspaces/store.ts'
import * as counts from '../change/counts.ts'
import { insertEvents } from '../change/end.ts'
import { event_types } from '../event-types.ts'
import { type Fact, merge, summarize, toEvents, unheardFact } from '../facts.ts'
import { joinLater } from '../record/files.ts'
import {
  type CallState,
  counterpartOf,
  insertRows,
  type LockedCall,
  lockMany,
  no_socket,
  type Row,
  saveRows,
  shownOf,
} from '../rows.ts'
import type { Call } from '../schema.ts'
import { announce, type ChangedCall, written as calls_written, changed, costOf, countEnded } from '../store.ts'
import { recordOptOuts } from './opt-outs.ts'

/** What a driver has to write about one call. It is written only while the driver has the lease. */
export interface CallSave {
  id: string
  token: string
  now: number
  /** What is to be written about its conversation. Undefined when nothing of it has changed. */
  conversation_save: Save | undefined
  /** The conversation, if it has no row yet. */
  new_conversation: Conversation | undefined
  facts: Fact[]
  /** The contact wants no more calls. */
  opted_out: (OptOut & { phone_number: string }) | null
  is_recorded: boolean
  contact_voice: string | null
  /** How much sound speech providers have heard and made in the whole call. */
  speech_ms?: number
  state: CallState | null
  due_at: string | null
  is_released: boolean
  /** The carrier is asked to dial after this save. */
  is_dialing?: boolean
  /** The carrier has reported this. Whoever drives the call goes on. */
  is_report?: boolean
  /** Identifies a save that is repeated until it is answered, so that it is not written twice. */
  save_id?: string
}

/** A save that writes nothing but what is given, and keeps the lease. */
export const newSave = (
  { now }: At,
  { id, token }: Pick<CallSave, 'id' | 'token'>,
  given: Partial<CallSave> & Pick<CallSave, 'facts' | 'due_at'>,
): CallSave => ({
  id,
  token,
  now,
  conversation_save: undefined,
  new_conversation: undefined,
  opted_out: null,
  is_recorded: false,
  contact_voice: null,
  state: null,
  is_released: false,
  ...given,
})

/** Saves of one workspace that come together share a transaction. */
export const openCallSaves = (log: Log): ((at: At, save: CallSave) => Promise<Saved>) =>
  openSaves({ saveAll: saveCalls, weigh: turnsOf, weight_max: turns_max, log })

/**
 * A transaction writes at most this many turns, so that the process answers requests in between. A single call may have
 * more.
 */
export const turns_max = 1_000
const search_text_max = 100_000
/** Someone who answers a telephone hears the agent within this time. */
const heard_within_ms = 5_000

export const turnsOf = ({ conversation_save }: CallSave): number => 1 + (conversation_save?.turns.length ?? 0)

/** Conversations that the transaction has locked. */
type Rows = Awaited<ReturnType<typeof lockAll>>

interface Held {
  save: CallSave
  before: LockedCall
  /** The row of the call, if it has none yet. */
  new_row?: Row
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
  // Conversations are locked before calls, as when people change a conversation or a contact is deleted.
  const ids = saves.flatMap(({ conversation_save, new_conversation }) =>
    conversation_save && !new_conversation ? [conversation_save.id] : [],
  )
  const [locked, held] = await Promise.all([lockAll(at, ids), lockHeld(at, saves)])
  const repeated = held.filter(isWritten)
  const { outcomes, changes } = await writeHeld(at, { held: held.filter((one) => !isWritten(one)), locked })
  for (const one of repeated) outcomes.set(one.save.id, await outcomeOf(at, one, locked))
  return { saved: saves.map(({ id }): Saved => outcomes.get(id) ?? { is_lost: true }), changes }
}

/** Whether the save was committed, although nobody was told. */
const isWritten = ({ save: { save_id }, before: { last_save } }: Held): boolean =>
  save_id !== undefined && save_id === last_save

async function outcomeOf(at: At, { save: { conversation_save } }: Held, locked: Rows): Promise<Saved> {
  const row = conversation_save && locked.get(conversation_save.id)
  if (!row) return written
  const open = conversation_save.opened ? await findOpen(at, row.id) : undefined
  // With `has_unseen` the driver reads what people have written since, before its next save.
  return { ...written, has_unseen: true, status: row.status, turn_count: row.turn_count, seq: open?.seq }
}

/** Writes what a carrier reports of a call that the transaction has locked. If that ends the call, it is over at once. */
export async function saveReport(
  at: At,
  before: LockedCall,
  { facts, due_at = before.due_at }: { facts: Fact[]; due_at?: string | null },
): Promise<Call> {
  const save = newSave(at, { id: before.id, token: '' }, { facts, due_at, is_report: true })
  const change = toChange({ save, before }, undefined)
  await write(at, [change])
  await at.hooks.run(at, changed, [toChanged(change)])
  return change.after
}

export async function writeHeld(at: At, { held, locked }: { held: Held[]; locked: Rows }) {
  const { with_words = [], without_words = [] } = Object.groupBy(held, ({ save }) =>
    save.conversation_save ? 'with_words' : 'without_words',
  )
  await conversations.insert(at, without_words.flatMap(toNewConversation))
  const plans = await saveAll(
    at,
    with_words.flatMap(({ save: { conversation_save: save, now } }) => (save ? [{ save, now }] : [])),
    { new_conversations: with_words.flatMap(toNewConversation), locked },
  )
  const by_conversation = new Map(plans.map((plan) => [plan?.after.id, plan]))
  const changes = held.map((one) => toChange(one, by_conversation.get(one.save.conversation_save?.id)))
  await write(at, changes)
  const outcomes = new Map(changes.map(({ save: { id }, plan }): [string, Saved] => [id, plan?.outcome ?? written]))
  return { outcomes, changes }
}

/**
 * Takes the contact from the locked row, because it may have been deleted since the call was read. The lease token of a
 * conversation is the id of its call as long as the call is driven: whoever has the lease of the call may write the
 * conversation too.
 */
const toNewConversation = ({ save: { new_conversation, id }, before }: Held) => {
  const { contact_id, draft } = before
  return new_conversation
    ? [
        {
          conversation: { ...new_conversation, contact_id, counterpart: counterpartOf(before) },
          draft,
          lease_token: id,
        },
      ]
    : []
}

/** What is answered about a save that leaves the conversation as it is, or that has closed it. */
export const written: Extract<Saved, { is_lost: false }> = {
  is_lost: false,
  is_stale: false,
  is_dropped: false,
  has_unseen: false,
  status: 'closed',
  turn_count: 0,
  seq: undefined,
}

/**
 * Locks the calls, and returns the saves whose lease is not lost, with their rows. Saves that lie beyond the clock,
 * after an advance has stopped, are left out: they run again.
 */
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

/** Applies a save to its call. Facts that are learned after the end refine the call. */
function toChange({ save, before, new_row }: Held, plan: Plan | undefined): Change {
  const known = merge(before.facts, save.facts)
  const unheard_at = unheardAt({ save, before }, known)
  const facts = unheard_at === undefined ? known : merge(known, [unheardFact(unheard_at)])
  const summary = summarize(facts)
  const { results, turn_count, usage } = plan?.after ?? before
  const is_answered = summary.answered_at !== null
  const is_over = summary.ended_at !== null
  const is_ready = is_over && is_answered && save.is_recorded && before.recording.status === 'none'
  const after: Call = {
    ...shownOf(before),
    ...summary,
    conversation_id: save.new_conversation?.id ?? before.conversation_id,
    ...(before.redacted_at === null && { results }),
    turn_count,
    usage,
    recording:
      before.line !== null
        ? recordingOf(before, { is_recorded: save.is_recorded && is_answered, is_over })
        : is_ready
          ? { status: 'ready', duration_ms: summary.duration_ms, format: 'wav' }
          : before.recording,
  }
  return { save, before, ...(new_row && { new_row }), after, facts, plan, search_text: null }
}

/**
 * Returns when a call ended that someone answered, and in which no agent talked because of us: no stream has opened. A
 * contact who hung up within `heard_within_ms` has not waited for one, so that call doesn't count.
 */
function unheardAt({ save, before }: Held, facts: Fact[]): number | undefined {
  const { line, direction, conversation_id } = before
  const has_talk = conversation_id !== null || save.new_conversation !== undefined
  if (line !== 'phone' || direction !== 'outbound' || has_talk || before.ended_at !== null) return undefined
  const { status, end_reason, answered_at, ended_at } = summarize(facts)
  if (status !== 'completed' || ended_at === null) return undefined
  const time = clock.parse(ended_at)
  const has_waited = answered_at === null || time - clock.parse(answered_at) >= heard_within_ms
  return end_reason === 'system_error' || (end_reason === 'contact_hung_up' && has_waited) ? time : undefined
}

/** The recording of a real line comes in parts, which are joined after the call. */
function recordingOf(
  { recording }: LockedCall,
  { is_recorded, is_over }: { is_recorded: boolean; is_over: boolean },
): Call['recording'] {
  const is_recording = recording.status === 'recording' || (recording.status === 'none' && is_recorded)
  if (!is_recording) return recording
  return { status: is_over ? 'rendering' : 'recording', duration_ms: null, format: 'wav' }
}

const isEnding = ({ before, after }: Change): boolean => before.ended_at === null && after.ended_at !== null

/** Adds the latency, the cost and the text for searches to calls that end. */
async function addTotals(at: At, ending: Change[]): Promise<void> {
  if (ending.length === 0) return
  const ids = ending.flatMap(({ after }) => after.conversation_id ?? [])
  const [{ prices }, spoken] = await Promise.all([workspaces.readSettings(at), readSpoken(at, ids)])
  for (const change of ending) {
    const { after } = change
    const turns = spoken.get(after.conversation_id ?? '') ?? []
    const times = turns.flatMap(({ turn_ms }) => turn_ms ?? []).sort((left, right) => left - right)
    after.latency = { turn_p50_ms: percentile(times, 0.5), turn_p95_ms: percentile(times, 0.95) }
    after.cost_micros = costOf({ ...after, speech_ms: change.save.speech_ms ?? change.before.speech_ms }, prices)
    const words = turns.map(({ heard }) => heard).join(' ')
    if (after.redacted_at === null && words !== '') change.search_text = normalizeText(words).slice(0, search_text_max)
  }
}

/** Computes the percentile by nearest rank. */
const percentile = (sorted: number[], share: number): number | null =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null

async function write(at: At, changes: Change[]): Promise<void> {
  await addTotals(at, changes.filter(isEnding))
  for (const change of changes) {
    const { before, after, save } = change
    // A report changes `updated_at`, by which a process that drives the call elsewhere notices it.
    const is_changed = save.is_report || JSON.stringify(after) !== JSON.stringify(shownOf(before))
    after.updated_at = is_changed ? clock.laterThan(before.updated_at, save.now) : before.updated_at
  }
  await Promise.all([
    saveRows(
      at,
      changes.flatMap((change) => (change.new_row ? [] : [toSaved(at, change)])),
    ),
    insertRows(
      at,
      changes.flatMap((change) => (change.new_row ? [{ ...change.new_row, ...toSaved(at, change) }] : [])),
    ),
    insertEvents(
      at,
      changes.flatMap((one) =>
        toEvents(one.facts, one.before.facts).map((event) => ({ ...event, call_id: one.before.id })),
      ),
    ),
    counts.count(
      at,
      changes.map(({ before, after, new_row }) => ({ from: new_row ? null : before.status, to: after.status })),
    ),
    recordEvents(at, changes),
    at.hooks.run(at, calls_written, changes),
    stampContacts(at, changes),
    joinLater(
      at,
      changes.flatMap(({ before, after }) =>
        after.recording.status === 'rendering' && before.recording.status !== 'rendering' ? [after] : [],
      ),
    ),
  ])
  await recordOptOuts(at, changes.flatMap(toOptOut))
  countEnded(
    at,
    changes.filter(isEnding).map(({ after }) => after),
  )
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
  const become = (
    isNow: (change: Change) => boolean,
    timeOf: (call: Call) => string | null,
    isByAgent: (call: Call) => boolean = () => false,
  ) =>
    changes.flatMap((change) => {
      const { after } = change
      if (!isNow(change)) return []
      const actor = isByAgent(after) ? agentActor(after.agent_id) : at.actor
      return [{ data: after, created_at: timeOf(after) ?? after.updated_at, actor }]
    })
  const isStarting = ({ before, after }: Change) => before.started_at === null && after.started_at !== null
  const isAnswering = ({ before, after }: Change) => before.answered_at === null && after.answered_at !== null
  const isReady = ({ before, after }: Change) =>
    before.recording.status !== 'ready' && after.recording.status === 'ready'
  const isOutbound = ({ direction }: Call) => direction === 'outbound'
  const isEndedByAgent = ({ ended_by }: Call) => ended_by === 'agent'
  const isRefined = ({ before, after }: Change) => before.ended_at !== null && after.updated_at !== before.updated_at
  const { started, answered, ended, recording_ready, updated } = event_types
  const times = {
    started: ({ started_at }: Call) => started_at,
    answered: ({ answered_at }: Call) => answered_at,
    ended: ({ ended_at }: Call) => ended_at,
    updated: ({ updated_at }: Call) => updated_at,
  }
  await Promise.all([
    events.record(at, started, become(isStarting, times.started, isOutbound)),
    events.record(at, answered, become(isAnswering, times.answered)),
    events.record(at, ended, become(isEnding, times.ended, isEndedByAgent)),
    events.record(at, recording_ready, become(isReady, times.ended)),
    events.record(at, updated, become(isRefined, times.updated)),
  ])
}

/**
 * Stamps the contacts that were reached. A simulated person that the request has chosen was not, and nobody was in a
 * trial.
 */
const stampContacts = (at: At, changes: Change[]) =>
  stamp(
    at,
    changes.flatMap(({ before, after }) => {
      const is_trial = before.simulate !== null || isTrial(before)
      const is_reached = before.answered_at === null && after.answered_at !== null && !is_trial
      return is_reached && after.contact_id !== null
        ? [{ contact_id: after.contact_id, at: clock.parse(after.answered_at ?? '') }]
        : []
    }),
  )

/** Whether someone tries the agent in a browser, which nobody can in test workspaces. */
export const isTrial = ({ line, is_test }: Pick<Row, 'line' | 'is_test'>): boolean => line === 'browser' && is_test

const toOptOut = ({ save: { opted_out }, before, after: { contact_id, conversation_id } }: Change) => {
  const { simulate } = before
  if (opted_out === null || isTrial(before)) return []
  const { phone_number, seq, at, shown } = opted_out
  return [{ phone_number, contact_id, evidence: { conversation_id, seq, ...shown }, at, simulate }]
}

/** Returns when the call is due next. A call that continues is due now if something was asked of it meanwhile. */
function dueAt(save: CallSave, { request, line }: LockedCall, { ended_at }: Call): string | null {
  if (ended_at === null) return request === null ? save.due_at : clock.iso(save.now)
  // A carrier may have reported the end meanwhile.
  return line === 'phone' ? null : save.due_at
}

/** Columns that the save doesn't change keep the values of `before`: the call has been locked since it was read. */
const toSaved = ({ db }: At, { save, before, after, facts, search_text }: Change) => ({
  ...after,
  facts,
  search_text,
  state: save.state,
  contact_voice: save.contact_voice,
  is_dialing: save.is_report ? before.is_dialing : (save.is_dialing ?? false),
  last_save: save.is_report ? before.last_save : (save.save_id ?? null),
  request: after.ended_at === null ? before.request : null,
  due_at: dueAt(save, before, after),
  speech_ms: save.speech_ms ?? before.speech_ms,
  ...(after.ended_at === null ? socketOf(before) : no_socket),
  ...leaseAfter(db, save, before),
})

function leaseAfter(db: At['db'], save: CallSave, before: LockedCall) {
  const { lease_until, lease_token, claims } = before
  if (save.is_report) return { lease_until, lease_token, claims }
  return save.is_released
    ? { lease_until: null, lease_token: null, claims: 0 }
    : { lease_until: leaseEnd(db), lease_token, claims }
}

const socketOf = ({ draft, socket_token, socket_token_before, visitor_network }: LockedCall) => ({
  draft,
  socket_token,
  socket_token_before,
  visitor_network,
})
