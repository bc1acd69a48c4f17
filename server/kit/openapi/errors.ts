import { failure } from '../http/envelope.ts'
import { bodyOf, isWrite, type Operation } from '../http/operation.ts'
import * as problem from '../problem.ts'
import { type Code, type Problem, status_by_code } from '../problem.ts'
import { headerReferences } from './headers.ts'
import type { Components, Json } from './schema.ts'

/** Samples that depend on the service's scopes and resources. */
export interface ErrorSamples {
  FORBIDDEN: Problem
  CONFLICT: Problem
}

const samples: Record<Exclude<Code, keyof ErrorSamples>, Problem> = {
  VALIDATION_ERROR: problem.invalid([{ path: 'limit', code: 'maximum', message: 'limit must be at most 100.' }]),
  UNAUTHORIZED: problem.unauthorized(),
  NOT_FOUND: problem.notFound(),
  METHOD_NOT_ALLOWED: problem.methodNotAllowed('PUT', 'GET, HEAD, POST'),
  REQUEST_TIMEOUT: problem.requestTimeout(),
  INVALID_STATE: problem.invalidState('This is not possible in the current state.'),
  IDEMPOTENCY_IN_PROGRESS: problem.idempotencyInProgress(),
  PRECONDITION_FAILED: problem.preconditionFailed(),
  PAYLOAD_TOO_LARGE: problem.payloadTooLarge(1024 * 1024),
  UNSUPPORTED_MEDIA_TYPE: problem.unsupportedMediaType(),
  RANGE_NOT_SATISFIABLE: problem.rangeNotSatisfiable(1_000),
  IDEMPOTENCY_KEY_REUSED: problem.idempotencyKeyReused(),
  RATE_LIMITED: problem.rateLimited(1000),
  HEADERS_TOO_LARGE: problem.headersTooLarge(16 * 1024),
  INTERNAL_ERROR: problem.internalError(),
  SERVICE_UNAVAILABLE: problem.unavailable(),
}

/** The error responses of an operation, by status. Operations with the same codes and samples share a component. */
export function errorResponses(
  operation: Operation,
  service_samples: ErrorSamples,
  components: Components,
): Record<string, Json> {
  const by_status = Map.groupBy(errorCodes(operation), (code) => status_by_code[code])
  const own_samples = operation.kind === 'raw' ? operation.error_samples : {}
  const references = [...by_status].map(([status, codes]) => {
    const prefix = codes.some((code) => code in own_samples) ? `${operation.id}_` : ''
    const name = prefix + codes.join('_or_')
    components.responses[name] = errorResponse(status, codes, { ...samples, ...service_samples, ...own_samples })
    return [status, { $ref: `#/components/responses/${name}` }]
  })
  return Object.fromEntries(references)
}

/** The codes that follow from the method and the schemas, and those that the operation lists. */
function errorCodes(operation: Operation): Code[] {
  const { kind, method, path, errors } = operation
  const codes: Code[] = kind === 'raw' ? [] : ['VALIDATION_ERROR', 'UNAUTHORIZED', 'FORBIDDEN']
  if (kind !== 'raw' && path.includes(':')) codes.push('NOT_FOUND')
  codes.push(...errors)
  if (isWrite(operation) && method === 'POST') codes.push('IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED')
  const is_stored = kind === 'file' && operation.open !== undefined
  if (is_stored) codes.push('RANGE_NOT_SATISFIABLE')
  if (kind === 'get' || is_stored || (isWrite(operation) && method !== 'POST')) codes.push('PRECONDITION_FAILED')
  if (method !== 'GET') codes.push('REQUEST_TIMEOUT', 'PAYLOAD_TOO_LARGE')
  if (bodyOf(operation)) codes.push('UNSUPPORTED_MEDIA_TYPE')
  return [...codes, 'RATE_LIMITED', 'HEADERS_TOO_LARGE', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']
}

function errorResponse(status: number, codes: Code[], all_samples: Record<Code, Problem>): Json {
  const headers = ['X-Request-Id']
  if ([429, 503].includes(status) || codes.includes('IDEMPOTENCY_IN_PROGRESS')) headers.push('Retry-After')
  if (codes.some((code) => 'www-authenticate' in all_samples[code].headers)) headers.push('WWW-Authenticate')
  const examples = codes.map((code) => [
    code,
    { value: JSON.parse(failure(all_samples[code], 'req_9bHk2fYQmZ0w_1').body) },
  ])
  return {
    description: codes.map((code) => `\`${code}\``).join(' or '),
    headers: headerReferences(headers),
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${error_schema.title}` },
        examples: Object.fromEntries(examples),
      },
    },
  }
}

export const error_schema = {
  title: 'ErrorResponse',
  type: 'object',
  required: ['success', 'error'],
  properties: {
    success: { type: 'boolean', const: false },
    error: {
      type: 'object',
      required: ['code', 'message', 'details'],
      properties: {
        code: {
          type: 'string',
          enum: Object.keys(status_by_code),
          description: 'A code that programs can handle. New codes may be added.',
        },
        message: { type: 'string', description: 'An explanation for people.' },
        details: {
          type: 'object',
          description: 'What programs need to handle the error. Some errors of single operations have further members.',
          required: ['request_id'],
          additionalProperties: true,
          properties: {
            request_id: { type: 'string' },
            fields: {
              type: 'array',
              description: 'With `VALIDATION_ERROR`: all invalid fields, at most 100.',
              items: {
                type: 'object',
                required: ['path', 'code', 'message'],
                properties: {
                  path: { type: 'string', description: 'The field, such as `tags.3`, or `""` for the whole body.' },
                  code: { type: 'string' },
                  message: { type: 'string' },
                  suggestion: { type: 'string', description: 'A value that you may have meant.' },
                },
              },
            },
            reason: { type: 'string', description: 'A more specific code.' },
            required_scope: { type: 'string', description: 'With `FORBIDDEN`: the scope that the key lacks.' },
            field: { type: 'string', description: 'With `CONFLICT`: the field whose value is taken.' },
            used_by: {
              type: 'array',
              description: "With `INVALID_STATE`: the resources that use this one, so that it can't be deleted.",
              items: {
                type: 'object',
                required: ['kind', 'id'],
                properties: { kind: { type: 'string' }, id: { type: 'string' } },
              },
            },
            existing_id: {
              type: ['string', 'null'],
              description: 'With `CONFLICT`: the ID of the resource that has the value.',
            },
            limit: {
              type: 'integer',
              description:
                'With `RATE_LIMITED` or `SERVICE_UNAVAILABLE`: how many streams or downloads may be open at once.',
            },
            limit_per_second: { type: 'integer', description: 'With `RATE_LIMITED`: the number of requests allowed.' },
            limit_bytes: {
              type: 'integer',
              description: 'With `PAYLOAD_TOO_LARGE` or `HEADERS_TOO_LARGE`: the largest size allowed.',
            },
            size_bytes: { type: 'integer', description: 'With `RANGE_NOT_SATISFIABLE`: the size of the file.' },
          },
        },
      },
    },
  },
}
