/** JSON pointers, RFC 6901: `/answers/0/phone`. As a URI fragment too: `#/full%20name`. */
export const isPointer = (text: string): boolean => partsOf(text) !== undefined

/** What stands there in a parsed JSON value; undefined when nothing does. */
export function valueAt(pointer: string, json: unknown): unknown {
  let value = json
  for (const part of partsOf(pointer) ?? []) {
    if (typeof value !== 'object' || value === null) return undefined
    // What objects and lists inherit is no part of the JSON.
    if (Array.isArray(value) ? !/^(0|[1-9]\d*)$/.test(part) : !Object.hasOwn(value, part)) return undefined
    value = Object.getOwnPropertyDescriptor(value, part)?.value
  }
  return value
}

function partsOf(pointer: string): string[] | undefined {
  const text = pointer.startsWith('#') ? decoded(pointer.slice(1)) : pointer
  if (text === undefined || !/^(\/([^~]|~[01])*)?$/su.test(text)) return undefined
  return text
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
