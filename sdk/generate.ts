import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

/**
 * `node sdk/generate.ts` writes the types and methods of the client, from openapi.json: `types.ts` has the schemas of the
 * document, `parley.ts` a class for each of its tags with a method for each operation.
 */

interface Schema {
  $ref?: string
  title?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  contentSchema?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: string[]
  description?: string
  readOnly?: boolean
}

interface Media {
  schema: Schema
}

interface Parameter {
  name: string
  in: string
  required: boolean
  description?: string
  schema: Schema
}

interface Answer {
  content?: Record<string, Media>
}

/** A reference to a component. */
interface Reference {
  $ref: string
}

interface Operation {
  operationId: string
  tags: [string]
  summary: string
  description: string
  parameters: (Parameter | Reference)[]
  requestBody?: { required: boolean; content: Record<string, Media> }
  responses: Record<string, Answer | Reference>
  /** Is empty for operations that need no key, because others send to the service by them. */
  security?: unknown[]
}

export interface Document {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: { requestBody: { content: Record<string, Media> } } }>
  components: {
    schemas: Record<string, Schema>
    parameters: Record<string, Parameter>
    responses: Record<string, Answer>
  }
}

/** Longer lists, such as that of all countries, would hide the rest. */
const enum_values_max = 100
const line_length_max = 116
const json = 'application/json'
const header_line = '// Generated from openapi.json by sdk/generate.ts: npm run openapi writes it anew.\n\n'

/** The files in sdk/src, by name. */
export function generate(document: Document): Record<'types.ts' | 'parley.ts', string> {
  const operations = Object.entries(document.paths).flatMap(([route, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security?.length !== 0)
      .map(([method, operation]) => describe(document, { ...operation, method: method.toUpperCase(), route })),
  )
  return {
    'types.ts': format('types.ts', header_line + typesOf(document, operations)),
    'parley.ts': format('parley.ts', header_line + classesOf(document, operations)),
  }
}

interface Routed extends Operation {
  method: string
  route: string
}

/** An operation with what its method is made from. */
interface Described extends Routed {
  parameters: Parameter[]
  /** The name of the method. */
  name: string
  /** The names of the operation's types begin with this. */
  prefix: string
  query: Parameter[]
  /** The content of its successful response. */
  content: Record<string, Media>
}

function describe({ components }: Document, operation: Routed): Described {
  const [tag] = operation.tags
  const name = toCamel(operation.operationId.slice(tag.length + 1))
  const parameters = operation.parameters.map((one) => follow(components.parameters, one))
  const [, answer = {}] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? []
  return {
    ...operation,
    parameters,
    name,
    prefix: toPascal(tag) + toPascal(name),
    query: parameters.filter((parameter) => parameter.in === 'query'),
    content: follow(components.responses, answer).content ?? {},
  }
}

function follow<Component extends object>(
  components: Record<string, Component>,
  one: Component | Reference,
): Component {
  if (!('$ref' in one)) return one
  const found = components[nameOf(one)]
  if (!found) throw new Error(`${one.$ref} is missing`)
  return found
}

const toCamel = (name: string): string => name.replace(/[_.](\w)/g, (_, letter: string) => letter.toUpperCase())
const toPascal = (name: string): string => toCamel(name).replace(/^\w/, (letter) => letter.toUpperCase())

function typesOf(document: Document, operations: Described[]): string {
  const { components, webhooks } = document
  const error_name = nameOf(components.responses.NOT_FOUND?.content?.[json]?.schema)
  const { code, details } = components.schemas[error_name]?.properties?.error?.properties ?? {}
  const schemas = Object.entries(components.schemas).filter(([name]) => name !== error_name)
  const events = Object.values(webhooks).map(({ post }) => nameOf(post.requestBody.content[json]?.schema))
  return [
    ...schemas.map(([name, schema]) => declare(name, schema)),
    ...operations.filter(({ query }) => query.length > 0).map(declareQuery),
    `/** What webhooks send, by \`type\`. */\nexport type WebhookEvent = ${events.join(' | ')}`,
    declare('ErrorCode', code),
    declare('InvalidField', details?.properties?.fields?.items),
  ].join('\n\n')
}

const nameOf = (schema: { $ref?: string } | undefined): string => schema?.$ref?.split('/').at(-1) ?? ''

function declare(name: string, schema: Schema = {}): string {
  const is_interface = schema.type === 'object' && schema.properties !== undefined
  const declaration = is_interface ? `interface ${name} ` : `type ${name} = `
  return `${comment(schema.description)}export ${declaration}${typeOf(schema)}`
}

const declareQuery = ({ prefix, query }: Described): string =>
  declare(`${prefix}Query`, {
    type: 'object',
    properties: Object.fromEntries(
      query.map(({ name, schema, description = '' }) => [name, { ...oneOrMany(schema), description }]),
    ),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  })

/** Allows a single value for a parameter that can be repeated. */
const oneOrMany = (schema: Schema): Schema =>
  schema.type === 'array' && schema.items ? { anyOf: [schema.items, schema] } : schema

function typeOf(schema: Schema = {}): string {
  if (schema.$ref) return nameOf(schema)
  if (schema.const !== undefined) return quote(schema.const)
  const union = schema.anyOf ?? schema.oneOf
  if (union) return union.map(typeOf).join(' | ')
  if (schema.allOf) return schema.allOf.map((part) => `(${typeOf(part)})`).join(' & ')
  if (schema.enum && schema.enum.length <= enum_values_max) return schema.enum.map(quote).join(' | ')
  const types = [schema.type ?? []].flat().map((type) => typeNamed(type, schema))
  return types.join(' | ') || 'unknown'
}

function typeNamed(type: string, schema: Schema): string {
  if (type === 'integer') return 'number'
  if (type === 'array')
    return /^\w+$/.test(typeOf(schema.items)) ? `${typeOf(schema.items)}[]` : `Array<${typeOf(schema.items)}>`
  return type === 'object' ? objectType(schema) : type
}

function objectType({ properties, patternProperties, additionalProperties, required = [] }: Schema): string {
  if (!properties) {
    const [values = additionalProperties] = Object.values(patternProperties ?? {})
    return `Record<string, ${typeof values === 'object' ? typeOf(values) : 'unknown'}>`
  }
  const members = Object.entries(properties)
    .filter(([, schema]) => !isIgnored(schema))
    .map(([name, schema]) => {
      const mark = required.includes(name) ? '' : '?'
      return `${comment(schema.description)}${name}${mark}: ${typeOf(schema)}`
    })
  return `{\n${members.join('\n')}\n}`
}

/** Whether the service sets the field, and ignores it in a body, so that a resource can be sent back. */
const isIgnored = ({ readOnly, type, $ref }: Schema): boolean => readOnly === true && !type && !$ref

const quote = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))

function classesOf(document: Document, operations: Described[]): string {
  const by_tag = Map.groupBy(operations, ({ tags: [tag] }) => tag)
  const rooms = document.tags.filter(({ name }) => by_tag.has(name))
  const methods = new Map(operations.map((operation) => [operation, methodOf(operation)]))
  const members = rooms.map(
    ({ name, description }) => `${comment(description)}readonly ${toCamel(name)} = new ${classOf(name)}(this)`,
  )
  const classes = rooms.map(
    ({ name }) => `export class ${classOf(name)} {
      readonly #client: Client

      constructor(client: Client) {
        this.#client = client
      }

      ${[...(by_tag.get(name) ?? []).map((one) => methods.get(one)?.text), ...(by_hand[name] ?? [])].join('\n\n')}
    }`,
  )
  const signatures = [...methods.values()].map(({ signature }) => signature).join()
  const schemas = Object.keys(document.components.schemas)
  const names = [...schemas, ...operations.map(({ prefix }) => `${prefix}Query`), 'WebhookEvent']
  const used = names.filter((name) => name === 'WebhookEvent' || new RegExp(`\\b${name}\\b`).test(signatures))
  return `import type { ApiList, ApiPromise } from './answers.ts'
    import { Client, type ClientOptions, path, type RequestOptions, type StreamOptions, toApiUrl } from './client.ts'
    import type { ${[...new Set(used)].sort().join(', ')} } from './types.ts'
    import type { Upload } from './uploads.ts'
    import { verifyWebhook, type WebhookHeaders } from './webhooks.ts'

    /** The API of one service: \`new Parley({ apiKey, baseUrl })\`. */
    export class Parley extends Client {
      ${members.join('\n')}

      constructor(options: ClientOptions) {
        super({ ...options, baseUrl: toApiUrl(options.baseUrl) })
      }
    }

    ${classes.join('\n\n')}`
}

/** Names end with "Api", because \`Workspace\` is the name of a resource. */
const classOf = (tag: string): string => `${toPascal(tag)}Api`

/** Methods that send no request. */
const by_hand: Record<string, string[]> = {
  webhooks: [
    `/**
     * Check that the service has sent this request to your server, and get its event. \`body\` must be what was received, before
     * it is parsed. Rejects with a SignatureError if no signature matches, or if it was sent more than five minutes ago.
     */
    verify(body: string | Uint8Array | ArrayBuffer, headers: WebhookHeaders, secret: string): Promise<WebhookEvent> {
      return verifyWebhook(body, headers, secret)
    }`,
  ],
}

interface Method {
  /** The method's parameters and what it returns. */
  signature: string
  text: string
}

function methodOf(operation: Described): Method {
  const { name, method, content, summary, description } = operation
  const ids = operation.parameters.filter((parameter) => parameter.in === 'path').map((one) => toCamel(one.name))
  const route = operation.route.replace(/\{(\w+)\}/g, (_, id: string) => `\${${toCamel(id)}}`)
  const target = ids.length > 0 ? `path\`${route}\`` : quote(route)
  const sign = (parameters: string[], returned: string) => {
    const all = [...ids.map((id) => `${id}: string`), ...parameters, 'options?: RequestOptions']
    return `${name}(${all.join(', ')}): ${returned}`
  }
  const written = (
    parameters: string[],
    returned: string,
    call: string,
    overloads: [string, string][] = [],
  ): Method => {
    const declared = overloads.map(([parameter, returned]) => `${sign([parameter], returned)}\n`).join('')
    const signature = sign(parameters, returned)
    const doc = comment(`${summary}.\n\n${description}`)
    return { signature, text: `${doc}${declared}${signature} {\nreturn this.#client.${call}\n}` }
  }
  const query = queryOf(operation)
  const given = query.length > 0 ? 'query' : 'undefined'
  const [body] = Object.values(operation.requestBody?.content ?? {})
  if (body && query.length > 0) throw new Error(`${operation.operationId} has a query and a body`)

  const type = Object.keys(content)[0] ?? ''
  const envelope = content[json]?.schema.properties
  if (type === 'text/event-stream') {
    const from = [query.length > 0 ? `${operation.prefix}Query` : [], 'StreamOptions'].flat().join(' & ')
    const returned = `AsyncGenerator<${typeOf(content[type]?.schema.contentSchema)}, void, undefined>`
    return written([`from: ${from} = {}`], returned, `stream(${target}, from, options)`)
  }
  if (!envelope) return written(query, 'Promise<Response>', `file(${target}, ${given}, options)`)
  if (envelope.pagination)
    return written(query, `ApiList<${typeOf(envelope.data?.items)}>`, `list(${target}, ${given}, options)`)
  const data = typeOf(envelope.data)
  if (method === 'GET') {
    const call = `get(${target}, ${given}, options)`
    const choice = operation.query.find(({ schema }) => schema.enum?.includes('json'))
    if (Object.keys(content).length === 1 || !choice) return written(query, `ApiPromise<${data}>`, call)
    const query_type = `${operation.prefix}Query`
    return written(query, `ApiPromise<${data} | string>`, call, [
      [`query?: ${query_type} & { ${choice.name}?: 'json' }`, `ApiPromise<${data}>`],
      [`query: ${query_type}`, 'ApiPromise<string>'],
    ])
  }
  const form = operation.requestBody?.content['multipart/form-data']?.schema
  const json_body = operation.requestBody?.content[json]?.schema
  if (form) {
    const type = `${typeOf(json_body)} | Upload<${typeOf(form.properties?.options)}>`
    return written([`body: ${type}`], `ApiPromise<${data}>`, `upload(${target}, body, options)`)
  }
  const parameters = json_body ? [`body${operation.requestBody?.required ? '' : '?'}: ${typeOf(json_body)}`] : []
  const sent = json_body ? 'body' : 'undefined'
  return written(parameters, `ApiPromise<${data}>`, `send('${method}', ${target}, ${sent}, options)`)
}

/** Lists the parameter for the query, if there is one. */
function queryOf({ query, prefix }: Described): string[] {
  if (query.length === 0) return []
  return [`query: ${prefix}Query${query.some(({ required }) => required) ? '' : ' = {}'}`]
}

/** Makes a doc comment, with a line of its own for each stretch of text. */
function comment(text = ''): string {
  if (text === '') return ''
  const safe = text.replaceAll('*/', '*\\/')
  const lines = safe.split('\n').flatMap(wrap)
  if (lines.length === 1) return `/** ${lines[0]} */\n`
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}

function wrap(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + word.length > line_length_max) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}

const root = path.resolve(import.meta.dirname, '..')

/** Formats the text by the rules of this repository. */
function format(name: string, text: string): string {
  const biome = path.join(root, 'node_modules/.bin/biome')
  const args = ['check', '--write', `--stdin-file-path=sdk/src/${name}`]
  return execFileSync(biome, args, { cwd: root, input: text, encoding: 'utf8', maxBuffer: 100_000_000 })
}

if (process.argv[1] === import.meta.filename) {
  const document: Document = JSON.parse(fs.readFileSync(path.join(root, 'openapi.json'), 'utf8'))
  for (const [name, text] of Object.entries(generate(document)))
    fs.writeFileSync(path.join(import.meta.dirname, 'src', name), text)
}
