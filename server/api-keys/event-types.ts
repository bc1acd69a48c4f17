import { Type } from 'typebox'
import type { EventType } from '../events/catalog.ts'
import { id, text } from '../kit/field.ts'

const scope = 'api_keys:read'

/** Events have only the name of a key, because webhooks receive it too. */
const ApiKeyNamed = Type.Object(
  {
    id: id('The id of the key.'),
    name: text({ description: 'What the key is for.', examples: ['CRM sync'] }),
  },
  { title: 'ApiKeyNamed' },
)

export const event_types = {
  created: {
    name: 'api_key.created',
    description: 'An API key was created, possibly by rotating another. The event does not contain the secret.',
    data: ApiKeyNamed,
    scope,
    is_rare: true,
  },
  revoked: {
    name: 'api_key.revoked',
    description: 'An API key was revoked.',
    data: ApiKeyNamed,
    scope,
    is_rare: true,
  },
} satisfies Record<string, EventType>
