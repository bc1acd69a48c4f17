import * as clock from '../clock.ts'
import { type Check, check } from '../field.ts'
import { isId } from '../id.ts'
import { type Fault, faults_max } from '../problem.ts'
import { cut } from '../text.ts'

/** The part of JSON Schema that requests are written in. */
export interface Schema {
  /** Without one any JSON will do. */
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  /** Of members with any other name. */
  additionalProperties?: Schema | boolean
  enum?: unknown[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  default?: unknown
  readOnly?: boolean
  multiline?: boolean
  [check]?: Check
}

type Members = Record<string, unknown>

const name_length_max = 100

const keywords = [
  ...['type', 'properties', 'required', 'items', 'enum', 'format', 'pattern', 'minLength', 'maxLength', 'maxItems'],
  ...['minimum', 'maximum', 'default', 'readOnly', 'multiline', 'title', 'description', 'examples'],
]

/** Throws when the schema says what is not checked here, so that nothing goes silently unchecked. */
export function assertChecked(schema: object, path = ''): void {
  const { properties = {}, items, format = 'uuid', ...rest }: Schema & Members = { ...schema }
  const unknown = Object.keys(rest).find((keyword) => !keywords.includes(keyword) && keyword !== 'additionalProperties')
  if (unknown || !(format in formats)) throw new Error(`nothing checks ${unknown ?? format} of ${path}`)
  for (const [name, property] of Object.entries(properties)) assertChecked(property, below(path, name))
  if (items) assertChecked(items, below(path, 'items'))
  if (typeof rest.additionalProperties === 'object') assertChecked(rest.additionalProperties, below(path, '*'))
}

/** One pass that trims, checks and collects every fault. The value is only good when there is none. */
export function validate(schema: Schema, value: unknown): { value: Members; faults: Fault[] } {
  const faults: Fault[] = []
  const members = objectOf(schema, value, '', faults)
  return { value: members ?? {}, faults }
}

/** A query string can only say text, and a name given twice comes as a list: give each the shape of its schema. */
export function validateQuery(schema: Schema, query: Record<string, string | string[]>) {
  const faults: Fault[] = []
  const shaped: Members = Object.create(null)
  for (const [name, said] of Object.entries(query)) {
    const property = schema.properties?.[name]
    if (property?.type === 'array') shaped[name] = Array.isArray(said) ? said : [said]
    else if (Array.isArray(said)) refuse(faults, name, 'repeated', `${name} is given twice.`)
    else shaped[name] = property?.type === 'integer' && /^\d+$/.test(said) ? Number(said) : said
  }
  const result = validate(schema, shaped)
  return { value: result.value, faults: [...faults, ...result.faults] }
}

function objectOf(schema: Schema, value: unknown, path: string, faults: Fault[]): Members | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse(faults, path, 'type', `${path || 'The body'} must be an object.`)
  }
  const { properties = {}, required } = schema
  const others = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
  // Without a prototype where a member may have any name.
  const result: Members = others ? Object.create(null) : {}
  const given = value as Members
  for (const name of Object.keys(given)) {
    if (faults.length >= faults_max) break
    if (Object.hasOwn(properties, name)) continue
    if (others) {
      if (!name.isWellFormed() || control_but_breaks.test(name)) {
        const message = `A name in ${path || 'the body'} may not hold control characters or half of a character.`
        refuse(faults, below(path, name), 'invalid_characters', message)
      }
      result[name] = memberOf(others, given[name], below(path, name), faults)
    } else {
      refuse(faults, below(path, name), 'unknown', unknownName(name, Object.keys(properties)))
    }
  }
  for (const [name, property] of writable(properties)) {
    if (Object.hasOwn(given, name)) result[name] = memberOf(property, given[name], below(path, name), faults)
    else if (property.default !== undefined) result[name] = property.default
    else if (required?.includes(name))
      refuse(faults, below(path, name), 'required', `${below(path, name)} is required.`)
  }
  return result
}

const lists = new WeakMap<object, [string, Schema][]>()

/** What a client may set. Schemas don't change, and are read at every request: the list is made once. */
function writable(properties: Record<string, Schema>): [string, Schema][] {
  let list = lists.get(properties)
  if (!list) {
    list = Object.entries(properties).filter(([, { readOnly }]) => !readOnly)
    lists.set(properties, list)
  }
  return list
}

function memberOf(schema: Schema, value: unknown, path: string, faults: Fault[]): unknown {
  if (schema.type === undefined) return value
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  if (value === null && types.includes('null')) return null
  if (types.includes('string')) return textOf(schema, value, path, types.includes('null'), faults)
  if (types.includes('integer')) return integerOf(schema, value, path, faults)
  if (types.includes('boolean')) return booleanOf(value, path, faults)
  if (types.includes('array')) return arrayOf(schema, value, path, faults)
  if (types.includes('object')) return objectOf(schema, value, path, faults)
  throw new Error(`no rule for the type ${schema.type} of ${path}`)
}

function textOf(
  schema: Schema,
  value: unknown,
  path: string,
  is_nullable: boolean,
  faults: Fault[],
): string | null | undefined {
  if (typeof value !== 'string') return refuse(faults, path, 'type', `${path} must be text.`)
  if (!value.isWellFormed()) return refuse(faults, path, 'invalid_characters', `${path} holds half of a character.`)
  const text = value.trim()
  if (text === '' && is_nullable) return null
  if ((schema.multiline ? control_but_breaks : control).test(text)) {
    return refuse(faults, path, 'invalid_characters', `${path} may not hold control characters.`)
  }
  const { minLength = 0, maxLength } = schema
  // UTF-16 units are at least as many as code points: count these only when it matters.
  if (maxLength !== undefined && text.length > maxLength && codePoints(text) > maxLength) {
    return refuse(faults, path, 'too_long', `${path} may have at most ${maxLength} characters.`)
  }
  if (text.length < minLength || (minLength > 1 && codePoints(text) < minLength)) {
    const least = minLength > 1 ? `must have at least ${minLength} characters` : 'may not be empty'
    return refuse(faults, path, 'too_short', `${path} ${least}.`)
  }
  if (schema.enum && !schema.enum.includes(text)) {
    return refuse(
      faults,
      path,
      'enum',
      `${path} must be one of ${schema.enum.filter((one) => one !== null).join(', ')}.`,
    )
  }
  const fault = schema[check]?.(text) ?? formats[schema.format ?? '']?.(text) ?? patternFault(schema.pattern, text)
  if (!fault) return text
  faults.push({ path, ...fault, message: `${path} ${fault.message}` })
  return undefined
}

function integerOf(schema: Schema, value: unknown, path: string, faults: Fault[]): number | undefined {
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema
  if (typeof value !== 'number' || !Number.isInteger(value))
    return refuse(faults, path, 'type', `${path} must be a whole number.`)
  if (value < minimum) return refuse(faults, path, 'minimum', `${path} must be at least ${minimum}.`)
  if (value > maximum) return refuse(faults, path, 'maximum', `${path} may be at most ${maximum}.`)
  return value
}

function booleanOf(value: unknown, path: string, faults: Fault[]): boolean | undefined {
  return typeof value === 'boolean' ? value : refuse(faults, path, 'type', `${path} must be true or false.`)
}

function arrayOf(schema: Schema, value: unknown, path: string, faults: Fault[]): unknown[] | undefined {
  const { items = {}, maxItems = Number.POSITIVE_INFINITY } = schema
  if (!Array.isArray(value)) return refuse(faults, path, 'type', `${path} must be a list.`)
  if (value.length > maxItems) return refuse(faults, path, 'too_many', `${path} may hold at most ${maxItems}.`)
  return value.map((item, index) => memberOf(items, item, below(path, String(index)), faults))
}

/** Tells a fault, and gives undefined in the value's place. */
function refuse(faults: Fault[], path: string, code: string, message: string): undefined {
  if (faults.length < faults_max) faults.push({ path, code, message })
}

const below = (path: string, name: string): string => cut(path === '' ? name : `${path}.${name}`, 200)

const codePoints = (text: string): number => [...text].length

export const hasControl = (text: string): boolean => control.test(text)
export const hasControlButBreaks = (text: string): boolean => control_but_breaks.test(text)

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const control = /[\u0000-\u001f\u007f-\u009f]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const control_but_breaks = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

const rfc3339 = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-](0\d|1[0-5]):[0-5]\d))?$/

const formats: Record<string, Check> = {
  uuid: (text) => (isId(text) ? undefined : { code: 'format', message: 'must be an identifier.' }),
  'date-time': (text) =>
    rfc3339.test(text) && !Number.isNaN(clock.parse(text)) && isDay(text.slice(0, 10))
      ? undefined
      : { code: 'format', message: `must be a time such as 2026-11-15T09:30:00Z${lostPlus(text)}.` },
}

/** In a query + stands for a blank. */
const lostPlus = (text: string): string => (text.includes(' ') ? ', with + written as %2B' : '')

/** The 30th of February is read as the second of March. */
const isDay = (text: string): boolean => clock.isIso(`${text}T00:00:00.000Z`)

const patternFault = (pattern: string | undefined, text: string) =>
  pattern === undefined || new RegExp(pattern, 'u').test(text)
    ? undefined
    : { code: 'format', message: `must match ${pattern}.` }

function unknownName(name: string, known: string[]): string {
  if (name.length > name_length_max) return `${cut(name, name_length_max)}... is not known here.`
  const meant = known.find((other) => letters(other) === letters(name)) ?? known.find((other) => isNear(name, other))
  return `${name} is not known here.${meant ? ` Did you mean ${meant}?` : ''}`
}

const letters = (name: string): string => name.replace(/[^a-z0-9]/gi, '').toLowerCase()

/** At most two letters are added, lost or changed, and fewer in a short name. */
function isNear(left: string, right: string): boolean {
  const distance_max = Math.min(2, Math.floor(right.length / 2.5))
  if (Math.abs(left.length - right.length) > distance_max) return false
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return (row[right.length] ?? 0) <= distance_max
}
