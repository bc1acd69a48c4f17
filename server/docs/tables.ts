import { describeLimits, describeType, listFields, type OpenApiSchema } from './fields.ts'
import { type Html, html, idAttribute, joinWithCommas } from './html.ts'

export type RenderMarkdown = (text: string) => Html

export interface FieldRow {
  id?: string
  name: string
  /** A note behind the name, such as `required`. */
  mark: string
  schema: OpenApiSchema
}

export const fieldTable = (markdown: RenderMarkdown, rows: FieldRow[]): Html => html`<table class="fields">
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
<tbody>
${rows.map((row) => fieldRow(markdown, row))}
</tbody>
</table>
`

/** The fields of a response or of a webhook payload. */
export const responseTable = (markdown: RenderMarkdown, schema: OpenApiSchema): Html =>
  fieldTable(
    markdown,
    listFields(schema).map((field) => ({ ...field, mark: field.is_required ? '' : 'may be absent' })),
  )

function fieldRow(markdown: RenderMarkdown, { id, name, mark, schema }: FieldRow): Html {
  const limits = describeLimits(schema)
  return html`<tr${idAttribute(id)}>
<th scope="row">${fieldName(name)}${mark && html` <small class="${mark.replaceAll(' ', '-')}">${mark}</small>`}</th>
<td>${describeType(schema)}${limits.length > 0 && html` <small>${joinWithCommas(limits)}</small>`}</td>
<td>${schema.description && markdown(schema.description)}</td>
</tr>
`
}

/** The style makes the parents of a nested field less prominent than its own name. */
function fieldName(name: string): Html {
  const start = name.lastIndexOf('.') + 1
  return html`<code>${start > 0 && html`<span>${name.slice(0, start)}</span><wbr>`}${name.slice(start)}</code>`
}
