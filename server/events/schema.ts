import { type Static, Type } from 'typebox'
import { id, oneOf, sample_id, timestamp } from '../kit/field.ts'
import type { Named } from '../kit/postgres/names.ts'
import * as page from '../kit/postgres/page.ts'
import { type ActorType, actor_types } from './actors.ts'
import { type Catalog, type EventType, nounOf } from './catalog.ts'

/** The `data` of an event about a deleted resource. */
export const OnlyId = Type.Object({ id: id("The resource's identifier.") }, { title: 'OnlyId' })

const example = { id: '019a84c4-5f00-7c3e-9d53-2f1a64c0b7ab', name: 'CRM sync' }

const optionalId = (description: string) => ({
  type: ['string', 'null'],
  format: 'uuid',
  description,
  examples: [sample_id],
})
const optionalName = {
  type: ['string', 'null'],
  description: 'Its name of now. `null` if it has none, or does not exist any more.',
  examples: ['CRM sync'],
}

const actor_description = 'Who or what has caused it.'
const actor_members = {
  type: { type: 'string', enum: actor_types, description: 'What it is.', examples: ['key'] },
  id: optionalId('Its id. `null` for `operator`, who uses the command line, and for `system`, the service itself.'),
}
const subject_description = 'What it is about.'
const subject_members = {
  type: { type: 'string', description: 'What it is, such as `contact`.', examples: ['api_key'] },
  id: optionalId('Its id.'),
}

/** Makes the schema of a reference without a union, which would be slow to serialize. */
const reference = (title: string, description: string, properties: Members, is_optional: boolean) => ({
  type: is_optional ? ['object', 'null'] : 'object',
  required: Object.keys(properties),
  properties,
  title,
  description,
  examples: [Object.fromEntries(Object.entries(properties).map(([name, { examples }]) => [name, examples[0]]))],
})

type Members = Record<string, { examples: unknown[] }>

type NamedActor = Named<{ type: ActorType; id: string | null }>

const before_note = '`null` for events from before this was recorded.'

const EventActor = Type.Unsafe<NamedActor | null>(
  reference('EventActor', `${actor_description} ${before_note}`, { ...actor_members, name: optionalName }, true),
)
const EventSubject = Type.Unsafe<Named | null>(
  reference('EventSubject', `${subject_description} ${before_note}`, { ...subject_members, name: optionalName }, true),
)

/** The actor of an entry in the audit log. */
export const EntryActor = Type.Unsafe<NamedActor>(
  reference('EntryActor', 'Who or what has done it.', { ...actor_members, name: optionalName }, false),
)
export const EntrySubject = Type.Unsafe<Named | null>(
  reference(
    'EntrySubject',
    'What it was done to. `null` for what is about no single resource, such as an export.',
    { ...subject_members, name: optionalName },
    true,
  ),
)

/** Payloads have no names: these change, and each attempt to deliver sends the same bytes. */
const payload_note = 'Not part of events from before this was recorded.'
const PayloadActor = Type.Unsafe<object>(
  reference('PayloadActor', `${actor_description} ${payload_note}`, actor_members, false),
)
const payloadSubject = (noun: string) =>
  Type.Object(
    { type: Type.Literal(noun), id: id('Its id.') },
    { title: `${toPascalCase(noun)}Subject`, description: `${subject_description} ${payload_note}` },
  )

const toPascalCase = (name: string): string =>
  name.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())

const EventId = Type.String({ ...id('The unique id of the event. Treat it as opaque.'), title: 'EventId' })
const EventTime = Type.String({ ...timestamp('When it happened.'), title: 'EventTime' })
const EventResourceId = Type.String({ ...id('The resource that the event is about.'), title: 'EventResourceId' })
const EventWorkspaceId = Type.String({ ...id('The workspace in which it happened.'), title: 'EventWorkspaceId' })

export const eventSchema = ({ names }: Catalog) =>
  Type.Object(
    {
      id: EventId,
      type: oneOf(names, {
        description: 'The type of the event. More types may be added.',
        examples: ['api_key.created'],
      }),
      resource_id: EventResourceId,
      created_at: EventTime,
      actor: EventActor,
      subject: EventSubject,
      data: Type.Unsafe<object>({
        type: 'object',
        additionalProperties: true,
        description: 'The resource after the event. Its schema depends on the type.',
        examples: [example],
      }),
      previous: Type.Unsafe<object | null>({
        type: ['object', 'null'],
        additionalProperties: true,
        description: 'For updates: the previous values of the fields that changed. `null` otherwise.',
        examples: [null],
      }),
    },
    { title: 'WorkspaceEvent' },
  )
export type Event = Static<ReturnType<typeof eventSchema>>

const filters = ({ patterns }: Catalog) => ({
  type: Type.Optional(
    oneOf(patterns, { description: 'Only events of this type, or of the types that a pattern matches.' }),
  ),
  after: Type.Optional(id('The id of an event: only events after it, oldest first.')),
})

export const eventQuery = (catalog: Catalog) =>
  page.query(
    {
      ...filters(catalog),
      resource_id: Type.Optional(id('Only events of this resource.')),
    },
    ['-position', 20],
  )
export type EventQuery = Static<ReturnType<typeof eventQuery>>

export const streamQuery = (catalog: Catalog) => Type.Object(filters(catalog))

/** The events of the stream, by name: as in the list, each with the schema of its own resource. */
export const streamEvents = (catalog: Catalog) => {
  const { properties } = eventSchema(catalog)
  const typed = ({ name, data, previous }: EventType) =>
    Type.Object({
      ...properties,
      type: Type.Literal(name),
      data,
      previous: previous ? Type.Union([previous, Type.Null()]) : Type.Null(),
    })
  return Object.fromEntries(catalog.types.map((type) => [type.name, typed(type)]))
}

/** The body of a webhook request for this type, by Standard Webhooks. */
export function payloadSchema({ name, data, previous }: EventType) {
  const members = {
    id: EventId,
    type: Type.Literal(name),
    timestamp: EventTime,
    workspace_id: EventWorkspaceId,
    actor: Type.Optional(PayloadActor),
    subject: Type.Optional(payloadSubject(nounOf(name))),
    data,
  }
  const title = `${toPascalCase(name)}Event`
  return previous
    ? Type.Object({ ...members, previous: Type.Optional(previous) }, { title })
    : Type.Object(members, { title })
}
