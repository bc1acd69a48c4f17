import { boldTitle, slugOf } from './markdown.ts'
import type { DocsContent, DocsPage } from './pages.ts'

/** What the search shows of a result, its URL, and the words that find it besides the title. */
type SearchRow = [title: string, detail: string, url: string, words: string]

const short_words = new Set(
  'an and are as at be but by can do for from has have if in is it its no not of on or so that the then this to was with you your'.split(
    ' ',
  ),
)

/** The file that the search in the page loads. */
export function searchIndex({ pages, entries }: DocsContent): string {
  const with_entries = new Set(entries.map(({ url }) => url.split('#', 1)[0]))
  const rows: SearchRow[] = [
    ...pages.flatMap((page) => (with_entries.has(page.url) ? [pageRow(page, page.summary)] : sectionRows(page))),
    ...entries.map(({ title, detail, url, toSearchText }): SearchRow => [title, detail, url, wordsOf(toSearchText())]),
  ]
  return JSON.stringify(rows)
}

const pageRow = ({ title, group, url }: DocsPage, text: string): SearchRow => [title, group, url, wordsOf(text)]

/** A row for the page, and one for each of its sections and of its paragraphs with a title. */
function sectionRows(page: DocsPage): SearchRow[] {
  const [start = '', ...sections] = page.toMarkdown().split(/^(?=## |\*\*)/m)
  return [
    pageRow(page, start),
    ...sections.map((section): SearchRow => {
      const title = /^## (.*)/.exec(section)?.[1] ?? boldTitle(section) ?? page.title
      return [title.replaceAll('`', ''), page.title, `${page.url}#${slugOf(title)}`, wordsOf(section)]
    }),
  ]
}

const wordsOf = (text: string): string =>
  [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [])].filter((word) => !short_words.has(word)).join(' ')
