import { type TSchema, Type } from 'typebox'
import { mayOmitBody } from '../http/body/may-omit.ts'
import { resourceEnvelope } from '../http/envelope.ts'
import { bodyOf, type File, type Operation, type Raw, type Stream, scopesOf, uploadOf } from '../http/operation.ts'
import { downloads_per_workspace_max } from '../http/stream-limits.ts'
import type { Upload } from '../http/uploaded-file.ts'
import { pageSchema } from '../postgres/page.ts'
import { type ErrorSamples, errorResponses } from './errors.ts'
import { exampleOf } from './example.ts'
import { headerReferences, responseHeaders } from './headers.ts'
import { parameters } from './parameters.ts'
import { type Components, type Json, publishSchema } from './schema.ts'
import type { OperationJson } from './share.ts'

export function operationObject(
  operation: Operation,
  error_samples: ErrorSamples,
  components: Components,
): OperationJson {
  const { id, summary, description } = operation
  return {
    operationId: id.replace('.', '_'),
    tags: [id.split('.')[0]],
    summary,
    ...access(operation, description),
    parameters: parameters(operation),
    ...requestBody(operation, components),
    responses: { ...errorResponses(operation, error_samples, components), ...responses(operation, components) },
  }
}

/** Raw operations need no key, and are served at the root of the host. */
function access(operation: Operation, description: string): Json {
  if (operation.kind === 'raw') return { description, security: [], servers: [{ url: '/' }] }
  const [scope, second] = scopesOf(operation)
  const required = second === undefined ? `the scope \`${scope}\`` : `the scopes \`${scope}\` and \`${second}\``
  return { description: `${description}${description && '\n\n'}Requires ${required}.` }
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

function requestBody(operation: Operation, components: Components): Json {
  if (operation.kind === 'raw') return { requestBody: rawBody(operation) }
  const body = bodyOf(operation)
  const upload = uploadOf(operation)
  if (!body) return {}
  // The form comes first: generated clients take the first type, and could not upload a file as JSON.
  const content = { ...(upload && formContent(upload, components)), ...jsonContent(body, components) }
  return { requestBody: { required: !mayOmitBody(operation), content } }
}

const rawBody = ({ body_example: example }: Raw): Json =>
  example === undefined
    ? { content: { '*/*': { schema: {} } } }
    : { required: true, content: { 'application/json': { schema: {}, example } } }

const formContent = ({ content_type, options, example }: Upload, components: Components): Json => ({
  'multipart/form-data': {
    schema: {
      type: 'object',
      required: ['file'],
      properties: {
        file: { type: 'string', format: 'binary', contentMediaType: content_type, description: 'The file.' },
        options: publishSchema(options, components),
      },
    },
    example: { file: example, options: exampleOf(options) },
    encoding: { file: { contentType: content_type }, options: { contentType: 'application/json' } },
  },
})

/** The responses other than errors, by status. */
function responses(operation: Operation, components: Components): Record<string, Json> {
  switch (operation.kind) {
    case 'raw':
      return rawResponses(operation, components)
    case 'file':
      return operation.open ? storedFileResponses(operation) : { 200: fileResponse(operation) }
    case 'stream':
      return { 200: streamResponse(operation, components) }
    case 'list':
      return { 200: jsonResponse(operation, 'Success.', pageSchema(operation.items), components) }
    case 'get': {
      const envelope = resourceEnvelope(operation.response)
      const answer = jsonResponse(operation, 'Success.', envelope, components)
      const files = operation.file_types.map((type) => [type, { schema: { type: 'string' } }])
      const content = { ...jsonContent(envelope, components), ...Object.fromEntries(files) }
      return { 200: { ...answer, content }, 304: not_modified }
    }
    case 'write':
    case 'write_many': {
      const { status, response, isCreated, isAccepted } = operation
      const description = status === 201 ? 'Created.' : status === 202 ? 'Accepted.' : 'Success.'
      const answer = jsonResponse(operation, description, resourceEnvelope(response), components)
      if (!isCreated && !isAccepted) return { [status]: answer }
      const { Location: _, ...headers } = responseHeaders(operation)
      if (isAccepted) return { [status]: answer, 202: { ...answer, description: 'Accepted.', headers } }
      return { 200: { ...answer, description: 'The resource exists already.', headers }, [status]: answer }
    }
  }
}

const rawResponses = ({ responses }: Raw, components: Components): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(responses).map(([status, { description, schema }]) => [
      status,
      { description, headers: headerReferences(['X-Request-Id']), content: jsonContent(schema, components) },
    ]),
  )

const jsonResponse = (operation: Operation, description: string, schema: TSchema, components: Components): Json => ({
  description,
  headers: responseHeaders(operation),
  content: jsonContent(schema, components),
})

const textResponse = (
  operation: Operation,
  { content_type, example }: { content_type: string; example: string },
  description: string,
  schema: Json = { type: 'string' },
): Json => ({
  description,
  headers: responseHeaders(operation),
  content: { [content_type.split(';')[0] ?? '']: { schema, example } },
})

/** The text of a stream. `contentSchema` describes the events in it. */
function streamResponse(operation: Stream, components: Components): Json {
  const { content_type, events } = operation.stream
  const prefix = toPascalCase(operation.id)
  const schemas = Object.entries(events).map(([type, data]) => eventSchema(prefix, type, data))
  const mapping = schemas.map(({ title, properties }) => [properties.type.const, `#/components/schemas/${title}`])
  const union = {
    title: `${prefix}Event`,
    description: 'One event of the stream, by its `type`.',
    anyOf: schemas,
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(mapping) },
  }
  return textResponse(operation, operation.stream, stream_description, {
    type: 'string',
    contentMediaType: content_type,
    contentSchema: publishSchema(union, components),
  })
}

const eventSchema = (prefix: string, type: string, data: TSchema) => ({
  ...Type.Object({
    type: Type.Literal(type, { description: 'The line `event`.' }),
    id: Type.Optional(Type.String({ description: 'The line `id`: send the last one as `Last-Event-ID` to continue.' })),
    data,
  }),
  title: prefix + toPascalCase(type),
})

const toPascalCase = (name: string): string =>
  name.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())

const not_modified = { description: 'Not modified: `If-None-Match` matches the `ETag`.' }

function fileResponse(operation: File): Json {
  const { content_type, example } = operation.file
  if (example !== undefined) return textResponse(operation, { content_type, example }, file_description)
  return { description: file_description, headers: responseHeaders(operation), content: binaryContent(content_type) }
}

const binaryContent = (content_type: string): Json => ({
  [content_type]: { schema: { type: 'string', contentMediaType: content_type } },
})

const storedFileResponses = (operation: File): Record<string, Json> => {
  const { content_type } = operation.file
  const headers = responseHeaders(operation)
  const content = binaryContent(content_type)
  return {
    200: { description: stored_file_description, headers, content },
    206: {
      description: 'The requested range of the file.',
      headers: { ...headers, ...headerReferences(['Content-Range']) },
      content,
    },
    304: not_modified,
  }
}

const stored_file_description =
  'The whole file. With `Range: bytes=...`, and `If-Range` if you like, one range of it is sent as 206. ' +
  `A workspace can run ${downloads_per_workspace_max} downloads at a time; further requests get 503.`

const stream_description = 'A stream that stays open.'

const file_description =
  'The file, sent while it is generated. If the connection closes early, the file is incomplete. ' +
  `A workspace can run ${downloads_per_workspace_max} downloads at a time; further requests get 503.`

const jsonContent = (schema: TSchema, components: Components): Json => ({
  'application/json': { schema: publishSchema(schema, components), example: exampleOf(schema) },
})
