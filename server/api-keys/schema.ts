import { type Static, Type } from 'typebox'
import { body, id, optionalTimestamp, text, timestamp } from '../kit/field.ts'
import { hashState } from '../kit/http/etag.ts'
import type { Scopes } from '../kit/http/operation.ts'
import * as page from '../kit/postgres/page.ts'
import { every_scope } from './command-keys.ts'

const overlap_max_s = 7 * 24 * 60 * 60
const overlap_default_s = 24 * 60 * 60
const scopes_max = 100

/**
 * Whether a key has this scope only when it is listed. A caller that can create keys can keep access after it is
 * revoked, the audit log has what all others do, a caller who may force a deployment does not need its tests, and an
 * erasure can't be undone.
 */
const mustBeListed = (scope: string): boolean =>
  scope.startsWith('api_keys:') || ['audit:read', 'agents:force', 'contacts:erase'].includes(scope)

const all_scopes: Scopes = { has: (scope) => !mustBeListed(scope), is_open: true }

/** Returns the scopes of a key. Null means all scopes except those that must be listed. */
export function toScopes(scopes: string[] | null): Scopes {
  if (!scopes) return all_scopes
  const listed = new Set(scopes)
  const has_every = listed.has(every_scope)
  return { has: (scope) => has_every || listed.has(scope), is_open: has_every }
}

const name = text({ maxLength: 200, description: 'What the key is for.', examples: ['CRM sync'] })
const scopes_description =
  'What the key may do. `null` means all scopes, including those that later versions add, except `api_keys:read`, ' +
  '`api_keys:write`, `audit:read`, `agents:force` and `contacts:erase`, which must be listed.'
const expires_at_description = 'When the key expires. `null` if it never expires.'

const fields = {
  id: id('The unique id of the key. Treat it as opaque.'),
  name,
  last_four: Type.String({ description: 'The last four characters of the key.', examples: ['x7Qd'] }),
  scopes: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string' },
    description: scopes_description,
    examples: [['contacts:read', 'contacts:write']],
  }),
  expires_at: optionalTimestamp(expires_at_description),
  revoked_at: optionalTimestamp('When the key was revoked. `null` if it was not.'),
  rotated_at: optionalTimestamp(
    'When another key replaced this one, which expires at `expires_at`. `null` if it was not rotated.',
  ),
  last_used_at: optionalTimestamp(
    'When the key was last used. Updated within a few seconds; `null` if it was never used.',
  ),
  created_at: timestamp('When the key was created.'),
}

export const ApiKey = Type.Object(fields, { title: 'ApiKey' })
export type ApiKey = Static<typeof ApiKey>

/** Returns the version of a key. No other field of it ever changes. */
export const apiKeyVersion = ({ revoked_at, expires_at, rotated_at, last_used_at }: ApiKey): string =>
  hashState(revoked_at, expires_at, rotated_at, last_used_at)

export const ApiKeyWithSecret = Type.Object(
  {
    ...fields,
    key: Type.String({
      description: "The key. Store it now: you can't retrieve it again.",
      examples: ['pk_4cQh0R9yB2mXnT7kLw3VdZ8sPf5JgA6uEo1iYxHqMtC'],
    }),
  },
  { title: 'ApiKeyWithSecret' },
)
export type ApiKeyWithSecret = Static<typeof ApiKeyWithSecret>

/** The body of a new key. `scopes` are those of all operations, which this room doesn't know. */
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
          description: scopes_description,
          examples: [['contacts:read', 'contacts:write']],
        }),
      ),
      expires_at: Type.Optional(optionalTimestamp(expires_at_description)),
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
      description: 'How long the old key still works.',
      examples: [overlap_default_s],
    }),
  },
  { title: 'Rotation', additionalProperties: false },
)

export const ApiKeyQuery = page.query({})
export type ApiKeyQuery = Static<typeof ApiKeyQuery>
