import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { type AnswerDocument, openDocument } from '../kit/http/document.ts'
import type { PageRequest } from '../kit/http/pages.ts'
import type { SiteAnswer } from '../kit/http/static-site.ts'
import { notFound } from '../kit/problem.ts'
import { type Layout, layOut } from './layout.ts'
import { type Links, renderMarkdown } from './markdown.ts'
import { type DocsPage, type DocsSource, listPages } from './pages.ts'
import { searchIndex } from './search-index.ts'
import { firstPage, llmsText } from './start.ts'

export interface DocsSite {
  /** The patterns of all paths that the site answers. */
  routes: string[]
  answer: (request: PageRequest) => Promise<SiteAnswer>
}

/** A page, its Markdown, or what pages load. */
export interface DocsFile {
  url: string
  headers: Record<string, string>
  render: () => string
}

const search_url = '/docs/search.json'
/** Other paths below /docs are answered with this page. */
const missing_url = '/docs/missing'
const missing_page = { url: missing_url, title: 'Not found', has_markdown: false }
const missing_text = '# Not found\n\nThere is no such page. Search for it, or see [the list of all pages](/docs).'

/** Paths of pages that were elsewhere, or are looked for there. */
const moved: Record<string, string> = {
  '/docs/guide': '/docs',
  '/docs/api': '/docs',
  '/docs/recipes': '/docs#recipes',
  '/docs/llms.txt': '/llms.txt',
  '/docs/guide/which-way-to-sync': '/docs/recipes/sync-a-crm',
  '/docs/guide/which-way-to-sync.md': '/docs/recipes/sync-a-crm.md',
}

/** The pages load files of this server only, and have no inline styles or scripts. */
const page_headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

/** Files that every page loads. Their URLs contain a hash of the content. */
const style = readAsset(
  'docs.css',
  'text/css',
  ['text', 'tables', 'layout', 'script'].map((name) => `style/${name}.css`),
)
const scripts = ['search', 'page'].map((name) => readAsset(`${name}.js`, 'text/javascript', [`browser/${name}.js`]))

function readAsset(name: string, type: string, files: string[]) {
  const text = files.map((file) => fs.readFileSync(path.join(import.meta.dirname, file), 'utf8')).join('')
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 8)
  return { url: `/docs/assets/${name.replace('.', `-${hash}.`)}`, type, text }
}

/**
 * Opens the documentation of an OpenAPI document: /docs, pages below it, each also as Markdown, and /llms.txt. The
 * number of pages depends only on the document's areas and the guide's chapters, whatever clients ask for.
 */
export function openDocs(getSource: () => DocsSource): DocsSite {
  let answers: Map<string, AnswerDocument> | undefined
  let base_path = ''
  return {
    routes: ['/docs', '/docs.md', '/docs/*', '/llms.txt'],
    answer: async (request) => {
      if (!answers) {
        const source = getSource()
        base_path = basePathOf(source)
        answers = new Map(listFiles(source).map(({ url, headers, render }) => [url, openDocument(render, headers)]))
      }
      const pathname = (request.raw.url ?? '').replace(/\?.*$/s, '').replace(/\/$/, '')
      const target = Object.hasOwn(moved, pathname) ? moved[pathname] : undefined
      if (target) return { status: 301, headers: { location: base_path + target }, body: '' }
      const answer = answers.get(pathname) ?? answers.get(missing_url)
      if (!answer) throw notFound()
      if (answer !== answers.get(missing_url)) return answer(request)
      // The page is sent whole, also to a client that has it.
      return { ...(await answer({ headers: { ...request.headers, 'if-none-match': undefined } })), status: 404 }
    },
  }
}

/** @internal */
export function listFiles(source: DocsSource): DocsFile[] {
  const { origin } = source
  const content = listPages(source)
  const base_path = basePathOf(source)
  const links: Links = { base_path, codes: content.codes, chapters: content.chapters }
  const layout: Layout = {
    title: content.title,
    origin,
    base_path,
    pages: content.pages,
    style_url: style.url,
    script_urls: scripts.map(({ url }) => url),
    search_url,
  }
  const page = (one: DocsPage): DocsFile[] => [
    {
      url: one.url,
      headers: page_headers,
      render: () => layOut(layout, one, renderMarkdown(one.toMarkdown(), links)),
    },
    {
      url: `${one.url}.md`,
      headers: typed('text/markdown'),
      render: () => linkToMarkdown(one.toMarkdown(), origin),
    },
  ]
  return [
    ...page(firstPage(content)),
    ...content.pages.flatMap((one) => page(one)),
    {
      url: missing_url,
      headers: page_headers,
      render: () => layOut(layout, missing_page, renderMarkdown(missing_text, links)),
    },
    { url: '/llms.txt', headers: typed('text/plain'), render: () => llmsText(content, origin) },
    {
      url: search_url,
      headers: typed('application/json', 'public, max-age=300'),
      render: () => searchIndex(content),
    },
    ...[style, ...scripts].map(({ url, type, text }) => ({
      url,
      headers: typed(type, 'public, max-age=31536000, immutable'),
      render: () => text,
    })),
  ]
}

const basePathOf = ({ origin }: DocsSource): string => new URL(origin).pathname.replace(/\/$/, '')

const typed = (type: string, cache_control = 'no-cache'): Record<string, string> => ({
  'content-type': `${type}; charset=utf-8`,
  'cache-control': cache_control,
})

/** Changes links to those of Markdown pages, so that Markdown leads to Markdown. */
const linkToMarkdown = (text: string, origin: string): string =>
  text.replaceAll(
    /\]\((\/docs[\w/-]*)(#[^)]*)?\)/g,
    (_, url: string, fragment = '') => `](${origin}${url}.md${fragment})`,
  )
