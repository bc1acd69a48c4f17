import { type Html, type HtmlPart, html } from './html.ts'
import type { RenderedMarkdown } from './markdown.ts'
import type { DocsPage } from './pages.ts'

export interface Layout {
  /** The title of the documentation. */
  title: string
  origin: string
  /** The path of the service's address, which stands before each path. */
  base_path: string
  pages: DocsPage[]
  /** URLs of the files that every page loads. */
  style_url: string
  script_urls: string[]
  search_url: string
}

/** Lays out a whole page around rendered Markdown. Parts that need the script are hidden until it runs. */
export function layOut(
  layout: Layout,
  page: Pick<DocsPage, 'url' | 'title'> & { has_markdown?: boolean },
  { body, headings }: RenderedMarkdown,
): string {
  const { title, origin, base_path } = layout
  const to = (url: string) => base_path + url
  const sections = headings.filter(({ depth }) => depth === 2)
  const is_first = page.url === '/docs'
  const { has_markdown = true } = page
  return html`<!doctype html>
<html lang="en" data-address="${origin}" data-base="${base_path}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${is_first ? title : `${page.title} · ${title}`}</title>
<link rel="stylesheet" href="${to(layout.style_url)}">
${has_markdown && html`<link rel="alternate" type="text/markdown" href="${to(page.url)}.md">\n`}${layout.script_urls.map((url) => html`<script type="module" src="${to(url)}"></script>\n`)}</head>
<body${is_first && html` class="first"`}>
<a class="skip" href="#main">Skip to content</a>
<header>
<p><a class="product" href="${to('/docs')}">${title}</a></p>
<div class="search" role="search" data-index="${to(layout.search_url)}" hidden="hidden">
<label for="search" class="unseen">Search the documentation</label>
<input id="search" type="text" placeholder="Search" autocomplete="off" spellcheck="false" role="combobox" aria-autocomplete="list" aria-expanded="false" aria-controls="results">
<kbd>/</kbd>
<div id="results" role="listbox" aria-label="Search results" hidden="hidden"></div>
<p class="unseen" role="status" id="result-count"></p>
</div>
<p><a href="${to('/openapi.json')}">openapi.json</a></p>
</header>
<nav aria-label="Documentation">
<details><summary>Contents</summary>
<ul>
<li>${linkTo(to('/docs'), 'Start', is_first)}</li>
${navigation(layout, page.url, sections)}</ul></details>
</nav>
<main id="main">
<div class="key" hidden="hidden">
<label for="key">API key for the samples</label>
<input id="key" type="text" autocomplete="off" spellcheck="false" placeholder="pk_..." aria-describedby="key-note">
<p id="key-note">It stays in this page: it is not stored, and not sent.</p>
</div>
${body}
${has_markdown && html`<footer><p><a href="${to(page.url)}.md">This page as Markdown</a></p></footer>\n`}</main>
</body>
</html>
`.text
}

const linkTo = (url: string, title: HtmlPart, is_current = false): Html =>
  html`<a href="${url}"${is_current && html` aria-current="page"`}>${title}</a>`

function navigation({ pages, base_path }: Layout, current: string, sections: { id: string; title: string }[]): Html[] {
  const groups = Map.groupBy(pages, ({ group }) => group)
  const item = ({ url, title }: DocsPage) => {
    const is_current = url === current
    const inner =
      is_current &&
      sections.length > 0 &&
      html`\n<ul class="sections">\n${sections.map(({ id, title: name }) => html`<li>${linkTo(`#${id}`, name)}</li>\n`)}</ul>\n`
    return html`<li>${linkTo(base_path + url, title, is_current)}${inner}</li>\n`
  }
  return [...groups].map(([group, some]) => html`<li><b>${group}</b>\n<ul>\n${some.map(item)}</ul></li>\n`)
}
