import { Marked, type MarkedToken, type RendererObject, type Tokens } from 'marked'
import { code, escaped, Html, heading, html, idAttribute } from './html.ts'

export interface Link {
  id: string
  title: string
}

/** What has an id of its own: headings and rows as tokens, codes by name. */
type Ids = Map<unknown, string>

/**
 * The guide, the sections in it, and what renders all other Markdown. What has a row of its own in a table of the
 * guide, such as an error code, is a link to that row wherever it stands.
 */
export function readGuide(text: string) {
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
