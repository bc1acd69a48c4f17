import { type Static, Type } from 'typebox'
import { endTime, oneOf, startTime } from '../kit/field.ts'

export const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** The outcomes with which an attempt can end. The last three are those of messages. */
export const attempt_outcomes = [
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
  'replied',
  'delivered',
  'undelivered',
] as const
export type AttemptOutcome = (typeof attempt_outcomes)[number]

export const Window = Type.Object(
  {
    days: Type.Array(oneOf(days), {
      minItems: 1,
      maxItems: 7,
      description: 'On which days.',
      examples: [['mon', 'tue']],
    }),
    start: startTime('09:00'),
    end: endTime('17:00', 'Hours and minutes, exclusive. An end before the start is on the next day.'),
  },
  { title: 'CallingWindow', additionalProperties: false },
)
export type Window = Static<typeof Window>

export const windows = Type.Array(Window, {
  minItems: 1,
  maxItems: 50,
  description:
    "When contacts can be reached, in the contact's time zone. It must be open in every zone that the number may be in.",
  examples: [[{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:00' }]],
})

export const holidays = Type.Array(
  Type.String({
    format: 'date',
    description: 'A day on which nobody is called, in the time zone of the contact.',
    examples: ['2026-12-25'],
  }),
  { maxItems: 366, description: 'Days on which nobody is reached.', examples: [['2026-12-25']] },
)

export const pacing = {
  in_flight_max: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    description: 'Attempts at the same time.',
    examples: [10],
  }),
  starts_per_second: Type.Number({
    minimum: 0.01,
    maximum: 1_000,
    description: 'How many attempts begin in a second. Less than 1 is possible.',
    examples: [1],
  }),
  ramp_minutes: Type.Integer({
    minimum: 0,
    maximum: 1_440,
    description: 'How many minutes it takes to reach this rate after a start.',
    examples: [0],
  }),
}
export const pacing_description = 'How fast contacts are reached.'
export const Pacing = Type.Object(pacing, { description: pacing_description })
export type Pacing = Static<typeof Pacing>

export const caps = {
  per_day: Type.Integer({ minimum: 1, maximum: 100, description: 'Attempts in a day.', examples: [1] }),
  per_week: Type.Integer({ minimum: 1, maximum: 500, description: 'Attempts in seven days.', examples: [3] }),
  gap_hours_min: Type.Number({ minimum: 0, maximum: 168, description: 'Hours between two attempts.', examples: [4] }),
}
export const caps_description =
  "How often a person is tried, over all campaigns. Days are those of the contact's time zone."
export const Caps = Type.Object(caps, { description: caps_description })
export type Caps = Static<typeof Caps>

export const RetryRule = Type.Object(
  {
    outcome: oneOf(attempt_outcomes, { description: 'How the attempt ended.', examples: ['no_answer'] }),
    attempts_max: Type.Integer({ minimum: 1, maximum: 20, description: 'Attempts with this outcome.', examples: [3] }),
    waits_seconds: Type.Array(Type.Integer({ minimum: 60, maximum: 31 * 86_400 }), {
      maxItems: 19,
      description: 'How long to wait after the first, the second and later ones. The last wait is repeated.',
      examples: [[14_400, 86_400]],
    }),
  },
  { title: 'RetryRule', additionalProperties: false },
)
export type RetryRule = Static<typeof RetryRule>

export const retry = Type.Array(RetryRule, {
  maxItems: attempt_outcomes.length,
  description:
    'What happens after attempts that did not reach the contact. Outcomes that are not named keep their defaults.',
  examples: [[{ outcome: 'no_answer', attempts_max: 3, waits_seconds: [14_400, 86_400] }]],
})

export const default_windows: Window[] = [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:00' }]
export const default_pacing: Pacing = { in_flight_max: 10, starts_per_second: 1, ramp_minutes: 0 }
export const default_caps: Caps = { per_day: 1, per_week: 3, gap_hours_min: 4 }
export const default_attempts_max = 4
