import { STATUS_CODES } from 'node:http'
import { curlCommand } from './curl.ts'
import type { MediaTypeObject, OperationGroup, OperationObject, ResponseObject } from './document.ts'
import { listFields } from './fields.ts'
import { codeBlock, type Html, heading, html, joinWithCommas } from './html.ts'
import { fieldTable, type RenderMarkdown, responseTable } from './tables.ts'

export interface OperationContext {
  /** The examples put it before the paths. */
  origin: string
  base_path: string
  markdown: RenderMarkdown
}

const parameter_headings = { path: 'Path parameters', query: 'Query parameters', header: 'Request headers' }

export const groupTitle = ({ name }: OperationGroup): string =>
  name.charAt(0).toUpperCase() + name.slice(1).replaceAll(/[_-]/g, ' ')

export const operationAnchor = ({ operationId }: OperationObject): string => `operation/${operationId}`

export const methodLabel = ({ method }: OperationObject): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`

export const groupSection = (context: OperationContext, group: OperationGroup): Html => html`<section>
${heading(2, `tag/${group.name}`, groupTitle(group))}
${context.markdown(group.description)}
${group.operations.map((operation) => operationArticle(context, operation))}
</section>
`

function operationArticle({ origin, markdown, ...context }: OperationContext, operation: OperationObject): Html {
  const { path, summary, description, requestBody, responses, servers } = operation
  const base_path = servers?.[0]?.url.replace(/\/$/, '') ?? context.base_path
  const id = operationAnchor(operation)
  const [others, successes] = partition(Object.entries(responses), ([status]) => status.startsWith('2'))
  return html`<article aria-labelledby="${id}">
${heading(3, id, summary)}
<p class="address">${methodLabel(operation)} <code><span>${base_path}</span>${path}</code></p>
${markdown(description)}
${parameterTables(markdown, operation)}
${Object.entries(requestBody?.content ?? {}).map(([type, media]) => bodySection(markdown, id, type, media))}
${heading(4, `${id}/request`, 'Example request')}
${codeBlock(curlCommand(origin, base_path, operation))}
${successes.map(([status, response]) => responseSection(markdown, id, status, response))}
${heading(4, `${id}/others`, 'Other responses')}
<ul class="statuses">
${others.map(([status, { description }]) => html`<li><b>${status}</b> ${markdown(description)}</li>\n`)}
</ul>
</article>
`
}

function parameterTables(markdown: RenderMarkdown, operation: OperationObject): Html[] {
  const by_place = Map.groupBy(operation.parameters ?? [], (parameter) => parameter.in)
  return [...by_place].map(([place, parameters]) => {
    const rows = parameters.map(({ name, required, description = '', schema }) => {
      const note = place === 'query' && schema.type === 'array' ? ' Repeat the parameter to pass several values.' : ''
      return { name, mark: required ? 'required' : '', schema: { ...schema, description: description + note } }
    })
    const id = `${operationAnchor(operation)}/${place}`
    return html`${heading(4, id, parameter_headings[place])}${fieldTable(markdown, rows)}`
  })
}

function bodySection(markdown: RenderMarkdown, id: string, type: string, { schema }: MediaTypeObject): Html {
  const [writable, read_only] = partition(listFields(schema), (field) => field.schema.readOnly === true)
  const ignored = read_only.map(({ name }) => html`<code>${name}</code>`)
  const rows = writable.map((field) => ({ ...field, mark: field.is_required ? 'required' : '' }))
  return html`${heading(4, `${id}/body/${type}`, ['Body ', html`<small>${type}</small>`])}
${rows.length > 0 ? fieldTable(markdown, rows) : html`<p class="note">Any value.</p>`}
${ignored.length > 0 && html`<p class="note">Ignored, because the server sets them: ${joinWithCommas(ignored)}.</p>`}
${schema.additionalProperties === false && html`<p class="note">Other fields are rejected.</p>`}
`
}

function responseSection(
  markdown: RenderMarkdown,
  id: string,
  status: string,
  { headers = {}, content = {} }: ResponseObject,
): Html {
  const names = Object.keys(headers).map((name) => html`<a href="#header/${name}"><code>${name}</code></a>`)
  return html`${heading(4, `${id}/${status}`, `Response ${status} ${STATUS_CODES[status] ?? ''}`)}
${names.length > 0 && html`<p class="note">Headers: ${joinWithCommas(names)}.</p>`}
${Object.entries(content).map(
  ([type, { schema, example }]) => html`${responseTable(markdown, schema)}
${heading(4, `${id}/${status}/${type}`, ['Example response ', html`<small>${type}</small>`])}${codeBlock(example)}`,
)}`
}

function partition<Item>(items: Item[], isSecond: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter((item) => !isSecond(item)), items.filter(isSecond)]
}
