import { type Static, Type } from 'typebox'
import { optionalTimestamp, timestamp } from '../kit/field.ts'
import { MixChange } from '../workspaces/schema.ts'
import { byName, total } from './schema.ts'

export const NewForecast = Type.Object(
  {
    seed: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        description: "What is drawn depends on it. By default that of the workspace's test clock, or 1.",
        examples: [1],
      }),
    ),
    mix: Type.Optional(MixChange),
  },
  { title: 'NewForecast', additionalProperties: false },
)
export type NewForecast = Static<typeof NewForecast>

export const Forecast = Type.Object(
  {
    seed: Type.Integer({ description: 'The seed of what was drawn.', examples: [1] }),
    is_sampled: Type.Boolean({
      description:
        'Whether only some of the contacts were simulated, chosen by chance: 10,000, or as many as 15 seconds are enough for. All ' +
        'counts are of all contacts nevertheless.',
      examples: [false],
    }),
    simulated: total('Contacts that were simulated.', 412),
    expected_end_at: optionalTimestamp('When nothing is left to do. `null` when it does not end within a year.'),
    expected_end: Type.Union(
      [
        Type.Object(
          { low: timestamp('The begin of the interval.'), high: timestamp('Its end.') },
          { description: 'The campaign ends in this interval in nine of ten cases.' },
        ),
        Type.Null(),
      ],
      { description: 'An interval for `expected_end_at`, which is `null` when that is.' },
    ),
    timeline: Type.Array(
      Type.Object({
        at: timestamp('The begin of the interval.'),
        starts: total('Attempts that begin in it.', 60),
        in_flight: total('Attempts that go on at its end.', 10),
        answered: total('Contacts who answer in it.', 27),
      }),
      { maxItems: 200, description: 'At most 200 intervals of equal length.' },
    ),
    by_outcome: byName('Attempts by their outcome.', [{ answered: 300 }]),
    by_outcome_interval: Type.Record(
      Type.String(),
      Type.Object({ low: total('At least so many attempts.', 281), high: total('At most so many.', 319) }),
      {
        description: 'For each outcome the interval in which its count lies in nine of ten cases.',
        examples: [{ answered: { low: 281, high: 319 } }],
      },
    ),
    by_status: byName('Contacts by the status of their enrollment at the end.', [{ completed: 374, skipped: 38 }]),
    skips: byName('Contacts who are skipped, by reason.', [{ opted_out: 38 }]),
    warnings: Type.Array(Type.String(), {
      description: 'What you may want to change.',
      examples: [['312 contacts have no hour in which all their time zones are open.']],
    }),
  },
  { title: 'Forecast' },
)
export type Forecast = Static<typeof Forecast>
