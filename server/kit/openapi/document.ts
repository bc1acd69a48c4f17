import type { TSchema } from 'typebox'
import type { Operation } from '../http/operation.ts'
import { type ErrorSamples, error_schema } from './errors.ts'
import { type HeaderExamples, responseHeaderComponents } from './headers.ts'
import { operationObject, webhookObject } from './operation.ts'
import type { Components, Json } from './schema.ts'
import { type OperationJson, shareRepeated } from './share.ts'

export interface About {
  title: string
  version: string
  /** Further members of `info`. */
  info: Json
  /** SPDX identifier. */
  license: string
  /** Markdown that applies to every operation. */
  guide: string
  /** How clients authenticate, in Markdown. */
  authentication: string
  /** A description of each tag. An operation's tag is the first part of its ID. */
  rooms: Record<string, string>
  /** Base paths of the API. */
  servers: string[]
  /** The requests that the service sends, by event type. */
  webhooks: Record<string, { description: string; payload: TSchema }>
  error_samples: ErrorSamples
  header_examples: HeaderExamples
}

/** The OpenAPI 3.1 document of the operations. Schemas with a title become components. */
export function createOpenApiDocument(operations: Operation[], about: About) {
  const components: Components = { schemas: { [error_schema.title]: error_schema }, responses: {}, parameters: {} }
  const paths: Record<string, Record<string, OperationJson>> = {}
  for (const operation of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    const method = operation.method.toLowerCase()
    paths[path] = { ...paths[path], [method]: operationObject(operation, about.error_samples, components) }
  }
  const webhooks = Object.entries(about.webhooks).map(([type, { description, payload }]) => [
    type,
    { post: webhookObject(type, description, payload, components) },
  ])
  return {
    openapi: '3.1.0',
    info: {
      title: about.title,
      version: about.version,
      description: escapeScriptTags(about.guide),
      ...about.info,
      license: { name: about.license, identifier: about.license },
    },
    servers: about.servers.map((url) => ({ url })),
    security: [{ api_key: [] }],
    tags: Object.entries(about.rooms).map(([name, description]) => ({ name, description })),
    paths: shareRepeated(paths, components),
    webhooks: Object.fromEntries(webhooks),
    components: {
      ...components,
      headers: responseHeaderComponents(about.header_examples),
      securitySchemes: { api_key: { type: 'http', scheme: 'bearer', description: about.authentication } },
    },
  }
}

/** Samples with script tags become HTML in which the tags are escaped: viewers of the document may run or drop them. */
const escapeScriptTags = (markdown: string): string =>
  markdown.replace(/^```html\n(.*?)^```$/gms, (sample, code: string) =>
    code.includes('<script')
      ? `<pre><code>${code.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</code></pre>`
      : sample,
  )
