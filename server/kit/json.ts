/** An object with members: not null and no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of an object. Anything else has none. */
export const membersOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})

/** JSON with sorted fields, in which arrays and objects differ. Concatenates, since a value may have 100,000 parts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `["list"${value.map((item) => `,${canonicalJson(item)}`).join('')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const names = Object.keys(value).sort()
  return `["object"${names.map((name) => `,[${JSON.stringify(name)},${canonicalJson(value[name])}]`).join('')}]`
}

export interface JsonSize {
  /** Lists and objects. */
  containers: number
  /** Lists, objects, and what follows a comma. */
  values: number
  /** How deeply lists and objects are nested. */
  levels: number
}

const [quote, backslash, comma, opening, closing] = Buffer.from('"\\,[]')

/** Measures JSON without parsing it, which hundreds of thousands of values, or deeply nested ones, would make slow. */
export function measureJson(json: Buffer): JsonSize {
  const size = { containers: 0, values: 0, levels: 0 }
  let level = 0
  let is_text = false
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index] ?? 0
    if (is_text && byte === backslash) index += 1
    else if (byte === quote) is_text = !is_text
    if (is_text) continue
    // [ and { differ by one bit, and so do ] and }.
    const bracket = byte & ~0x20
    if (byte === comma) size.values += 1
    else if (bracket === closing) level -= 1
    else if (bracket === opening) {
      size.containers += 1
      size.values += 1
      level += 1
      if (level > size.levels) size.levels = level
    }
  }
  return size
}

/** A JSON pointer by RFC 6901, such as `/answers/0/name`, or its URI fragment form, `#/full%20name`. */
export const isPointer = (text: string): boolean => parsePointer(text) !== undefined

/** The value in parsed JSON that the pointer leads to, or undefined. */
export function valueAt(pointer: string, json: unknown): unknown {
  let value = json
  for (const part of parsePointer(pointer) ?? []) {
    if (typeof value !== 'object' || value === null) return undefined
    // Inherited properties are not part of the JSON.
    if (Array.isArray(value) ? !/^(0|[1-9]\d*)$/.test(part) : !Object.hasOwn(value, part)) return undefined
    value = Object.getOwnPropertyDescriptor(value, part)?.value
  }
  return value
}

function parsePointer(pointer: string): string[] | undefined {
  const text = pointer.startsWith('#') ? decodeFragment(pointer.slice(1)) : pointer
  if (text === undefined || !/^(\/([^~]|~[01])*)?$/su.test(text)) return undefined
  return text
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function decodeFragment(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
