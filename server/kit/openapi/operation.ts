import type { TSchema } from 'typebox'
import { envelopeOf } from '../http/envelope.ts'
import { isEndless, type Operation, type Upload } from '../http/operation.ts'
import { downloads_of_one_max } from '../http/stream-limits.ts'
import { type ErrorSamples, errorResponses } from './errors.ts'
import { exampleOf } from './example.ts'
import { responseHeaders, returnsOneResource } from './headers.ts'
import { parameters } from './parameters.ts'
import { type Components, type Json, publishSchema } from './schema.ts'

export function operationObject(operation: Operation, error_samples: ErrorSamples, components: Components): Json {
  const { id, method, summary, description, scope, status } = operation
  return {
    operationId: id.replace('.', '_'),
    tags: [id.split('.')[0]],
    summary,
    description: `${description}${description && '\n\n'}Requires the scope \`${scope}\`.`,
    parameters: parameters(operation),
    ...requestBody(operation, components),
    responses: {
      [status]: operation.file ? fileResponse(operation, operation.file) : jsonResponse(operation, components),
      ...(method === 'GET' &&
        returnsOneResource(operation) && { 304: { description: 'Not modified: `If-None-Match` matches the `ETag`.' } }),
      ...errorResponses(operation, error_samples, components),
    },
  }
}

export function webhookObject(type: string, description: string, payload: TSchema, components: Components): Json {
  return {
    operationId: `webhook_${type.replace('.', '_')}`,
    summary: type,
    description,
    security: [],
    requestBody: { required: true, content: jsonContent(payload, components) },
    responses: { '2XX': { description: 'Received.' } },
  }
}

function requestBody({ body, upload }: Operation, components: Components): Json {
  if (!body) return {}
  const content = { ...jsonContent(body, components), ...(upload && formContent(upload, components)) }
  return { requestBody: { required: true, content } }
}

const formContent = ({ content_type, options, example }: Upload, components: Components): Json => ({
  'multipart/form-data': {
    schema: {
      type: 'object',
      required: ['file'],
      properties: {
        file: { type: 'string', contentMediaType: content_type, description: 'The file.' },
        options: publishSchema(options, components),
      },
    },
    example: { file: example, options: exampleOf(options) },
    encoding: { file: { contentType: content_type }, options: { contentType: 'application/json' } },
  },
})

function jsonResponse(operation: Operation, components: Components): Json {
  return {
    description: operation.status === 201 ? 'Created.' : 'Success.',
    headers: responseHeaders(operation),
    content: jsonContent(envelopeOf(operation), components),
  }
}

function fileResponse(operation: Operation, { content_type, example }: NonNullable<Operation['file']>): Json {
  return {
    description: isEndless(operation) ? stream_description : file_description,
    headers: responseHeaders(operation),
    content: { [content_type.split(';')[0] ?? '']: { schema: { type: 'string' }, example } },
  }
}

const stream_description = 'A stream that stays open.'

const file_description =
  'The file, sent while it is generated. If the connection closes early, the file is incomplete. ' +
  `A workspace can run ${downloads_of_one_max} downloads at a time; further requests get 503.`

const jsonContent = (schema: TSchema, components: Components): Json => ({
  'application/json': { schema: publishSchema(schema, components), example: exampleOf(schema) },
})
