import { type Static, Type } from 'typebox'
import { id, oneOf, timestamp } from '../kit/field.ts'
import * as page from '../kit/postgres/page.ts'
import { catalogue, type EventType, type_patterns, types } from './catalog.ts'

const type = oneOf(types, { description: 'What happened. More types may be added.', examples: ['contact.created'] })
const example = { id: '019a84c4-5f00-7c3e-9d53-2f1a64c0b7ab', name: 'CRM sync' }

export const Event = Type.Object(
  {
    id: id('Unique identifier; treat it as opaque.'),
    type: Type.Unsafe<EventType>({ ...type, examples: ['api_key.created'] }),
    resource_id: id('What it happened to.'),
    created_at: timestamp('When it happened.'),
    data: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: true,
      description: 'The resource as it was then: see the types of events.',
      examples: [example],
    }),
    previous: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'Of an update: the former values of what changed. `null` otherwise.',
      examples: [null],
    }),
  },
  { title: 'Event' },
)
export type Event = Static<typeof Event>

const filters = {
  type: Type.Optional(
    oneOf(type_patterns, { description: 'Only events of this type, or of those that a pattern stands for.' }),
  ),
  after: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'The id of an event: only those that came after it, the oldest first.',
    }),
  ),
}

export const EventQuery = page.query({
  ...filters,
  resource_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only what happened to this resource.' })),
})
export type EventQuery = Static<typeof EventQuery>

export const StreamQuery = Type.Object(filters)
export type StreamQuery = Static<typeof StreamQuery>

/** What is sent of an event of this type, as in Standard Webhooks. */
export function payloadOf(type: EventType) {
  const kind = catalogue[type]
  const members = {
    id: id('Unique identifier of the event.'),
    type: Type.Literal(type),
    timestamp: timestamp('When it happened.'),
    workspace_id: id('The workspace in which it happened.'),
    data: kind.data,
  }
  const title = `${type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`
  return 'previous' in kind
    ? Type.Object({ ...members, previous: Type.Optional(kind.previous) }, { title })
    : Type.Object(members, { title })
}
