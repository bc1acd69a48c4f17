import { type Static, Type } from 'typebox'
import { body, id, optionalTimestamp, text, timestamp } from '../kit/field.ts'
import { hashState } from '../kit/http/etag.ts'
import type { Scopes } from '../kit/http/operation.ts'
import * as page from '../kit/postgres/page.ts'

const overlap_max_s = 7 * 24 * 60 * 60
const overlap_default_s = 24 * 60 * 60
const scopes_max = 50

/** Whoever can make keys can be everyone: a key has these scopes only when they are named. */
const isOnlyByName = (scope: string): boolean => scope.startsWith('api_keys:')

const open: Scopes = { has: (scope) => !isOnlyByName(scope), is_open: true }

/** What a list of scopes allows; null: all but those that must be named. */
export function scopesOf(scopes: string[] | null): Scopes {
  if (!scopes) return open
  const named = new Set(scopes)
  return { has: (scope) => named.has(scope), is_open: false }
}

const name = text({ maxLength: 200, description: 'What it is for.', examples: ['CRM sync'] })
const scopes_said =
  'What the key may do. `null`: everything, also what later versions bring, but not `api_keys:read` and ' +
  '`api_keys:write`, which a key has only when they are named.'
const expires_said = 'When it stops working; `null`: never.'

const kept = {
  id: id('Unique identifier; treat it as opaque.'),
  name,
  last_four: Type.String({ description: 'The last four characters of the key.', examples: ['x7Qd'] }),
  scopes: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string' },
    description: scopes_said,
    examples: [['contacts:read', 'contacts:write']],
  }),
  expires_at: optionalTimestamp(expires_said),
  revoked_at: optionalTimestamp('When it was revoked; `null`: it was not.'),
  last_used_at: optionalTimestamp('When it was last used, a few seconds late; `null`: never.'),
  created_at: timestamp('When it was created.'),
}

export const ApiKey = Type.Object(kept, { title: 'ApiKey' })
export type ApiKey = Static<typeof ApiKey>

/** All else stays as it was created. */
export const stateOf = ({ revoked_at, expires_at, last_used_at }: ApiKey): string =>
  hashState(revoked_at, expires_at, last_used_at)

export const ApiKeyWithSecret = Type.Object(
  {
    ...kept,
    key: Type.String({
      description: 'The key itself. It is shown here and never again.',
      examples: ['pk_4cQh0R9yB2mXnT7kLw3VdZ8sPf5JgA6uEo1iYxHqMtC'],
    }),
  },
  { title: 'ApiKeyWithSecret' },
)
export type ApiKeyWithSecret = Static<typeof ApiKeyWithSecret>

/** The scopes are those of all operations, which this room doesn't know. */
export const newApiKey = (scopes: string[]) =>
  body(
    'NewApiKey',
    {
      name,
      scopes: Type.Optional(
        Type.Unsafe<string[] | null>({
          type: ['array', 'null'],
          items: { type: 'string', enum: scopes },
          maxItems: scopes_max,
          description: scopes_said,
          examples: [['contacts:read', 'contacts:write']],
        }),
      ),
      expires_at: Type.Optional(optionalTimestamp(expires_said)),
    },
    ApiKeyWithSecret,
  )
export interface NewApiKey {
  name: string
  scopes: string[] | null
  expires_at: string | null
}

export const Rotation = Type.Object(
  {
    overlap_seconds: Type.Integer({
      minimum: 0,
      maximum: overlap_max_s,
      default: overlap_default_s,
      description: 'For how long the old key still works.',
      examples: [overlap_default_s],
    }),
  },
  { title: 'Rotation', additionalProperties: false },
)

export const ApiKeyQuery = page.query({})
export type ApiKeyQuery = Static<typeof ApiKeyQuery>
