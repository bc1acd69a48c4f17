import fs from 'node:fs'
import path from 'node:path'
import * as clock from '../kit/clock.ts'
import type { AnswerPage } from '../kit/http/pages.ts'
import { readStaticFiles, type SiteAnswer } from '../kit/http/static-site.ts'
import { notFound } from '../kit/problem.ts'
import type { FindChannel } from './web-chat-door.ts'

/** Other pages load the script at each visit. */
const widget_headers = {
  'cache-control': 'public, max-age=300',
  'cross-origin-resource-policy': 'cross-origin',
}

const common_headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
}

/** Pages of these origins may show the chat in a frame. */
const policyFor = (origins: string[]): string =>
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  `frame-ancestors ${["'self'", ...origins].join(' ')}; base-uri 'none'; form-action 'none'`

const unavailable: SiteAnswer = {
  status: 404,
  headers: { ...common_headers, 'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'" },
  body: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Chat not available</title>
  </head>
  <body>
    <main><h1>This chat is not available</h1><p>It may have been closed, or the link is not complete.</p></main>
  </body>
</html>
`,
}

/** The page of web chats, its files, and the script that puts it on other pages, by path. */
export function webChatPages(folder: string, findChannel: FindChannel): Record<string, AnswerPage> {
  const answerFile = readStaticFiles(folder)
  const page_file = path.join(folder, 'index.html')
  const page = fs.existsSync(page_file) ? fs.readFileSync(page_file, 'utf8') : undefined
  const fileOrNotFound = (...request: Parameters<typeof answerFile>): SiteAnswer => {
    const file = answerFile(...request)
    if (!file) throw notFound()
    return file
  }

  return {
    '/chat/widget.js': ({ headers }) => {
      const file = fileOrNotFound('/assets/widget.js', headers)
      return { ...file, headers: { ...file.headers, ...widget_headers } }
    },
    '/chat/assets/:name': ({ params, headers }) => fileOrNotFound(`/assets/${params.name}`, headers),
    '/chat/:channel_id': async ({ params }) => {
      const found = await findChannel(params.channel_id ?? '', clock.wall())
      if (!found || page === undefined) return unavailable
      const headers = { ...common_headers, 'content-security-policy': policyFor(found.origins) }
      return { status: 200, headers, body: page }
    },
  }
}
