import { showsResource } from '../http/envelope.ts'
import { isWrite, type Operation } from '../http/operation.ts'
import type { Json } from './schema.ts'

/** Examples that depend on the service's resources. */
export interface HeaderExamples {
  Location: string
  'Content-Disposition': string
}

export function responseHeaders(operation: Operation): Json {
  const names = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy']
  if (operation.kind === 'get') names.push('ETag')
  if (operation.kind === 'file') names.push('Content-Disposition')
  if (operation.kind === 'file' && operation.open) names.push('ETag', 'Accept-Ranges')
  if (isWrite(operation)) {
    if (operation.version && showsResource(operation)) names.push('ETag')
    if (operation.status === 201) names.push('Location')
    if (operation.method === 'POST') names.push('Idempotent-Replayed')
  }
  return headerReferences(names)
}

export const headerReferences = (names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

export const responseHeaderComponents = (examples: HeaderExamples) => ({
  'X-Request-Id': header(
    'The id of this request in the log. Errors repeat it in `details.request_id`.',
    'req_9bHk2fYQmZ0w_1',
  ),
  'RateLimit-Policy': header('The number of requests (`q`) allowed per window of `w` seconds.', '"key";q=1000;w=1'),
  RateLimit: header('The number of requests left (`r`) in the next `t` seconds.', '"key";r=999;t=1'),
  'Retry-After': header('The number of seconds to wait before you retry.', '1'),
  'WWW-Authenticate': header('The authentication scheme to use.', 'Bearer'),
  ETag: header('Identifies this state of the resource.', '"2026-11-15T09:30:00.000Z"'),
  Location: header('The path of the created resource.', examples.Location),
  'Content-Disposition': header('The suggested file name.', examples['Content-Disposition']),
  'Accept-Ranges': header('`bytes`: send `Range` to get a part of the file.', 'bytes'),
  'Content-Range': header('With 206: which bytes of the file these are.', 'bytes 0-999/503898'),
  'Idempotent-Replayed': header('`true` if this response was stored for an earlier request with the same key.', 'true'),
})

const header = (description: string, example: string) => ({
  description,
  schema: { type: 'string', examples: [example] },
})
