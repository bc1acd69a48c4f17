import { Marked, type MarkedToken, type RendererObject, type Tokens } from 'marked'
import { codeBlock, escapeHtml, Html, heading, html, idAttribute } from './html.ts'

export interface GuideSection {
  id: string
  title: string
}

/** HTML ids of heading tokens and table rows, and of the code that a row explains. */
type Ids = Map<unknown, string>

/**
 * Renders the guide and returns a renderer for all other Markdown. A code that has a row in a table of the guide, such as
 * an error code, becomes a link to that row everywhere.
 */
export function renderGuide(text: string) {
  const ids: Ids = new Map()
  const marked = new Marked({ renderer: createRenderer(ids) })
  const tokens = marked.lexer(text)
  const sections: GuideSection[] = []
  // Without extensions, marked makes only its own tokens.
  for (const token of tokens as MarkedToken[]) {
    if (token.type === 'heading') {
      const title = token.text.replaceAll('`', '')
      const slug = title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      const id = sections.some((section) => section.id === slug) ? `${slug}-${sections.length}` : slug
      ids.set(token, id)
      sections.push({ id, title })
    }
    if (token.type === 'table') for (const row of token.rows) addRowId(ids, row)
  }
  const markdown = (part: string) => new Html(marked.parse(part, { async: false }))
  return { guide: new Html(marked.parser(tokens)), sections, markdown }
}

function addRowId(ids: Ids, row: Tokens.TableCell[]): void {
  const code = /^`([^`\s]+)`$/.exec(row[0]?.text ?? '')?.[1]
  if (code === undefined || ids.has(code)) return
  ids.set(code, `code/${code}`).set(row, `code/${code}`)
}

const createRenderer = (ids: Ids): RendererObject => ({
  html: ({ text }) => escapeHtml(text),
  image: ({ text }) => escapeHtml(text),
  // marked's own renderer doesn't escape the text between HTML tags.
  text(token) {
    return 'tokens' in token && token.tokens ? this.parser.parseInline(token.tokens) : escapeHtml(token.text)
  },
  // The page links only to this server. Other URLs are shown as text.
  link({ href, text }) {
    if (/^(#|\/(?![/\\]))/.test(href)) return html`<a href="${href}">${text}</a>`.text
    return escapeHtml(text === href ? text : `${text} (${href})`)
  },
  heading(token) {
    const id = ids.get(token)
    if (id === undefined) return html`<p><strong>${token.text}</strong></p>`.text
    return heading(Math.max(2, token.depth), id, token.text.replaceAll('`', '')).text
  },
  code: ({ text }) => codeBlock(text).text,
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
