import { boldTitle, slugOf } from './markdown.ts'
import type { DocsContent, DocsPage } from './pages.ts'

/** What the search shows of a result, its URL, and the words that find it besides the title. */
type SearchRow = [title: string, detail: string, url: string, words: string]

/** Words that find a page although it doesn't have them. */
const other_words: Record<string, string> = {
  '/docs/client': 'sdk javascript typescript node npm',
  '/docs/command-line': 'cli terminal',
  '/docs/errors': 'error code codes',
  '/docs/guide/events': 'sse eventsource',
  '/docs/recipes/resume-a-stream': 'sse eventsource',
  '/docs/recipes/sync-a-crm': 'bulk',
  '/docs/api/contacts#create-and-update-many-contacts': 'bulk',
}

/** Writes the file that the search in the page loads. */
export function searchIndex(content: DocsContent): string {
  const { pages, entries, title, intro, start } = content
  const with_entries = new Set(entries.map(({ url }) => url.split('#', 1)[0]))
  const first = { url: '/docs', title: 'Start', group: title, toMarkdown: () => `${intro}\n\n${start}` }
  const rows: SearchRow[] = [
    ...sectionRows(first),
    ...pages.flatMap((page) => (with_entries.has(page.url) ? [pageRow(page, page.summary)] : sectionRows(page))),
    ...entries.map(
      ({ title, detail, url, toSearchText }): SearchRow => [title, detail, url, wordsOf(url, toSearchText())],
    ),
  ]
  return JSON.stringify(rows)
}

type SearchedPage = Pick<DocsPage, 'url' | 'title' | 'group' | 'toMarkdown'>

const pageRow = ({ title, group, url }: Omit<SearchedPage, 'toMarkdown'>, text: string): SearchRow => [
  title,
  group,
  url,
  wordsOf(url, text),
]

/** Returns a row for the page, and one for each of its sections and of its paragraphs with a title. */
function sectionRows(page: SearchedPage): SearchRow[] {
  const [start = '', ...sections] = page.toMarkdown().split(/^(?=## |\*\*)/m)
  return [
    pageRow(page, start),
    ...sections.map((section): SearchRow => {
      const title = /^## (.*)/.exec(section)?.[1] ?? boldTitle(section) ?? page.title
      const url = `${page.url}#${slugOf(title)}`
      return [title.replaceAll('`', ''), page.title, url, wordsOf(url, section)]
    }),
  ]
}

/**
 * Returns the words of a text. The search splits what is typed in the same way. Sorted words take a tenth less when
 * they are compressed.
 */
const wordsOf = (url: string, text: string): string =>
  [...new Set(`${text} ${other_words[url] ?? ''}`.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [])].sort().join(' ')
