import type { Schema } from './document.ts'
import { between, chance, pick, type Random } from './random.ts'
import { anyJson, fits, typesOf } from './values.ts'

/** Something with one thing wrong. */
export interface Spoilt<T> {
  value: T
  /** The document leaves no doubt that it must be refused. */
  is_refused: boolean
}

const refused = <T>(value: T): Spoilt<T> => ({ value, is_refused: true })
const perhaps = <T>(value: T): Spoilt<T> => ({ value, is_refused: false })

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
const refused_names = ['\u0000', 'a\u0000b', 'a\u0007b', 'a\u009fb', '\ud800', 'a\udfffb']
const times = ['2026-02-30T00:00:00Z', '2026-11-15T25:00:00Z', '2026-11-15 09:30', '20261115', '1763195400']
const numbers = ['-1', '0', '101', '1.5', '1e2', '', ' 5', '+5', '0x10', '٣', 'NaN', '1_000', '9007199254740993']
const more_numbers = ['99999999999999999999', '-0', '00000000000000000007', `${'9'.repeat(400)}`, '1;2', '5\u0000']

export function spoiltValue(random: Random, schema: Schema, good: unknown): Spoilt<unknown> {
  const types = typesOf(schema)
  if (schema.readOnly || types.length === 0)
    return perhaps(pick(random, [nested(between(random, 1, 60)), anyJson(random, 5)]))
  if (chance(random, 0.3)) return otherType(random, schema)
  if (types.includes('object') && typeof schema.additionalProperties === 'object')
    return spoiltNames(random, schema.additionalProperties, good)
  if (types.includes('object') && !schema.properties) return otherType(random, schema)
  if (types.includes('boolean')) return refused(pick(random, ['true', 0, 1, null]))
  if (types.includes('object')) return spoiltObject(random, schema, Object(good))
  if (types.includes('array')) return spoiltList(random, schema, good)
  return spoiltText(random, schema)
}

function otherType(random: Random, schema: Schema): Spoilt<unknown> {
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
  return refused(pick(random, types.includes('string') ? others : [...others, 'text', '[]']))
}

function spoiltObject(random: Random, schema: Schema, good: Record<string, unknown>): Spoilt<unknown> {
  const { properties = {}, required = [] } = schema
  const way = between(random, 1, 10)
  if (way === 1 && required.length > 0) {
    const missing = pick(random, required)
    return refused(Object.fromEntries(Object.entries(good).filter(([name]) => name !== missing)))
  }
  if (way <= 3) {
    const name = pick(random, unknown_names)
    const value = anyJson(random, 3)
    return Object.hasOwn(properties, name) ? perhaps(good) : refused(withMember(good, name, value))
  }
  const name = pick(random, Object.keys(properties))
  const { value, is_refused } = spoiltValue(random, properties[name] ?? {}, good[name])
  return { value: withMember(good, name, value), is_refused }
}

/** Where members may have any name: one that can't be stored, or an odd one. */
function spoiltNames(random: Random, member: Schema, good: unknown): Spoilt<unknown> {
  const object = typeof good === 'object' && good !== null ? good : {}
  const value = pick(random, [null, 'x', ...(member.enum ?? [])])
  if (chance(random, 0.5)) return refused(withMember(object, pick(random, refused_names), value))
  return perhaps(withMember(object, pick(random, unknown_names), anyJson(random, 3)))
}

/** Also when its name is `__proto__`. */
const withMember = (object: object, name: string, value: unknown): object =>
  Object.fromEntries([...Object.entries(object), [name, value]])

function spoiltList(random: Random, { items = {}, maxItems = 0 }: Schema, good: unknown): Spoilt<unknown> {
  const list = Array.isArray(good) ? good : []
  if (chance(random, 0.3)) return refused(Array.from({ length: maxItems + 1 }, (_, index) => `item ${index}`))
  if (chance(random, 0.1)) return perhaps(Array.from({ length: maxItems }, () => 'the same'))
  const { value, is_refused } = spoiltValue(random, items, 'x')
  const place = between(random, 0, list.length)
  // A list that has grown too long is refused anyway.
  return { value: list.toSpliced(place, 0, value), is_refused }
}

/** A text with one thing wrong, or just at a limit. */
export function spoiltText(random: Random, schema: Schema): Spoilt<string> {
  const { minLength = 0, maxLength, format, pattern } = schema
  const ways: Spoilt<string>[] = ['\u0000', 'a\u0000b', 'a\u0007b', 'a\u009fb', '\ud800', 'a\udfffb'].map(refused)
  ways.push(...['\u2028', ' \u3000a\u3000 ', '\ufeffa', 'a'.repeat(10_000), 'e\u0301'.repeat(30)].map(perhaps))
  ways.push(...['', ' ', '\t\n'].map(minLength > 0 ? refused : perhaps))
  if (maxLength !== undefined) {
    ways.push(...['x', '😀', 'é'].map((one) => perhaps(one.repeat(maxLength))))
    ways.push(...['x', '😀', 'é'].map((one) => refused(one.repeat(maxLength + 1))))
    ways.push(perhaps(` ${'x'.repeat(maxLength)} `))
  }
  if (schema.enum) {
    const texts = ['other', `${schema.enum[0]}`.toUpperCase(), `${schema.enum[0]}x`]
    ways.push(...texts.map((value) => ({ value, is_refused: !schema.enum?.includes(value) })))
  }
  if (format === 'date-time') ways.push(...[...times, 'yesterday'].map(refused), perhaps('0000-01-01T00:00:00Z'))
  if (format === 'date-time') ways.push(...['9999-12-31T23:59:59.9-14:59', '0000-01-01T00:00:00+14:59'].map(perhaps))
  if (pattern) {
    const texts = ['é!', '+', 'A', '+0123', '+1234567890123456', '@', 'a@b', 'a@@b.org', 'a b@c.org', '@b.org', 'x\ny']
    ways.push(...texts.map((value) => ({ value, is_refused: !fits(schema, value) })))
  }
  return pick(random, ways)
}

/** The value of a query parameter: text, whatever is meant. */
export function spoiltQueryValue(random: Random, schema: Schema): Spoilt<string> {
  const types = typesOf(schema)
  if (!types.includes('integer')) {
    const spoilt = spoiltText(random, schema.items ?? schema)
    // What is only half a character can't be said in a query.
    return spoilt.value.isWellFormed() ? spoilt : perhaps(spoilt.value)
  }
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema
  const value = pick(random, [...numbers, ...more_numbers])
  const is_right = /^\d+$/.test(value) && Number(value) >= minimum && Number(value) <= maximum
  return { value, is_refused: !is_right }
}

/** The bytes of a body with one thing wrong: in its value, in its JSON or in its encoding. */
export function spoiltBody(random: Random, schema: Schema, good: object): Spoilt<Buffer> {
  if (chance(random, 0.75)) {
    const { value, is_refused } = spoiltValue(random, schema, good)
    return { value: Buffer.from(JSON.stringify(value)), is_refused }
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
  const ways = [
    ...broken.map((one) => refused(Buffer.from(one))),
    refused(Buffer.from([0xff, 0xfe, ...Buffer.from(text, 'utf16le')])),
    refused(Buffer.concat([Buffer.from('{"nonsense":"'), Buffer.from([0xc3, 0x28]), Buffer.from(`"${comma}${rest}`)])),
    refused(Buffer.from('['.repeat(50_000))),
    refused(Buffer.from(JSON.stringify(nested(10_000)))),
    refused(Buffer.from(`{"nonsense":1e999${comma}${rest}`)),
    perhaps(Buffer.from(`\ufeff${text}`)),
    perhaps(Buffer.from(`{${JSON.stringify(name)}:{"twice":1}${comma}${rest}`)),
    perhaps(Buffer.from(`{"id":${JSON.stringify(nested(between(random, 28, 36)))}${comma}${rest}`)),
    perhaps(Buffer.from(`{"id":1e999${comma}${rest}`)),
    perhaps(Buffer.from(` \r\n\t${text}\n\n`)),
  ]
  return pick(random, ways)
}

function nested(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}
