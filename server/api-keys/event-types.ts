import { Type } from 'typebox'
import type { EventType } from '../events/catalog.ts'
import { id, text } from '../kit/field.ts'

const scope = 'api_keys:read'

/** Only the name: webhooks receive it, whoever reads them. */
const ApiKeyNamed = Type.Object(
  {
    id: id("The key's identifier."),
    name: text({ description: 'What it is for.', examples: ['CRM sync'] }),
  },
  { title: 'ApiKeyNamed' },
)

export const event_types = {
  created: {
    name: 'api_key.created',
    description: 'An API key was made, also by rotating another. The key itself is never shown.',
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
