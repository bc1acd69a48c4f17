import { type Static, Type } from 'typebox'
import { Citation } from '../documents/schema.ts'
import { body, id, idFilter, multiline, oneOf, optionalText, optionalTimestamp, text, timestamp } from '../kit/field.ts'
import * as page from '../kit/postgres/page.ts'
import { step_reasons } from '../models/script.ts'
import { kinds } from '../talk/settings.ts'
import { type FinishReason, finish_reasons } from '../talk/state.ts'

export const text_length_max = 4_000
const wait_max_ms = 30_000

export const statuses = ['open', 'handed_over', 'closed'] as const
export const roles = ['contact', 'agent', 'human', 'system'] as const
export const close_reasons = [
  'agent_ended',
  'human_ended',
  'api',
  'idle',
  'limit',
  'opted_out',
  'agent_deleted',
  'error',
  'contact_ended',
] as const
const tool_statuses = ['running', 'succeeded', 'failed', 'timeout', 'invalid_arguments', 'unknown', 'refused'] as const

export const optionalId = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid', description, examples: [null] })

const status = oneOf(statuses, {
  description:
    '`open`: the agent answers. `handed_over`: a person answers, and the agent is silent. `closed`: nothing more can be said.',
  examples: ['open'],
})
const kind = oneOf(kinds, { description: 'How the contact takes part.', examples: ['api'] })

export const Usage = Type.Object(
  { input_tokens: Type.Integer({ examples: [0] }), output_tokens: Type.Integer({ examples: [0] }) },
  { title: 'TokenUsage', description: 'What the model has read and written, in tokens.' },
)

export const variables = Type.Unsafe<Record<string, string | number | boolean>>({
  title: 'Variables',
  type: 'object',
  // `create` checks the values: a text, a number or a boolean.
  additionalProperties: {},
  description:
    'Values that the agent may use: at most 50, with names of up to 40 lower-case letters, digits and `_`, and texts of up to ' +
    '1,000 characters. The names `__proto__`, `constructor` and `prototype` are reserved.',
  examples: [{ order_number: '1042' }],
})

export const metadata = Type.Unsafe<Record<string, string>>({
  title: 'Metadata',
  type: 'object',
  additionalProperties: { type: 'string', maxLength: 500 },
  description:
    'Your own data, which the agent does not see: at most 50 members, with names of up to 40 characters and texts of up to 500.',
  examples: [{ ticket: 'T-1042' }],
})

export const Conversation = Type.Object(
  {
    id: id('The unique id of the conversation. Treat it as opaque.'),
    kind,
    status,
    channel_id: optionalId('The channel, or `null` for a conversation over the API.'),
    agent_id: id('The agent.'),
    agent_name: Type.String({ description: "The agent's name when the conversation began.", examples: ['Reception'] }),
    agent_version: Type.Object(
      { id: optionalId('`null` for a draft.'), version_label: Type.String({ examples: ['v1'] }) },
      { description: 'The version that the conversation began with. It keeps it.' },
    ),
    contact_id: optionalId('The contact, if known.'),
    counterpart: optionalText({ description: 'The number of the other side, if there is one.', examples: [null] }),
    is_answering: Type.Boolean({ description: 'Whether the agent is making an answer.', examples: [false] }),
    turn_count: Type.Integer({ description: 'The number of turns so far.', examples: [2] }),
    last_turn_at: optionalTimestamp('When something was last said.'),
    hand_over_reason: optionalText({ description: 'Why it was handed over, if that was said.', examples: [null] }),
    waiting_since: optionalTimestamp(
      'Since when it waits for a person: since it was handed over, or since what the contact said first after the last answer of ' +
        'a person. Messages of the service do not change it. `null` when it does not wait.',
    ),
    is_test: Type.Boolean({
      description: 'Whether it is a trial. Lists leave trials out unless you ask for them.',
      examples: [false],
    }),
    close_reason: Type.Unsafe<(typeof close_reasons)[number] | null>({
      type: ['string', 'null'],
      enum: [...close_reasons, null],
      description: 'Why the conversation was closed.',
      examples: [null],
    }),
    results: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'The facts that the agent has collected.',
      examples: [{}],
    }),
    summary: optionalText({ description: 'Written when the conversation is handed over or closed.', examples: [null] }),
    variables,
    metadata,
    usage: Usage,
    redacted_at: optionalTimestamp('When everything that was said was erased.'),
    created_at: timestamp('When the conversation began.'),
    updated_at: timestamp('When the conversation last changed.'),
  },
  { title: 'Conversation' },
)
export type Conversation = Static<typeof Conversation>

const ToolRun = Type.Object(
  {
    id: id('The unique id of the run.'),
    name: Type.String({ examples: ['book_slot'] }),
    arguments: Type.Unknown({ examples: [{ day: '2026-11-17' }] }),
    result: Type.Unknown({ examples: [{ is_booked: true }] }),
    status: oneOf(tool_statuses, {
      description:
        '`refused`: the service has not run it. `result` says why: its `reason` is `repeated`, `calls_max` or `confirm`. See "Tools" ' +
        'in the guide.',
      examples: ['succeeded'],
    }),
    duration_ms: Type.Unsafe<number | null>({ type: ['integer', 'null'], examples: [120] }),
  },
  { title: 'ToolRun' },
)

export const message_statuses = ['queued', 'sent', 'delivered', 'failed', 'unknown'] as const

const Message = Type.Object({
  status: oneOf(message_statuses, {
    description:
      '`queued`: not yet sent. `sent`: the carrier has it. `delivered`: the contact has it. `failed`: see `error`. `unknown`: the ' +
      'carrier did not answer, and does not know the message. Messages from the contact are `delivered`.',
    examples: ['delivered'],
  }),
  segments: Type.Integer({ description: 'The parts in which carriers send and charge it.', examples: [1] }),
  cost_micros: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description:
      "What it costs to send it, in millionths of the currency: its segments at the workspace's price of when it was written. " +
      '`null` for messages from the contact.',
    examples: [7900],
  }),
  error: optionalText({ description: 'Why it was not sent or delivered.', examples: [null] }),
})
export type Message = Static<typeof Message>

const Author = Type.Object({
  id: id('The id of the person.'),
  name: optionalText({
    description:
      "The person's name today. `null` in events, which keep no names, and when the person no longer exists.",
    examples: ['Ada Lovelace'],
  }),
})
export type Author = Static<typeof Author>

const ScriptStep = Type.Object({
  step: Type.String({
    description: 'The name of the step, or `@end` or `@hand_over` if the script went there directly.',
    examples: ['day'],
  }),
  reason: oneOf(step_reasons, {
    description:
      "What began the turn. `begin`: the script begins, because the agent speaks first or the contact's first words match no " +
      'branch. `hear`, `intent`, `slot`: this was heard. `knowledge`: documents have answered it. `else`: nothing that the ' +
      'step knows was heard. `repeat`: the contact asks to repeat. `silence`: the contact says nothing. `tool`: a tool has ended.',
    examples: ['hear'],
  }),
  heard: optionalText({
    description:
      "The phrase of the script that was heard, or the name of the intent or slot. `null` for other reasons. The contact's own words are in the turn before.",
    examples: ['yes'],
  }),
})
export type ScriptStep = Static<typeof ScriptStep>

const milliseconds = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], description, examples: [null] })

export const Turn = Type.Object(
  {
    seq: Type.Integer({ description: 'Its number in the conversation, from 1.', examples: [1] }),
    role: oneOf(roles, { description: 'Who said it.', examples: ['contact'] }),
    text: Type.String({ description: 'What was said.', examples: ['When are you open?'] }),
    heard: optionalText({ description: 'In calls: the part that was heard. `null` in text.', examples: [null] }),
    is_interrupted: Type.Boolean({ description: 'Whether the agent was interrupted.', examples: [false] }),
    finish_reason: Type.Unsafe<FinishReason | null>({
      type: ['string', 'null'],
      enum: [...finish_reasons, null],
      description:
        "How the agent's answer ended. `stop`: it is complete. `length`: it reached the limit of the model or of the reply. " +
        "`content_filter`: the provider's filter ended it. `tool_loop`: the model called tools again and again. `failed`: no " +
        'model could answer, also because the answer was cut or filtered before it had words, see `error`. `interrupted`: ' +
        'something came between. `null` for others.',
      examples: [null],
    }),
    author: Type.Unsafe<Author | null>({
      ...Author,
      type: ['object', 'null'],
      description:
        'The person who answered in the dashboard. `null` for answers over the API, and for what others said.',
      examples: [null],
    }),
    tools: Type.Array(ToolRun, { description: 'The tools that the agent used.', examples: [[]] }),
    script: Type.Unsafe<ScriptStep | null>({
      ...ScriptStep,
      type: ['object', 'null'],
      description:
        "The step of the agent's script that this turn has come to, and why. `null` for turns that no script has made, and for turns stored before this field existed.",
      examples: [null],
    }),
    citations: Type.Array(Citation, {
      description:
        'The passages of documents that the answer is based on: of those that were looked up, up to three that share most words ' +
        'with it.',
      examples: [[]],
    }),
    latency: Type.Object(
      {
        model_first_ms: milliseconds("Until the model's first words."),
        model_ms: milliseconds('Until the model was done.'),
        tools_ms: milliseconds('For tools.'),
        turn_ms: milliseconds("From the contact's words to the end of the answer."),
        wait_ms: Type.Optional(
          milliseconds('On real lines: from the end of speech until the contact had finished, without `recognise_ms`.'),
        ),
        recognise_ms: Type.Optional(milliseconds("On real lines: to recognise the contact's words.")),
        voice_ms: Type.Optional(milliseconds("On real lines: from the answer's first words to their first sound.")),
        first_sound_ms: Type.Optional(
          milliseconds('On real lines: from the end of speech until the first sound of the answer is heard.'),
        ),
      },
      { title: 'TurnLatency' },
    ),
    usage: Usage,
    message: Type.Unsafe<Message | null>({
      ...Message,
      type: ['object', 'null'],
      description: "The carrier's part. `null` where no carrier is involved.",
      examples: [null],
    }),
    error: optionalText({
      description:
        'Why a model could not answer, for you: the contact is not told. Also when the fallback model has answered. `null` when ' +
        'all went well, never when `finish_reason` is `failed` or `tool_loop`.',
      examples: [null],
    }),
    created_at: timestamp('When it was said.'),
  },
  { title: 'Turn' },
)
export type Turn = Static<typeof Turn>

/** The events of a conversation's stream, by name. */
export const stream_events = {
  'turn.started': Type.Object(Type.Pick(Turn, ['seq', 'role']).properties),
  'turn.delta': Type.Object(Type.Pick(Turn, ['seq', 'text']).properties),
  'turn.finished': Type.Object({ turn: Turn }),
  'conversation.updated': Type.Object({ conversation: Conversation }),
}

const message_text = text({ maxLength: text_length_max, ...multiline, examples: ['When are you open?'] })

export const NewConversation = body(
  'NewConversation',
  {
    agent_id: id('The agent that answers.'),
    contact_id: Type.Optional(optionalId('The contact that takes part.')),
    channel_id: Type.Optional(
      optionalId(
        'An SMS channel: the agent writes to the contact, which is then required, and `message` is not allowed.',
      ),
    ),
    message: Type.Optional(
      optionalText({
        maxLength: text_length_max,
        ...multiline,
        description: "The contact's first words. Without them, the agent begins with its greeting.",
        examples: ['When are you open?'],
      }),
    ),
    variables: Type.Optional(variables),
    metadata: Type.Optional(metadata),
    agent_version_id: Type.Optional(optionalId('A version other than the one in use, for a trial.')),
    use_draft: Type.Optional(Type.Boolean({ description: "Tries the agent's draft.", examples: [false] })),
    is_test: Type.Optional(
      Type.Boolean({
        description: 'A trial: it is left out of lists and totals, and sets no `last_contact_at`.',
        examples: [false],
      }),
    ),
  },
  Conversation,
)
export type NewConversation = Static<typeof NewConversation>

export const NewMessage = Type.Object({ text: message_text }, { title: 'NewMessage', additionalProperties: false })
export type NewMessage = Static<typeof NewMessage>

export const HandOver = Type.Object(
  {
    reason: Type.Optional(
      optionalText({ maxLength: 500, description: 'Why a person is needed.', examples: ['Asks for a refund.'] }),
    ),
  },
  { title: 'HandOver', additionalProperties: false },
)
export type HandOver = Static<typeof HandOver>

export const Link = Type.Object(
  { contact_id: id('The contact that takes part.') },
  { title: 'Link', additionalProperties: false },
)

const sorts = ['created_at', '-created_at', 'last_turn_at', '-last_turn_at', 'waiting_since', '-waiting_since'] as const

export const ConversationQuery = page.query({
  contact_id: idFilter('Only conversations with this contact.'),
  agent_id: idFilter('Only conversations with this agent.'),
  channel_id: idFilter('Only conversations on this channel.'),
  kind: Type.Optional(kind),
  status: Type.Optional(status),
  created_after: Type.Optional(timestamp('Only conversations that began after this.')),
  created_before: Type.Optional(timestamp('Only conversations that began before this.')),
  is_test: Type.Boolean({ default: false, description: 'With `true`, only trials. They are left out otherwise.' }),
  sort: oneOf(sorts, {
    default: '-created_at',
    description:
      'Newest first by default. `waiting_since` begins with the longest wait, and is only for `status=handed_over`.',
  }),
})
export type ConversationQuery = Static<typeof ConversationQuery>

export const TurnQuery = page.query(
  {
    after: Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      default: 0,
      description: "Only turns after this `seq`. Can't be used with `offset` or `cursor`.",
    }),
    wait_ms: Type.Integer({
      minimum: 0,
      maximum: wait_max_ms,
      default: 0,
      description:
        'How long to wait for an answer: a turn of the agent or a person after `after`. ' +
        "Can't be used with `offset` or `cursor`.",
    }),
  },
  ['seq', 20],
)
export type TurnQuery = Static<typeof TurnQuery>
