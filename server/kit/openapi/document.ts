import type { TSchema } from 'typebox'
import { envelopeOf, failure, showsResource } from '../http/envelope.ts'
import { isEndless, type Operation, type Upload } from '../http/operation.ts'
import * as problem from '../problem.ts'
import { type Code, statuses } from '../problem.ts'
import { exampleOf } from './example.ts'

export interface About {
  title: string
  version: string
  /** Markdown: what holds for every operation. */
  guide: string
  /** What each room is, by the first part of its operations' ids. */
  rooms: Record<string, string>
  servers: string[]
  /** What is sent to others, by its name. */
  webhooks: Record<string, { description: string; payload: TSchema }>
}

type Json = Record<string, unknown>

/** The OpenAPI 3.1 document of the operations. Schemas with a title become components. */
export function openApiOf(operations: Operation[], about: About) {
  const schemas: Json = { Error: error_schema }
  const responses: Json = {}
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationObject(operation, schemas, responses) }
  }
  const webhooks = Object.entries(about.webhooks).map(([name, said]) => [name, { post: webhook(name, said, schemas) }])
  return {
    openapi: '3.1.0',
    info: {
      title: about.title,
      version: about.version,
      description: about.guide,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: about.servers.map((url) => ({ url })),
    security: [{ api_key: [] }],
    tags: Object.entries(about.rooms).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(webhooks),
    components: {
      schemas,
      responses,
      headers,
      securitySchemes: {
        api_key: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer pk_...`' },
      },
    },
  }
}

function operationObject(operation: Operation, schemas: Json, responses: Json): Json {
  const { id, method, is_list, file, summary, description, scope, body, upload } = operation
  return {
    operationId: id.replace('.', '_'),
    tags: [id.split('.')[0]],
    summary,
    description: `${description}${description && '\n\n'}Needs the scope \`${scope}\`.`,
    parameters: [
      ...parametersIn('path', operation.params),
      ...parametersIn('query', operation.query),
      ...headersTaken(operation),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: { ...content(publish(body, schemas), exampleOf(body)), ...(upload && formOf(upload, schemas)) },
      },
    }),
    responses: {
      [operation.status]: success(operation, schemas),
      ...(method === 'GET' &&
        !is_list &&
        !file && { 304: { description: 'Not modified: `If-None-Match` names this state.' } }),
      ...failures(codesOf(operation), responses),
    },
  }
}

function webhook(name: string, { description, payload }: About['webhooks'][string], schemas: Json): Json {
  return {
    operationId: `webhook_${name.replace('.', '_')}`,
    summary: name,
    description,
    security: [],
    requestBody: { required: true, content: content(publish(payload, schemas), exampleOf(payload)) },
    responses: { '2XX': { description: 'It has arrived.' } },
  }
}

/** A file beside the options, which are JSON in a part of their own. */
const formOf = ({ options, example }: Upload, schemas: Json): Json => ({
  'multipart/form-data': {
    schema: {
      type: 'object',
      required: ['file'],
      properties: {
        file: { type: 'string', contentMediaType: 'text/csv', description: 'The file.' },
        options: publish(options, schemas),
      },
    },
    example: { file: example, options: exampleOf(options) },
    encoding: { file: { contentType: 'text/csv' }, options: { contentType: 'application/json' } },
  },
})

function parametersIn(place: 'path' | 'query', schema: TSchema): Json[] {
  const { properties = {}, required = [] }: { properties?: Record<string, Json>; required?: string[] } = schema as Json
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property
    const is_required = place === 'path' || (required.includes(name) && property.default === undefined)
    return { name, in: place, required: is_required, description, schema: publish(rest, {}) }
  })
}

function headersTaken(operation: Operation): Json[] {
  const header = (name: string, description: string, schema: Json = {}) => [
    { name, in: 'header', required: false, description, schema: { type: 'string', ...schema } },
  ]
  if (operation.method === 'POST') {
    const description =
      'A unique text for this operation, such as a UUID. Repeating the request with it within 24 hours gives the first answer again.'
    return header('Idempotency-Key', description, { minLength: 1, maxLength: 255 })
  }
  if (isEndless(operation)) return header('Last-Event-ID', 'The last id that you have: what came after it is sent.')
  if (operation.is_list || operation.file) return []
  const if_match = header('If-Match', 'The `ETag` that you know: 412 when the resource has changed since.')
  if (operation.method !== 'GET') return if_match
  return [...header('If-None-Match', 'An `ETag` that you hold: 304 when it is still current.'), ...if_match]
}

function success(operation: Operation, schemas: Json): Json {
  const { status, method, is_list, file } = operation
  const names = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy']
  if (!is_list && !file && (method === 'GET' || (operation.state && showsResource(operation)))) names.push('ETag')
  if (status === 201) names.push('Location')
  if (method === 'POST') names.push('Idempotent-Replayed')
  if (file) {
    return {
      description: isEndless(operation)
        ? 'What happens, as it happens: it has no end.'
        : 'The file, sent as it is made. One that breaks off is not complete. A workspace may download four at once; more get 503.',
      headers: headersGiven(isEndless(operation) ? names : [...names, 'Content-Disposition']),
      content: { [file.content_type.split(';')[0] ?? '']: { schema: { type: 'string' }, example: file.example } },
    }
  }
  const schema = envelopeOf(operation)
  return {
    description: status === 201 ? 'Created.' : 'Done.',
    headers: headersGiven(names),
    content: content(publish(schema, schemas), exampleOf(schema)),
  }
}

/** What follows from the method and the schemas, and what the operation says itself. */
function codesOf({ method, path, refusals, is_list, file, body }: Operation): Code[] {
  const codes: Code[] = ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN']
  if (path.includes(':')) codes.push('NOT_FOUND')
  codes.push(...refusals)
  if (method === 'POST') codes.push('IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED')
  if (method !== 'POST' && !is_list && !file) codes.push('PRECONDITION_FAILED')
  if (method !== 'GET') codes.push('REQUEST_TIMEOUT', 'PAYLOAD_TOO_LARGE')
  if (body) codes.push('UNSUPPORTED_MEDIA_TYPE')
  return [...codes, 'RATE_LIMITED', 'HEADERS_TOO_LARGE', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']
}

function failures(codes: Code[], responses: Json): Json {
  const by_status = Map.groupBy(codes, (code) => statuses[code])
  const refer = ([status, group]: [number, Code[]]) => {
    const name = group.join('_or_')
    responses[name] = failureWith(status, group)
    return [status, { $ref: `#/components/responses/${name}` }]
  }
  return Object.fromEntries([...by_status].map(refer))
}

function failureWith(status: number, codes: Code[]): Json {
  const names = ['X-Request-Id']
  if ([429, 503].includes(status) || codes.includes('IDEMPOTENCY_IN_PROGRESS')) names.push('Retry-After')
  if (status === 401) names.push('WWW-Authenticate')
  const examples = codes.map((code) => [code, { value: JSON.parse(failure(samples[code], 'req_9bHk2fYQmZ0w_1').body) }])
  return {
    description: codes.map((code) => `\`${code}\``).join(' or '),
    headers: headersGiven(names),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) },
    },
  }
}

const samples: Record<Code, problem.Problem> = {
  VALIDATION_ERROR: problem.invalid([{ path: 'limit', code: 'maximum', message: 'limit may be at most 100.' }]),
  UNAUTHORIZED: problem.unauthorized(),
  FORBIDDEN: problem.forbidden('contacts:write'),
  NOT_FOUND: problem.notFound(),
  METHOD_NOT_ALLOWED: problem.methodNotAllowed('PUT', 'GET, HEAD, POST'),
  REQUEST_TIMEOUT: problem.requestTimeout(),
  CONFLICT: problem.inUse(
    'phone_number',
    'Another contact has this phone number.',
    '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa',
  ),
  INVALID_STATE: problem.invalidState('This is not possible in the present state.'),
  IDEMPOTENCY_IN_PROGRESS: problem.idempotencyInProgress(),
  PRECONDITION_FAILED: problem.preconditionFailed(),
  PAYLOAD_TOO_LARGE: problem.payloadTooLarge(1024 * 1024),
  UNSUPPORTED_MEDIA_TYPE: problem.unsupportedMediaType(),
  IDEMPOTENCY_KEY_REUSED: problem.idempotencyKeyReused(),
  RATE_LIMITED: problem.rateLimited(1000),
  HEADERS_TOO_LARGE: problem.headersTooLarge(16 * 1024),
  INTERNAL_ERROR: problem.internalError(),
  SERVICE_UNAVAILABLE: problem.unavailable(),
}

const headersGiven = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const content = (schema: unknown, example: unknown) => ({ 'application/json': { schema, example } })

/** The schema as others may read it: titled ones by reference, and nothing that only we understand. */
function publish(schema: unknown, schemas: Json): unknown {
  if (Array.isArray(schema)) return schema.map((item) => publish(item, schemas))
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.entries(schema).filter(([name]) => name !== 'multiline')
  const published = Object.fromEntries(members.map(([name, member]) => [name, publish(member, schemas)]))
  if (typeof published.title !== 'string') return published
  schemas[published.title] = published
  return { $ref: `#/components/schemas/${published.title}` }
}

const header = (description: string, example: string) => ({
  description,
  schema: { type: 'string', examples: [example] },
})

const headers = {
  'X-Request-Id': header(
    'Names this request in the log; errors repeat it in `details.request_id`.',
    'req_9bHk2fYQmZ0w_1',
  ),
  'RateLimit-Policy': header('How many requests (`q`) the key may make in how many seconds (`w`).', '"key";q=1000;w=1'),
  RateLimit: header('How many are left (`r`) for how many seconds (`t`).', '"key";r=999;t=1'),
  'Retry-After': header('After how many seconds to ask again.', '1'),
  'WWW-Authenticate': header('How to authenticate.', 'Bearer'),
  ETag: header('Names this state of the resource.', '"2026-11-15T09:30:00.000Z"'),
  Location: header('The path of what was created.', '/api/v1/contacts/019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'),
  'Content-Disposition': header('The name to save the file by.', 'attachment; filename="contacts.csv"'),
  'Idempotent-Replayed': header('`true` when this is the answer to an earlier request with the same key.', 'true'),
}

const error_schema = {
  title: 'Error',
  type: 'object',
  required: ['success', 'error'],
  properties: {
    success: { type: 'boolean', const: false },
    error: {
      type: 'object',
      required: ['code', 'message', 'details'],
      properties: {
        code: { type: 'string', enum: Object.keys(statuses), description: 'For programs. More codes may be added.' },
        message: { type: 'string', description: 'For people.' },
        details: {
          type: 'object',
          required: ['request_id'],
          properties: {
            request_id: { type: 'string' },
            fields: {
              type: 'array',
              description: 'With `VALIDATION_ERROR`: all faults, at most 100.',
              items: {
                type: 'object',
                required: ['path', 'code', 'message'],
                properties: {
                  path: { type: 'string', description: 'Where: `tags.3`, or `""` for the body as a whole.' },
                  code: { type: 'string' },
                  message: { type: 'string' },
                  suggestion: { type: 'string', description: 'What may have been meant.' },
                },
              },
            },
            reason: { type: 'string', description: 'More precisely why.' },
            required_scope: { type: 'string', description: 'With `FORBIDDEN`.' },
            field: { type: 'string', description: 'With `CONFLICT`: which field is taken.' },
            existing_id: { type: ['string', 'null'], description: 'With `CONFLICT`: who has it.' },
          },
        },
      },
    },
  },
}
