import { isUtf8 } from 'node:buffer'
import { invalidJson } from '../../problem.ts'

const nesting_max = 32
/** Lists and objects. An import may have 10,000 rows. */
const containers_max = 20_000
/** In fewer bytes there can't be so many that it takes long. */
const is_large_bytes = 64 * 1024

export function readJson(body: unknown, name = 'The body'): unknown {
  if (!(body instanceof Buffer) || body.length === 0) throw invalidJson('A JSON body is needed.')
  if (!isUtf8(body)) throw invalidJson(`${name} is not UTF-8.`)
  if (body.length > is_large_bytes) assertSimple(body)
  try {
    return JSON.parse(body.toString().replace(/^\ufeff/, ''))
  } catch (error) {
    throw invalidJson(`${name} is not valid JSON: ${error instanceof Error ? error.message : error}.`)
  }
}

export function assertShallow(json: unknown): void {
  if (isDeeper(json, nesting_max)) throw tooDeep()
}

const tooDeep = () => invalidJson(`The body is nested more than ${nesting_max} levels deep.`)

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1))
  const members = value as Record<string, unknown>
  // Without a list of them: there may be many.
  for (const name in members) if (isDeeper(members[name], levels - 1)) return true
  return false
}

const quote = 34
const backslash = 92

/** To make hundreds of thousands of lists and objects, or one within the other, would hold up everyone else. */
function assertSimple(body: Buffer): void {
  let containers = 0
  let levels = 0
  let is_text = false
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0
    if (is_text && byte === backslash) at += 1
    else if (byte === quote) is_text = !is_text
    if (is_text) continue
    // [ and {, ] and }: each pair differs by one bit.
    const bracket = byte & ~0x20
    if (bracket === 0x5b) {
      containers += 1
      levels += 1
      if (levels > nesting_max) throw tooDeep()
    } else if (bracket === 0x5d) levels -= 1
  }
  if (containers > containers_max) throw invalidJson(`The body may hold at most ${containers_max} lists and objects.`)
}
