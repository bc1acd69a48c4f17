import fs from 'node:fs'
import path from 'node:path'
import { atWall, type Service } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import type { AnswerPage } from '../../kit/http/pages.ts'
import { readStaticFiles, type SiteAnswer } from '../../kit/http/static-site.ts'
import { notFound } from '../../kit/problem.ts'
import { findAnswerer } from '../browser/answerer.ts'
import type { FindChannel, FoundChannel } from './door.ts'

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

/** The page of web chats, its files, and the script that puts it on other pages, by path. */
export function webChatPages(folder: string, service: Service, findChannel: FindChannel): Record<string, AnswerPage> {
  const answerFile = readStaticFiles(folder)
  const [page, unavailable] = ['index.html', 'unavailable.html'].map((name) => readText(path.join(folder, name)))
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
      const body = found ? page && (await withVoice(service, page, found)) : unavailable
      if (body === undefined) throw notFound()
      // Any page may frame the one that says that there is no chat, so that the widget hears of it.
      const headers = { ...common_headers, 'content-security-policy': policyFor(found?.origins ?? ['*']) }
      return { status: found ? 200 : 404, headers, body }
    },
  }
}

/** Tells the page whether visitors can talk, and whether that is recorded. Its script reads this. */
async function withVoice(service: Service, page: string, { channel, workspace }: FoundChannel): Promise<string> {
  if (!channel.has_voice) return page
  const { is_recorded } = await findAnswerer(atWall(service, workspace, clock.wall()), channel.agent_id)
  return page.replace('<body>', `<body data-has-voice data-is-recorded="${is_recorded}">`)
}

/** Undefined if there is no such file. */
const readText = (file: string): string | undefined => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined)
