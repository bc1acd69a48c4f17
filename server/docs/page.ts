import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { STATUS_CODES } from 'node:http'
import path from 'node:path'
import type { createOpenApiDocument } from '../kit/openapi/document.ts'
import { curlOf } from './curl.ts'
import {
  type Described,
  type Document,
  inlined,
  type Media,
  type Operation,
  places,
  type Response,
  type Room,
  type Webhook,
} from './document.ts'
import { fieldsOf, limitsOf, type Schema, typeOf } from './fields.ts'
import { code, Html, heading, html, idAttribute, listed, type Part } from './html.ts'
import { type Link, readGuide } from './markdown.ts'

const style = fs.readFileSync(path.join(import.meta.dirname, 'page.css'), 'utf8')
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
export function docsPage(document: ReturnType<typeof createOpenApiDocument>, origin = 'http://127.0.0.1:8080'): string {
  // createOpenApiDocument makes an OpenAPI document, and these are the parts of one that are shown.
  const { info, servers, tags, paths, webhooks, components } = inlined(document, document) as Document
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
${webhookSection(
  site,
  Object.values(webhooks).map(({ post }) => post),
)}
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
${list('Reference', [link('page/webhooks', 'Events that are sent'), link('page/errors', 'Error answers'), link('page/headers', 'Answer headers')])}
</ul>`
}

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
${code(curlOf(site.origin, site.base_path, operation))}
${successes.map(([status, answer]) => answerSection(site, id, status, answer))}
${heading(4, `${id}/others`, 'Other answers')}
<ul class="statuses">
${others.map(([status, { description }]) => html`<li><b>${status}</b> ${site.markdown(description)}</li>\n`)}
</ul>
</article>
`
}

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

const webhookSection = (site: Site, webhooks: Webhook[]): Html => html`<section>
${heading(2, 'page/webhooks', 'Events that are sent')}
<p>What each type of event is sent with, as the body of a webhook. In the list and in the stream, <code>data</code> and
<code>previous</code> are the same.</p>
${webhooks.map((webhook) => webhookArticle(site, webhook))}
</section>
`

function webhookArticle(site: Site, { summary, description, requestBody }: Webhook): Html {
  const id = `webhook/${summary}`
  return html`<article aria-labelledby="${id}">
${heading(3, id, summary)}
${site.markdown(description)}
${Object.entries(requestBody.content).map(
  ([type, { schema, example }]) => html`<details><summary>Fields</summary>${answerTable(site, schema)}</details>
${heading(4, `${id}/${type}`, ['Example ', html`<small>${type}</small>`])}${code(example)}`,
)}
</article>
`
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

function partition<Item>(items: Item[], isSecond: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter((item) => !isSecond(item)), items.filter(isSecond)]
}

interface Site {
  origin: string
  base_path: string
  markdown: (text: string) => Html
}

interface Row {
  id?: string
  name: string
  mark: string
  schema: Schema
}
