import { showsResource } from '../http/envelope.ts'
import { isEndless, type Operation } from '../http/operation.ts'
import type { Json } from './schema.ts'

/** Examples that depend on the service's resources. */
export interface HeaderExamples {
  Location: string
  'Content-Disposition': string
}

/** Whether the response is one resource: not a list, a file or a stream. */
export const returnsOneResource = ({ is_list, file }: Operation): boolean => !is_list && !file

export function responseHeaders(operation: Operation): Json {
  const { status, method, state, file } = operation
  const names = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy']
  if (returnsOneResource(operation) && (method === 'GET' || (state && showsResource(operation)))) names.push('ETag')
  if (status === 201) names.push('Location')
  if (method === 'POST') names.push('Idempotent-Replayed')
  if (file && !isEndless(operation)) names.push('Content-Disposition')
  return headerReferences(names)
}

export const headerReferences = (names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

export const responseHeaderComponents = (examples: HeaderExamples) => ({
  'X-Request-Id': header(
    'The ID of this request in the log. Errors repeat it in `details.request_id`.',
    'req_9bHk2fYQmZ0w_1',
  ),
  'RateLimit-Policy': header('The number of requests (`q`) allowed per window of `w` seconds.', '"key";q=1000;w=1'),
  RateLimit: header('The number of requests left (`r`) in the next `t` seconds.', '"key";r=999;t=1'),
  'Retry-After': header('The number of seconds to wait before you retry.', '1'),
  'WWW-Authenticate': header('The authentication scheme to use.', 'Bearer'),
  ETag: header('Identifies this state of the resource.', '"2026-11-15T09:30:00.000Z"'),
  Location: header('The path of the created resource.', examples.Location),
  'Content-Disposition': header('The suggested file name.', examples['Content-Disposition']),
  'Idempotent-Replayed': header('`true` if this response was stored for an earlier request with the same key.', 'true'),
})

const header = (description: string, example: string) => ({
  description,
  schema: { type: 'string', examples: [example] },
})
