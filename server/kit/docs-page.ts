import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { STATUS_CODES } from 'node:http'
import path from 'node:path'
import { Marked, type MarkedToken, type RendererObject, type Tokens } from 'marked'
import type { openApiOf } from './openapi.ts'

const style = fs.readFileSync(path.join(import.meta.dirname, 'docs-page.css'), 'utf8')
const style_hash = createHash('sha256').update(style).digest('base64')

/** Nothing is loaded and nothing runs: the page is text and this one style. */
export const docsHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${style_hash}'; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

/** The document as a page for people. `origin` is what the examples put before the paths. */
export function docsPage(document: ReturnType<typeof openApiOf>, origin = 'http://127.0.0.1:8080'): string {
  // openApiOf makes an OpenAPI document, and these are the parts of one that are shown.
  const { info, servers, tags, paths, components } = inlined(document, document) as Document
  const { guide, sections, markdown } = readGuide(info.description)
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
  const site: Site = { origin, base_path: servers[0]?.url ?? '', markdown }
  const rooms = tags.map((tag) => ({ ...tag, operations: operations.filter((one) => one.tags[0] === tag.name) }))
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API</title>
<style>${new Html(style)}</style>
</head>
<body>
<a class="skip" href="#page/main">Skip to the content</a>
<header>
<h1>${info.title} <span>API</span></h1>
<p>Version ${info.version} <a href="openapi.json">openapi.json</a></p>
</header>
<nav id="page/contents" aria-label="Contents">
<details><summary>Contents</summary>${contents(sections, rooms)}</details>
</nav>
<main id="page/main">
<section>
${guide}
<p class="note">In the examples below, <code>$KEY</code> is the API key.</p>
</section>
${rooms.map((room) => roomSection(site, room))}
${errorSection(site, operations)}
${headerSection(site, components.headers)}
</main>
<a class="back" href="#page/contents">Contents</a>
</body>
</html>
`.text
}

function contents(sections: Link[], rooms: Room[]): Html {
  const link = (id: string, title: Part) => html`<li><a href="#${id}">${title}</a></li>\n`
  const list = (title: Part, links: Html[]) => html`<li>${title}<ul class="links">\n${links}</ul></li>\n`
  const operationLink = (operation: Operation) =>
    link(idOf(operation), [methodOf(operation), html` <span>${operation.summary}</span>`])
  return html`<ul>
${list(
  'Guide',
  sections.map(({ id, title }) => link(id, title)),
)}
${rooms.map((room) => list(html`<a href="#tag/${room.name}">${titleOf(room)}</a>`, room.operations.map(operationLink)))}
${list('Reference', [link('page/errors', 'Error answers'), link('page/headers', 'Answer headers')])}
</ul>`
}

const heading = (level: number, id: string, title: Part): Html =>
  html`<h${level} id="${id}"><a href="#${id}">${title}</a></h${level}>\n`

const titleOf = ({ name }: Room): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll(/[_-]/g, ' ')
const idOf = ({ operationId }: Operation): string => `operation/${operationId}`
const methodOf = ({ method }: Operation): Html => html`<span class="method ${method.toLowerCase()}">${method}</span>`

const roomSection = (site: Site, room: Room): Html => html`<section>
${heading(2, `tag/${room.name}`, titleOf(room))}
${site.markdown(room.description)}
${room.operations.map((operation) => operationArticle(site, operation))}
</section>
`

function operationArticle(site: Site, operation: Operation): Html {
  const { path, summary, description, requestBody, responses } = operation
  const id = idOf(operation)
  const [others, successes] = partition(Object.entries(responses), ([status]) => status.startsWith('2'))
  return html`<article aria-labelledby="${id}">
${heading(3, id, summary)}
<p class="address">${methodOf(operation)} <code><span>${site.base_path}</span>${path}</code></p>
${site.markdown(description)}
${parameterTables(site, operation)}
${Object.entries(requestBody?.content ?? {}).map(([type, media]) => bodySection(site, id, type, media))}
${heading(4, `${id}/request`, 'Example request')}
${code(curlOf(site, operation))}
${successes.map(([status, answer]) => answerSection(site, id, status, answer))}
${heading(4, `${id}/others`, 'Other answers')}
<ul class="statuses">
${others.map(([status, { description }]) => html`<li><b>${status}</b> ${site.markdown(description)}</li>\n`)}
</ul>
</article>
`
}

const places = { path: 'Path parameters', query: 'Query parameters', header: 'Request headers' }

function parameterTables(site: Site, operation: Operation): Html[] {
  const by_place = Map.groupBy(operation.parameters ?? [], (parameter) => parameter.in)
  return [...by_place].map(([place, parameters]) => {
    const fields = parameters.map(({ name, required, description = '', schema }) => {
      const more = place === 'query' && schema.type === 'array' ? ' Repeat the parameter to give several.' : ''
      return { name, mark: required ? 'required' : '', schema: { ...schema, description: description + more } }
    })
    return html`${heading(4, `${idOf(operation)}/${place}`, places[place])}${table(site, fields)}`
  })
}

function bodySection(site: Site, id: string, type: string, { schema }: Media): Html {
  const [fields, read_only] = partition(fieldsOf(schema), (field) => field.schema.readOnly === true)
  const ignored = read_only.map(({ name }) => html`<code>${name}</code>`)
  const asked = fields.map((field) => ({ ...field, mark: field.is_required ? 'required' : '' }))
  return html`${heading(4, `${id}/body/${type}`, ['Body ', html`<small>${type}</small>`])}
${table(site, asked)}
${ignored.length > 0 && html`<p class="note">Ignored, since the server sets them: ${listed(ignored)}.</p>`}
${schema.additionalProperties === false && html`<p class="note">Any other field is refused.</p>`}
`
}

function answerSection(site: Site, id: string, status: string, { headers = {}, content = {} }: Response): Html {
  const names = Object.keys(headers).map((name) => html`<a href="#header/${name}"><code>${name}</code></a>`)
  return html`${heading(4, `${id}/${status}`, `Answer ${status} ${STATUS_CODES[status] ?? ''}`)}
${names.length > 0 && html`<p class="note">With the headers ${listed(names)}.</p>`}
${Object.entries(content).map(
  ([type, { schema, example }]) => html`${answerTable(site, schema)}
${heading(4, `${id}/${status}/${type}`, ['Example answer ', html`<small>${type}</small>`])}${code(example)}`,
)}`
}

const answerTable = (site: Site, schema: Schema): Html =>
  table(
    site,
    fieldsOf(schema).map((field) => ({ ...field, mark: field.is_required ? '' : 'may be absent' })),
  )

function errorSection(site: Site, operations: Operation[]): Html {
  const failures = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.values(content).flatMap(({ schema, examples = {} }) =>
        Object.entries(examples).map(([name, { value }]) => ({ title: `${status} ${name}`, schema, value })),
      ),
    ),
  )
  const by_title = new Map(failures.map((failure) => [failure.title, failure]))
  const all = [...by_title.values()].sort((one, other) => (one.title < other.title ? -1 : 1))
  return html`<section>
${heading(2, 'page/errors', 'Error answers')}
<p>Every error has this body. An example of each follows.</p>
${all[0] && answerTable(site, all[0].schema)}
${all.map(({ title, value }) => html`<details><summary>${title}</summary>${code(value)}</details>\n`)}
</section>
`
}

function headerSection(site: Site, headers: Record<string, Described>): Html {
  const fields = Object.entries(headers).map(([name, { description = '', schema }]) => {
    const examples = (schema.examples ?? []).map((example) => ` Such as \`${String(example)}\`.`)
    return { id: `header/${name}`, name, mark: '', schema: { ...schema, description: description + examples.join('') } }
  })
  return html`<section>\n${heading(2, 'page/headers', 'Answer headers')}${table(site, fields)}</section>\n`
}

const table = (site: Site, rows: Row[]): Html => html`<table class="fields">
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
<tbody>
${rows.map((row) => tableRow(site, row))}
</tbody>
</table>
`

function tableRow({ markdown }: Site, { id, name, mark, schema }: Row): Html {
  const limits = limitsOf(schema)
  return html`<tr${idAttribute(id)}>
<th scope="row">${nameOf(name)}${mark && html` <small class="${mark.replaceAll(' ', '-')}">${mark}</small>`}</th>
<td>${typeOf(schema)}${limits.length > 0 && html` <small>${listed(limits)}</small>`}</td>
<td>${schema.description && markdown(schema.description)}</td>
</tr>
`
}

/** The way to a nested field steps back behind its own name. */
function nameOf(name: string): Html {
  const start = name.lastIndexOf('.') + 1
  return html`<code>${start > 0 && html`<span>${name.slice(0, start)}</span><wbr>`}${name.slice(start)}</code>`
}

function fieldsOf(schema: Schema, way = ''): Field[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const name = way ? `${way}.${key}` : key
    const is_required = schema.required?.includes(key) ?? false
    return [{ name, schema: property, is_required }, ...fieldsOf(property, name)]
  })
  const choices = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((all) => all ?? [])
  const values = valuesOf(schema)
  return [
    ...own,
    ...choices.flatMap((choice) => fieldsOf(choice, way)),
    ...(schema.items ? fieldsOf(schema.items, `${way}[]`) : []),
    ...(values ? fieldsOf(values, `${way}.*`) : []),
  ]
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map(typeOf))].join(' or ')
  const values = schema.items ?? valuesOf(schema)
  const of = values ? ` of ${typeOf(values)}s` : ''
  const name = (type: string) => (type === 'array' || type === 'object' ? type + of : type)
  return [schema.type ?? 'any'].flat().map(name).join(' or ')
}

/** What the members of an object with names of the caller's choice are. */
function valuesOf({ patternProperties = {}, additionalProperties }: Schema): Schema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : Object.values(patternProperties)[0]
}

function limitsOf(schema: Schema): Part[] {
  const each = schema.items ? limitsOf(schema.items) : []
  return [
    schema.format,
    range(schema.minLength, schema.maxLength, ' character'),
    range(schema.minimum, schema.maximum),
    range(schema.minItems, schema.maxItems, ' item'),
    ...each.map((limit) => ['each ', limit]),
    schema.pattern && html`matches <code>${schema.pattern}</code>`,
    schema.enum && ['one of ', listed(schema.enum.map((value) => html`<code>${String(value)}</code>`))],
    schema.default !== undefined && html`default <code>${String(schema.default)}</code>`,
  ].filter(Boolean)
}

function range(minimum: number | undefined, maximum: number | undefined, unit = ''): string {
  const counted = (number: number) =>
    String(number).replaceAll(/\B(?=(\d{3})+$)/g, ',') + (unit && number !== 1 ? `${unit}s` : unit)
  if (maximum !== undefined)
    return minimum === undefined ? `at most ${counted(maximum)}` : `${minimum} to ${counted(maximum)}`
  return minimum === undefined ? '' : `at least ${counted(minimum)}`
}

/** A request to paste into a shell in which `KEY` is an API key. */
function curlOf({ origin, base_path }: Site, { method, path, parameters = [], requestBody }: Operation): string {
  const sample = (name: string) => {
    const { examples, default: preset = name } = parameters.find((one) => one.name === name)?.schema ?? {}
    return encodeURIComponent(String(examples?.[0] ?? preset))
  }
  const asked = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name }) => `${name}=${sample(name)}`)
  const query = asked.length > 0 ? `?${asked.join('&')}` : ''
  const address = origin + base_path + path.replace(/\{(.+?)\}/g, (_, name: string) => sample(name)) + query
  const bodies = Object.entries(requestBody?.content ?? {}).slice(0, 1)
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(address)}`,
    '-H "Authorization: Bearer $KEY"',
    ...bodies.flatMap(([type, { example }]) => [`-H 'Content-Type: ${type}'`, `-d ${quoted(textOf(example))}`]),
  ].join(' \\\n  ')
}

const quoted = (word: string): string =>
  /^[\w.:/-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

const textOf = (example: unknown): string =>
  typeof example === 'string' ? example : JSON.stringify(example ?? null, null, 2)

/** Can be scrolled by keyboard too. */
const code = (example: unknown): Html => html`<pre tabindex="0"><code>${textOf(example)}</code></pre>\n`

const listed = (parts: Part[]): Part[] => parts.flatMap((part, index) => (index === 0 ? [part] : [', ', part]))

function partition<Item>(items: Item[], isSecond: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter((item) => !isSecond(item)), items.filter(isSecond)]
}

/**
 * The guide, the sections in it, and what renders all other Markdown. What has a row of its own in a table of the
 * guide, such as an error code, is a link to that row wherever it stands.
 */
function readGuide(text: string) {
  const ids: Ids = new Map()
  const marked = new Marked({ renderer: rendererOf(ids) })
  const tokens = marked.lexer(text)
  const sections: Link[] = []
  // Without extensions there are no tokens but marked's own.
  for (const token of tokens as MarkedToken[]) {
    if (token.type === 'heading') {
      const title = token.text.replaceAll('`', '')
      const slug = title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      const id = sections.some((section) => section.id === slug) ? `${slug}-${sections.length}` : slug
      ids.set(token, id)
      sections.push({ id, title })
    }
    if (token.type === 'table') for (const row of token.rows) nameRow(ids, row)
  }
  const markdown = (part: string) => new Html(marked.parse(part, { async: false }))
  return { guide: new Html(marked.parser(tokens)), sections, markdown }
}

function nameRow(ids: Ids, row: Tokens.TableCell[]): void {
  const name = /^`([^`\s]+)`$/.exec(row[0]?.text ?? '')?.[1]
  if (name === undefined || ids.has(name)) return
  ids.set(name, `code/${name}`).set(row, `code/${name}`)
}

const rendererOf = (ids: Ids): RendererObject => ({
  html: ({ text }) => escaped(text),
  image: ({ text }) => escaped(text),
  // marked's own lets through what stands between tags, as if these were let through as well.
  text(token) {
    return 'tokens' in token && token.tokens ? this.parser.parseInline(token.tokens) : escaped(token.text)
  },
  // The page leads nowhere but to this server: other addresses can be read, not followed.
  link({ href, text }) {
    if (/^(#|\/(?![/\\]))/.test(href)) return html`<a href="${href}">${text}</a>`.text
    return escaped(text === href ? text : `${text} (${href})`)
  },
  heading(token) {
    const id = ids.get(token)
    if (id === undefined) return html`<p><strong>${token.text}</strong></p>`.text
    return heading(Math.max(2, token.depth), id, token.text.replaceAll('`', '')).text
  },
  code: ({ text }) => code(text).text,
  codespan({ text }) {
    const id = ids.get(text)
    return (id ? html`<a href="#${id}"><code>${text}</code></a>` : html`<code>${text}</code>`).text
  },
  table({ header, rows }) {
    const inline = ({ tokens }: Tokens.TableCell) => new Html(this.parser.parseInline(tokens))
    const row = (cells: Tokens.TableCell[]) => html`<tr${idAttribute(ids.get(cells))}>
${cells.map((cell) => html`<td>${inline(cell)}</td>`)}
</tr>
`
    return html`<div class="wide" tabindex="0"><table>
<thead><tr>${header.map((cell) => html`<th scope="col">${inline(cell)}</th>`)}</tr></thead>
<tbody>
${rows.map(row)}
</tbody>
</table></div>
`.text
  },
})

const idAttribute = (id: string | undefined): Part => id !== undefined && html` id="${id}"`

type Part = Html | string | number | false | undefined | Part[]

/** Text that is HTML already. */
class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Everything that is put in is escaped, unless it was made here too. */
function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(texts.reduce((before, text, index) => before + shown(parts[index - 1]) + text))
}

function shown(part: Part): string {
  if (part instanceof Html) return part.text
  if (Array.isArray(part)) return part.map(shown).join('')
  return part === undefined || part === false ? '' : escaped(String(part))
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')

/** The value with what its references point to in their places; what contains itself is left out there. */
function inlined(value: unknown, root: unknown, within: string[] = []): unknown {
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

type Ids = Map<unknown, string>

interface Link {
  id: string
  title: string
}

interface Site {
  origin: string
  base_path: string
  markdown: (text: string) => Html
}

interface Document {
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>
  components: { headers: Record<string, Described> }
}

interface Room {
  name: string
  description: string
  operations: Operation[]
}

interface Operation {
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

interface Described {
  description?: string
  schema: Schema
}

interface Response {
  description: string
  headers?: Record<string, Described>
  content?: Content
}

type Content = Record<string, Media>

interface Media {
  schema: Schema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

interface Schema {
  type?: string | string[]
  format?: string
  description?: string
  default?: unknown
  const?: unknown
  enum?: unknown[]
  examples?: unknown[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  readOnly?: boolean
}

interface Field {
  name: string
  schema: Schema
  is_required: boolean
}

interface Row {
  id?: string
  name: string
  mark: string
  schema: Schema
}
