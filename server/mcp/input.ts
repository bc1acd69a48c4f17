import type { JSONObject } from '@modelcontextprotocol/server'
import { also_called } from '../kit/field.ts'
import { bodyOf, type OfferedTool, type Operation } from '../kit/http/operation.ts'
import { type Properties, unknownNameMessage } from '../kit/http/suggest-name.ts'
import { isObject } from '../kit/json.ts'
import { internal_keyword } from '../kit/openapi/schema.ts'

interface InputSchema {
  type: 'object'
  properties: Record<string, JSONObject>
  required?: string[]
  additionalProperties: false
}

/** Where an argument goes in the request of the operation. */
interface Place {
  part: 'params' | 'query' | 'body'
  name: string
}

export interface Input {
  schema: InputSchema
  toRequest: (values: Record<string, unknown>) => ApiRequest | InputFault
}

/** A request of the API, without its base path. */
export interface ApiRequest {
  method: string
  path: string
  body?: object
  headers: Record<string, string>
}

interface InputFault {
  fault: string
}

const key_length_max = 255
/** Printable ASCII, as the API's header has it. A space at the beginning would get lost. */
const key_pattern = `^[!-~][ -~]{0,${key_length_max - 1}}$`
const key_schema = {
  type: 'string',
  maxLength: key_length_max,
  pattern: key_pattern,
  description:
    'Optional. A text of your choice that names this request. If you repeat the request with the same text, it is not done again: you get ' +
    'the first answer.',
}
/** Members that say nothing to an assistant. */
const left_out = ['title', 'examples', internal_keyword]

/** Returns the path, query and body of an operation as the arguments of a tool. */
export function inputOf({ name, without = [], fixed = {} }: OfferedTool, operation: Operation): Input {
  const places = new Map<string, Place>()
  const known: Properties = {}
  const properties: InputSchema['properties'] = {}
  const required: string[] = []
  const parts = { params: operation.params, query: operation.query, body: bodyOf(operation) }
  for (const [part, schema] of Object.entries(parts) as [Place['part'], unknown][]) {
    for (const [field, described, is_required] of fieldsOf(schema)) {
      if (without.includes(field) || (part === 'body' && places.has(field))) continue
      const argument = part === 'params' ? argumentName(operation.path, field) : field
      if (places.has(argument)) throw new Error(`${name} has two arguments ${argument}`)
      places.set(argument, { part, name: field })
      properties[argument] = describe(described)
      known[argument] = argument === field ? (isObject(described) ? described : {}) : { [also_called]: [field] }
      if (is_required) required.push(argument)
    }
  }
  const takes_key = operation.method === 'POST'
  if (takes_key) {
    properties.idempotency_key = key_schema
    known.idempotency_key = {}
  }
  const schema: InputSchema = {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
  return { schema, toRequest: (values) => toRequest(operation, { places, known, fixed, takes_key }, values) }
}

/** Returns the fields of a body without those that the server sets, which are ignored in bodies. */
function fieldsOf(schema: unknown): [string, unknown, boolean][] {
  if (!isObject(schema) || !isObject(schema.properties)) return []
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties)
    .filter(([, field]) => isObject(field) && field.readOnly !== true)
    .map(([name, field]) => [name, field, required.includes(name) && !(isObject(field) && 'default' in field)])
}

/** Returns the name of an argument: the `id` of `/agents/:id` is an `agent_id`. */
function argumentName(path: string, param: string): string {
  if (param !== 'id') return param
  const [, collection = ''] = /(\w+)s\/:id/.exec(path) ?? []
  return `${collection}_id`
}

/** Returns the schema of a field, without what only documents and our own validation use. */
function describe(schema: unknown): JSONObject {
  // The cast is true because a field of a schema is a schema.
  return strip(schema) as JSONObject
}

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip)
  if (!isObject(value)) return value
  const is_schema = (name: string) => left_out.includes(name) && !isObject(value[name])
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !is_schema(name))
      .map(([name, member]) => [name, strip(member)]),
  )
}

interface Mapping {
  places: Map<string, Place>
  /** All arguments, with the other names that they may get by mistake. */
  known: Properties
  fixed: Record<string, string>
  takes_key: boolean
}

function toRequest(
  operation: Operation,
  { places, known, fixed, takes_key }: Mapping,
  values: Record<string, unknown>,
): ApiRequest | InputFault {
  const key = takes_key ? values.idempotency_key : undefined
  if (key !== undefined && !isKey(key)) {
    const rule = `1 to ${key_length_max} printable ASCII characters that does not begin with a space`
    return { fault: `idempotency_key must be a text of ${rule}. Nothing was done.` }
  }
  const query = new URLSearchParams(fixed)
  const body: Record<string, unknown> = {}
  let path = operation.path
  for (const [argument, value] of Object.entries(values)) {
    if (takes_key && argument === 'idempotency_key') continue
    const place = places.get(argument)
    if (!place) return { fault: unknownNameMessage(argument, known) }
    if (place.part === 'body') body[place.name] = value
    else if (place.part === 'query') addToQuery(query, place.name, value)
    else {
      const segment = segmentOf(value)
      if (segment === undefined) return { fault: `${argument} is not valid.` }
      path = path.replace(`:${place.name}`, () => segment)
    }
  }
  const [, missing] = /\/:(\w+)/.exec(path) ?? []
  if (missing) return { fault: `${argumentName(operation.path, missing)} is required.` }
  const has_body = bodyOf(operation) !== undefined
  const headers: Record<string, string> = {
    ...(has_body && { 'content-type': 'application/json' }),
    ...(key !== undefined && { 'idempotency-key': key }),
  }
  const search = query.size > 0 ? `?${query}` : ''
  return { method: operation.method, path: path + search, headers, ...(has_body && { body }) }
}

const isKey = (value: unknown): value is string => typeof value === 'string' && new RegExp(key_pattern).test(value)

/**
 * Returns undefined for a value that can't be a part of a path, and for dots, which would lead to another operation.
 */
function segmentOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  const is_valid = typeof value === 'string' && value.isWellFormed() && !/^\.*$/.test(value)
  return is_valid ? encodeURIComponent(value) : undefined
}

/** Adds a value to the query. A list is written as repeated parameters. */
function addToQuery(query: URLSearchParams, name: string, value: unknown): void {
  if (value === undefined || value === null) return
  for (const one of [value].flat()) query.append(name, typeof one === 'string' ? one : JSON.stringify(one))
}
