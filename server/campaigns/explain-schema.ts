import { type Static, Type } from 'typebox'
import { optionalId } from '../conversations/schema.ts'
import { oneOf, optionalText, optionalTimestamp, timestamp } from '../kit/field.ts'
import { total } from './schema.ts'

const rules = [
  'campaign',
  'consent',
  'conversation',
  'attempts',
  'caps',
  'quiet_hours',
  'windows',
  'breaker',
  'pacing',
] as const
export type RuleName = (typeof rules)[number]

export const Explanation = Type.Object(
  {
    verdict: oneOf(['attempt', 'defer', 'skip', 'fail', 'expire', 'done'], {
      description: 'What would happen at this time.',
      examples: ['defer'],
    }),
    at: timestamp('The time that is explained.'),
    rules: Type.Array(
      Type.Object({
        rule: oneOf(rules, { examples: ['quiet_hours'] }),
        verdict: oneOf(['pass', 'defer', 'skip', 'fail', 'expire', 'done'], { examples: ['pass'] }),
        because: Type.String({
          description: 'In words.',
          examples: ['It is 10:12 in America/New_York, within 08:00 to 21:00.'],
        }),
      }),
      { description: 'Every rule, in the order in which they are asked.' },
    ),
    next_attempt_at: optionalTimestamp('The earliest time of the next attempt. `null` when none follows.'),
    attempts: Type.Array(
      Type.Object({
        attempt: total('Its number.', 1),
        at: timestamp('When it began.'),
        ended_at: optionalTimestamp('When it ended.'),
        outcome: optionalText({ description: 'How it ended.', examples: ['no_answer'] }),
        call_id: optionalId('The call.'),
        conversation_id: optionalId('The conversation by SMS.'),
      }),
      { description: 'Attempts so far.' },
    ),
  },
  { title: 'Explanation' },
)
export type Explanation = Static<typeof Explanation>

export const ExplainQuery = Type.Object({
  at: Type.Optional({ ...timestamp('The time to explain: now, or later.'), examples: ['2036-11-15T09:30:00.000Z'] }),
})
