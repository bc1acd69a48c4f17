import { type Static, Type } from 'typebox'
import { PhoneNumber } from '../contacts/phone.ts'
import { metadata, optionalId, Usage, variables } from '../conversations/schema.ts'
import {
  also_called,
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

const directions = ['inbound', 'outbound'] as const
const statuses = ['scheduled', 'queued', 'ringing', 'in_progress', 'completed', 'failed', 'canceled'] as const
const outcomes = [
  'answered',
  'voicemail',
  'screened',
  'menu',
  'no_answer',
  'busy',
  'rejected',
  'invalid_number',
  'unreachable',
  'blocked',
  'canceled',
  'error',
  'unknown',
] as const
export const end_reasons = [
  'contact_hung_up',
  'agent_hung_up',
  'human_hung_up',
  'transferred',
  'opted_out',
  'goal_reached',
  'max_duration',
  'silence',
  'voicemail_left',
  'voicemail_hung_up',
  'not_answered',
  'canceled',
  'carrier_error',
  'carrier_silent',
  'system_error',
] as const
export const enders = ['contact', 'agent', 'human', 'system'] as const
const recording_statuses = ['none', 'recording', 'rendering', 'ready', 'failed', 'deleted'] as const
export type Status = (typeof statuses)[number]
export type Outcome = (typeof outcomes)[number]
export type EndReason = (typeof end_reasons)[number]
export type Ender = (typeof enders)[number]

export const final_statuses: Status[] = ['completed', 'failed', 'canceled']

const orNull = <const Values extends readonly string[]>(values: Values, description: string, example: Values[number]) =>
  Type.Unsafe<Values[number] | null>({
    type: ['string', 'null'],
    enum: [...values, null],
    description,
    examples: [example],
  })

const milliseconds = (description: string, example: number | null) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], description, examples: [example] })

const direction = oneOf(directions, { description: 'Who has called.', examples: ['outbound'] })
const status = oneOf(statuses, {
  description:
    '`completed`: someone or something has answered. `failed`: nobody has, or the call could not be made. A call that is ' +
    '`completed`, `failed` or `canceled` stays so.',
  examples: ['completed'],
})

export const Call = Type.Object(
  {
    id: id('The unique id of the call. Treat it as opaque.'),
    direction,
    status,
    outcome: orNull(outcomes, 'What has answered, or why nobody has. `null` until it is known.', 'answered'),
    end_reason: orNull(end_reasons, 'Why the call has ended.', 'agent_hung_up'),
    ended_by: orNull(enders, 'Who has ended the call.', 'agent'),
    from: optionalText({
      description: 'The number that calls. `null` if it is withheld, and in browsers.',
      examples: ['+14155550100'],
    }),
    to: optionalText({ description: 'The number that is called.', examples: ['+14155550123'] }),
    contact_id: optionalId('The contact, if known.'),
    conversation_id: optionalId('The conversation of the call. `null` until the number is dialled.'),
    agent_id: id('The agent.'),
    agent_name: Type.String({ description: "The agent's name when the call was created.", examples: ['Reception'] }),
    agent_version: Type.Object(
      { id: optionalId('The version.'), version_label: Type.String({ examples: ['v1'] }) },
      { description: 'The version of the agent that speaks.' },
    ),
    channel_id: optionalId('The channel. `null` for calls that need none: with a simulated person, or in a browser.'),
    campaign_id: optionalId('The campaign that the call belongs to.'),
    attempt: Type.Integer({ description: 'Which attempt to reach the contact this is.', examples: [1] }),
    scheduled_at: optionalTimestamp(
      'When the number is to be dialled, if that was chosen. A callback that an agent has promised moves if it could not be made within the `quiet_hours`.',
    ),
    started_at: optionalTimestamp('When the number was dialled.'),
    answered_at: optionalTimestamp('When someone or something answered.'),
    ended_at: optionalTimestamp('When the call ended.'),
    duration_ms: milliseconds('From the answer to the end.', 62_480),
    results: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'The facts that the agent has collected.',
      examples: [{}],
    }),
    summary: optionalText({ description: 'Written after the call. `null` for scripts.', examples: [null] }),
    turn_count: Type.Integer({ description: 'The number of turns so far.', examples: [6] }),
    recording: Type.Object({
      status: oneOf(recording_statuses, {
        description: 'A recording that is `ready` can be downloaded.',
        examples: ['ready'],
      }),
      duration_ms: milliseconds('How long it is.', 62_480),
      format: optionalText({ description: '`wav`, with the contact left and the agent right.', examples: ['wav'] }),
    }),
    latency: Type.Object(
      { turn_p50_ms: milliseconds('The median.', 640), turn_p95_ms: milliseconds('The 95th percentile.', 900) },
      { description: "From the contact's last word to the agent's first, over the turns of the agent." },
    ),
    usage: Usage,
    cost_micros: Type.Integer({
      description: "What the call has cost by the workspace's `prices`, in millionths of the currency.",
      examples: [0],
    }),
    metadata,
    is_test: Type.Boolean({
      description: 'Whether nobody real was at the other end: a simulated person, or someone who tried the agent.',
      examples: [true],
    }),
    redacted_at: optionalTimestamp('When everything that was said was erased.'),
    created_at: timestamp('When the call was created.'),
    updated_at: timestamp('When the call last changed.'),
  },
  { title: 'Call' },
)
export type Call = Static<typeof Call>

/** The summary is written after the call. */
export const callVersion = ({ updated_at, summary }: Call): string => hashState(updated_at, summary)

export const NewCall = body(
  'NewCall',
  {
    agent_id: id('The agent that speaks.'),
    to: Type.Optional(Type.Unsafe<string | null>({ ...PhoneNumber, type: ['string', 'null'] })),
    contact_id: Type.Optional(optionalId('The contact to call. Send either this or `to`.')),
    channel_id: Type.Optional(
      optionalId('The voice channel to call from. By default the only active one that can call.'),
    ),
    agent_version_id: Type.Optional(optionalId('A version other than the one in use, for a trial.')),
    scheduled_at: Type.Optional(
      optionalTimestamp('When to dial, at most a year ahead. By default, and for a time in the past: now.'),
    ),
    variables: Type.Optional(variables),
    metadata: Type.Optional(metadata),
    simulate: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        pattern: '^(0[0-9]|1[0-9])$',
        description:
          'A simulated person, from `00` to `19`, answers instead of the number: see "Simulated people" in the guide. Needs ' +
          'no channel, and works in live workspaces too.',
        examples: ['00'],
      }),
    ),
  },
  Call,
)
export type NewCall = Static<typeof NewCall>

const origin = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  maxLength: 300,
  description:
    'The origin of the page that may open the socket, such as `https://example.com`: no other one may. `null`: any.',
  examples: ['https://example.com'],
})

export const NewWebCall = body(
  'NewWebCall',
  {
    agent_id: id('The agent that speaks.'),
    agent_version_id: Type.Optional(optionalId('A version other than the one in use, for a trial.')),
    use_draft: Type.Optional(
      Type.Boolean({ description: "Whether to speak with the agent's draft, for a trial.", examples: [false] }),
    ),
    contact_id: Type.Optional(optionalId('The contact that speaks, if you know it.')),
    variables: Type.Optional(variables),
    metadata: Type.Optional(metadata),
    origin: Type.Optional(origin),
    is_test: Type.Optional(
      Type.Boolean({
        description:
          'Whether this is a trial. It then says nothing about the contact, and is recorded without a notice.',
        examples: [false],
      }),
    ),
  },
  Call,
)
export type NewWebCall = Static<typeof NewWebCall>

export const WebCall = Type.Object(
  {
    call: Call,
    url: Type.String({
      description: 'Open a WebSocket there, and send `start` with the token: see "Voice in the browser" in the guide.',
      examples: ['wss://parley.example.com/voice'],
    }),
    token: Type.String({ description: 'Opens the socket, once.', examples: ['AZqExF8AfD6dUy8aZMC3qg'] }),
    expires_at: timestamp('When the socket must be open.'),
  },
  { title: 'WebCall' },
)
export type WebCall = Static<typeof WebCall>

export const CallChange = body('CallChange', { metadata: Type.Optional(metadata) }, Call)
export type CallChange = Static<typeof CallChange>

export const CallQuery = page.query({
  contact_id: idFilter('Only calls with this contact.'),
  agent_id: idFilter('Only calls of this agent.'),
  campaign_id: idFilter('Only calls of this campaign.'),
  channel_id: idFilter('Only calls on this channel.'),
  conversation_id: idFilter('Only the call of this conversation.'),
  direction: Type.Optional(direction),
  status: Type.Optional(status),
  outcome: Type.Optional(oneOf(outcomes, { description: 'Only calls with this outcome.' })),
  created_after: Type.Optional(timestamp('Only calls that were created after this.')),
  created_before: Type.Optional(timestamp('Only calls that were created before this.')),
  search: Type.Optional(
    text({
      minLength: 3,
      maxLength: 200,
      description: 'Only calls in which this was said: at least 3 characters, without regard to case and accents.',
      examples: ['appointment'],
      [also_called]: ['q', 'query'],
    }),
  ),
})
export type CallQuery = Static<typeof CallQuery>

export const CallEvent = Type.Object(
  {
    seq: Type.Integer({ description: 'Its number in the call, from 1.', examples: [1] }),
    kind: Type.String({
      description:
        'What happened: `dialed`, `queued`, `ringing`, `answered`, `machine.*` (what has answered), `final.*` (how the line ended) ' +
        'or `ended.*` (why the call ended).',
      examples: ['ringing'],
    }),
    at: timestamp('When it happened.'),
    source: oneOf(['carrier', 'contact', 'agent', 'human', 'system'], {
      description: 'Who has said or done it.',
      examples: ['carrier'],
    }),
  },
  { title: 'CallEvent' },
)
export type CallEvent = Static<typeof CallEvent>
