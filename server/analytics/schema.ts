import { type Static, type TProperties, Type } from 'typebox'
import { oneOf, timestamp } from '../kit/field.ts'
import { keys } from './counts.ts'
import { intervals } from './intervals.ts'

export const rows_max = 10_000

const key = `(${keys.join('|')})`

const time = (description: string, example: string) =>
  Type.String({ format: 'date-time', description, examples: [example] })

export const Query = Type.Object({
  from: Type.Optional(
    time(
      'The first interval is the one with this time. By default the rows are those of 30 days, or of 24 hours by the hour. At most 400 days before `to`, by the hour 7.',
      '2026-11-10T00:00:00.000Z',
    ),
  ),
  to: Type.Optional(
    time(
      'Intervals that begin at this time or later are left out. By default now. `from` and `to` must be in the years 1970 to 9998.',
      '2026-11-15T00:00:00.000Z',
    ),
  ),
  interval: oneOf(intervals, {
    default: 'day',
    description:
      "Hours, days or weeks by the clocks of the workspace's `time_zone`. Weeks begin on Mondays. Intervals are always whole: the first one may begin before `from`, and the last one end after `to`.",
    examples: ['day'],
  }),
  group_by: Type.Optional(
    Type.String({
      pattern: `^${key}(,${key})?$`,
      description: `One or two of ${keys.map((one) => `\`${one}\``).join(', ')}, separated by a comma. Each combination has rows of its own.`,
      examples: ['agent_id,outcome'],
    }),
  ),
})
export type Query = Static<typeof Query>

const total = (description: string, example: number) => Type.Integer({ description, examples: [example] })

const median = (description: string, example: number) =>
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: `${description} In milliseconds, less than 5 % away from the exact one. \`null\` if there is none.`,
    examples: [example],
  })

const share = (description: string, example: number) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], description, examples: [example] })

const call_measures = {
  calls: total('The number of calls that were dialled or received in the interval, and have ended.', 200),
  answered: total('Those with the outcome `answered`: by a person.', 90),
  by_outcome: Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'How many calls had each outcome. Outcomes that no call had are left out.',
    examples: [{ answered: 90, no_answer: 110 }],
  }),
  answer_rate: Type.Object(
    {
      value: share('`answered` as a share of `calls`.', 0.45),
      low: share('The lower limit.', 0.3826),
      high: share('The upper limit.', 0.5192),
    },
    {
      title: 'AnswerRate',
      description:
        "The limits are those of Wilson's interval of 95 %: what the share would be in the long run. All are `null` without calls.",
    },
  ),
  duration_p50_ms: median('The median of `duration_ms`, over calls that were answered by anything.', 62_480),
  turn_p50_ms: median("The median of the calls' `latency.turn_p50_ms`: how fast the agent answers.", 640),
  cost_micros: total("What the calls have cost by the workspace's `prices`, in millionths of the currency.", 1_200_000),
}

const conversation_measures = {
  conversations: total('The number of conversations that began in the interval.', 120),
  handed_over: total('How often they were handed over to a person so far.', 8),
  closed: total('How many of them are closed by now.', 100),
  turns: total('The number of their turns so far.', 840),
  first_answer_p50_ms: median(
    "The median of the time from a contact's first words to the first answer, by the agent or by a person.",
    1_200,
  ),
}

const campaign_measures = {
  attempts: total('The number of attempts that began in the interval, and have ended.', 200),
  reached: total('Those that have reached the contact: with the outcome `answered`, `replied` or `delivered`.', 90),
  completed: total('Those after which the enrollment was `completed`.', 88),
}

const Group = Type.Unsafe<Record<string, string | null>>({
  title: 'AnalyticsGroup',
  type: 'object',
  additionalProperties: { type: ['string', 'null'] },
  description:
    'The values that the row is for, by the names in `group_by`. `null` for what has none: conversations have neither `campaign_id` nor `outcome`. Empty without `group_by`.',
  examples: [{}],
})

const report = <Measures extends TProperties>(title: string, measures: Measures) =>
  Type.Object(
    {
      rows: Type.Array(Type.Object({ start: timestamp('When the interval begins.'), group: Group, ...measures }), {
        description:
          'By time. Without `group_by` each interval has a row, also when nothing has happened. With `group_by` only what has happened has.',
      }),
      total: Type.Object(measures, { description: 'All rows together.' }),
    },
    { title },
  )

export const CallAnalytics = report('CallAnalytics', call_measures)
export const ConversationAnalytics = report('ConversationAnalytics', conversation_measures)
export const CampaignAnalytics = report('CampaignAnalytics', campaign_measures)
export type CallAnalytics = Static<typeof CallAnalytics>
export type ConversationAnalytics = Static<typeof ConversationAnalytics>
export type CampaignAnalytics = Static<typeof CampaignAnalytics>
