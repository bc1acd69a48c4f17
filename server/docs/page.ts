import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { createOpenApiDocument } from '../kit/openapi/document.ts'
import { type OpenApiDocument, type OperationGroup, type OperationObject, resolveReferences } from './document.ts'
import { Html, type HtmlPart, html } from './html.ts'
import { type GuideSection, renderGuide } from './markdown.ts'
import { groupSection, groupTitle, methodLabel, operationAnchor } from './operations.ts'
import { errorSection, headerSection, webhookSection } from './reference.ts'

const style_files = ['text.css', 'tables.css', 'layout.css']
const style = style_files.map((name) => fs.readFileSync(path.join(import.meta.dirname, 'style', name), 'utf8')).join('')
const style_hash = createHash('sha256').update(style).digest('base64')

/** The page has no scripts and loads nothing: it is text and one inline style. */
export const docs_page_headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${style_hash}'; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

/** The OpenAPI document as an HTML page. The examples put `origin` before the paths. */
export function renderDocsPage(
  document: ReturnType<typeof createOpenApiDocument>,
  origin = 'http://127.0.0.1:8080',
): string {
  // createOpenApiDocument makes an OpenAPI document, and these are the parts that the page shows.
  const { info, servers, tags, paths, webhooks, components } = resolveReferences(document, document) as OpenApiDocument
  const { guide, sections, markdown } = renderGuide(info.description)
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
  const groups = tags.map((tag) => ({ ...tag, operations: operations.filter((one) => one.tags[0] === tag.name) }))
  const context = { origin, base_path: servers[0]?.url ?? '', markdown }
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API</title>
<style>${new Html(style)}</style>
</head>
<body>
<a class="skip" href="#page/main">Skip to content</a>
<header>
<h1>${info.title} <span>API</span></h1>
<p>Version ${info.version} <a href="openapi.json">openapi.json</a></p>
</header>
<nav id="page/contents" aria-label="Contents">
<details><summary>Contents</summary>${contents(sections, groups)}</details>
</nav>
<main id="page/main">
<section>
${guide}
<p class="note">In the examples below, <code>$KEY</code> is your API key.</p>
</section>
${groups.map((group) => groupSection(context, group))}
${webhookSection(
  markdown,
  Object.values(webhooks).map(({ post }) => post),
)}
${errorSection(markdown, operations)}
${headerSection(markdown, components.headers)}
</main>
<a class="back" href="#page/contents">Contents</a>
</body>
</html>
`.text
}

function contents(sections: GuideSection[], groups: OperationGroup[]): Html {
  const link = (id: string, title: HtmlPart) => html`<li><a href="#${id}">${title}</a></li>\n`
  const list = (title: HtmlPart, links: Html[]) => html`<li>${title}<ul class="links">\n${links}</ul></li>\n`
  const operationLink = (operation: OperationObject) =>
    link(operationAnchor(operation), [methodLabel(operation), html` <span>${operation.summary}</span>`])
  return html`<ul>
${list(
  'Guide',
  sections.map(({ id, title }) => link(id, title)),
)}
${groups.map((group) => list(html`<a href="#tag/${group.name}">${groupTitle(group)}</a>`, group.operations.map(operationLink)))}
${list('Reference', [
  link('page/webhooks', 'Webhook payloads'),
  link('page/errors', 'Error responses'),
  link('page/headers', 'Response headers'),
])}
</ul>`
}
