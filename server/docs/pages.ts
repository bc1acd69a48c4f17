import fs from 'node:fs'
import path from 'node:path'
import { type Area, addressOf, areaPage, areaTitle } from './area.ts'
import { type OpenApiDocument, type OperationObject, type ResponseObject, resolveReferences } from './document.ts'
import { slugOf } from './markdown.ts'
import { type ErrorExample, errorsPage, eventsPage, headersPage, listErrors } from './reference.ts'

export interface DocsPage {
  /** The URL on this server, without `.md`. */
  url: string
  title: string
  /** Pages of one group are listed together. */
  group: string
  /** A sentence for lists of pages. */
  summary: string
  toMarkdown: () => string
}

/** An operation, an event type, an error or a header: what the first page lists and the search finds. */
interface Entry {
  url: string
  title: string
  /** What the search shows besides the title. */
  detail: string
  toSearchText: () => string
}

export interface DocsContent {
  title: string
  /** What the product is, in a sentence or two. */
  intro: string
  /** How to begin, in Markdown. */
  start: string
  pages: DocsPage[]
  entries: Entry[]
  /** The URLs of error codes. */
  codes: Map<string, string>
  /** The URLs of the guide's chapters, by title. */
  chapters: Map<string, string>
}

export interface DocsSource {
  document: object
  /** The address of the service, before all paths in samples. */
  origin: string
  changelog: string
  /** README.md of the repository: its section "Command line" is a page. */
  readme: string
  /** README.md of the client. */
  client: string
}

const recipe_names = [
  'verify-a-webhook',
  'resume-a-stream',
  'sync-a-crm',
  'export-consent',
  'connect-ollama',
  'test-a-campaign',
  'test-an-agent',
  'chat-on-your-page',
  'talk-in-the-browser',
]

const readText = (name: string): string => fs.readFileSync(path.join(import.meta.dirname, name), 'utf8')

/** Lists all pages of /docs but the first, as Markdown. */
export function listPages({ document, origin, changelog, readme, client }: DocsSource): DocsContent {
  // The cast is true because createOpenApiDocument makes an OpenAPI document, of which these are the parts that the
  // pages show.
  const { info, servers, tags, paths, webhooks, components } = document as OpenApiDocument
  const resolve = <Value>(value: Value) => resolveReferences(value, document) as Value
  const base_path = servers[0]?.url ?? ''
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
  const areas: Area[] = tags.map((tag) => ({
    ...tag,
    operations: operations.filter((one) => one.tags[0] === tag.name),
  }))
  const errors = listErrors(resolve(errorResponses(operations)))
  const payloads = Object.values(webhooks).map(({ post }) => post)
  const fill = (text: string) => fillSamples(text, origin, base_path)

  const tools: DocsPage[] = [
    {
      url: '/docs/client',
      title: 'JavaScript client',
      group: 'Client and command line',
      summary: 'The client for TypeScript and JavaScript, `@parley/client`.',
      toMarkdown: () => fill(client.replace(/^# .*/, '# JavaScript client')),
    },
    {
      url: '/docs/command-line',
      title: 'Command line',
      group: 'Client and command line',
      summary: 'The command `parley`: agents as files, any request, events on your machine.',
      toMarkdown: () => fill(sectionOf(readme, 'Command line')),
    },
  ]
  const reference: DocsPage[] = [
    {
      url: '/docs/errors',
      title: 'Errors',
      group: 'Reference',
      summary: 'Each error code with its status and an example.',
      toMarkdown: () => errorsPage(errors, info.description),
    },
    {
      url: '/docs/events',
      title: 'Event types',
      group: 'Reference',
      summary: 'What webhooks receive for each type of event.',
      toMarkdown: () => eventsPage(resolve(payloads)),
    },
    {
      url: '/docs/headers',
      title: 'Response headers',
      group: 'Reference',
      summary: 'The headers of responses.',
      toMarkdown: () => headersPage(resolve(components.headers)),
    },
    {
      url: '/docs/changelog',
      title: 'Changelog',
      group: 'Reference',
      summary: 'What has changed in each release.',
      toMarkdown: () => changelog,
    },
  ]
  const guide = splitGuide(info.description)
  const chapters = guide.chapters.map((chapter) => chapterPage(chapter, fill))
  const intro = guide.introduction
  return {
    title: `${info.title} API`,
    intro,
    start: fill(readText('start.md').replace('INTRO', () => intro)),
    pages: [...recipesFrom(fill), ...tools, ...chapters, ...areas.map((area) => pageOf(area)), ...reference],
    entries: [
      ...areas.flatMap((area) => area.operations.map((operation) => operationEntry(area, operation))),
      ...payloads.map(eventEntry),
      ...errors.map(errorEntry),
      ...Object.entries(components.headers).map(headerEntry),
    ],
    codes: new Map(errors.map((error) => [error.code, errorEntry(error).url])),
    chapters: new Map(chapters.map(({ title, url }) => [title, url])),
  }

  function pageOf(area: Area): DocsPage {
    return {
      url: areaUrl(area.name),
      title: areaTitle(area.name),
      group: 'API',
      summary: area.description,
      toMarkdown: () => areaPage(origin, base_path, { ...area, operations: resolve(area.operations) }),
    }
  }

  function operationEntry({ name }: Area, operation: OperationObject): Entry {
    const { method, summary, operationId, description } = operation
    return {
      url: `${areaUrl(name)}#${slugOf(summary)}`,
      title: summary,
      detail: `${method} ${addressOf(operation, base_path)}`,
      toSearchText: () => {
        const { parameters = [], requestBody } = resolve({ ...operation, responses: {} })
        const bodies = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
          Object.keys(schema.properties ?? {}),
        )
        return [operationId, description, ...parameters.map((one) => one.name), ...bodies].join(' ')
      },
    }
  }
}

const areaUrl = (name: string): string => `/docs/api/${name.replaceAll('_', '-')}`

/** Returns each error response once, by status, because operations share them. */
const errorResponses = (operations: OperationObject[]): [string, ResponseObject][] => {
  const all = operations.flatMap(({ responses }) =>
    Object.entries(responses).filter(([status]) => !status.startsWith('2')),
  )
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()]
}

interface Chapter {
  part: string
  title: string
  text: string
}

/** A heading of the first level begins a part, and one of the second level a chapter. */
export function splitGuide(guide: string): { introduction: string; chapters: Chapter[] } {
  // Otherwise a comment in a sample could look like the heading of a part.
  const [introduction = '', ...parts] = guide.split(/^# (?=.*\n\n## )/m)
  const chapters = parts.flatMap((text) => {
    const [part = '', ...sections] = text.split(/^## /m)
    return sections.map((section) => ({ part: part.trim(), ...titled(section) }))
  })
  return { introduction: introduction.trim(), chapters }
}

function titled(section: string) {
  const end = section.indexOf('\n')
  return { title: section.slice(0, end).trim(), text: section.slice(end).trim() }
}

const chapterPage = ({ part, title, text }: Chapter, fill: (text: string) => string): DocsPage => ({
  url: `/docs/guide/${slugOf(title)}`,
  title,
  group: part,
  summary: firstSentence(text),
  toMarkdown: () => `# ${title}\n\n${fill(text)}`,
})

const recipesFrom = (fill: (text: string) => string): DocsPage[] =>
  recipe_names.map((name) => {
    const text = readText(`recipes/${name}.md`)
    const title = /^# (.*)$/m.exec(text)?.[1] ?? name
    const summary = firstSentence(text.slice(text.indexOf('\n')).trim())
    return { url: `/docs/recipes/${name}`, title, group: 'Recipes', summary, toMarkdown: () => fill(text) }
  })

/** Returns a section of a file as a page. */
function sectionOf(text: string, title: string): string {
  const [, section = ''] = text.split(`\n## ${title}\n`)
  const [own = ''] = section.split(/^## /m)
  return `# ${title}\n${own.replaceAll(/^###/gm, '##')}`.trim()
}

const firstSentence = (text: string): string => {
  const paragraph = (text.split('\n\n', 1)[0] ?? '').replaceAll(/\s+/g, ' ')
  return /^.*?\.(?= |$)/.exec(paragraph)?.[0] ?? paragraph.replace(/:$/, '.')
}

/** Writes samples with the address of the service, and the commands that the guide shortens (`curl ... .../agents`) in full. */
function fillSamples(text: string, origin: string, base_path: string): string {
  const key = '-H "Authorization: Bearer $KEY"'
  return text
    .replaceAll(/^```\w*\n[\s\S]*?^```$/gm, (block) =>
      block
        .replaceAll(
          /^(curl\b[^\n]*?) \.\.\. (?=-d)/gm,
          (_, start: string) => `${start} ${key} -H 'Content-Type: application/json' \\\n  `,
        )
        .replaceAll(/^(curl\b[^\n]*?) \.\.\. /gm, (_, start: string) => `${start} ${key} `)
        .replaceAll(/(?<=[ '])\.\.\.\//g, () => `${origin}${base_path}/`)
        .replaceAll("-H 'Authorization: Bearer pk_...'", () => key),
    )
    .replaceAll(/https?:\/\/(127\.0\.0\.1:8080|parley\.example\.com)/g, () => origin)
    .replaceAll('wss://parley.example.com', () => origin.replace(/^http/, 'ws'))
}

function eventEntry({ summary: type, description }: { summary: string; description: string }): Entry {
  const url = `/docs/events#${slugOf(type)}`
  return { url, title: type, detail: 'Event', toSearchText: () => description }
}

function errorEntry({ code, status }: ErrorExample): Entry {
  const url = `/docs/errors#${slugOf(code)}`
  return { url, title: code, detail: `Error ${status}`, toSearchText: () => '' }
}

function headerEntry([name, { description = '' }]: [string, { description?: string }]): Entry {
  const url = `/docs/headers#code/${name}`
  return { url, title: name, detail: 'Header', toSearchText: () => description }
}
