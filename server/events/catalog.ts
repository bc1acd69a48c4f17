import { type TSchema, Type } from 'typebox'
import { Agent } from '../agents/schema.ts'
import { Contact, ContactWithCrmIds } from '../contacts/schema.ts'
import { Import } from '../imports/schema.ts'
import { id, text } from '../kit/field.ts'
import type { Scopes } from '../kit/http/operation.ts'
import { WebhookSummary } from '../webhooks/schema.ts'

interface Kind {
  description: string
  /** What it happened to, as it was then. */
  data: TSchema
  /** Of an update: what was otherwise before. */
  previous?: TSchema
}

const OnlyId = Type.Object({ id: id("The resource's identifier.") }, { title: 'OnlyId' })

/** What a deleted contact leaves in the log. */
const contact = Type.Union([ContactWithCrmIds, OnlyId])

/** Without scopes and such: webhooks are sent it, whoever reads them. */
const ApiKeyNamed = Type.Object(
  {
    id: id("The key's identifier."),
    name: text({ description: 'What it is for.', examples: ['CRM sync'] }),
  },
  { title: 'ApiKeyNamed' },
)

/** Every type of event that there is: append-only. */
export const catalogue = {
  'contact.created': {
    description: 'A contact was created, in whatever way. Once the contact is deleted, `data` holds its `id` only.',
    data: contact,
  },
  'contact.updated': {
    description:
      'A contact was changed, or its `crm_ids`. `previous` has the former values of what changed. Once the contact is ' +
      'deleted, `data` holds its `id` only, and `previous` is gone.',
    data: contact,
    previous: Type.Partial(Type.Object({ ...Contact.properties, crm_ids: ContactWithCrmIds.properties.crm_ids })),
  },
  'contact.deleted': { description: 'A contact was deleted.', data: OnlyId },
  'agent.created': { description: 'An agent was created, and its first version deployed.', data: Agent },
  'import.finished': {
    description: 'An import or a dry run has ended: `status` is `finished`, `canceled` or `failed`.',
    data: Import,
  },
  'import.undone': { description: 'The undo of an import has ended.', data: Import },
  'api_key.created': {
    description: 'An API key was made, also by rotating another. The key itself is never shown.',
    data: ApiKeyNamed,
  },
  'api_key.revoked': { description: 'An API key was revoked.', data: ApiKeyNamed },
  'webhook.disabled': {
    description: 'A webhook was disabled by the service: `disabled_reason` is `gone` or `failing`.',
    data: WebhookSummary,
  },
  'webhook.test': { description: 'Asked for by "Test a webhook", and sent to that one only.', data: WebhookSummary },
} as const satisfies Record<string, Kind>

export type EventType = keyof typeof catalogue

export const types = Object.keys(catalogue) as EventType[]

type NounOf<T> = T extends `${infer Noun}.${string}` ? Noun : never
type Noun = NounOf<EventType>

/** What a reader of events about each noun must be allowed to read. */
const read_scopes: Record<Noun, string> = {
  contact: 'contacts:read',
  import: 'contacts:read',
  agent: 'agents:read',
  api_key: 'api_keys:read',
  webhook: 'webhooks:read',
}

// What is before the dot is what the type takes from there.
const nounOf = (type: EventType): Noun => type.split('.')[0] as Noun

/** The types that these scopes let someone read: those about resources that they let read. */
export const readableTypes = (scopes: Scopes): EventType[] =>
  types.filter((type) => scopes.has(read_scopes[nounOf(type)]))

const patterns = ['*', ...new Set(types.map((type) => `${nounOf(type)}.*`))]

/** What a filter may say: a type, or a pattern for several. */
export const type_patterns: string[] = [...types, ...patterns]

/** The types that a pattern stands for. */
export const typesOf = (pattern: string): EventType[] =>
  types.filter((type) => pattern === '*' || pattern === type || pattern === `${nounOf(type)}.*`)

/** The patterns that stand for a type. */
export const patternsOf = (type: EventType): string[] => ['*', `${nounOf(type)}.*`, type]
