import type { TSchema } from 'typebox'
import { isWrite, type Operation, type Stream } from '../http/operation.ts'
import { exampleOf } from './example.ts'
import { type Json, publishSchema } from './schema.ts'

export const parameters = (operation: Operation): Json[] => [
  ...parametersIn('path', operation.params),
  ...parametersIn('query', operation.query),
  ...requestHeaders(operation),
]

/** Makes a parameter of each member. The cast is true, because the schema is that of an object, as JSON. */
function parametersIn(place: 'path' | 'query' | 'header', schema: TSchema): Json[] {
  const { properties = {}, required = [] }: { properties?: Record<string, Json>; required?: string[] } = schema as Json
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property
    const is_required = place === 'path' || (required.includes(name) && property.default === undefined)
    const example = exampleOf(property)
    return { name, in: place, required: is_required, description, schema: publishSchema(rest), example }
  })
}

function requestHeaders(operation: Operation): Json[] {
  if (operation.kind === 'get') return [if_none_match, if_match]
  if (operation.kind === 'file' && operation.open) return [range, if_range, if_none_match, if_match]
  if (operation.kind === 'stream') return [lastEventId(operation)]
  if (operation.kind === 'raw') return parametersIn('header', operation.headers)
  if (!isWrite(operation)) return []
  if (operation.method === 'POST') return [idempotency_key]
  return operation.isCreated ? [if_match, if_none] : [if_match]
}

/** Examples are such that a request with all of them succeeds, except where `If-Match` and `If-None-Match` exclude each other. */
const header = (name: string, description: string, example: string, limits: Json = {}): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', ...limits },
  example,
})

const etag = '"2026-11-15T09:30:00.000Z"'

const idempotency_key = header(
  'Idempotency-Key',
  'A unique value for this request, such as a UUID. The same request with the same key within 24 hours returns the first response.',
  '9f1c6a1e-52f4-4d0b-8a3e-6c1d7b2e0f55',
  { minLength: 1, maxLength: 255 },
)
const range = header(
  'Range',
  'The bytes that you want, such as `bytes=0-999`. Of several ranges, the whole file is sent.',
  'bytes=0-999',
)
const if_range = header('If-Range', 'The `ETag` of what you have. If the file has changed, all of it is sent.', etag)
const if_match = header(
  'If-Match',
  'The `ETag` that you expect. Returns 412 if the resource has changed since you read it. `*` matches every state.',
  '*',
)
const if_none = header('If-None-Match', '`*` only creates. Returns 412 if the resource exists.', '*')
const if_none_match = header(
  'If-None-Match',
  'An `ETag` that you have stored. Returns 304 if the resource has not changed.',
  etag,
)

const lastEventId = ({ stream }: Stream): Json =>
  header(
    'Last-Event-ID',
    'The id of the last event that you received. The stream continues after it.',
    /^id: (.*)$/m.exec(stream.example)?.[1] ?? '',
  )
