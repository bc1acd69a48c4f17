import { type Static, Type } from 'typebox'
import { oneOf, optionalText, optionalTimestamp, timestamp } from '../kit/field.ts'

/** The most that one advance by seconds can add: 366 days. */
const by_seconds_max = 31_622_400

const status = oneOf(['ready', 'advancing'], {
  description: '`advancing` until the clock has reached its `target`, or has stopped with an `error`.',
})

export const TestClock = Type.Object(
  {
    now: timestamp('The time in the workspace.'),
    status,
    target: optionalTimestamp(
      'While the clock is advancing: the time at which it will stop. `now` may reach it before the `status` is `ready`.',
    ),
    seed: Type.Integer({
      description: 'Chosen when the workspace is created. What is simulated in the workspace depends on it.',
      examples: [1],
    }),
    error: optionalText({
      description:
        'Why the last advance has ended before its target: it made no progress for a minute. The next advance clears it.',
      examples: [null],
    }),
  },
  { title: 'TestClock' },
)
export type TestClock = Static<typeof TestClock>

export const Advance = Type.Object(
  {
    to: Type.Optional(timestamp("The time to advance to, after `now`. A clock can't go back.")),
    by_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: by_seconds_max,
        description: 'How far to advance, at most 366 days.',
        examples: [3600],
      }),
    ),
  },
  { title: 'Advance', additionalProperties: false, examples: [{ by_seconds: 3600 }] },
)
export type Advance = Static<typeof Advance>
