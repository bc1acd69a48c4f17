import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { document } from '../../server/api.ts'
import { splitGuide } from '../../server/docs/pages.ts'
import { listFiles } from '../../server/docs/site.ts'
import { serve } from '../support/harness.ts'

const { fetch, url: server_url } = await serve()
const readText = (name: string) => fs.readFileSync(path.resolve(import.meta.dirname, '../..', name), 'utf8')
const changelog = readText('CHANGELOG.md')
const texts = { changelog, readme: readText('README.md'), client: readText('sdk/README.md') }
const site = siteOf(document)
const urls = listUrls()
const page_urls = urls.filter((url) => /^\/docs(\/[\w/-]+)?$/.test(url))

/** Answers with the text at a path. */
function siteOf(source: object, origin = 'http://127.0.0.1:8080') {
  const files = new Map(listFiles({ document: source, origin, ...texts }).map((file) => [file.url, file]))
  const rendered = new Map<string, string>()
  return (url: string) => rendered.getOrInsertComputed(url, () => files.get(url)?.render() ?? '')
}

/** What can be reached from the first page. */
function listUrls(): string[] {
  const found = new Set(['/docs', '/llms.txt'])
  for (const url of found) {
    for (const value of [...valuesOf(site(url), 'href'), ...valuesOf(site(url), 'src')]) {
      const [target = ''] = value.split('#', 1)
      if (target !== '' && target !== '/openapi.json') found.add(target)
    }
  }
  return [...found]
}

function valuesOf(text: string, name: string): string[] {
  return [...text.matchAll(new RegExp(`<[^>]* ${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value)
}

test('each chapter of the guide is in a part', () => {
  const titles = readText('server/guide.md').match(/^## .*/gm) ?? []
  const { introduction, chapters } = splitGuide(readText('server/guide.md'))
  assert.deepEqual([chapters.length, /^#/m.test(introduction)], [titles.length, false])
})

test('every page, its Markdown and its files need no key', async () => {
  assert.ok(page_urls.length > 50)
  for (const url of ['/docs', '/docs/api/contacts', '/docs/guide/webhooks', '/docs/recipes/sync-a-crm']) {
    const { status, headers, text } = await fetch('GET', url)
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(text, /^<!doctype html>\n<html lang="en"/)
    const markdown = await fetch('GET', `${url}.md`)
    assert.equal(markdown.headers.get('content-type'), 'text/markdown; charset=utf-8')
    assert.match(markdown.text, /^# /)
  }
  for (const url of urls.filter((one) => one.includes('/assets/'))) {
    const { status, headers } = await fetch('GET', url)
    assert.equal(status, 200, url)
    assert.match(headers.get('content-type') ?? '', /^text\/(css|javascript); charset=utf-8$/)
    assert.match(headers.get('cache-control') ?? '', /immutable/)
  }
})

test('a path without a page answers with a page that says so', async () => {
  for (const url of ['/docs/none', '/docs/api/none.md', '/docs/assets/none.js', '/docs/missing']) {
    const { status, text } = await fetch('GET', url)
    assert.equal(status, 404, url)
    assert.match(text, /There is no such page/)
    assert.doesNotMatch(text, /\.md"/, 'it has no Markdown')
  }
  assert.equal((await fetch('GET', '/docs/')).text, (await fetch('GET', '/docs?x=1')).text)
  const { status, headers } = await fetch('POST', '/docs/errors')
  assert.equal(status, 405)
  assert.equal(headers.get('allow'), 'GET, HEAD')
})

test('what was elsewhere, or is looked for there, leads to its page', async () => {
  for (const [url, target] of [
    ['/docs/llms.txt', '/llms.txt'],
    ['/docs/recipes', '/docs#recipes'],
    ['/docs/recipes/', '/docs#recipes'],
    ['/docs/guide', '/docs'],
    ['/docs/guide/which-way-to-sync', '/docs/recipes/sync-a-crm'],
    ['/docs/guide/which-way-to-sync.md', '/docs/recipes/sync-a-crm.md'],
  ] as const) {
    const { status, headers } = await globalThis.fetch(server_url + url, { redirect: 'manual' })
    assert.deepEqual([status, headers.get('location')], [301, target])
    const [page = '', id] = target.split('#')
    assert.ok(id === undefined ? site(page) : valuesOf(site(page), 'id').includes(id), target)
  }
})

test('the command line and the client have pages of their READMEs', () => {
  const command_line = site('/docs/command-line.md')
  assert.match(command_line, /^# Command line\n\nIn Parley's folder, `npx parley --help`/)
  assert.ok(command_line.includes('\n## From another machine\n') && !command_line.includes('[MIT]'))
  assert.match(site('/docs/client.md'), /^# JavaScript client\n/)
})

test('the policy allows files of this server and nothing inline', async () => {
  const { headers } = await fetch('GET', '/docs')
  assert.equal(
    headers.get('content-security-policy'),
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  for (const url of page_urls) {
    assert.doesNotMatch(
      site(url),
      /<style|<img|<iframe|<[^>]* (style|on\w+)=|<script(?! type="module" src="\/docs\/assets\/[\w-]+\.js"><\/script>)/i,
    )
  }
})

test('the first page with its style and scripts is below 150 kB, and no page is above', () => {
  const assets = urls
    .filter((url) => url.includes('/assets/'))
    .reduce((sum, url) => sum + gzipSync(site(url)).length, 0)
  for (const url of page_urls) assert.ok(gzipSync(site(url)).length + assets < 150_000, url)
})

test('every operation is on the page of its area, with samples in three languages', () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { operationId, summary, security, tags } = Object(operation)
      const text = sectionOf(areaOf(tags[0]), summary)
      const base_path = security ? '' : '/api/v1'
      assert.ok(text.includes(`${method.toUpperCase()} ${base_path}${path}`), `${operationId} has its path`)
      assert.ok(text.includes('curl '), `${operationId} has a command`)
      assert.ok(text.includes('requests.'), `${operationId} has a program in Python`)
      assert.equal(text.includes('Authorization: Bearer $KEY'), !security, `${operationId} needs a key or not`)
      const name = operationId.slice(tags[0].length + 1)
      const call = security ? 'await fetch(' : `parley.${toCamel(tags[0])}.${toCamel(name)}(`
      assert.ok(text.includes(call), `${operationId} has a program in JavaScript`)
    }
  }
})

test('samples send what the operation takes', () => {
  const create = sectionOf('contacts', 'Create a contact')
  assert.ok(create.includes(`-d '{\n  "phone_number": "+14155550100"`), create)
  assert.ok(create.includes("await parley.contacts.create({\n  phone_number: '+14155550100',"))
  assert.ok(create.includes('headers=headers, json={\n  "phone_number": "+14155550100",'))
  const upload = sectionOf('imports', 'Import contacts')
  assert.ok(upload.includes('-F file=@contacts.csv'))
  assert.ok(upload.includes("file: await openAsBlob('contacts.csv')"))
  assert.ok(upload.includes('files={"file": open("contacts.csv", "rb")'))
  assert.ok(sectionOf('contacts', 'List contacts').includes('for await (const one of parley.contacts.list())'))
  assert.ok(sectionOf('contacts', 'Export contacts').includes("await writeFile('contacts.csv', response.body)"))
  assert.ok(sectionOf('events', 'Stream events').includes('curl -N '))
  assert.ok(sectionOf('agents', 'Get a version').includes("parley.agents.getVersion('"))
})

test('every event type is shown with its fields and an example', () => {
  for (const type of Object.keys(document.webhooks)) {
    const text = plain(partOf(site('/docs/events'), type))
    assert.ok(text.includes(`"type": "${type}"`), `${type} has an example`)
    assert.match(text, /data\.id\s+string/)
  }
  assert.match(plain(site('/docs/events')), /previous\.first_name may be absent/)
})

test('every error code is shown with its status, its meaning and an example', () => {
  const codes = [...site('/docs/guide/envelope').matchAll(/<tr id="code\/([A-Z_]+)">/g)].map(([, code = '']) => code)
  assert.ok(codes.length > 15)
  // 405 is no response of an operation.
  for (const code of codes.filter((one) => one !== 'METHOD_NOT_ALLOWED'))
    assert.match(plain(partOf(site('/docs/errors'), code)), new RegExp(`Status \\d+\\. \\w[^]*"code": "${code}"`))
  const link = '<a href="/docs/errors#conflict"><code>CONFLICT</code></a>'
  assert.ok(partOf(site('/docs/api/contacts'), 'Create a contact').includes(link))
})

test('a body is shown with its types, limits and ignored fields', () => {
  const text = sectionOf('contacts', 'Create a contact')
  assert.match(text, /phone_number required\s+string/)
  assert.match(text, /notes\s+string or null, at most 2,000 characters/)
  assert.match(text, /tags\s+array of strings or null, at most 50 items, each 1 to 64 characters/)
  assert.match(text, /Ignored, because the server sets them: id, source,/)
  assert.match(text, /Other fields are rejected\./)
})

test('a parameter is shown with its limits and its default', () => {
  assert.match(
    sectionOf('contacts', 'List contacts'),
    /limit\s+integer, 1 to 100, default 20\s+The maximum number of items to return\./,
  )
})

test('nested fields of a response are shown with their path', () => {
  assert.match(sectionOf('contacts', 'List contacts'), /data\[\]\.phone_number\s+string/)
  assert.match(sectionOf('agents', 'Get an agent'), /data\.deployed_version\.version_label\s+string/)
})

test('the samples use the address of the service, and the links its path', () => {
  const shown = siteOf(document, 'https://parley.example.org/a')
  assert.ok(shown('/docs/api/contacts').includes('curl https://parley.example.org/a/api/v1/contacts'))
  assert.ok(shown('/docs/guide/webhooks').includes('<a href="/a/docs">'))
  for (const url of page_urls) {
    const outer = valuesOf(shown(url), 'href').filter((href) => !/^(#|\/a\/)/.test(href))
    assert.deepEqual(outer, [], url)
  }
  assert.ok(shown('/docs.md').includes('](https://parley.example.org/a/docs/errors.md)'))
})

test('the commands that the guide shortens are shown in full', () => {
  const markdown = site('/docs/guide/conversations.md')
  assert.ok(
    markdown.includes('curl -X POST -H "Authorization: Bearer $KEY" -H \'Content-Type: application/json\' \\\n  -d'),
  )
  assert.ok(markdown.includes('http://127.0.0.1:8080/api/v1/conversations/ID/messages'))
  for (const url of page_urls) assert.doesNotMatch(site(`${url}.md`), /^curl [^\n]*\.\.\. |[ ']\.\.\.\//m, url)
})

test('a quote in an example body is escaped for the shell', () => {
  const quoting = JSON.parse(JSON.stringify(document).replaceAll('Analytical Engines', "Ada's Engines"))
  assert.ok(plain(siteOf(quoting)('/docs/api/contacts')).includes(String.raw`"company": "Ada'\''s Engines"`))
})

test('ids are unique on a page, and every link leads to one', () => {
  const ids = new Map(page_urls.map((url) => [url, valuesOf(site(url), 'id')]))
  for (const [url, some] of ids) assert.equal(new Set(some).size, some.length, url)
  for (const url of page_urls) {
    for (const href of valuesOf(site(url), 'href').filter((one) => one.includes('#'))) {
      const [target = '', id = ''] = href.split('#')
      assert.ok(ids.get(target || url)?.includes(id), `${href} on ${url}`)
    }
  }
})

test('the search finds pages, sections, operations, events and errors, at places that exist', async () => {
  const { headers, text } = await fetch('GET', '/docs/search.json')
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  assert.ok(gzipSync(text).length < 50_000)
  const rows: string[][] = JSON.parse(text)
  const titles = rows.map(([title]) => title)
  for (const title of [
    'Webhooks',
    'Wait for the answer',
    'Create a contact',
    'call.ended',
    'CONFLICT',
    'Sync a CRM',
    'ETag',
    'Begin',
    'Command line',
    'JavaScript client',
  ])
    assert.ok(titles.includes(title), title)
  const ids = new Map(page_urls.map((url) => [url, valuesOf(site(url), 'id')]))
  for (const [title, , url = ''] of rows) {
    const [target = '', id] = url.split('#')
    assert.ok(id === undefined ? page_urls.includes(target) : ids.get(target)?.includes(id), `${title} at ${url}`)
  }
})

test('llms.txt lists the Markdown of every page', () => {
  const text = site('/llms.txt')
  assert.match(text, /^# Parley API\n\n> /)
  for (const url of page_urls) assert.ok(text.includes(`http://127.0.0.1:8080${url}.md`), url)
})

test('the changelog is a page', () => {
  assert.match(site('/docs/changelog'), /<h1>Changelog<\/h1>/)
  assert.equal(site('/docs/changelog.md'), changelog)
})

test('the pages load nothing from other servers and link to none', () => {
  for (const url of page_urls) {
    const outer = [...valuesOf(site(url), 'href'), ...valuesOf(site(url), 'src')].filter(
      (one) => !/^[#/](?!\/)/.test(one),
    )
    assert.deepEqual(outer, [], url)
  }
  for (const url of urls.filter((one) => one.endsWith('.css'))) assert.doesNotMatch(site(url), /url\(|@import/)
  const guide =
    '# Part\n\n## A\n\nSee [it](https://example.org), //example.org, [a](//example.org) ![b](https://example.org/b.png)'
  const linking = siteOf({ ...document, info: { ...document.info, description: guide } })
  assert.doesNotMatch(linking('/docs/guide/a'), /(href|src)="[^"#]*\/\//)
})

test('the pages are well-formed', () => {
  for (const url of page_urls) assert.deepEqual(faultsOf(site(url)), [], url)
})

test('text of the document is always escaped', () => {
  const evil = '<script>if (a<b) alert("1")</script> <img src=x onerror=alert(1)> `<i>` [x](javascript:alert(1)) "\'&'
  const text = JSON.stringify(document, (name, value) =>
    ['description', 'summary', 'title'].includes(name) && typeof value === 'string' ? `${evil}\n\n${evil}` : value,
  )
  const shown = siteOf(JSON.parse(text))
  for (const url of ['/docs', '/docs/api/contacts', '/docs/events', '/docs/headers']) {
    assert.deepEqual(faultsOf(shown(url)), [], url)
    assert.doesNotMatch(shown(url), /<script>|<img|<i>|href="javascript/)
  }
  assert.ok(shown('/docs/api/contacts').includes('&lt;script&gt;if (a&lt;b) alert(&quot;1&quot;)&lt;/script&gt;'))
})

test('a schema that contains itself is shown once', () => {
  const { components } = document
  const AgentWithDraft = { type: 'object', properties: { parent: { $ref: '#/components/schemas/AgentWithDraft' } } }
  const schemas = { ...components.schemas, AgentWithDraft }
  const shown = siteOf({ ...document, components: { ...components, schemas } })
  assert.match(plain(partOf(shown('/docs/api/agents'), 'Get an agent')), /data\.parent may be absent\s+any/)
})

const areaOf = (tag: string): string => tag.replaceAll('_', '-')

const toCamel = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The text of an operation. */
const sectionOf = (area: string, summary: string): string => plain(partOf(site(`/docs/api/${area}`), summary))

/** From a heading to the next one of its level. */
function partOf(page: string, title: string): string {
  const start = page.search(new RegExp(`<h2 id="[^"]*"><a href="[^"]*">${title.replaceAll("'", '&#39;')}</a>`))
  assert.notEqual(start, -1, `${title} is on the page`)
  const end = page.indexOf('<h2', start + 1)
  return page.slice(start, end < 0 ? undefined : end)
}

function plain(text: string): string {
  return text
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

const tag = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<>]*")*)>/g
const blocks = /^(p|ul|ol|pre|table|div|h\d|section|article|details)$/

/** Broken, unclosed or wrongly nested tags, and headings that skip a level. */
function faultsOf(text: string): string[] {
  const body = text.replace('<!doctype html>', '')
  const faults = [...body.replaceAll(tag, '').matchAll(/.{0,20}([<>]|&(?!\w+;|#\d+;)).{0,20}/g)].map(([near]) => near)
  const open: string[] = []
  let level = 0
  for (const [near, closing, name = ''] of body.matchAll(tag)) {
    if (['meta', 'link', 'wbr', 'br', 'hr', 'input'].includes(name)) continue
    if (closing) {
      if (open.pop() !== name) return [...faults, `${near} closes something else`]
      continue
    }
    if (open.includes('p') && blocks.test(name)) faults.push(`${near} in a paragraph`)
    if (open.includes('a') && name === 'a') faults.push(`${near} in a link`)
    if (/^h\d$/.test(name)) {
      if (Number(name[1]) > level + 1) faults.push(`${near} skips a level`)
      level = Number(name[1])
    }
    open.push(name)
  }
  return [...faults, ...open.map((name) => `<${name}> stays open`)]
}
