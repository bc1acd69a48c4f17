import fs from 'node:fs'
import path from 'node:path'

/** The part of JSON Schema that the OpenAPI document describes requests in. */
export interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: (string | null)[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  readOnly?: boolean
  additionalProperties?: boolean | Schema
  examples?: unknown[]
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  schema: Schema
}

/** What the document says of one operation's requests. */
export interface Described {
  /** As `contacts_create`. */
  id: string
  method: string
  /** As `/contacts/{id}`. */
  path: string
  parameters: Parameter[]
  body: Schema | undefined
  success: number
}

const file = path.resolve(import.meta.dirname, '../../openapi.json')
const document = JSON.parse(fs.readFileSync(file, 'utf8'))

export const bases: string[] = document.servers.map(({ url }: { url: string }) => url)

export const described: Described[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(Object(methods)).map(([method, said]) => describe(path, method, Object(said))),
)

function describe(path: string, method: string, said: Record<string, unknown>): Described {
  const { operationId, parameters, requestBody, responses } = inlined(said) as {
    operationId: string
    parameters: Parameter[]
    requestBody?: { content: { 'application/json': { schema: Schema } } }
    responses: object
  }
  const success = Number(Object.keys(responses).find((status) => status.startsWith('2')))
  const body = requestBody?.content['application/json'].schema
  return { id: operationId, method: method.toUpperCase(), path, parameters, body, success }
}

function inlined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inlined)
  if (typeof value !== 'object' || value === null) return value
  const { $ref } = value as { $ref?: string }
  if ($ref) return inlined($ref.split('/').reduce((at, name) => (name === '#' ? at : at[name]), document))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inlined(member)]))
}

/** Which operation an address leads to, read as leniently as a server may. */
export function describedAt(method: string, target: string): Described | undefined {
  const asked = pathOf(target)?.split('/')
  const is_here = (path: string) =>
    bases.some((base) => {
      const parts = `${base}${path}`.split('/')
      return parts.length === asked?.length && parts.every((part, at) => part.startsWith('{') || part === asked[at])
    })
  const all = described.filter(({ path }) => is_here(path))
  // `/contacts/imports` is no contact.
  const values = ({ path }: Described) => path.split('{').length
  const fewest = Math.min(...all.map(values))
  return all.find((one) => values(one) === fewest && one.method === (method === 'HEAD' ? 'GET' : method))
}

/** The path, decoded; undefined when it can't be. */
export function pathOf(target: string): string | undefined {
  try {
    return target
      .replace(/^https?:\/\/[^/]*/, '')
      .replace(/[?#;].*$/s, '')
      .split('/')
      .map((part) => decodeURIComponent(part).replaceAll('/', '%2F'))
      .join('/')
  } catch {
    return undefined
  }
}
