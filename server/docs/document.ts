import { isObject } from '../kit/json.ts'
import type { OpenApiSchema } from './fields.ts'

/** The parts of an OpenAPI document that the pages show. */
export interface OpenApiDocument {
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Omit<OperationObject, 'method' | 'path'>>>
  webhooks: Record<string, { post: WebhookObject }>
  components: { headers: Record<string, HeaderObject> }
}

export interface OperationObject {
  method: string
  path: string
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters?: ParameterObject[]
  requestBody?: { content: ContentObject }
  responses: Record<string, ResponseObject>
  /** Overrides the servers of the document. */
  servers?: { url: string }[]
  /** How to authenticate. Empty if no API key is needed. */
  security?: unknown[]
}

interface ParameterObject extends HeaderObject {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  example?: unknown
}

export interface WebhookObject {
  summary: string
  description: string
  requestBody: { content: ContentObject }
}

export interface HeaderObject {
  description?: string
  schema: OpenApiSchema
}

export interface ResponseObject {
  description: string
  headers?: Record<string, HeaderObject>
  content?: ContentObject
}

/** The content by its type. */
type ContentObject = Record<string, MediaTypeObject>

export interface MediaTypeObject {
  schema: OpenApiSchema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

/** Replaces each reference with its target. A reference to a schema that contains it becomes `{}`. */
export function resolveReferences(value: unknown, root: unknown, within: string[] = []): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, root, within))
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value && typeof value.$ref === 'string') {
    const { $ref } = value
    if (within.includes($ref)) return {}
    const names = $ref.split('/').slice(1)
    const target = names.reduce((parent: unknown, name) => (isObject(parent) ? parent[name] : undefined), root)
    return resolveReferences(target, root, [...within, $ref])
  }
  const members = Object.entries(value).map(([name, member]) => [name, resolveReferences(member, root, within)])
  return Object.fromEntries(members)
}
