import fs from 'node:fs'
import path from 'node:path'

/** The part of JSON Schema that the OpenAPI document uses for requests. */
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

/** An operation as the OpenAPI document describes it. */
export interface DocumentedOperation {
  /** For example `contacts_create`. */
  id: string
  method: string
  /** For example `/contacts/{id}`. */
  path: string
  parameters: Parameter[]
  body: Schema | undefined
  success: number
}

const file = path.resolve(import.meta.dirname, '../../openapi.json')
const document = JSON.parse(fs.readFileSync(file, 'utf8'))

export const base_paths: string[] = document.servers.map(({ url }: { url: string }) => url)

/** Without the operations outside the API, which have their own servers: their bodies may be anything. */
export const documented_operations: DocumentedOperation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(Object(methods))
    .filter(([, described]) => !Object(described).servers)
    .map(([method, described]) => readOperation(path, method, Object(described))),
)

function readOperation(path: string, method: string, described: Record<string, unknown>): DocumentedOperation {
  const { operationId, parameters, requestBody, responses } = resolveReferences(described) as {
    operationId: string
    parameters: Parameter[]
    requestBody?: { content: { 'application/json': { schema: Schema } } }
    responses: object
  }
  const success = Number(Object.keys(responses).find((status) => status.startsWith('2')))
  const body = requestBody?.content['application/json'].schema
  return { id: operationId, method: method.toUpperCase(), path, parameters, body, success }
}

function resolveReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolveReferences)
  if (typeof value !== 'object' || value === null) return value
  const { $ref } = value as { $ref?: string }
  if ($ref) return resolveReferences($ref.split('/').reduce((at, name) => (name === '#' ? at : at[name]), document))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolveReferences(member)]))
}

/** The operation of a request, with the path decoded as leniently as a server may. */
export function findOperation(method: string, target: string): DocumentedOperation | undefined {
  const requested = pathOf(target)?.split('/')
  const matchesPath = (path: string) =>
    base_paths.some((base) => {
      const parts = `${base}${path}`.split('/')
      return (
        parts.length === requested?.length && parts.every((part, at) => part.startsWith('{') || part === requested[at])
      )
    })
  const all = documented_operations.filter(({ path }) => matchesPath(path))
  // `/contacts/imports` also matches `/contacts/{id}`: the path with fewest parameters wins.
  const countParameters = ({ path }: DocumentedOperation) => path.split('{').length
  const fewest = Math.min(...all.map(countParameters))
  return all.find((one) => countParameters(one) === fewest && one.method === (method === 'HEAD' ? 'GET' : method))
}

/** The decoded path. Undefined if it can't be decoded. */
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
