import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Call, CallEvent } from '../../../server/calls/schema.ts'
import type { Named } from '../conversations/conversation.ts'
import type { Api } from '../kit/api.ts'
import { ParleyError } from '../kit/request.ts'
import type { Transcript } from './transcript.ts'

export type Status = Call['status']
export type Outcome = NonNullable<Call['outcome']>
type KnownValue<Field extends keyof Call> = NonNullable<Call[Field]> & string

export const status_names: Record<Status, string> = {
  scheduled: 'Scheduled',
  queued: 'Queued',
  ringing: 'Ringing',
  in_progress: 'In progress',
  completed: 'Completed',
  failed: 'Failed',
  canceled: 'Canceled',
}

export const outcome_names: Record<Outcome, string> = {
  answered: 'Answered',
  voicemail: 'Voicemail',
  screened: 'Screened',
  menu: 'Phone menu',
  no_answer: 'No answer',
  busy: 'Busy',
  rejected: 'Rejected',
  invalid_number: 'Invalid number',
  unreachable: 'Unreachable',
  blocked: 'Blocked',
  canceled: 'Canceled',
  error: 'Error',
  unknown: 'Unknown',
}
export const outcomes = Object.keys(outcome_names) as Outcome[]

/** Says why nobody has answered, or what has answered instead of a person. */
export const outcome_sentences: Partial<Record<Outcome, string>> = {
  voicemail: 'A voicemail answered.',
  screened: 'A call-screening assistant answered.',
  menu: 'A phone menu answered.',
  no_answer: 'Nobody answered.',
  busy: 'The line was busy.',
  rejected: 'The contact rejected the call.',
  invalid_number: 'The number doesn’t exist.',
  unreachable: 'The number couldn’t be reached.',
  blocked: 'The call was not allowed.',
  canceled: 'The call was canceled before anyone answered.',
  error: 'The call couldn’t be placed.',
  unknown: 'It is not known whether anyone answered.',
}

const end_reason_names: Record<KnownValue<'end_reason'>, string> = {
  contact_hung_up: 'The contact hung up',
  agent_hung_up: 'The agent hung up',
  human_hung_up: 'Your team hung up',
  transferred: 'Transferred to another number',
  opted_out: 'The contact opted out',
  goal_reached: 'The agent reached its goal',
  max_duration: 'The call reached its longest duration',
  silence: 'The contact said nothing',
  voicemail_left: 'The agent left a voicemail',
  voicemail_hung_up: 'The agent left no voicemail',
  not_answered: 'Not answered',
  canceled: 'Canceled',
  carrier_error: 'The carrier reported an error',
  carrier_silent: 'The carrier stopped responding',
  system_error: 'An error in this service',
}

/** The reasons for calls in a browser, which have no carrier. */
export const browser_end_reason_names = { ...end_reason_names, carrier_error: 'The connection was lost' }

type Line = Pick<Call, 'direction' | 'to'>

/** Calls in a browser go to no number. */
const isInBrowser = ({ direction, to }: Line): boolean => direction === 'inbound' && to === null

/** Describes why a call has ended. */
export const describeEnd = (call: Line, end_reason: KnownValue<'end_reason'>): string =>
  (isInBrowser(call) ? browser_end_reason_names : end_reason_names)[end_reason]

export const ender_names: Record<KnownValue<'ended_by'>, string> = {
  contact: 'Contact',
  agent: 'Agent',
  human: 'Your team',
  system: 'System',
}

export const recording_status_names: Record<Call['recording']['status'], string> = {
  none: 'Not recorded',
  recording: 'Recording',
  rendering: 'Being prepared',
  ready: 'Ready',
  failed: 'Failed',
  deleted: 'Deleted',
}

export const direction_names: Record<Call['direction'], string> = { inbound: 'Incoming', outbound: 'Outgoing' }

/** Returns the other side's number. */
const counterpartOf = ({ direction, from, to }: Pick<Call, 'direction' | 'from' | 'to'>): string | null =>
  direction === 'outbound' ? to : from

/** Returns what a call is named by, as conversations are. */
export const toNamed = (call: Call): Named => ({
  kind: 'voice',
  contact_id: call.contact_id,
  counterpart: counterpartOf(call),
  is_trial: call.is_test,
})

export const isOver = ({ status }: Pick<Call, 'status'>): boolean =>
  status === 'completed' || status === 'failed' || status === 'canceled'

/** Whether the call is being dialled, is ringing or goes on. */
const isInFlight = (call: Pick<Call, 'status'>): boolean => !isOver(call) && call.status !== 'scheduled'

/** Describes how a call stands, or how it has ended. */
export const describeStatus = ({ status, outcome }: Pick<Call, 'status' | 'outcome'>): string =>
  isOver({ status }) && outcome ? outcome_names[outcome] : status_names[status]

/** Returns when the call takes place, or was given up. */
export const timeOf = ({ status, started_at, scheduled_at, ended_at, created_at }: Call): string =>
  started_at ?? (status === 'scheduled' ? scheduled_at : ended_at) ?? created_at

/** The keys of all lists of calls begin with this. */
export const callsKey = (api: Api) => [api.workspace, 'calls', 'list']

/** A list with calls that go on is read this often. */
const poll_ms = 3_000

export const refetchInFlight = (calls: Call[] = []): number | false => (calls.some(isInFlight) ? poll_ms : false)

export const callQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'calls', 'one', id],
    queryFn: ({ signal }) => api.get<Call>(`/calls/${id}`, {}, signal),
    // The live stream may miss a change while the browser reconnects.
    refetchInterval: ({ state: { data } }) => refetchInFlight(data && [data]),
  })

export const callOfConversationQuery = (api: Api, conversation_id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'calls', 'of_conversation', conversation_id],
    queryFn: async ({ signal }) => {
      const { data } = await api.list<Call>('/calls', { conversation_id, limit: 1 }, signal)
      if (!data[0]) throw new ParleyError({ code: 'NOT_FOUND', message: 'Call not found.', status: 404 })
      return data[0]
    },
  })

export const transcriptQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'calls', 'transcript', id],
    queryFn: ({ signal }) => api.get<Transcript>(`/calls/${id}/transcript`, { format: 'json' }, signal),
  })

export const callEventsQuery = (api: Api, { id, updated_at }: Pick<Call, 'id' | 'updated_at'>) =>
  queryOptions({
    // The events of a call change with the call, however that becomes known.
    queryKey: [api.workspace, 'calls', 'events', id, updated_at],
    queryFn: async ({ signal }) => (await api.list<CallEvent>(`/calls/${id}/events`, { limit: 100 }, signal)).data,
    placeholderData: (known, before) => (before?.queryKey[3] === id ? known : undefined),
  })

/** Shows a call as the server has answered it, and reads what belongs to it again. */
export function showChanged(client: QueryClient, api: Api, call: Call): void {
  client.setQueryData(callQuery(api, call.id).queryKey, call)
  void client.invalidateQueries({ queryKey: callsKey(api) })
  void client.invalidateQueries(transcriptQuery(api, call.id))
}
