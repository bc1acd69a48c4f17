import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { document } from '../../server/api.ts'
import { renderDocsPage } from '../../server/docs/page.ts'
import { serve } from '../support/harness.ts'

const { fetch } = await serve()
const page = renderDocsPage(document)

test('the page needs no key', async () => {
  const { status, headers, text } = await fetch('GET', '/docs')
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
  assert.match(text, /^<!doctype html>\n<html lang="en">/)
})

test('its Content-Security-Policy allows its own style and nothing else', async () => {
  const { headers, text } = await fetch('GET', '/docs')
  const policy = headers.get('content-security-policy') ?? ''
  const [, style = ''] = /<style>(.*)<\/style>/s.exec(text) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  assert.ok(policy.startsWith(`default-src 'none'; style-src 'sha256-${hash}';`), policy)
  assert.doesNotMatch(text, /<script|<img|<link|<iframe| style=| on\w+=/i)
})

test('the page has every operation with its method, path and an example request', () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { operationId, summary, security } = Object(operation)
      const base_path = security ? '' : '/api/v1'
      const article = plain(articleOf(page, operationId))
      assert.ok(article.includes(summary), `${operationId} has its summary`)
      assert.ok(article.includes(`${method.toUpperCase()} ${base_path}${path}`), `${operationId} has its path`)
      assert.ok(article.includes('curl '), `${operationId} has an example`)
      assert.equal(article.includes('Authorization: Bearer'), !security, `${operationId} needs a key or not`)
    }
  }
})

test('the page has every event type with its fields and an example', () => {
  for (const type of Object.keys(document.webhooks)) {
    const start = page.indexOf(`<article aria-labelledby="webhook/${type}">`)
    assert.notEqual(start, -1, `${type} is on the page`)
    const article = plain(page.slice(start, page.indexOf('</article>', start)))
    assert.ok(article.includes(`"type": "${type}"`), `${type} has an example`)
    assert.match(article, /data\.id\s+string/)
  }
  assert.match(plain(page), /previous\.first_name may be absent/)
})

test('a body is shown with its types, limits and ignored fields', () => {
  const article = plain(articleOf(page, 'contacts_create'))
  assert.match(article, /phone_number required\s+string/)
  assert.match(article, /notes\s+string or null at most 2,000 characters/)
  assert.match(article, /tags\s+array of strings or null at most 50 items, each 1 to 64 characters/)
  assert.match(article, /Ignored, because the server sets them: id, source,/)
  assert.match(article, /Other fields are rejected\./)
})

test('a parameter is shown with its limits and its default', () => {
  assert.match(
    plain(articleOf(page, 'contacts_list')),
    /limit\s+integer 1 to 100, default 20\s+The maximum number of items to return\./,
  )
})

test('nested fields of a response are shown with their path', () => {
  assert.match(plain(articleOf(page, 'contacts_list')), /data\[\]\.phone_number\s+string/)
  assert.match(plain(articleOf(page, 'agents_get')), /data\.deployed_version\.version_label\s+string/)
})

test('an error code links to its row in the guide', () => {
  assert.ok(articleOf(page, 'contacts_create').includes('<a href="#code/CONFLICT"><code>CONFLICT</code></a>'))
  assert.ok(page.includes('<tr id="code/CONFLICT">'))
})

test('the examples use the address of the service', () => {
  assert.ok(
    renderDocsPage(document, 'https://parley.example.com/a').includes('curl https://parley.example.com/a/api/v1/'),
  )
})

test('a quote in an example body is escaped for the shell', () => {
  const quoting = JSON.stringify(document).replaceAll('Analytical Engines', "Ada's Engines")
  assert.ok(plain(renderDocsPage(JSON.parse(quoting))).includes(String.raw`"company": "Ada'\''s Engines"`))
})

test('ids are unique, and every link on the page points to one', () => {
  const ids = valuesOf('id')
  assert.equal(new Set(ids).size, ids.length)
  const inner = valuesOf('href').filter((href) => href.startsWith('#'))
  assert.deepEqual(new Set(inner.map((href) => href.slice(1))).difference(new Set(ids)), new Set())
})

test('the page links to no other server and loads nothing from one', () => {
  const outer = [...valuesOf('href'), ...valuesOf('src')].filter((address) => !address.startsWith('#'))
  assert.deepEqual(outer, ['openapi.json'])
  assert.doesNotMatch(page, /url\(|@import/)
  const guide = 'See [it](https://example.com), //example.com, [a](//example.com) ![b](https://example.com/b.png)'
  const linking = renderDocsPage({ ...document, info: { ...document.info, description: guide } })
  assert.doesNotMatch(linking, /(href|src)="[^"#]*\/\//)
})

test('the page is well-formed', () => assert.deepEqual(faultsOf(page), []))

test('text of the document is always escaped', () => {
  const evil = '<script>if (a<b) alert("1")</script> <img src=x onerror=alert(1)> `<i>` [x](javascript:alert(1)) "\'&'
  const text = JSON.stringify(document, (name, value) =>
    ['description', 'summary', 'title'].includes(name) && typeof value === 'string' ? `${evil}\n\n${evil}` : value,
  )
  const shown = renderDocsPage(JSON.parse(text))
  assert.deepEqual(faultsOf(shown), [])
  assert.doesNotMatch(shown, /<script|<img|<i>|href="javascript/)
  assert.ok(shown.includes('&lt;script&gt;if (a&lt;b) alert(&quot;1&quot;)&lt;/script&gt;'))
})

test('a schema that contains itself is shown once', () => {
  const { components } = document
  const AgentWithDraft = { type: 'object', properties: { parent: { $ref: '#/components/schemas/AgentWithDraft' } } }
  const schemas = { ...components.schemas, AgentWithDraft }
  const shown = renderDocsPage({ ...document, components: { ...components, schemas } })
  assert.match(plain(articleOf(shown, 'agents_get')), /data\.parent may be absent\s+any/)
})

const valuesOf = (name: string): string[] =>
  [...page.matchAll(new RegExp(`<[^>]* ${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value)

function articleOf(text: string, operation_id: string): string {
  const start = text.indexOf(`<article aria-labelledby="operation/${operation_id}">`)
  assert.notEqual(start, -1, `${operation_id} is on the page`)
  return text.slice(start, text.indexOf('</article>', start))
}

const plain = (text: string): string =>
  text
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

const tag = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<>]*")*)>/g
const blocks = /^(p|ul|ol|pre|table|div|h\d|section|article|details)$/

/** Broken, unclosed or wrongly nested tags, and headings that skip a level. */
function faultsOf(text: string): string[] {
  const body = text.replace('<!doctype html>', '').replace(/<style>.*<\/style>/s, '')
  const faults = [...body.replaceAll(tag, '').matchAll(/.{0,20}([<>]|&(?!\w+;|#\d+;)).{0,20}/g)].map(([near]) => near)
  const open: string[] = []
  let level = 0
  for (const [near, closing, name = ''] of body.matchAll(tag)) {
    if (['meta', 'wbr', 'br', 'hr', 'input'].includes(name)) continue
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
