import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Schema } from './document.ts'
import type { Memory } from './memory.ts'
import { between, chance, pick, type Random } from './random.ts'

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)

/** The document describes valid values of these only in words, or they name other resources, so they are mostly left out. */
export const described_in_words = [
  'cursor',
  'crm_system',
  'crm_id',
  'after',
  'Last-Event-ID',
  'against',
  'url',
  'events',
  'inbox_answer',
  'since',
  'until',
  'base_url',
  'parameters',
  'language',
  'script',
  'model',
  'fallback_model',
  'tools',
  'results',
  'version_id',
  'agent_id',
  'contact_id',
  'channel_id',
  'campaign_id',
  'agent_version_id',
  'use_draft',
  'to',
  'scheduled_at',
  'transfers',
  'mix',
  'allows_network',
  'channel_ids',
  'contact_ids',
  'contacts',
  'filter',
  'time_zone',
  'holidays',
  'windows',
  'retry',
  'starts_at',
  'ends_at',
  'at',
  'quiet_hours',
]

const recall_share = 0.3
const short_text = 20
/** Longer lists make workspaces so large that listing them dominates the run. */
const long_list = 100
const offset_max_exponent = 53

/** Valid texts that often break software. */
const odd_texts = [
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '0',
  '-1',
  '%',
  '_',
  '\\',
  "'",
  '"',
  '{}',
  "'; drop table contacts; --",
  '{{7*7}}',
  '%s%n',
  '<script>',
  '../../etc/passwd',
  'İstanbul',
  'ﬃ',
  'ß',
  'Ω\u0301',
]
const letters = [...'abcxyzABCXYZ0189', ...' -_.,%\'"\\/<>&;:{}[]()@#?=+*|~`^$!', ...'üéñßİıſﬁΩжшअあ漢字‮​‍́😀👩🏳️']

export const typesOf = ({ type = [] }: Schema): string[] => (Array.isArray(type) ? type : [type])

export const matchesSchema = (schema: Schema, value: unknown): boolean => ajv.validate(schema, value)

/** A value that the schema allows. Often one that was seen under that name, so that it matches an existing resource. */
export function validValue(random: Random, name: string, schema: Schema, memory: Memory): unknown {
  const types = typesOf(schema)
  if (types.includes('null') && chance(random, 0.1)) return null
  if (chance(random, recall_share)) {
    const seen = memory.recall(random, name)
    if (seen !== undefined && matchesSchema(schema, seen)) return seen
  }
  if (schema.enum) return pick(random, schema.enum)
  if (types.includes('boolean')) return chance(random, 0.5)
  if (types.includes('object') && !schema.properties) return { phone_number: fromPattern(random, '\\+4930\\d{6}') }
  if (types.includes('object')) return validObject(random, schema, memory)
  if (types.includes('array')) return validList(random, name, schema, memory)
  if (types.includes('integer') || types.includes('number')) return validInteger(random, schema)
  return types.includes('string') ? validText(random, schema) : anyJson(random, 3)
}

function validObject(random: Random, { properties = {}, required = [] }: Schema, memory: Memory): object {
  const chosen = Object.entries(properties).filter(
    ([name, { readOnly, ...schema }]) =>
      // Objects with arbitrary members, such as a column map, must match other parts of the request.
      !(typeof schema.additionalProperties === 'object') &&
      (required.includes(name) || chance(random, shareOf(name, readOnly))),
  )
  return Object.fromEntries(chosen.map(([name, schema]) => [name, validValue(random, name, schema, memory)]))
}

function shareOf(name: string, is_read_only = false): number {
  if (is_read_only) return 0.05
  return described_in_words.includes(name) ? 0.1 : 0.4
}

function validList(random: Random, name: string, { items = {}, maxItems = 10 }: Schema, memory: Memory): unknown[] {
  const length = chance(random, 0.05) ? Math.min(long_list, maxItems) : between(random, 0, Math.min(4, maxItems))
  return Array.from({ length }, () => validValue(random, name, items, memory))
}

function validInteger(random: Random, { minimum = 0, maximum }: Schema): number {
  if (maximum === undefined) return chance(random, 0.8) ? between(random, minimum, 30) : 2 ** offset_max_exponent - 1
  return pick(random, [minimum, maximum, between(random, minimum, maximum)])
}

function validText(random: Random, schema: Schema): string {
  const { format, pattern, minLength = 0, maxLength = 100 } = schema
  if (format === 'date-time') return validTime(random)
  if (format === 'uuid')
    return fromPattern(random, '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}')
  if (chance(random, 0.1)) {
    const text = pick(random, odd_texts)
    if (matchesSchema(schema, text)) return text
  }
  if (pattern) {
    const text = fromPattern(random, pattern)
    return matchesSchema(schema, text) ? text : varyExample(random, schema)
  }
  const length = chance(random, 0.1) ? maxLength : between(random, minLength, Math.min(maxLength, short_text))
  if (length === 0) return ''
  // Starts with a letter, because spaces at the ends are trimmed.
  return `a${Array.from({ length: length - 1 }, () => pick(random, letters)).join('')}`
}

/** For patterns that are too complex to generate from: changes letters of the example. */
function varyExample(random: Random, schema: Schema): string {
  const example = String(schema.examples?.[0])
  const text = example.replace(/[a-z]/g, (letter) => (chance(random, 0.7) ? letter : pick(random, [...'abcäéß09.+-'])))
  return matchesSchema(schema, text) ? text : example
}

function validTime(random: Random): string {
  const two = (min: number, max: number) => String(between(random, min, max)).padStart(2, '0')
  const year = chance(random, 0.7) ? '2026' : String(between(random, 0, 9999)).padStart(4, '0')
  const fraction = pick(random, ['', '.1', '.123', '.999999999'])
  const zone = pick(random, ['Z', 'Z', '+00:00', `+${two(0, 14)}:${two(0, 59)}`, `-${two(0, 14)}:${two(0, 59)}`])
  return `${year}-${two(1, 12)}-${two(1, 28)}T${two(0, 23)}:${two(0, 59)}:${two(0, 59)}${fraction}${zone}`
}

/** A text for a regular expression of characters, classes and counts. */
export function fromPattern(random: Random, pattern: string): string {
  const parts = /(\[(?:[^\]\\]|\\.)+\]|\\.|[^\\[\]{}^$])(?:\{(\d+)(?:,(\d+))?\})?/g
  return [...pattern.matchAll(parts)]
    .map(([, one = '', min = '1', max = min]) =>
      Array.from({ length: between(random, Number(min), Number(max)) }, () => pick(random, charactersOf(one))).join(''),
    )
    .join('')
}

function charactersOf(one: string): string[] {
  if (one === '\\d') return [...'0123456789']
  if (one.startsWith('\\')) return [one.slice(1)]
  if (!one.startsWith('[')) return [one]
  return [...one.slice(1, -1).matchAll(/(.)-(.)|(.)/g)].flatMap(([, from = '', to = '', single]) => {
    if (single) return [single]
    const [first, last] = [from.charCodeAt(0), to.charCodeAt(0)]
    return Array.from({ length: last - first + 1 }, (_, step) => String.fromCharCode(first + step))
  })
}

export function anyJson(random: Random, depth: number): unknown {
  const scalars = [null, true, 0, -1, 1.5, 1e308, 2 ** 53, '', 'text', ...odd_texts]
  if (depth === 0 || chance(random, 0.5)) return pick(random, scalars)
  const members = Array.from({ length: between(random, 0, 3) }, () => anyJson(random, depth - 1))
  return chance(random, 0.5) ? members : Object.fromEntries(members.map((member) => [pick(random, odd_texts), member]))
}
