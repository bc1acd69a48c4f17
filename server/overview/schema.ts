import { type Static, Type } from 'typebox'
import { sources } from '../contacts/schema.ts'
import { id, timestamp } from '../kit/field.ts'

const total = (description: string) => Type.Integer({ description, examples: [0] })

export const Overview = Type.Object(
  {
    contacts: Type.Object({
      total: total('How many contacts there are.'),
      new_this_week: total('How many of them were created in the last seven days, today among them, in UTC.'),
      by_source: Type.Object(
        Object.fromEntries(sources.map((source) => [source, total(`How many have the source \`${source}\`.`)])),
      ),
    }),
    added_by_day: Type.Array(
      Type.Object({
        day: Type.String({ format: 'date', description: 'A day in UTC.', examples: ['2026-11-15'] }),
        total: total('How many of the contacts were created on it.'),
      }),
      { description: 'The last 30 days, the oldest first, those with none too.' },
    ),
    events: Type.Array(
      Type.Object({
        id: id("The event's identifier."),
        type: Type.String({ examples: ['contact.created'] }),
        resource_id: id('What it happened to.'),
        created_at: timestamp('When it happened.'),
      }),
      { description: 'The last ten, the newest first.' },
    ),
  },
  { title: 'Overview' },
)
export type Overview = Static<typeof Overview>
