import { type Static, Type } from 'typebox'
import { allOptional, body, check, endTime, id, oneOf, startTime, text, timestamp } from '../kit/field.ts'
import { checkCountry, countries, DefaultCountry } from './countries.ts'

const keep_days_max = 3_650
const calls_in_flight_limit = 10_000
const tokens_per_day_limit = 1_000_000_000

const keepDays = (description: string, example: number | null) =>
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 1,
    maximum: keep_days_max,
    description: `${description} \`null\` keeps them forever.`,
    examples: [example],
  })

const price_max = 1_000_000_000

const price = (description: string) =>
  Type.Integer({ minimum: 0, maximum: price_max, description: `${description}, in millionths.`, examples: [0] })

const prices = {
  currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'Three letters, as in ISO 4217.', examples: ['USD'] }),
  input_tokens_per_million: price('For a million tokens that models read'),
  output_tokens_per_million: price('For a million tokens that models write'),
  call_minute: price('For a minute of a call; seconds count in proportion'),
  message_segment: price('For a segment of an SMS'),
  speech_minute: price(
    'For a minute of sound that providers have heard or made in a call; seconds count in proportion',
  ),
}

const prices_description = 'What is used to compute `cost_micros`, in millionths of the currency.'

const quiet_hours = { start: startTime('08:00'), end: endTime('21:00') }
const quiet_hours_description =
  'Between which hours campaigns may reach people, and agents may call them back as agreed, in the time zone of each person. ' +
  'No campaign can widen them.'

const share = (example: number) => Type.Integer({ minimum: 0, maximum: 100, examples: [example] })

const shares = {
  answered: share(45),
  no_answer: share(25),
  voicemail: share(20),
  busy: share(4),
  rejected: share(3),
  unreachable: share(2),
  error: share(1),
}
const Mix = Type.Object(shares)
export type Mix = Static<typeof Mix>

/** Shares that are left out keep their values. */
export const MixChange = Type.Object(allOptional(shares), {
  additionalProperties: false,
  description:
    'How calls and messages turn out, in percent. Shares that are left out keep their values; the sum is 100.',
  examples: [{}],
})

const mix_options = {
  type: ['object', 'null'],
  description:
    'Only in a test workspace, else `null`: how calls and messages to numbers that end in 20 to 99 turn out, in percent. The ' +
    'sum is 100.',
  examples: [null],
}

const settings = {
  default_country: Type.Unsafe<string | null>({
    ...DefaultCountry,
    title: 'DashboardCountry',
    description:
      'The country of phone numbers that people type in the dashboard without a country code. The API, imports and ' +
      'integrations do not use it.',
  }),
  requires_two_factor: Type.Boolean({
    description:
      'Whether people must sign in with two factors to use this workspace in the dashboard. API keys are not affected, and ' +
      "can't change this setting.",
    examples: [false],
  }),
  conversations_keep_days: keepDays(
    'For how many days after it began a conversation is kept, if it is closed. Not for calls.',
    null,
  ),
  calls_keep_days: keepDays(
    'For how many days a call is kept, with its transcript and recording, if it is over.',
    null,
  ),
  recordings_keep_days: keepDays('For how many days the recordings of calls are kept.', 90),
  tool_runs_keep_days: keepDays('For how many days the runs of tools are kept.', 90),
  tokens_per_day_max: Type.Integer({
    minimum: 0,
    maximum: tokens_per_day_limit,
    description: 'How many tokens the agents of the workspace can use in a day.',
    examples: [2_000_000],
  }),
  calls_in_flight_max: Type.Integer({
    minimum: 1,
    maximum: calls_in_flight_limit,
    description: 'How many calls can be queued, ringing or in progress at a time.',
    examples: [100],
  }),
  time_zone: text({
    format: 'time-zone',
    description:
      'The time zone in which agents talk about dates and times, as an IANA name, if that of the contact is not known: neither ' +
      'from its `time_zone` nor from its number.',
    examples: ['UTC'],
  }),
  allowed_countries: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { title: 'CountryCode', type: 'string', enum: countries, [check]: checkCountry },
    maxItems: countries.length,
    description:
      'The countries whose numbers can be called and written to, as two letters such as `US`. `null` allows those of the ' +
      "workspace's own numbers, and in a test workspace all. An empty list allows none.",
    examples: [null],
  }),
  allows_network: Type.Unsafe<boolean | null>({
    type: ['boolean', 'null'],
    description:
      'Only in a test workspace, else `null`: whether agents may ask models and tools over the network. What they answer can ' +
      'differ from run to run.',
    examples: [null],
  }),
}

const Settings = Type.Object(
  {
    ...settings,
    mix: Type.Unsafe<Mix | null>({ ...Mix, ...mix_options }),
    prices: Type.Object(prices, { description: prices_description }),
    quiet_hours: Type.Object(quiet_hours, { description: quiet_hours_description }),
  },
  { description: 'What applies to the whole workspace.' },
)
export type Settings = Static<typeof Settings>

const name = text({
  maxLength: 200,
  description: 'No other workspace of the service can have it.',
  examples: ['Acme'],
})

export const Workspace = Type.Object(
  {
    id: id('The unique id of the workspace. Treat it as opaque.'),
    name,
    kind: oneOf(['live', 'test'], {
      description: "The time of a `test` workspace is that of its test clock. It can't be changed.",
      examples: ['live'],
    }),
    settings: Settings,
    created_at: timestamp('When the workspace was created.'),
    updated_at: timestamp('When the workspace was last changed.'),
  },
  { title: 'Workspace' },
)
export type Workspace = Static<typeof Workspace>

export const WorkspaceChange = body(
  'WorkspaceChange',
  allOptional({
    name,
    settings: Type.Object(
      {
        ...allOptional(settings),
        mix: Type.Optional(
          Type.Unsafe<Partial<Mix> | null>({
            ...Type.Object(allOptional(shares)),
            ...mix_options,
            additionalProperties: false,
          }),
        ),
        prices: Type.Optional(
          Type.Object(allOptional(prices), { additionalProperties: false, description: prices_description }),
        ),
        quiet_hours: Type.Optional(
          Type.Object(allOptional(quiet_hours), { additionalProperties: false, description: quiet_hours_description }),
        ),
      },
      {
        additionalProperties: false,
        description: 'Members that are left out keep their values, also those of `prices`, `quiet_hours` and `mix`.',
        // The example leaves out `allows_network` and `mix`: what one kind of workspace needs there, the other refuses.
        examples: [
          { recordings_keep_days: 90, time_zone: 'Europe/Berlin', quiet_hours: { start: '09:00', end: '20:00' } },
        ],
      },
    ),
  }),
  Workspace,
)
export type WorkspaceChange = Static<typeof WorkspaceChange>
