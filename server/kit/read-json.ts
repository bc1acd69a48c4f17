import { isUtf8 } from 'node:buffer'
import { invalidJson } from './problem.ts'

const nesting_max = 32

export function readJson(body: unknown): unknown {
  if (!(body instanceof Buffer) || body.length === 0) throw invalidJson('A JSON body is needed.')
  if (!isUtf8(body)) throw invalidJson('The body is not UTF-8.')
  try {
    return JSON.parse(body.toString().replace(/^\ufeff/, ''))
  } catch (error) {
    throw invalidJson(`The body is not valid JSON: ${error instanceof Error ? error.message : error}.`)
  }
}

export function assertShallow(json: unknown): void {
  if (isDeeper(json, nesting_max)) throw invalidJson(`The body is nested more than ${nesting_max} levels deep.`)
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)))
