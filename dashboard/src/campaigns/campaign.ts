import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Campaign, Enrollment, Progress } from '../../../server/campaigns/schema.ts'
import { outcome_names as call_outcome_names } from '../calls/call.ts'
import type { Api } from '../kit/api.ts'
import { pagesQuery } from '../kit/pages.ts'

export type Status = Campaign['status']
export type EnrollmentStatus = Enrollment['status']
export type AttemptOutcome = Campaign['retry'][number]['outcome']

export const status_names: Record<Status, string> = {
  draft: 'Draft',
  scheduled: 'Scheduled',
  running: 'Running',
  paused: 'Paused',
  completed: 'Completed',
  canceled: 'Canceled',
}

export const kind_names: Record<Campaign['kind'], string> = { voice: 'Calls', sms: 'SMS' }
export const consent_names: Record<Campaign['consent'], string> = {
  not_opted_out: 'All who have not opted out',
  required: 'Only contacts who have agreed',
}
export const voicemail_names: Record<Campaign['voicemail'], string> = {
  hang_up: 'Hang up',
  leave: 'Leave the agent’s voicemail message',
}

export const enrollment_status_names: Record<EnrollmentStatus, string> = {
  pending: 'Pending',
  dialing: 'Dialing',
  in_progress: 'In progress',
  waiting: 'Waiting',
  completed: 'Completed',
  failed: 'Failed',
  skipped: 'Skipped',
  canceled: 'Canceled',
  expired: 'Expired',
}
export const enrollment_statuses = Object.keys(enrollment_status_names) as EnrollmentStatus[]

export const outcome_names: Record<AttemptOutcome, string> = {
  ...call_outcome_names,
  replied: 'Replied',
  delivered: 'Delivered, no reply',
  undelivered: 'Not delivered',
}
export const outcomes = Object.keys(outcome_names) as AttemptOutcome[]

const reason_names: Record<string, string> = {
  ...outcome_names,
  opted_out: 'Opted out',
  suppressed: 'Number suppressed',
  country_not_allowed: 'Country not allowed',
  no_consent: 'No consent',
  no_time_zone: 'Time zone not known',
  never_open: 'Never open in all time zones',
  skipped: 'Skipped by your team',
  ended: 'The campaign ended',
}

/** Names a reason or an outcome. One that this page doesn't know is shown as it is. */
export const reasonName = (reason: string): string => reason_names[reason] ?? reason.replaceAll('_', ' ')

export const isFinal = ({ status }: Pick<Campaign, 'status'>): boolean =>
  status === 'completed' || status === 'canceled'

/** Whether the campaign has begun. Before that, everything can be changed. */
export const isStarted = ({ status }: Pick<Campaign, 'status'>): boolean => status !== 'draft' && status !== 'scheduled'

export const isEnrollmentFinal = ({ status }: Pick<Enrollment, 'status'>): boolean =>
  !(['pending', 'dialing', 'in_progress', 'waiting'] as EnrollmentStatus[]).includes(status)

/** "called", "written to". */
export const reachedBy = ({ kind }: Pick<Campaign, 'kind'>): string => (kind === 'voice' ? 'called' : 'written to')

/** Names the people who have answered, of those who were reached. */
export const answeredName = ({ kind }: Pick<Campaign, 'kind'>): string => (kind === 'voice' ? 'Answered' : 'Replied')

export const refetch_ms = 2_000

export const campaignsKey = (api: Api) => [api.workspace, 'campaigns']

export const campaignQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [...campaignsKey(api), 'one', id],
    queryFn: ({ signal }) => api.get<Campaign>(`/campaigns/${id}`, {}, signal),
    refetchInterval: ({ state }) => (state.data && !isFinal(state.data) ? refetch_ms : false),
  })

const enrollments_at_once = 10

export const contactEnrollmentsQuery = (api: Api, contact_id: string) =>
  pagesQuery<Enrollment>(api, [...campaignsKey(api), 'of_contact', contact_id], `/contacts/${contact_id}/enrollments`, {
    limit: enrollments_at_once,
  })

export const progressQuery = (api: Api, { id, status }: Pick<Campaign, 'id' | 'status'>) =>
  queryOptions({
    queryKey: [...campaignsKey(api), 'progress', id],
    queryFn: ({ signal }) => api.get<Progress>(`/campaigns/${id}/progress`, {}, signal),
    refetchInterval: isFinal({ status }) ? false : refetch_ms,
  })

export const enrollmentQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [...campaignsKey(api), 'enrollment', id],
    queryFn: ({ signal }) => api.get<Enrollment>(`/enrollments/${id}`, {}, signal),
    refetchInterval: ({ state }) => (state.data && !isEnrollmentFinal(state.data) ? refetch_ms : false),
  })

/** Shows a campaign as the server has answered it, and reads the rest again. */
export async function showChanged(client: QueryClient, api: Api, campaign: Campaign): Promise<void> {
  client.setQueryData(campaignQuery(api, campaign.id).queryKey, campaign)
  await client.invalidateQueries({ queryKey: campaignsKey(api) })
}
