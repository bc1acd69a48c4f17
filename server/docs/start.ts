import type { DocsContent, DocsPage } from './pages.ts'

interface PageLink {
  url: string
  title: string
}

/** Writes the first page: how to begin, and a list of all pages, operations, event types, errors and headers. */
export const firstPage = (content: DocsContent): DocsPage => ({
  url: '/docs',
  title: 'Start',
  group: '',
  summary: '',
  toMarkdown: () => [content.start.trim(), ...listGroups(content)].join('\n\n'),
})

function listGroups({ pages, entries }: DocsContent): string[] {
  const entries_by_page = Map.groupBy(entries, ({ url }) => url.split('#', 1)[0])
  return [...Map.groupBy(pages, ({ group }) => group)].map(([group, some]) => {
    const is_detailed = some.some(({ url }) => entries_by_page.has(url))
    if (!is_detailed) return `## ${group}\n\n${listLinks(some)}`
    const parts = some.map((page) => {
      const inner = entries_by_page.get(page.url)
      return `${linkTo(page)}: ${page.summary}${inner ? `\n\n${listLinks(inner)}` : ''}`
    })
    return `## ${group}\n\n${parts.join('\n\n')}`
  })
}

const linkTo = ({ url, title }: PageLink): string => `[${title}](${url})`

const listLinks = (items: PageLink[]): string => items.map((one) => `- ${linkTo(one)}`).join('\n')

/** Writes an index of the pages' Markdown, as llmstxt.org describes it. */
export const llmsText = ({ title, intro, pages }: DocsContent, origin: string): string =>
  [
    `# ${title}`,
    `> ${intro}`,
    `The OpenAPI document is at ${origin}/openapi.json. Start with [the first page](${origin}/docs.md).`,
    ...[...Map.groupBy(pages, ({ group }) => group)].map(([group, some]) => {
      const links = some.map((page) => `- [${page.title}](${origin}${page.url}.md): ${page.summary}`)
      return `## ${group}\n\n${links.join('\n')}`
    }),
  ].join('\n\n')
