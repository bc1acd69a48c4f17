import { Marked, type MarkedToken, type RendererObject, type Tokens } from 'marked'
import { escapeHtml, Html, html, idAttribute } from './html.ts'

interface Heading {
  id: string
  title: string
  depth: number
}

export interface RenderedMarkdown {
  body: Html
  /** The headings without the title of the page. */
  headings: Heading[]
}

/** Where the names in a text lead to. */
export interface Links {
  /** The path that stands before each path. */
  base_path: string
  /** The URLs of error codes, which become links wherever they are named. */
  codes: Map<string, string>
  /** The URLs of the guide's chapters, by title: "see Campaigns" becomes a link. */
  chapters: Map<string, string>
}

/** HTML ids of headings, paragraphs and table rows, and of the code that a row explains. */
type Ids = Map<unknown, string>

const sample_names: Record<string, string> = { bash: 'curl', js: 'JavaScript', python: 'Python' }
const collapsed_title = 'Fields'
const address_pattern = /^\*\*(GET|POST|PUT|PATCH|DELETE)\*\* `(\/[^`]*)`$/
const field_columns = 'Name Type Description'

export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')

/**
 * Renders a page. Samples of the same thing in several languages, one after the other, become one block. Markup in the text
 * is shown as text.
 */
export function renderMarkdown(text: string, links: Links): RenderedMarkdown {
  const ids: Ids = new Map()
  const marked = new Marked({ renderer: createRenderer(ids, links) })
  // Without extensions, marked makes only its own tokens.
  const tokens = (marked.lexer(text) as MarkedToken[]).filter(({ type }) => type !== 'space')
  const headings = addIds(ids, tokens)
  const parse = (one: MarkedToken) => new Html(marked.parser([one]))
  const parts = groupTokens(tokens).map(([first, ...more]) => {
    if (first?.type === 'code') return codeBlock([first, ...(more as Tokens.Code[])])
    if (first?.type === 'heading' && more[0])
      return html`<details${idAttribute(ids.get(first))}><summary>${first.text}</summary>${parse(more[0])}</details>\n`
    return first && parse(first)
  })
  return { body: html`${parts}`, headings }
}

/** Groups tokens that are shown as one block. */
function groupTokens(tokens: MarkedToken[]): MarkedToken[][] {
  const groups: MarkedToken[][] = []
  for (const token of tokens) {
    const group = groups.at(-1)
    if (group && belongsTo(group, token)) group.push(token)
    else groups.push([token])
  }
  return groups
}

function belongsTo(group: MarkedToken[], token: MarkedToken): boolean {
  const [first] = group
  if (token.type === 'table') return first?.type === 'heading' && first.text === collapsed_title && group.length === 1
  const languages = group.map((one) => (one.type === 'code' ? one.lang : ''))
  return token.type === 'code' && isSample(token) && isSample(first) && !languages.includes(token.lang)
}

const isSample = (token: MarkedToken | undefined): boolean =>
  token?.type === 'code' && Object.hasOwn(sample_names, token.lang ?? '')

/** Writes a block of samples. The tabindex makes it possible to scroll by keyboard. */
const codeBlock = (samples: Tokens.Code[]): Html => html`<div class="${samples.length > 1 ? 'code samples' : 'code'}">
${samples.map(({ lang = '', text }) => html`<pre tabindex="0"${samples.length > 1 && html` data-language="${sample_names[lang] ?? ''}"`}><code>${text}</code></pre>\n`)}</div>
`

/**
 * Gives ids to what can be linked to: sections, paragraphs that begin with bold words, and rows that explain a code.
 */
function addIds(ids: Ids, tokens: MarkedToken[]): Heading[] {
  const headings: Heading[] = []
  const taken = new Set<string>()
  let section = ''
  const take = (id: string): string => {
    const free = taken.has(id) ? `${id}-${taken.size}` : id
    taken.add(free)
    return free
  }
  for (const token of tokens) {
    if (token.type === 'heading' && token.depth > 1) {
      const title = token.text.replaceAll('`', '')
      const id = take(token.depth > 2 && section ? `${section}/${slugOf(title)}` : slugOf(title))
      if (token.depth === 2) section = id
      ids.set(token, id)
      headings.push({ id, title, depth: token.depth })
    }
    if (token.type === 'paragraph') {
      const title = boldTitle(token.raw)
      if (title) ids.set(token, take(slugOf(title)))
    }
    if (token.type === 'table') {
      for (const row of token.rows) {
        const code = /^`([^`\s]+)`$/.exec(row[0]?.text ?? '')?.[1]
        if (code === undefined || ids.has(code) || isFieldTable(token)) continue
        ids.set(code, `code/${code}`).set(row, `code/${code}`)
      }
    }
  }
  return headings
}

/** Returns the words in bold at the beginning of a paragraph. */
export const boldTitle = (text: string): string | undefined =>
  address_pattern.test(text.trim()) ? undefined : /^\*\*(.+?)[.:]?\*\*/.exec(text)?.[1]

const isFieldTable = ({ header }: Tokens.Table): boolean => header.map(({ text }) => text).join(' ') === field_columns

const createRenderer = (ids: Ids, { base_path, codes, chapters }: Links): RendererObject => {
  const titles = [...chapters.keys()].sort((one, other) => other.length - one.length).map(escapeHtml)
  const reference = new RegExp(`(\\b(?:[Ss]ee|under) (?:&quot;)?)(${titles.join('|')})\\b`, 'g')
  const linkChapters = (text: string) =>
    text.replaceAll(reference, (_, before: string, title: string) => {
      const url = base_path + (chapters.get(title) ?? '')
      return before + html`<a href="${url}">${title}</a>`.text
    })
  const anchorTo = (href: string, content: Html | string) =>
    html`<a href="${href.startsWith('/') ? base_path + href : href}">${content}</a>`
  return {
    html: ({ text }) => escapeHtml(text),
    image: ({ text }) => escapeHtml(text),
    // marked's own renderer doesn't escape the text between HTML tags.
    text(token) {
      return 'tokens' in token && token.tokens
        ? this.parser.parseInline(token.tokens)
        : linkChapters(escapeHtml(token.text))
    },
    // The pages link only to this server. Other URLs are shown as text.
    link({ href, text }) {
      if (!/^(#|\/(?![/\\]))/.test(href)) return escapeHtml(text === href ? text : `${text} (${href})`)
      const code = /^`([^`]+)`$/.exec(text)?.[1]
      return anchorTo(href, code === undefined ? text : html`<code>${code}</code>`).text
    },
    heading(token) {
      const title = token.text.replaceAll('`', '')
      const id = ids.get(token)
      if (token.depth === 1) return html`<h1>${title}</h1>\n`.text
      if (id === undefined) return html`<p><strong>${title}</strong></p>\n`.text
      return html`<h${token.depth} id="${id}"><a href="#${id}">${title}</a></h${token.depth}>\n`.text
    },
    paragraph(token) {
      const [, method, path] = address_pattern.exec(token.raw.trim()) ?? []
      if (method && path) return html`<p class="address">${methodLabel(method)} <code>${path}</code></p>\n`.text
      return html`<p${idAttribute(ids.get(token))}>${new Html(this.parser.parseInline(token.tokens))}</p>\n`.text
    },
    code: (token) => codeBlock([token]).text,
    codespan({ text }) {
      const id = ids.get(text)
      const url = codes.get(text) ?? (id && `#${id}`)
      return (url ? anchorTo(url, html`<code>${text}</code>`) : html`<code>${text}</code>`).text
    },
    table(token) {
      const inline = ({ tokens }: Tokens.TableCell) => new Html(this.parser.parseInline(tokens))
      const is_of_fields = isFieldTable(token)
      const head = html`<thead><tr>${token.header.map((cell) => html`<th scope="col">${inline(cell)}</th>`)}</tr></thead>`
      const cells = (row: Tokens.TableCell[]) =>
        row.map((cell, index) =>
          is_of_fields && index === 0 ? fieldName(cell.text) : html`<td>${inline(cell)}</td>\n`,
        )
      const rows = token.rows.map((row) => html`<tr${idAttribute(ids.get(row))}>\n${cells(row)}</tr>\n`)
      const table = html`<table${is_of_fields && html` class="fields"`}>\n${head}\n<tbody>\n${rows}</tbody>\n</table>`
      return (is_of_fields ? table : html`<div class="wide" tabindex="0">${table}</div>\n`).text
    },
  }
}

const methodLabel = (method: string): Html => html`<span class="method ${method.toLowerCase()}">${method}</span>`

/** Writes the name of a field. The style makes the parents of a nested field less prominent than its own name. */
function fieldName(text: string): Html {
  const [, name = text, mark = ''] = /^`(.+?)` ?(.*)$/.exec(text) ?? []
  const start = name.lastIndexOf('.') + 1
  const parents = start > 0 && html`<span>${name.slice(0, start)}</span><wbr>`
  return html`<th scope="row"><code>${parents}${name.slice(start)}</code>${mark && html` <small class="${mark.replaceAll(' ', '-')}">${mark}</small>`}</th>\n`
}
