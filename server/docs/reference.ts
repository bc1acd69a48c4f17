import type { HeaderObject, OperationObject, WebhookObject } from './document.ts'
import { codeBlock, type Html, heading, html } from './html.ts'
import { fieldTable, type RenderMarkdown, responseTable } from './tables.ts'

export const webhookSection = (markdown: RenderMarkdown, webhooks: WebhookObject[]): Html => html`<section>
${heading(2, 'page/webhooks', 'Webhook payloads')}
<p>The body that a webhook receives for each type of event. The list and the stream of events have the same
<code>data</code> and <code>previous</code>.</p>
${webhooks.map((webhook) => webhookArticle(markdown, webhook))}
</section>
`

function webhookArticle(markdown: RenderMarkdown, { summary, description, requestBody }: WebhookObject): Html {
  const id = `webhook/${summary}`
  return html`<article aria-labelledby="${id}">
${heading(3, id, summary)}
${markdown(description)}
${Object.entries(requestBody.content).map(
  ([type, { schema, example }]) => html`<details><summary>Fields</summary>${responseTable(markdown, schema)}</details>
${heading(4, `${id}/${type}`, ['Example ', html`<small>${type}</small>`])}${codeBlock(example)}`,
)}
</article>
`
}

export function errorSection(markdown: RenderMarkdown, operations: OperationObject[]): Html {
  const errors = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.values(content).flatMap(({ schema, examples = {} }) =>
        Object.entries(examples).map(([code, { value }]) => ({ title: `${status} ${code}`, schema, value })),
      ),
    ),
  )
  const by_title = new Map(errors.map((error) => [error.title, error]))
  const sorted = [...by_title.values()].sort((one, other) => (one.title < other.title ? -1 : 1))
  return html`<section>
${heading(2, 'page/errors', 'Error responses')}
<p>Every error has this body. An example of each code follows.</p>
${sorted[0] && responseTable(markdown, sorted[0].schema)}
${sorted.map(({ title, value }) => html`<details><summary>${title}</summary>${codeBlock(value)}</details>\n`)}
</section>
`
}

export function headerSection(markdown: RenderMarkdown, headers: Record<string, HeaderObject>): Html {
  const rows = Object.entries(headers).map(([name, { description = '', schema }]) => {
    const examples = (schema.examples ?? []).map((example) => ` Example: \`${String(example)}\`.`)
    return { id: `header/${name}`, name, mark: '', schema: { ...schema, description: description + examples.join('') } }
  })
  return html`<section>\n${heading(2, 'page/headers', 'Response headers')}${fieldTable(markdown, rows)}</section>\n`
}
