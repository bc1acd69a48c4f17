import { type Static, Type } from 'typebox'
import { sources } from '../contacts/schema.ts'
import { id, timestamp } from '../kit/field.ts'

const total = (description: string) => Type.Integer({ description, examples: [0] })

export const Overview = Type.Object(
  {
    contacts: Type.Object({
      total: total('The number of contacts.'),
      new_this_week: total('The number of contacts created in the last seven days in UTC, including today.'),
      by_source: Type.Object(
        Object.fromEntries(
          sources.map((source) => [source, total(`The number of contacts with the source \`${source}\`.`)]),
        ),
      ),
    }),
    added_by_day: Type.Array(
      Type.Object({
        day: Type.String({ format: 'date', description: 'A day in UTC.', examples: ['2026-11-15'] }),
        total: total('The number of contacts created on this day.'),
      }),
      { description: 'Each of the last 30 days, oldest first.' },
    ),
    events: Type.Array(
      Type.Object({
        id: id('The id of the event.'),
        type: Type.String({ examples: ['contact.created'] }),
        resource_id: id('The id of the resource that changed.'),
        created_at: timestamp('When the event happened.'),
      }),
      { description: 'The latest ten events, newest first.' },
    ),
  },
  { title: 'Overview' },
)
export type Overview = Static<typeof Overview>
