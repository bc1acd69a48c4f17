import { measureJson } from '../json.ts'
import { ResponseTooLong } from './request.ts'

const default_values_max = 10_000
const levels_max = 100

/**
 * Fails with an OutboundError if JSON has so many values, or is nested so deeply, that a library would take long to parse and
 * check it. Texts within it may be long.
 */
export function assertFewValues(json: string | Buffer, values_max = default_values_max): void {
  if (hasManyValues(typeof json === 'string' ? Buffer.from(json) : json, values_max))
    throw new ResponseTooLong('The response has too many values.')
}

/** Whether JSON has more values than this, or is nested deeply. */
export function hasManyValues(json: Buffer, values_max: number): boolean {
  const { values, levels } = measureJson(json)
  return values > values_max || levels > levels_max
}
