import { isObject } from '../kit/json.ts'
import { isAllowed, type Schema } from './parameters.ts'

/** Parts that are nested more deeply are not checked. */
const levels_max = 20

/** Keywords that say nothing about which values are valid. */
const annotations = new Set([
  ...['$schema', '$id', '$comment', '$defs', 'definitions'],
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
])

interface Part {
  schema: Schema
  /** Whether the part allows the same values as the schema that it is a part of. */
  is_exact: boolean
}

/**
 * Returns the part of someone else's JSON Schema that `argumentFault` can check: the keywords of parameters. It allows all values that
 * the whole schema allows, and may allow more.
 */
export const knownPart = (schema: unknown): Schema => partOf(schema, levels_max).schema

function partOf(schema: unknown, levels: number): Part {
  if (schema === true) return { schema: {}, is_exact: true }
  if (!isObject(schema) || levels === 0) return { schema: {}, is_exact: false }
  let is_exact = true
  const within = (value: unknown): Schema => {
    const part = partOf(value, levels - 1)
    is_exact = is_exact && part.is_exact
    return part.schema
  }
  const known: Record<string, unknown> = {}
  const all_of: Schema[] = []
  for (const [name, value] of Object.entries(schema)) {
    if (annotations.has(name)) continue
    if (!isAllowed(name, value) || isWidened(name, schema)) is_exact = false
    else if (name === 'properties' && isObject(value))
      known[name] = Object.fromEntries(Object.entries(value).map(([member, one]) => [member, within(one)]))
    else if (name === 'items' || (name === 'additionalProperties' && typeof value !== 'boolean'))
      known[name] = within(value)
    else if (name === 'anyOf' && Array.isArray(value)) known[name] = value.map(within)
    else if (name === 'allOf' && Array.isArray(value)) all_of.push(...value.map(within))
    else if (name === 'oneOf' && Array.isArray(value)) {
      const parts = value.map((one) => partOf(one, levels - 1))
      const are_exact = parts.every((part) => part.is_exact)
      is_exact = is_exact && are_exact
      const alternatives = parts.map((part) => part.schema)
      // Parts that allow more could both match a value that only one of the alternatives allows.
      all_of.push(are_exact ? { oneOf: alternatives } : { anyOf: alternatives })
    } else known[name] = value
  }
  return { schema: { ...known, ...(all_of.length > 0 && { allOf: all_of }) }, is_exact }
}

/** Whether another keyword that is not known takes values away from this keyword. */
const isWidened = (name: string, schema: Record<string, unknown>): boolean =>
  (name === 'additionalProperties' && 'patternProperties' in schema) || (name === 'items' && 'prefixItems' in schema)
