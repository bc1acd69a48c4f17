import type { Readable } from 'node:stream'
import fastJson from 'fast-json-stringify'
import { type TObject, type TSchema, Type } from 'typebox'
import { isObject } from '../json.ts'
import { type Page, pageSchema } from '../postgres/page.ts'
import type { Problem } from '../problem.ts'
import { formatEtag, hashText } from './etag.ts'
import type { Get, List, Write, WriteMany } from './operation.ts'
import { hasProperty } from './resource-version.ts'

/** A response, as it is sent and as an idempotency key stores it. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
}

/** A response whose body is produced while it is sent. */
export interface StreamedAnswer extends Omit<Answer, 'body'> {
  body: Readable
}

type OneResource = Get | Write | WriteMany

export const resourceEnvelope = (schema: TSchema): TSchema => Type.Object({ success: Type.Literal(true), data: schema })

/** The response of a batch, in the order of its parts. */
export const batchResults = (title: string, data: TSchema, example: object) =>
  Type.Object(
    {
      results: Type.Array(
        Type.Object({
          index: Type.Integer({
            description: 'The position of the operation in the request, starting at 0.',
            examples: [0],
          }),
          status: Type.Integer({ description: 'The status that the single request would get.', examples: [201] }),
          data: Type.Optional(data),
          error: Type.Optional(
            Type.Object(
              {
                code: Type.String(),
                message: Type.String(),
                details: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
              },
              { description: 'The error that the single request would get.' },
            ),
          ),
        }),
        { description: 'The outcome of each operation.', examples: [[{ index: 0, status: 201, data: example }]] },
      ),
    },
    { title },
  )

/** False for a deletion, whose response has no id. */
export const showsResource = ({ response }: OneResource): boolean => hasProperty(response, 'id')

/** Serializes a page. Fields that the schema doesn't declare are dropped. */
export function pageAnswer({ items }: List): (page: Page<unknown>) => Answer {
  const stringify = stringifier(pageSchema(items))
  return (page) => ({ status: 200, headers: {}, body: stringify({ success: true, ...page }) })
}

/** Serializes a resource, with its ETag and, when created, its Location. Fields that the schema doesn't declare are dropped. */
export function resourceAnswer(
  operation: OneResource,
  base_path: string,
): (resource: unknown, params?: unknown) => Answer {
  const { path, version, response } = operation
  const success = operation.kind === 'get' ? 200 : operation.status
  const { isCreated, isAccepted, resource } = operation.kind === 'get' ? {} : operation
  const shows_resource = showsResource(operation)
  const collection = (operation.kind !== 'get' && operation.collection) || path.replace(/\/:.*/, '')
  const stringify = resourceStringifier(response)
  return (data, params) => {
    const headers: Record<string, string> = {}
    const body = stringify({ success: true, data })
    // `isCreated`, `isAccepted` and `version` get what the operation returns, or what its verb passes as the resource.
    const is_accepted = isAccepted?.(data as never)
    const status = is_accepted ? 202 : isCreated && !isCreated(data as never) ? 200 : success
    if (version && shows_resource) headers.etag = formatEtag(version(data as never))
    else if (operation.kind === 'get') headers.etag = formatEtag(hashText(body))
    const item = resource && isObject(data) ? data[resource] : shows_resource ? data : undefined
    if (status === 201)
      headers.location = base_path + fillPath(collection, params, data) + (isObject(item) ? `/${item.id}` : '')
    return { status, headers, body }
  }
}

/**
 * Serializes a resource whose last field is a long list, item by item. The bytes are the same as if it were serialized
 * at once.
 */
export function resourceInPieces(
  response: TObject,
  field: string,
  items_schema: TSchema,
): (others: object, items: Iterable<unknown>) => Iterable<string> {
  const stringifyOthers = stringifier(resourceEnvelope(Type.Omit(response, [field])))
  const stringifyItem = stringifier(items_schema)
  return function* pieces(others, items) {
    // The slice leaves out the brackets that close the resource and the envelope.
    yield `${stringifyOthers({ success: true, data: others }).slice(0, -2)},"${field}":[`
    let separator = ''
    for (const item of items) {
      yield separator + stringifyItem(item)
      separator = ','
    }
    yield ']}}'
  }
}

/** Fills the parameters of a path with values of the request, or else of the resource. */
const fillPath = (path: string, params: unknown, resource: unknown): string =>
  path.replace(/:(\w+)/g, (_, name: string) => {
    const value = isObject(params) ? params[name] : undefined
    return String(value ?? (isObject(resource) ? resource[name] : undefined))
  })

/** Serializers by the schema of the resource. Doors share them, and so do the parts of a batch. */
const resource_stringifiers = new WeakMap<TSchema, (value: unknown) => string>()

function resourceStringifier(response: TSchema): (value: unknown) => string {
  const stringify = resource_stringifiers.get(response) ?? stringifier(resourceEnvelope(response))
  resource_stringifiers.set(response, stringify)
  return stringify
}

/** Compiles the schema when it is first used: all of them together would delay each start by a tenth of a second. */
function stringifier(schema: TSchema): (value: unknown) => string {
  let stringify: ((value: unknown) => string) | undefined
  return (value) => {
    stringify ??= fastJson(JSON.parse(JSON.stringify(schema)))
    return stringify(value)
  }
}

export function failure({ code, message, details, headers, status }: Problem, request_id: string): Answer {
  const error = { code, message, details: { ...details, request_id } }
  return { status, headers, body: JSON.stringify({ success: false, error }) }
}
