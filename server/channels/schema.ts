import { type Static, Type } from 'typebox'
import { PhoneNumber } from '../contacts/phone.ts'
import { body, id, oneOf, TestResult, text, timestamp } from '../kit/field.ts'
import { hashState } from '../kit/http/etag.ts'
import * as page from '../kit/postgres/page.ts'

export const channels_max = 100
export const kinds = ['voice', 'sms', 'web_chat'] as const
export const providers = ['twilio', 'web', 'simulator'] as const
const statuses = ['active', 'disabled', 'failing'] as const
export type Kind = (typeof kinds)[number]
export type ProviderName = (typeof providers)[number]

export const default_api_url = 'https://api.twilio.com'
const origins_max = 50
const messages_per_minute_max = 1_000_000
const messages_per_day_max = 100_000_000
const tokens_per_day_max = 1_000_000_000_000

const sample_id = '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'
const name_text = { maxLength: 200, description: 'A name for people.', examples: ['Support line'] }
const kind = oneOf(kinds, { description: "How people reach the agent. It can't be changed.", examples: ['sms'] })
const provider = oneOf(providers, {
  description:
    'Who carries it: `twilio` for `sms` and for `voice` on the telephone, `web` for `web_chat` and for `voice` in browsers. ' +
    "A `simulator` reaches simulated people. It can't be changed.",
  examples: ['twilio'],
})
const optional = (options: object) => Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })
const agent_id_text = 'The agent that answers.'

const channel = {
  id: id('The unique id of the channel. Treat it as opaque.'),
  name: Type.String(name_text),
  kind,
  provider,
  address: optional({
    description: 'The phone number. `null` for the provider `web`, and for people who are not owners.',
    examples: ['+14155550100'],
  }),
  public_url: optional({
    description:
      'The page of a web chat, or the one on which visitors talk. `null` for other kinds, and for people who are not owners.',
    examples: [null],
  }),
  has_voice: Type.Boolean({
    description: 'Of a web chat: whether visitors can also talk.',
    examples: [false],
  }),
  inbound_url: optional({
    description:
      'The URL that Twilio sends incoming messages or calls to. `null` for other providers, and for people who are not owners.',
    examples: [`https://parley.example.com/sms/${sample_id}`],
  }),
  agent_id: optional({
    format: 'uuid',
    description: `${agent_id_text} \`null\` only for a simulator without one.`,
    examples: [sample_id],
  }),
  status: oneOf(statuses, {
    description:
      '`disabled`: an owner has turned it off, and it neither receives nor sends nor calls. `failing`: the carrier refuses to ' +
      'send or to call.',
    examples: ['active'],
  }),
  capabilities: Type.Object(
    {
      inbound: Type.Boolean({ description: 'Whether an agent answers who writes or calls.', examples: [true] }),
      outbound: Type.Boolean({ description: 'Whether an agent can write or call first.', examples: [true] }),
    },
    { description: 'What the channel can do while it is active.' },
  ),
  created_at: timestamp('When the channel was created.'),
  updated_at: timestamp('When the channel was last changed.'),
}

export const Channel = Type.Object(channel, { title: 'Channel' })
export type Channel = Static<typeof Channel>

/** Returns the version of a channel. Its URLs change with the address of the service. */
export const channelVersion = ({ updated_at, public_url, inbound_url }: Channel): string =>
  hashState(updated_at, public_url, inbound_url)

const count = (maximum: number, description: string, example: number) =>
  Type.Integer({ minimum: 1, maximum, description, examples: [example] })
const limits = {
  messages_per_minute_max: count(
    messages_per_minute_max,
    'How many messages it sends in a minute at most. Not for `voice`.',
    60,
  ),
  messages_per_day_max: count(
    messages_per_day_max,
    'How many messages it sends in a day (UTC) at most. Not for `voice`.',
    10_000,
  ),
  tokens_per_day_max: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 1,
    maximum: tokens_per_day_max,
    description: 'How many tokens of models its conversations use in a day (UTC) at most. `null`: no limit.',
    examples: [200_000],
  }),
}
const api_url_text = { maxLength: 2_000, description: "The URL of the carrier's API.", examples: [default_api_url] }
const origins_text = 'The origins of the pages that may show a web chat, or the page to talk, besides its own page.'

/** A channel as owners see it in the dashboard and on the command line. */
export const ChannelWithSettings = Type.Object(
  {
    ...channel,
    ...limits,
    origins: Type.Array(Type.String(), { description: origins_text, examples: [['https://example.com']] }),
    account_sid: optional({ description: 'The account at Twilio.', examples: [null] }),
    has_auth_token: Type.Boolean({ description: "Whether the account's token is stored.", examples: [true] }),
    api_url: optional(api_url_text),
    error: optional({ description: 'Why the carrier refuses to send or to call, while it does.', examples: [null] }),
  },
  { title: 'ChannelWithSettings' },
)
export type ChannelWithSettings = Static<typeof ChannelWithSettings>

const AgentId = Type.Optional(
  optional({ description: `${agent_id_text} Optional for a simulator.`, examples: [sample_id] }),
)
const settings = {
  has_voice: Type.Optional(channel.has_voice),
  origins: Type.Optional(
    Type.Array(text({ maxLength: 300, examples: ['https://example.com'] }), {
      maxItems: origins_max,
      description: origins_text,
      examples: [['https://example.com']],
    }),
  ),
  account_sid: Type.Optional(
    text({
      pattern: '^AC[0-9a-fA-F]{32}$',
      description: 'The account at Twilio.',
      examples: ['AC0123456789abcdef0123456789abcdef'],
    }),
  ),
  auth_token: Type.Optional(
    text({
      maxLength: 200,
      pattern: '^[\\x21-\\x7e]+$',
      description:
        "The account's token. It is never returned. A change of scheme, host or port of `api_url` removes the stored token, unless it is sent again.",
      examples: ['0123456789abcdef0123456789abcdef'],
    }),
  ),
  api_url: Type.Optional(text(api_url_text)),
  messages_per_minute_max: Type.Optional(limits.messages_per_minute_max),
  messages_per_day_max: Type.Optional(limits.messages_per_day_max),
  tokens_per_day_max: Type.Optional(limits.tokens_per_day_max),
}

export const NewChannel = body(
  'NewChannel',
  {
    name: text(name_text),
    kind,
    provider,
    address: Type.Optional(
      Type.Unsafe<string>({
        ...PhoneNumber,
        description: 'The phone number, in E.164. Unique among channels of its kind.',
      }),
    ),
    agent_id: AgentId,
    ...settings,
  },
  ChannelWithSettings,
)
export type NewChannel = Static<typeof NewChannel>

export const ChannelChange = body(
  'ChannelChange',
  {
    name: Type.Optional(text(name_text)),
    agent_id: AgentId,
    status: Type.Optional(oneOf(['active', 'disabled'], { description: 'Turns the channel on or off.' })),
    ...settings,
  },
  ChannelWithSettings,
)
export type ChannelChange = Static<typeof ChannelChange>

/** The body of a channel's test. SMS channels send a message to `to`. Others need no body. */
export const ChannelTest = Type.Object(
  { to: Type.Optional(PhoneNumber) },
  { title: 'ChannelTest', additionalProperties: false },
)
export type ChannelTest = Static<typeof ChannelTest>

export const Finding = Type.Object(
  {
    code: Type.String({ description: 'Names the fault, for programs.', examples: ['voice_url_differs'] }),
    message: Type.String({
      description: 'What is wrong, and what to do.',
      examples: ['PUBLIC_URL must begin with https://. Set it to the https address of the service.'],
    }),
  },
  { title: 'Finding' },
)
export type Finding = Static<typeof Finding>

export const ChannelTestResult = Type.Object(
  {
    ...TestResult.properties,
    findings: Type.Array(Finding, {
      description: 'Everything that keeps calls from reaching a telephone channel. Empty for SMS channels.',
    }),
  },
  { title: 'ChannelTestResult' },
)
export type ChannelTestResult = Static<typeof ChannelTestResult>

export const ChannelQuery = page.query({
  kind: Type.Optional(oneOf(kinds, { description: 'Only channels of this kind.' })),
  status: Type.Optional(oneOf(statuses, { description: 'Only channels with this status.' })),
})
export type ChannelQuery = Static<typeof ChannelQuery>
