import type { Schema } from './fields.ts'

/** The parts of an OpenAPI document that are shown, with its references resolved. */
export interface Document {
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>
  webhooks: Record<string, { post: Webhook }>
  components: { headers: Record<string, Described> }
}

export interface Room {
  name: string
  description: string
  operations: Operation[]
}

export interface Operation {
  method: string
  path: string
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters?: (Described & { name: string; in: keyof typeof places; required?: boolean })[]
  requestBody?: { content: Content }
  responses: Record<string, Response>
}

/** What is sent to others, under this name. */
export interface Webhook {
  summary: string
  description: string
  requestBody: { content: Content }
}

export interface Described {
  description?: string
  schema: Schema
}

export interface Response {
  description: string
  headers?: Record<string, Described>
  content?: Content
}

export type Content = Record<string, Media>

export interface Media {
  schema: Schema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

export const places = { path: 'Path parameters', query: 'Query parameters', header: 'Request headers' }

/** The value with what its references point to in their places; what contains itself is left out there. */
export function inlined(value: unknown, root: unknown, within: string[] = []): unknown {
  if (Array.isArray(value)) return value.map((item) => inlined(item, root, within))
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value && typeof value.$ref === 'string') {
    const { $ref } = value
    const found = $ref
      .split('/')
      .slice(1)
      .reduce((place: unknown, name) => Object(place)[name], root)
    return within.includes($ref) ? {} : inlined(found, root, [...within, $ref])
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inlined(member, root, within)]))
}
