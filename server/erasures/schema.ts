import { type Static, Type } from 'typebox'
import { id, oneOf, optionalTimestamp, timestamp } from '../kit/field.ts'

const statuses = ['queued', 'running', 'done'] as const

const total = (description: string) => Type.Integer({ description, examples: [1] })

export const Erasure = Type.Object(
  {
    id: id('The unique id of the erasure. Treat it as opaque.'),
    contact_id: id('The contact, which is deleted at the end.'),
    status: oneOf(statuses, {
      description: '`queued`: it has not begun. `running`: some is erased. `done`: all is, also the files.',
      examples: ['queued'],
    }),
    counts: Type.Object(
      {
        conversations: total('Conversations that were redacted, also those of calls.'),
        calls: total('Calls that were redacted.'),
        messages: total('Text messages in these conversations.'),
        events: total('Events that were reduced to ids.'),
        files: total('Files that were removed, such as recordings.'),
      },
      { description: 'What was erased so far.' },
    ),
    created_at: timestamp('When the erasure was asked for, in real time.'),
    ended_at: optionalTimestamp('When all was erased, in real time. `null` before.'),
  },
  { title: 'Erasure' },
)
export type Erasure = Static<typeof Erasure>
export type Counts = Erasure['counts']
