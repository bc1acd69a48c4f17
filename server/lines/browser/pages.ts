import fs from 'node:fs'
import path from 'node:path'
import { openOwnerLookup } from '../../channels/owners.ts'
import * as channels from '../../channels/store.ts'
import { escapeHtml } from '../../docs/html.ts'
import { atWall, type Service } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import type { AnswerPage } from '../../kit/http/pages.ts'
import { readStaticFiles, type SiteAnswer } from '../../kit/http/static-site.ts'
import { notFound } from '../../kit/problem.ts'
import { type Answerer, findAnswerer } from './answerer.ts'

/** Pages of other origins import the module and load the worklet at each visit. Both need CORS, also without credentials. */
const shared_headers = {
  'cache-control': 'public, max-age=300',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
}
const shared_files: Record<string, string> = {
  '/voice.js': '/assets/voice.js',
  '/voice-worklet.js': '/assets/worklet.js',
  '/voice.d.ts': '/assets/voice.d.ts',
}

const page_headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'permissions-policy': 'microphone=(self)',
}

/** `self` includes the socket of the same host. Worklets are scripts. */
const policyFor = (origins: string[]): string =>
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  `frame-ancestors ${["'self'", ...origins].join(' ')}; base-uri 'none'; form-action 'none'`

export interface VoicePage extends Answerer {
  origins: string[]
}

export type FindVoicePage = (channel_id: string, now: number) => Promise<VoicePage | undefined>

/** Finds the channels that visitors can call from their browser. */
export function openVoicePageLookup(service: Service): FindVoicePage {
  const findOwner = openOwnerLookup(service.pool)
  return async (id, now) => {
    const owner = await findOwner(id, now)
    if (!owner) return undefined
    const at = atWall(service, owner.workspace_id, now)
    const channel = await channels.find(at, id)
    const is_shown = channel?.kind === 'voice' && channel.provider === 'web' && channel.status !== 'disabled'
    if (!is_shown || channel.agent_id === null) return undefined
    return { ...(await findAnswerer(at, channel.agent_id)), origins: channel.origins }
  }
}

/** The page of web voice, its files, and the module that other pages import, by path. */
export function voicePages(folder: string, findPage: FindVoicePage): Record<string, AnswerPage> {
  const answerFile = readStaticFiles(folder)
  const [page, unavailable] = ['index.html', 'unavailable.html'].map((name) => readText(path.join(folder, name)))
  const fileOrNotFound = (...request: Parameters<typeof answerFile>): SiteAnswer => {
    const file = answerFile(...request)
    if (!file) throw notFound()
    return file
  }
  const shared = Object.entries(shared_files).map(([url, file]): [string, AnswerPage] => [
    url,
    ({ headers }) => {
      const found = fileOrNotFound(file, headers)
      return { ...found, headers: { ...found.headers, ...shared_headers } }
    },
  ])

  return {
    ...Object.fromEntries(shared),
    '/voice/assets/:name': ({ params, headers }) => fileOrNotFound(`/assets/${params.name}`, headers),
    '/voice/:channel_id': async ({ params }) => {
      const found = await findPage(params.channel_id ?? '', clock.wall())
      const body = found ? page && withAnswerer(page, found) : unavailable
      if (body === undefined) throw notFound()
      const headers = { ...page_headers, 'content-security-policy': policyFor(found?.origins ?? []) }
      return { status: found ? 200 : 404, headers, body }
    },
  }
}

/** Tells the page who answers. Its script reads this. */
export const withAnswerer = (page: string, { agent_name, is_recorded }: Answerer): string =>
  page.replace('<body>', () => `<body data-agent="${escapeHtml(agent_name)}" data-is-recorded="${is_recorded}">`)

/** Undefined if there is no such file. */
const readText = (file: string): string | undefined => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined)
