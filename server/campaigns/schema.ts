import { type Static, Type } from 'typebox'
import { optionalId, variables } from '../conversations/schema.ts'
import {
  allOptional,
  body,
  id,
  idFilter,
  oneOf,
  optionalText,
  optionalTimestamp,
  text,
  timestamp,
} from '../kit/field.ts'
import { hashState } from '../kit/http/etag.ts'
import * as page from '../kit/postgres/page.ts'
import {
  attempt_outcomes,
  Caps,
  caps,
  caps_description,
  holidays,
  Pacing,
  pacing,
  pacing_description,
  retry,
  windows,
} from './settings.ts'

const kinds = ['voice', 'sms'] as const
const statuses = ['draft', 'scheduled', 'running', 'paused', 'completed', 'canceled'] as const
export const final_statuses: Status[] = ['completed', 'canceled']
const enrollment_statuses = [
  'pending',
  'dialing',
  'in_progress',
  'waiting',
  'completed',
  'failed',
  'skipped',
  'canceled',
  'expired',
] as const
const pause_reasons = ['requested', 'circuit_breaker', 'no_channel', 'speech_not_installed'] as const
export const open_enrollment_statuses: EnrollmentStatus[] = ['pending', 'dialing', 'in_progress', 'waiting']
export type Kind = (typeof kinds)[number]
export type Status = (typeof statuses)[number]
export type EnrollmentStatus = (typeof enrollment_statuses)[number]
export type PauseReason = (typeof pause_reasons)[number]

export const total = (description: string, example: number) => Type.Integer({ description, examples: [example] })
export const byName = (description: string, examples: object[]) =>
  Type.Record(Type.String(), Type.Integer(), { description, examples })

const time_zone = optionalText({
  format: 'time-zone',
  description:
    'Used for contacts whose time zone is not known, not even from their number. Without it they are not reached.',
  examples: ['America/New_York'],
})
const channel_ids = Type.Array(Type.String({ format: 'uuid' }), {
  maxItems: 20,
  description: 'The channels to reach contacts from, in turn. By default the only active one of this kind.',
  examples: [[]],
})
const attempts_max = Type.Integer({
  minimum: 1,
  maximum: 20,
  description: 'Attempts per contact, in all.',
  examples: [4],
})
const consent = oneOf(['required', 'not_opted_out'], {
  description: '`required`: only contacts who have agreed. `not_opted_out`: all who have not opted out.',
  examples: ['not_opted_out'],
})
const voicemail = oneOf(['leave', 'hang_up'], {
  description: "What the agent does when a voicemail answers: leave the agent's `voicemail_message`, or hang up.",
  examples: ['hang_up'],
})
const name = text({ maxLength: 200, description: 'Its name.', examples: ['Spring appointments'] })
const starts_at = optionalTimestamp('When it begins by itself after it was started. `null`: at once.')
const ends_at = optionalTimestamp('When it ends. Contacts who were not reached by then are `expired`.')

export const Campaign = Type.Object(
  {
    id: id('The unique id of the campaign. Treat it as opaque.'),
    name,
    kind: oneOf(kinds, { description: 'Whether contacts are called or written to.', examples: ['voice'] }),
    status: oneOf(statuses, {
      description: 'A campaign with nothing left to do is `completed` by itself.',
      examples: ['running'],
    }),
    pause_reason: Type.Unsafe<PauseReason | null>({
      type: ['string', 'null'],
      enum: [...pause_reasons, null],
      description:
        '`circuit_breaker`: too many attempts failed, or too many contacts opted out. It runs again after five minutes. ' +
        '`no_channel`: none of its channels can be used. `speech_not_installed`: its agent can neither hear nor speak. Resume it when ' +
        'that has changed.',
      examples: [null],
    }),
    agent_id: id('The agent.'),
    agent_version: Type.Unsafe<{ id: string; version_label: string } | null>({
      type: ['object', 'null'],
      properties: { id: id('The version.'), version_label: Type.String({ examples: ['v1'] }) },
      description: 'The version of the agent. `null`: the one that is deployed.',
      examples: [null],
    }),
    channel_ids,
    variables,
    windows,
    time_zone,
    holidays,
    pacing: Pacing,
    retry,
    attempts_max,
    caps: Caps,
    consent,
    voicemail,
    starts_at,
    ends_at,
    counts: Type.Object(
      { enrolled: total('Contacts in the campaign.', 0), by_status: byName('By the status of the enrollment.', [{}]) },
      { description: 'How many contacts are in the campaign.' },
    ),
    created_at: timestamp('When the campaign was created.'),
    updated_at: timestamp('When the campaign was last changed.'),
  },
  { title: 'Campaign' },
)
export type Campaign = Static<typeof Campaign>

/** The version of a campaign. It includes the counts, which change with the enrollments. */
export const campaignVersion = ({ updated_at, counts }: Campaign): string => hashState(updated_at, counts)

export const campaigns_max = 100

const editable = allOptional({
  channel_ids,
  variables,
  windows,
  time_zone,
  holidays,
  pacing: Type.Object(allOptional(pacing), {
    title: 'PacingChange',
    additionalProperties: false,
    description: pacing_description,
  }),
  retry,
  attempts_max,
  caps: Type.Object(allOptional(caps), {
    title: 'CapsChange',
    additionalProperties: false,
    description: caps_description,
  }),
  consent,
  voicemail,
  starts_at,
  ends_at,
  agent_version_id: optionalId(
    'A version of the agent. By default the one that is deployed when a contact is reached.',
  ),
})

export const NewCampaign = body(
  'NewCampaign',
  { name, kind: Campaign.properties.kind, agent_id: id('The agent.'), ...editable },
  Campaign,
)
export type NewCampaign = Static<typeof NewCampaign>

export const CampaignChange = body(
  'CampaignChange',
  { ...allOptional({ name, kind: Campaign.properties.kind, agent_id: id('The agent.') }), ...editable },
  Campaign,
)
export type CampaignChange = Static<typeof CampaignChange>

export const CampaignQuery = page.query({
  status: Type.Optional(oneOf(statuses, { description: 'Only campaigns with this status.' })),
})
export type CampaignQuery = Static<typeof CampaignQuery>

export const Progress = Type.Object(
  {
    total: total('Contacts in the campaign.', 412),
    not_enrolled: total(
      'Contacts that were not enrolled in the background, because the campaign had 1,000,000 already.',
      0,
    ),
    by_status: byName('Contacts by the status of their enrollment.', [{ pending: 300, completed: 112 }]),
    by_outcome: byName('Attempts by their outcome.', [{ answered: 112, no_answer: 40 }]),
    in_flight: total('Attempts that go on now.', 8),
    starts_last_minute: total('Attempts that began in the last minute.', 60),
    expected_end_at: optionalTimestamp(
      'When it would end at the rate of the last minute, and not before the last waiting contact is due. Closed hours and later ' +
        'retries are not counted: a forecast counts them. `null` while the campaign does not run, and when it has started nothing in the last ' +
        'minute and no contact is due later.',
    ),
  },
  { title: 'CampaignProgress' },
)
export type Progress = Static<typeof Progress>

export const Enrollment = Type.Object(
  {
    id: id('The unique id of the enrollment. Treat it as opaque.'),
    campaign_id: id('The campaign.'),
    contact_id: id('The contact.'),
    status: oneOf(enrollment_statuses, {
      description: '`waiting`: the next attempt follows at `next_attempt_at`.',
      examples: ['waiting'],
    }),
    reason: optionalText({
      description: 'Why it has this status, such as `opted_out` or `no_answer`.',
      examples: [null],
    }),
    attempts: total('Attempts so far.', 1),
    last_outcome: Type.Unsafe<(typeof attempt_outcomes)[number] | null>({
      type: ['string', 'null'],
      enum: [...attempt_outcomes, null],
      description: 'How the last attempt ended.',
      examples: ['no_answer'],
    }),
    last_call_id: optionalId('The last call.'),
    last_conversation_id: optionalId('The last conversation by SMS.'),
    next_attempt_at: optionalTimestamp('When the next attempt follows at the earliest. `null` until that was decided.'),
    variables,
    created_at: timestamp('When the contact was enrolled.'),
    updated_at: timestamp('When the enrollment last changed.'),
  },
  { title: 'Enrollment' },
)
export type Enrollment = Static<typeof Enrollment>

export const EnrollmentQuery = page.query({
  status: Type.Optional(oneOf(enrollment_statuses, { description: 'Only enrollments with this status.' })),
  contact_id: idFilter('Only that of this contact.'),
})
export type EnrollmentQuery = Static<typeof EnrollmentQuery>
