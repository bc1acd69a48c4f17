import { checked_apart } from '../field.ts'
import { type Fault, faults_max } from '../problem.ts'
import { truncate } from '../text.ts'
import { unknownNameMessage } from './suggest-name.ts'
import { addFault, formats, hasControlCharactersExceptBreaks, readText, type TextSchema } from './validate-text.ts'

/** The part of JSON Schema that requests may use. */
export interface RequestSchema extends TextSchema {
  /** Without a type, any JSON value is valid. */
  type?: string | string[]
  properties?: Record<string, RequestSchema>
  required?: string[]
  items?: RequestSchema
  /** The schema of members that `properties` doesn't list. */
  additionalProperties?: RequestSchema | boolean
  /** The pattern of the names of members that `properties` doesn't list. */
  propertyNames?: { pattern: string }
  maxProperties?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  default?: unknown
  readOnly?: boolean
  [checked_apart]?: boolean
}

type Members = Record<string, unknown>

const path_length_max = 200

const keywords = [
  'type',
  'properties',
  'required',
  'items',
  'enum',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'propertyNames',
  'maxProperties',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'default',
  'readOnly',
  'multiline',
  'title',
  'description',
  'examples',
]

/** Throws if the schema uses a keyword or format that `validate` doesn't check, so that no rule is silently ignored. */
export function assertSupportedSchema(schema: object, path = ''): void {
  const { properties = {}, items, format = 'uuid', ...rest }: RequestSchema & Members = { ...schema }
  const unknown = Object.keys(rest).find((keyword) => !keywords.includes(keyword) && keyword !== 'additionalProperties')
  if (unknown || !(format in formats)) throw new Error(`nothing checks ${unknown ?? format} of ${path}`)
  for (const [name, property] of Object.entries(properties)) assertSupportedSchema(property, joinPath(path, name))
  if (items) assertSupportedSchema(items, joinPath(path, 'items'))
  if (typeof rest.additionalProperties === 'object')
    assertSupportedSchema(rest.additionalProperties, joinPath(path, '*'))
}

/** Trims, checks and collects all faults in one pass. The value is valid only if there are no faults. */
export function validate(schema: RequestSchema, value: unknown): { value: Members; faults: Fault[] } {
  const faults: Fault[] = []
  const members = readObject(schema, value, '', faults)
  return { value: members ?? {}, faults }
}

/** Converts the texts of a query string to the types of the schema, then validates them. */
export function validateQuery(schema: RequestSchema, query: Record<string, string | string[]>) {
  const faults: Fault[] = []
  const converted: Members = Object.create(null)
  for (const [name, value] of Object.entries(query)) {
    const property = schema.properties?.[name]
    if (property?.type === 'array') converted[name] = Array.isArray(value) ? value : [value]
    else if (Array.isArray(value)) addFault(faults, name, 'repeated', `${name} must be given only once.`)
    else converted[name] = convert(property?.type, value)
  }
  const result = validate(schema, converted)
  return { value: result.value, faults: [...faults, ...result.faults] }
}

/** Converts a text to the type. A text that can't be converted stays a text, and is then refused. */
function convert(type: RequestSchema['type'], text: string): unknown {
  if (type === 'integer' && /^\d+$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function readObject(schema: RequestSchema, value: unknown, path: string, faults: Fault[]): Members | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return addFault(faults, path, 'type', `${path || 'The body'} must be an object.`)
  }
  const { properties = {}, required } = schema
  const others = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
  // No prototype if clients choose the names: `__proto__` is a name like any other.
  const result: Members = others ? Object.create(null) : {}
  // An object that is no list, as checked above.
  const given = value as Members
  const { maxProperties = Number.POSITIVE_INFINITY, propertyNames } = schema
  const names = Object.keys(given)
  if (names.length > maxProperties)
    return addFault(faults, path, 'too_many', `${path} must have at most ${maxProperties} members.`)
  const name_pattern = propertyNames && new RegExp(propertyNames.pattern, 'u')
  for (const name of names) {
    if (faults.length >= faults_max) break
    if (Object.hasOwn(properties, name)) continue
    if (others) {
      if (!name.isWellFormed() || hasControlCharactersExceptBreaks(name)) {
        const message = `Names in ${path || 'the body'} must not contain control characters or unpaired surrogates.`
        addFault(faults, joinPath(path, name), 'invalid_characters', message)
      } else if (name_pattern && !name_pattern.test(name)) {
        addFault(faults, joinPath(path, name), 'format', `Names in ${path} must match ${name_pattern.source}.`)
      }
      // No path is made for members that can have any value, because there may be many.
      result[name] =
        others.type === undefined ? given[name] : readMember(others, given[name], joinPath(path, name), faults)
    } else {
      addFault(faults, joinPath(path, name), 'unknown', unknownNameMessage(name, properties))
    }
  }
  for (const [name, property] of writableProperties(properties)) {
    if (Object.hasOwn(given, name)) result[name] = readMember(property, given[name], joinPath(path, name), faults)
    else if (property.default !== undefined) result[name] = property.default
    else if (required?.includes(name))
      addFault(faults, joinPath(path, name), 'required', `${joinPath(path, name)} is required.`)
  }
  return result
}

const writable_lists = new WeakMap<object, [string, RequestSchema][]>()

/** The properties that a client may set. Schemas don't change, so the list is made once and not for every request. */
function writableProperties(properties: Record<string, RequestSchema>): [string, RequestSchema][] {
  let list = writable_lists.get(properties)
  if (!list) {
    list = Object.entries(properties).filter(([, { readOnly }]) => !readOnly)
    writable_lists.set(properties, list)
  }
  return list
}

function readMember(schema: RequestSchema, value: unknown, path: string, faults: Fault[]): unknown {
  if (schema.type === undefined) return value
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  if (value === null && types.includes('null')) return null
  const others = types.filter((type) => type !== 'null')
  const type = others.length === 1 ? others[0] : others.find((one) => isOfType(one, value))
  switch (type) {
    case 'string':
      return readText(schema, value, path, faults)
    case 'integer':
      return readNumber(schema, value, path, faults, 'an integer')
    case 'number':
      return readNumber(schema, value, path, faults, 'a number')
    case 'boolean':
      return readBoolean(value, path, faults)
    case 'array':
      return readArray(schema, value, path, faults)
    case 'object':
      return readObject(schema, value, path, faults)
    case undefined:
      return addFault(faults, path, 'type', `${path} must be ${others.map((one) => type_names[one]).join(' or ')}.`)
    default:
      throw new Error(`no rule for the type ${schema.type} of ${path}`)
  }
}

const type_names: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
}

const isOfType = (type: string, value: unknown): boolean =>
  type === 'array' ? Array.isArray(value) : typeof value === type

function readNumber(
  schema: RequestSchema,
  value: unknown,
  path: string,
  faults: Fault[],
  kind: 'an integer' | 'a number',
): number | undefined {
  const is_integer = kind === 'an integer'
  const { minimum = is_integer ? Number.MIN_SAFE_INTEGER : -Infinity } = schema
  const { maximum = is_integer ? Number.MAX_SAFE_INTEGER : Infinity } = schema
  const isValid = is_integer ? Number.isInteger : Number.isFinite
  if (typeof value !== 'number' || !isValid(value)) return addFault(faults, path, 'type', `${path} must be ${kind}.`)
  if (value < minimum) return addFault(faults, path, 'minimum', `${path} must be at least ${minimum}.`)
  if (value > maximum) return addFault(faults, path, 'maximum', `${path} must be at most ${maximum}.`)
  return value
}

function readBoolean(value: unknown, path: string, faults: Fault[]): boolean | undefined {
  return typeof value === 'boolean' ? value : addFault(faults, path, 'type', `${path} must be true or false.`)
}

function readArray(schema: RequestSchema, value: unknown, path: string, faults: Fault[]): unknown[] | undefined {
  const { items = {}, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema
  if (!Array.isArray(value)) return addFault(faults, path, 'type', `${path} must be a list.`)
  if (value.length > maxItems) return addFault(faults, path, 'too_many', `${path} must have at most ${maxItems} items.`)
  if (value.length < minItems) return addFault(faults, path, 'too_few', `${path} must have at least ${minItems} items.`)
  if (schema[checked_apart]) return value
  return value.map((item, index) => readMember(items, item, joinPath(path, String(index)), faults))
}

const joinPath = (path: string, name: string): string =>
  truncate(path === '' ? name : `${path}.${name}`, path_length_max)
