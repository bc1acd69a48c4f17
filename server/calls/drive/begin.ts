import type { Configuration } from '../../agents/configuration.ts'
import { newConversation } from '../../conversations/begin.ts'
import type { Conversation, Turn } from '../../conversations/schema.ts'
import * as conversations from '../../conversations/store.ts'
import { findOpen } from '../../conversations/turns.ts'
import { openAnswerer } from '../../drivers/answerer.ts'
import { Journal } from '../../drivers/journal.ts'
import { emptySave, type Saved } from '../../drivers/plan-save.ts'
import { openTools, type Tools } from '../../drivers/tools.ts'
import { type At, type AtOutside, atLater } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { openScheduler, type Scheduler } from '../../kit/work/scheduler.ts'
import type { RunContext } from '../../kit/work/work.ts'
import { settingsFor, valuesOf, voice_time_limits } from '../../talk/settings.ts'
import { newState } from '../../talk/state.ts'
import type { CallToDial, Carrier, Dialer } from '../carrier.ts'
import { type ClaimedCall, come_back_within_ms } from '../claim.ts'
import { dialedFact, endedFact, type Fact, finalFact, isAnswered, summarize } from '../facts.ts'
import { openRecording } from '../record/parts.ts'
import { type CallState, counterpartOf, isUndialed } from '../rows.ts'
import { dial, followUp } from './dialing.ts'
import { CallDrive } from './drive.ts'
import { cut_reply, resume } from './resume.ts'
import { type CallSave, isTrial, newSave } from './save.ts'

/** A call that could not be begun or continued this often is ended. */
const tries_max = 5

const notDialed = () => Promise.reject(new Error('telephones are not called here'))
export const no_dialer: Dialer = { dial: notDialed, find: notDialed, end: notDialed }

export interface Begin {
  claimed: ClaimedCall
  carrier: Carrier
  dialer: Dialer
  save: (at: At, save: CallSave) => Promise<Saved>
  context: RunContext
  /** Is set for a call that has no row and runs ahead. */
  ahead?: { tools: Tools | undefined }
}

/**
 * Begins or continues a call that was claimed. Undefined if there is nothing to drive: the call has ended, a telephone
 * is still to answer, or the lease was lost.
 */
export async function begin(at: AtOutside, options: Begin): Promise<CallDrive | undefined> {
  const { claimed } = options
  const { direction, started_at, state, configuration, request, to, refusal, claims, line, connection } = claimed
  const is_phone = line === 'phone' && direction === 'outbound' && !connection && claimed.conversation_id === null
  const is_undialed = is_phone ? isUndialed(claimed) : started_at === null
  const is_awaited = line !== null && direction === 'inbound' && started_at === null
  if (is_awaited && !connection && (!request || isReport(request)))
    return end(at, options, [finalFact(at.now, 'no_answer', { key: 'not_opened' })])
  if (isReport(request) && !connection) return end(at, options, [endedFact(at.now, request)])
  // Only a call that runs ahead has a state between two drives.
  const is_lost = started_at !== null && !state && !connection && !is_phone
  if (is_lost || claims > tries_max) return end(at, options, await lostFacts(at, options))
  if (is_phone && !is_undialed) return endIf(at, options, await followUp(at, options))
  if (is_undialed && (request || !configuration || (to === null && (line === null || is_phone))))
    return end(at, options, [endedFact(at.now, 'canceled', 'system')])
  if (refusal) return end(at, options, refused(at, refusal))
  if (connection && !connection.open) return end(at, options, [endedFact(at.now, 'system_error')])
  // The agent was deleted.
  if (!configuration) return end(at, options, [endedFact(at.now, 'agent_hung_up', 'system')])
  if (is_phone) return endIf(at, options, await dial(at, options))
  return openDrive(at, { ...options, configuration })
}

/** Whether the request is a report of the carrier on a call that has no stream. */
const isReport = (text: string | null): text is 'transferred' | 'contact_hung_up' =>
  text === 'transferred' || text === 'contact_hung_up'

/** The facts of a call whose number must not be called. */
const refused = ({ now }: At, refusal: ClaimedCall['refusal']): Fact[] => [
  finalFact(now, 'blocked', { key: 'blocked' }),
  endedFact(now, refusal === 'opted_out' ? 'opted_out' : 'canceled', 'system'),
]

/**
 * Returns the facts that end a call whose process was killed. What the carrier knows counts; the rest is an error of
 * ours. Whether the number was dialled at all is then not known, unless someone has answered.
 */
async function lostFacts(at: AtOutside, { claimed, carrier, context }: Begin): Promise<Fact[]> {
  if (claimed.line !== null) {
    const due_at = clock.iso(clock.parse(claimed.due_at) - come_back_within_ms)
    return [endedFact(await lastSaved(at, { ...claimed, due_at }, claimed.facts), 'system_error')]
  }
  const found = await carrier.find(at, toDial(at, claimed), at.now).catch((error: unknown) => {
    context.log.warn({ err: error, workspace_id: at.workspace, call_id: claimed.id }, 'a carrier could not be asked')
    return []
  })
  const known = [...claimed.facts, ...found]
  if (summarize(known).ended_at !== null) return found
  const ended_at = await lastSaved(at, claimed, known)
  return [...found, ...(isAnswered(known) ? [] : [finalFact(ended_at, 'unknown')]), endedFact(ended_at, 'system_error')]
}

/**
 * Returns a time since which the call has not gone on. A process that is stopped releases its calls, so they are due
 * from then on.
 */
async function lastSaved(at: At, { due_at, conversation_id }: ClaimedCall, known: Fact[]): Promise<number> {
  const conversation = conversation_id === null ? undefined : await conversations.get(at, conversation_id)
  const times = [due_at, conversation?.last_turn_at ?? due_at].map((time) => clock.parse(time))
  return Math.min(at.now, Math.max(...times, ...known.map((fact) => fact.at)))
}

async function endIf(at: AtOutside, options: Begin, facts: Fact[] | undefined): Promise<undefined> {
  if (facts) await end(at, options, facts)
}

/** Ends the call without a driver. */
async function end(at: At, { claimed, save }: Begin, facts: Fact[]): Promise<undefined> {
  const { conversation_id, configuration, connection } = claimed
  const found = conversation_id === null ? undefined : await conversations.get(at, conversation_id)
  const known = [...claimed.facts, ...facts]
  connection?.onEnd(summarize(known).end_reason ?? 'system_error')
  const over = {
    facts: known,
    conversation_save: found && (await closing(at, { claimed, conversation: found })),
    is_recorded: claimed.line === null && (configuration?.recording.is_on ?? false),
    due_at: null,
    is_released: true,
  }
  await save(at, newSave(at, claimed, over))
}

/** Closes the conversation. An open turn keeps the words that it had shown, but what was heard of them is not known. */
async function closing(at: At, { claimed, conversation }: { claimed: ClaimedCall; conversation: Conversation }) {
  const { id, configuration } = claimed
  const open = await findOpen(at, conversation.id)
  const close_reason = configuration ? ('error' as const) : ('agent_deleted' as const)
  const needs_summary = configuration?.script === null && conversation.turn_count > 0
  return {
    ...emptySave({ ...conversation, token: id }),
    is_spoken: true,
    turns: open ? [{ ...open, ...cut_off, heard: '', speech: [] }] : [],
    open_seq: open?.seq,
    changes: { status: 'closed' as const, close_reason },
    release: { timers: {}, idle_ms: 0, needs_summary },
  }
}

const cut_off = { is_interrupted: true, finish_reason: 'interrupted' as const }

const toDial = ({ now }: At, claimed: ClaimedCall): CallToDial => {
  const { id, from, simulate, attempt, started_at, state, contact } = claimed
  return {
    id,
    // For a call that comes in, this is the number that may opt out: in a browser the contact's, if it is known.
    to: state?.to ?? counterpartOf(claimed) ?? contact?.phone_number ?? '',
    from,
    simulate,
    attempt,
    started_at: started_at === null ? now : clock.parse(started_at),
  }
}

type Open = Begin & { configuration: Configuration }

async function openDrive(at: AtOutside, options: Open): Promise<CallDrive | undefined> {
  const { claimed, carrier, save, context, configuration, ahead } = options
  const { id, token, due_at, state, facts, horizon, agent_id, contact_id, contact, time_zone, connection } = claimed
  const dialed = toDial(at, claimed)
  const conversation =
    claimed.conversation_id === null ? newVoice(at, options) : await conversations.get(at, claimed.conversation_id)
  const tools =
    ahead?.tools ??
    (await openTools(at, { conversation_id: conversation.id, agent_id, contact_id, configuration, kind: 'voice' }))
  const is_resumed = connection !== undefined && claimed.conversation_id !== null
  const resumed = is_resumed
    ? await resume(at, {
        ...claimed,
        conversation,
        answered_at: answeredAt(facts),
        configuration,
        after: connection.after,
      })
    : undefined
  const dialing = dialedFact(dialed.started_at)
  if (!state && !resumed && horizon === undefined) {
    // The call is saved before the number is dialled, so that it is never dialled twice.
    const begun = {
      facts: [dialing],
      due_at: connection ? clock.iso(connection.ends_at) : due_at,
      new_conversation: conversation,
      is_dialing: connection === undefined,
    }
    const saved = await save(at, newSave(at, claimed, begun))
    if (saved.is_lost) return undefined
  }
  const time = ahead ? { now: at.now, is_test: true } : connection ? atLater(at) : at
  const scheduler = openScheduler(time, { horizon, speed: carrier.speed })
  const is_recorded = isRecorded(claimed, configuration)
  const began_at = answeredAt(facts) ?? scheduler.now()
  const recording =
    connection && is_recorded
      ? openRecording(at, {
          call: claimed,
          began_at,
          continues_at: resumed && scheduler.now(),
          log: context.log,
        })
      : undefined
  const line = connection?.open
    ? connection.open({
        now: scheduler.now,
        answered_at: answeredAt(facts),
        is_resumed: resumed !== undefined,
        recording,
      })
    : state
      ? carrier.reopen(at, state.line)
      : await carrier.dial(at, dialed)
  try {
    const begun = state ?? newCallState(at, options, tools)
    return new CallDrive({
      at,
      id,
      token,
      due_at,
      scheduler,
      dialed,
      carrier,
      line,
      connection,
      recording,
      has_verdicts: claimed.line === 'phone' && claimed.direction === 'outbound',
      earlier_speech_ms: claimed.speech_ms,
      save,
      conversation,
      tools,
      request: claimed.request,
      is_new: !state && scheduler.stands,
      is_live: !scheduler.stands,
      is_trial: isTrial(claimed),
      facts: state || resumed ? facts : [dialing],
      state: resumed ? resumed.continueFrom(begun) : begun,
      first: resumed?.first,
      answerer: openAnswerer({
        at,
        claimed: {
          ...conversation,
          contact,
          time_zone,
          script_state: state?.progress ?? resumed?.progress ?? null,
          turns: resumed?.turns ?? [],
        },
        configuration,
        tools,
      }),
      journal: newJournal({ id, conversation, scheduler, cut: resumed?.cut }),
      transfers: new Map(configuration.transfers.map(({ name, phone_number }) => [name, phone_number])),
      goals: configuration.results.map(({ name }) => name),
      has_summary: configuration.script === null,
      is_recorded,
      ...context,
    })
  } catch (error) {
    // Nothing else knows the line, so it is hung up here.
    if (!scheduler.stands) line.hangUp(scheduler.now())
    await line.close?.()
    throw error
  }
}

interface NewJournal {
  id: string
  conversation: Conversation
  scheduler: Scheduler
  /** A turn that was open when another process was killed. What was heard of it is not known. */
  cut: Turn | undefined
}

function newJournal({ id, conversation, scheduler, cut }: NewJournal): Journal {
  const journal = new Journal({
    id: conversation.id,
    token: id,
    seen: { status: conversation.status, turn_count: conversation.turn_count },
    open: cut && { reply: cut_reply, seq: cut.seq, kept: cut.text },
    results: conversation.results,
    waited_ms: 0,
    is_timed: !scheduler.stands,
  })
  if (cut) journal.addInterrupted(cut_reply, cut.text, { heard: '', speech: [], created_at: cut.created_at })
  return journal
}

/** On a real line a call is recorded only if the contact is told so, or if someone tries the agent. */
const isRecorded = (claimed: ClaimedCall, { recording }: Configuration): boolean =>
  recording.is_on && (claimed.line === null || recording.notice !== null || isTrial(claimed))

const answeredAt = (facts: Fact[]): number | undefined => {
  const { answered_at } = summarize(facts)
  return answered_at === null ? undefined : clock.parse(answered_at)
}

function newVoice(at: At, { claimed, configuration }: Open): Conversation {
  const { agent_id, agent_name, version_id, version_label, channel_id, contact_id, variables, metadata } = claimed
  return newConversation(at, {
    agent: { id: agent_id, name: agent_name },
    version: { id: version_id, version_label, configuration },
    kind: 'voice',
    channel_id,
    contact_id,
    counterpart: counterpartOf(claimed),
    variables,
    metadata,
    awaits_answer: false,
  })
}

function newCallState(at: At, { claimed, configuration }: Open, { say_while, rules: tool_rules }: Tools): CallState {
  const { contact, time_zone, agent_name, variables, direction, to, leaves_voicemail } = claimed
  const values = valuesOf({ agent_name, variables }, { contact, time_zone, now: at.now })
  const spoken = {
    ...configuration,
    ...(!leaves_voicemail && { voicemail_message: null }),
    // Callers have no key to opt out: agents often ask them for digits, and they can end the call by hanging up.
    ...(direction === 'inbound' && { opt_out_key: null }),
  }
  const settings = settingsFor(spoken, { values, say_while, tool_rules, time_limits: voice_time_limits, kind: 'voice' })
  return {
    engine: newState(settings, at.now),
    progress: null,
    contact_ended_at: null,
    line: null,
    to: to ?? '',
    is_over: false,
    last_read_seq: 0,
  }
}
