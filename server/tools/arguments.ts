import { isObject } from '../kit/json.ts'
import { truncate } from '../kit/text.ts'
import type { Schema } from './parameters.ts'

/** Limits the work of a check: a schema and a value of some thousand parts each could otherwise take seconds. */
const steps_max = 100_000
/** Counting the characters of a text takes one step for this many. */
const characters_per_step = 50
const path_length_max = 200
const name_length_max = 100

class TooManySteps extends Error {}

/** Says what is wrong. Most faults are those of alternatives, and never told, so their words are made last. */
type Fault = () => string

/**
 * Returns what is wrong with the arguments of a tool, in words for the model, or undefined when they are valid. The schema is not
 * compiled to code, as libraries do: that takes seconds if it is large.
 */
export function argumentFault(schema: Schema, value: unknown): string | undefined {
  try {
    return findFault(schema, value, 'arguments', { steps: 0 })?.()
  } catch (error) {
    if (error instanceof TooManySteps) return 'arguments are too complex.'
    throw error
  }
}

interface Work {
  steps: number
}

function findFault(schema: Schema, value: unknown, path: string, work: Work): Fault | undefined {
  countSteps(work, 1)
  const fault = ownFault(schema, value, work)
  if (fault) return () => `${truncate(path, path_length_max)} ${fault()}.`
  return choiceFault(schema, value, path, work) ?? partFault(schema, value, path, work)
}

function countSteps(work: Work, steps: number): void {
  work.steps += steps
  if (work.steps > steps_max) throw new TooManySteps()
}

/** A keyword for another type than the value's has no effect. */
function ownFault(schema: Schema, value: unknown, work: Work): Fault | undefined {
  const { type, const: only, enum: choices } = schema
  if (type && ![type].flat().some((one) => isOfType(one, value)))
    return () => `must be of the type ${[type].flat().join(' or ')}`
  if (only !== undefined && !isEqual(only, value, work)) return () => `must be ${truncate(JSON.stringify(only), 200)}`
  if (choices && !choices.some((one) => isEqual(one, value, work)))
    return () => `must be one of ${truncate(JSON.stringify(choices), 500)}`
  if (typeof value === 'number') return numberFault(schema, value)
  if (typeof value === 'string') return textFault(schema, value, work)
  if (Array.isArray(value)) return lengthFault(schema.minItems, schema.maxItems, value.length, 'items')
  if (!isObject(value)) return undefined
  const missing = schema.required?.find((name) => !Object.hasOwn(value, name))
  return missing === undefined ? undefined : () => `must have ${JSON.stringify(truncate(missing, name_length_max))}`
}

function numberFault(schema: Schema, value: number): Fault | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  if (minimum !== undefined && value < minimum) return () => `must be at least ${minimum}`
  if (maximum !== undefined && value > maximum) return () => `must be at most ${maximum}`
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return () => `must be more than ${exclusiveMinimum}`
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return () => `must be less than ${exclusiveMaximum}`
  return undefined
}

function textFault({ minLength, maxLength }: Schema, value: string, work: Work): Fault | undefined {
  if (minLength === undefined && maxLength === undefined) return undefined
  countSteps(work, value.length / characters_per_step)
  return lengthFault(minLength, maxLength, [...value].length, 'characters')
}

function lengthFault(min = 0, max = Number.POSITIVE_INFINITY, length: number, unit: string): Fault | undefined {
  if (length < min) return () => `must have at least ${min} ${unit}`
  return length > max ? () => `must have at most ${max} ${unit}` : undefined
}

function choiceFault(
  { allOf = [], anyOf = [], oneOf }: Schema,
  value: unknown,
  path: string,
  work: Work,
): Fault | undefined {
  const faultOf = (schema: Schema) => findFault(schema, value, path, work)
  for (const schema of allOf) {
    const fault = faultOf(schema)
    if (fault) return fault
  }
  const fault = anyFault(anyOf, faultOf)
  if (fault) return fault
  const matching = oneOf?.filter((schema) => !faultOf(schema)).length ?? 1
  return matching === 1
    ? undefined
    : () => `${truncate(path, path_length_max)} must match exactly one of the alternatives.`
}

/** Returns the fault of the first alternative, or undefined as soon as one has none. */
function anyFault(anyOf: Schema[], faultOf: (schema: Schema) => Fault | undefined): Fault | undefined {
  let first: Fault | undefined
  for (const schema of anyOf) {
    const fault = faultOf(schema)
    if (!fault) return undefined
    first ??= fault
  }
  return first
}

function partFault(schema: Schema, value: unknown, path: string, work: Work): Fault | undefined {
  const { properties = {}, additionalProperties = true, items } = schema
  if (Array.isArray(value)) {
    if (!items) return undefined
    for (const [index, item] of value.entries()) {
      const fault = findFault(items, item, `${path}.${index}`, work)
      if (fault) return fault
    }
    return undefined
  }
  if (!isObject(value)) return undefined
  const members = Object.entries(value)
  countSteps(work, members.length)
  for (const [name, member] of members) {
    const rule = Object.hasOwn(properties, name) ? (properties[name] ?? true) : additionalProperties
    if (rule === false)
      return () =>
        `${truncate(path, path_length_max)} must not have ${JSON.stringify(truncate(name, name_length_max))}.`
    const fault = rule === true ? undefined : findFault(rule, member, `${path}.${name}`, work)
    if (fault) return fault
  }
  return undefined
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'object') return isObject(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

function isEqual(one: unknown, other: unknown, work: Work): boolean {
  countSteps(work, 1)
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index], work))
  if (!isObject(one) || !isObject(other)) return one === other
  const names = Object.keys(one)
  const other_names = Object.keys(other)
  countSteps(work, other_names.length)
  if (names.length !== other_names.length) return false
  return names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name], work))
}
