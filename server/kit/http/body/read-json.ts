import { isUtf8 } from 'node:buffer'
import { measureJson } from '../../json.ts'
import { letOthersRun } from '../../let-others-run.ts'
import { errorMessage, invalidJson } from '../../problem.ts'

const nesting_max = 32
/** A large body may have this many lists and objects together. */
const containers_max = 20_000
/** Smaller bodies can't contain enough lists and objects to take long. */
const large_body_bytes = 64 * 1024

/** Smaller bodies are parsed in microseconds. */
const small_body_bytes = 4 * 1024

/** Call it before parsing. A body of a megabyte takes 20 ms, and many may arrive in the same turn of the event loop. */
export async function letOthersParse(body: unknown): Promise<void> {
  if (body instanceof Buffer && body.length > small_body_bytes) await letOthersRun({ is_urgent: true })
}

export function parseJsonBody(body: unknown, name = 'The body'): unknown {
  if (!(body instanceof Buffer) || body.length === 0) throw invalidJson('A JSON body is required.')
  if (!isUtf8(body)) throw invalidJson(`${name} is not UTF-8.`)
  if (body.length > large_body_bytes) assertSimple(body)
  try {
    return JSON.parse(body.toString().replace(/^\ufeff/, ''))
  } catch (error) {
    throw invalidJson(`${name} is not valid JSON: ${errorMessage(error)}.`)
  }
}

export function assertNotTooDeep(json: unknown): void {
  if (isDeeperThan(json, nesting_max)) throw tooDeep()
}

const tooDeep = () => invalidJson(`The body must be nested at most ${nesting_max} levels deep.`)

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, levels - 1))
  // An object that is no list, as checked above.
  const members = value as Record<string, unknown>
  // for...in makes no list of the names, of which there may be many.
  for (const name in members) if (isDeeperThan(members[name], levels - 1)) return true
  return false
}

function assertSimple(body: Buffer): void {
  const { containers, levels } = measureJson(body)
  if (levels > nesting_max) throw tooDeep()
  if (containers > containers_max)
    throw invalidJson(`The body must contain at most ${containers_max} lists and objects.`)
}
