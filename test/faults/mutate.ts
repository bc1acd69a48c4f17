import type { Schema } from './document.ts'
import { between, chance, pick, type Random } from './random.ts'
import { anyJson, matchesSchema, typesOf } from './values.ts'

/** A value with one mutation. */
export interface Mutated<T> {
  value: T
  /** The document clearly forbids it. */
  must_be_rejected: boolean
}

const rejected = <T>(value: T): Mutated<T> => ({ value, must_be_rejected: true })
const maybeValid = <T>(value: T): Mutated<T> => ({ value, must_be_rejected: false })

const unknown_names = [
  'nonsense',
  '__proto__',
  'constructor',
  'phone',
  'first_nam',
  'x'.repeat(5000),
  '',
  '\u0000',
  'İd',
]
const invalid_names = ['\u0000', 'a\u0000b', 'a\u0007b', 'a\u009fb', '\ud800', 'a\udfffb']
const times = ['2026-02-30T00:00:00Z', '2026-11-15T25:00:00Z', '2026-11-15 09:30', '20261115', '1763195400']
const numbers = ['-1', '0', '101', '1.5', '1e2', '', ' 5', '+5', '0x10', '٣', 'NaN', '1_000', '9007199254740993']
const more_numbers = ['99999999999999999999', '-0', '00000000000000000007', `${'9'.repeat(400)}`, '1;2', '5\u0000']

function mutateValue(random: Random, schema: Schema, good: unknown): Mutated<unknown> {
  const types = typesOf(schema)
  if (schema.readOnly || types.length === 0)
    return maybeValid(pick(random, [nested(between(random, 1, 60)), anyJson(random, 5)]))
  if (chance(random, 0.3)) return otherType(random, schema)
  if (types.includes('object') && typeof schema.additionalProperties === 'object')
    return mutateNames(random, schema.additionalProperties, good)
  if (types.includes('object') && !schema.properties) return otherType(random, schema)
  if (types.includes('boolean')) return rejected(pick(random, ['true', 0, 1, null]))
  if (types.includes('object')) return mutateObject(random, schema, Object(good))
  if (types.includes('array')) return mutateList(random, schema, good)
  return mutateText(random, schema)
}

function otherType(random: Random, schema: Schema): Mutated<unknown> {
  const types = typesOf(schema)
  const others = [
    7,
    ...(types.includes('boolean') ? [] : [true]),
    1e308,
    -0.5,
    ...(types.includes('null') ? [] : [null]),
  ]
  if (!types.includes('object')) others.push(Object(JSON.parse('{"__proto__": {"a": 1}}')))
  if (!types.includes('array')) others.push(Object([['x']]))
  const value = pick(random, types.includes('string') ? others : [...others, 'text', '[]'])
  return { value, must_be_rejected: !matchesSchema(schema, value) }
}

function mutateObject(random: Random, schema: Schema, good: Record<string, unknown>): Mutated<unknown> {
  const { properties = {}, required = [] } = schema
  const choice = between(random, 1, 10)
  if (choice === 1 && required.length > 0) {
    const missing = pick(random, required)
    return rejected(Object.fromEntries(Object.entries(good).filter(([name]) => name !== missing)))
  }
  if (choice <= 3) {
    const name = pick(random, unknown_names)
    const value = anyJson(random, 3)
    return Object.hasOwn(properties, name) ? maybeValid(good) : rejected(withMember(good, name, value))
  }
  const name = pick(random, Object.keys(properties))
  const { value, must_be_rejected } = mutateValue(random, properties[name] ?? {}, good[name])
  return { value: withMember(good, name, value), must_be_rejected }
}

/** For objects with arbitrary member names: adds one that can't be stored, or an unusual one. */
function mutateNames(random: Random, member: Schema, good: unknown): Mutated<unknown> {
  const object = typeof good === 'object' && good !== null ? good : {}
  const value = pick(random, [null, 'x', ...(member.enum ?? [])])
  if (chance(random, 0.5)) return rejected(withMember(object, pick(random, invalid_names), value))
  return maybeValid(withMember(object, pick(random, unknown_names), anyJson(random, 3)))
}

/** Works for the name `__proto__` too. */
const withMember = (object: object, name: string, value: unknown): object =>
  Object.fromEntries([...Object.entries(object), [name, value]])

function mutateList(random: Random, { items = {}, maxItems = 0 }: Schema, good: unknown): Mutated<unknown> {
  const list = Array.isArray(good) ? good : []
  if (chance(random, 0.3)) return rejected(Array.from({ length: maxItems + 1 }, (_, index) => `item ${index}`))
  if (chance(random, 0.1)) return maybeValid(Array.from({ length: maxItems }, () => 'the same'))
  const { value, must_be_rejected } = mutateValue(random, items, 'x')
  const index = between(random, 0, list.length)
  return { value: list.toSpliced(index, 0, value), must_be_rejected }
}

/** A text that is invalid or at a limit. */
export function mutateText(random: Random, schema: Schema): Mutated<string> {
  const { minLength = 0, maxLength, format, pattern } = schema
  const choices: Mutated<string>[] = ['\u0000', 'a\u0000b', 'a\u0007b', 'a\u009fb', '\ud800', 'a\udfffb'].map(rejected)
  choices.push(...['\u2028', ' \u3000a\u3000 ', '\ufeffa', 'a'.repeat(10_000), 'e\u0301'.repeat(30)].map(maybeValid))
  choices.push(...['', ' ', '\t\n'].map(minLength > 0 ? rejected : maybeValid))
  if (maxLength !== undefined) {
    choices.push(...['x', '😀', 'é'].map((one) => maybeValid(one.repeat(maxLength))))
    choices.push(...['x', '😀', 'é'].map((one) => rejected(one.repeat(maxLength + 1))))
    choices.push(maybeValid(` ${'x'.repeat(maxLength)} `))
  }
  if (schema.enum) {
    const texts = ['other', `${schema.enum[0]}`.toUpperCase(), `${schema.enum[0]}x`]
    choices.push(...texts.map((value) => ({ value, must_be_rejected: !schema.enum?.includes(value) })))
  }
  if (format === 'date-time') choices.push(...[...times, 'yesterday'].map(rejected), maybeValid('0000-01-01T00:00:00Z'))
  if (format === 'date-time')
    choices.push(...['9999-12-31T23:59:59.9-14:59', '0000-01-01T00:00:00+14:59'].map(maybeValid))
  if (pattern) {
    const texts = ['é!', '+', 'A', '+0123', '+1234567890123456', '@', 'a@b', 'a@@b.org', 'a b@c.org', '@b.org', 'x\ny']
    choices.push(...texts.map((value) => ({ value, must_be_rejected: !matchesSchema(schema, value) })))
  }
  return pick(random, choices)
}

/** The value of a query parameter, which is always text. */
export function mutateQueryValue(random: Random, schema: Schema): Mutated<string> {
  const types = typesOf(schema)
  if (!types.includes('integer')) {
    const mutated = mutateText(random, schema.items ?? schema)
    // Half a surrogate pair can't be encoded in a query.
    return mutated.value.isWellFormed() ? mutated : maybeValid(mutated.value)
  }
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema
  const value = pick(random, [...numbers, ...more_numbers])
  const is_valid = /^\d+$/.test(value) && Number(value) >= minimum && Number(value) <= maximum
  return { value, must_be_rejected: !is_valid }
}

/** A body that is invalid in its value, its JSON or its encoding. */
export function mutateBody(random: Random, schema: Schema, good: object): Mutated<Buffer> {
  if (chance(random, 0.75)) {
    const { value, must_be_rejected } = mutateValue(random, schema, good)
    return { value: Buffer.from(JSON.stringify(value)), must_be_rejected }
  }
  const text = JSON.stringify(good)
  const rest = text.slice(1)
  const comma = rest === '}' ? '' : ','
  const [name = 'x'] = Object.keys(good)
  const broken = [
    '',
    ' ',
    text.slice(0, -1),
    `${text}x`,
    `${rest}`,
    `{,${rest}`,
    "{'a':1}",
    '{"a":NaN}',
    'null',
    '1',
    '[]',
    '""',
  ]
  const choices = [
    ...broken.map((one) => rejected(Buffer.from(one))),
    rejected(Buffer.from([0xff, 0xfe, ...Buffer.from(text, 'utf16le')])),
    rejected(Buffer.concat([Buffer.from('{"nonsense":"'), Buffer.from([0xc3, 0x28]), Buffer.from(`"${comma}${rest}`)])),
    rejected(Buffer.from('['.repeat(50_000))),
    rejected(Buffer.from(JSON.stringify(nested(10_000)))),
    rejected(Buffer.from(`{"nonsense":1e999${comma}${rest}`)),
    maybeValid(Buffer.from(`\ufeff${text}`)),
    maybeValid(Buffer.from(`{${JSON.stringify(name)}:{"twice":1}${comma}${rest}`)),
    maybeValid(Buffer.from(`{"id":${JSON.stringify(nested(between(random, 28, 36)))}${comma}${rest}`)),
    maybeValid(Buffer.from(`{"id":1e999${comma}${rest}`)),
    maybeValid(Buffer.from(` \r\n\t${text}\n\n`)),
  ]
  return pick(random, choices)
}

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}
