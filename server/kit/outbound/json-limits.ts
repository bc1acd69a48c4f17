import { ResponseTooLong } from './request.ts'

const default_values_max = 10_000
const depth_max = 100

/**
 * Fails with an OutboundError if JSON has so many values, or is nested so deeply, that a library would take long to parse and
 * check it. Texts within it may be long.
 */
export function assertFewValues(json: string, values_max = default_values_max): void {
  if (hasManyValues(json, values_max)) throw new ResponseTooLong('The response has too many values.')
}

/** Whether JSON has more values than this, or is nested deeply. */
export function hasManyValues(json: string, values_max: number): boolean {
  let values = 0
  let depth = 0
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at]
    if (character === '"') at = endOfText(json, at)
    else if (character === ',') values += 1
    else if (character === ']' || character === '}') depth -= 1
    else if (character === '[' || character === '{') {
      values += 1
      depth += 1
    }
    if (values > values_max || depth > depth_max) return true
  }
  return false
}

/** Where the closing quote is. */
function endOfText(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}
