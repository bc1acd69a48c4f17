import { hasControlCharactersExceptBreaks } from '../kit/http/validate-text.ts'
import { isObject } from '../kit/json.ts'
import type { Fault } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'

export const text_length_max = 32_000
const levels_max = 10
const path_length_max = 200
const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']

/** The part of JSON Schema that the parameters of a tool may use. */
export interface Schema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  required?: string[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
}

type Test = (value: unknown) => boolean

const isCount: Test = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const isNumber: Test = (value) => typeof value === 'number' && Number.isFinite(value)
const isText: Test = (value) => typeof value === 'string'
const isAny: Test = () => true
const isUniqueTexts: Test = (value) =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length
const isType: Test = (value) => {
  const named = [value].flat()
  return named.length > 0 && isUniqueTexts(named) && named.every((one) => types.includes(String(one)))
}
const isFilledList: Test = (value) => Array.isArray(value) && value.length > 0

/**
 * These keywords are allowed, each with a test of its value. Schemas come from clients: there is no `pattern`, which may take
 * for ever to match, no `$ref`, which may be endless, and no `uniqueItems`, which compares all with all.
 */
const keywords: Record<string, Test> = {
  type: isType,
  enum: isFilledList,
  const: isAny,
  required: isUniqueTexts,
  properties: isObject,
  additionalProperties: (value) => typeof value === 'boolean' || isObject(value),
  items: isObject,
  anyOf: isFilledList,
  oneOf: isFilledList,
  allOf: isFilledList,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  // These keywords only tell the model something.
  title: isText,
  description: isText,
  format: isText,
  default: isAny,
  examples: Array.isArray,
}

/** Returns whether the parameters of a tool may have this keyword with this value. */
export const isAllowed = (name: string, value: unknown): boolean =>
  Object.hasOwn(keywords, name) && keywords[name]?.(value) === true

/** Returns what is wrong with the JSON Schema of a tool's arguments: nothing, or the first fault. */
export function parameterFaults(parameters: unknown): Fault[] {
  if (!isObject(parameters) || parameters.type !== 'object')
    return fault('parameters', 'must be a JSON Schema of the type object.')
  if (JSON.stringify(parameters).length > text_length_max)
    return fault('parameters', `must have at most ${text_length_max} characters as JSON.`)
  if (hasUnstorableText(parameters))
    return fault('parameters', 'must not contain control characters or unpaired surrogates.')
  // Many generators add this member, which only says which version of JSON Schema is meant.
  const { $schema: _, ...schema } = parameters
  return findFaults(schema, 'parameters', levels_max)
}

const fault = (path: string, message: string): Fault[] => [
  { path: truncate(path, path_length_max), code: 'schema', message: `${truncate(path, path_length_max)} ${message}` },
]

function findFaults(schema: unknown, path: string, levels: number): Fault[] {
  if (!isObject(schema)) return fault(path, 'must be a JSON Schema.')
  if (levels === 0) return fault(path, `is nested too deeply: ${levels_max} levels are allowed.`)
  for (const [name, value] of Object.entries(schema)) {
    if (!Object.hasOwn(keywords, name)) return fault(`${path}.${name}`, 'is not supported in parameters.')
    if (!keywords[name]?.(value)) return fault(`${path}.${name}`, "has a value that JSON Schema doesn't allow.")
  }
  for (const [name, part] of partsOf(schema)) {
    const faults = findFaults(part, `${path}.${name}`, levels - 1)
    if (faults.length > 0) return faults
  }
  return []
}

/** Returns the schemas inside a schema whose keywords were tested. */
function partsOf({ properties, items, additionalProperties, ...rest }: Record<string, unknown>): [string, unknown][] {
  const listed = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => {
    const list: unknown = rest[name]
    return Array.isArray(list) ? list.map((one, index): [string, unknown] => [`${name}.${index}`, one]) : []
  })
  const members = isObject(properties) ? properties : {}
  const named = Object.entries(members).map(([name, one]): [string, unknown] => [`properties.${name}`, one])
  const single = Object.entries({ items, additionalProperties }).filter(([, one]) => isObject(one))
  return [...named, ...single, ...listed]
}

/** Whether a value has text that the database can't store: NUL or lone surrogates. Bodies are not nested deeply. */
export function hasUnstorableText(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed() || hasControlCharactersExceptBreaks(value)
  if (Array.isArray(value)) return value.some(hasUnstorableText)
  return isObject(value) && Object.entries(value).some((entry) => entry.some(hasUnstorableText))
}
