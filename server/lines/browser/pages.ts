import { openOwnerLookup } from '../../channels/owners.ts'
import * as channels from '../../channels/store.ts'
import { escapeHtml } from '../../docs/html.ts'
import { atWall, type Service } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import type { AnswerPage } from '../../kit/http/pages.ts'
import { readVisitorPage } from '../visitor-page.ts'
import { type Answerer, findAnswerer } from './answerer.ts'

/** Pages of other origins import the module and load the worklet. Both need CORS, also without credentials. */
const shared_files: Record<string, string> = {
  '/voice.js': '/assets/voice.js',
  '/voice-worklet.js': '/assets/worklet.js',
  '/voice.d.ts': '/assets/voice.d.ts',
}
const cors_headers = { 'access-control-allow-origin': '*' }

interface VoicePage extends Answerer {
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
  const { answerFile, answerSharedFile, answerPage, answerUnavailable } = readVisitorPage(folder)
  const shared = Object.entries(shared_files).map(([url, file]): [string, AnswerPage] => [
    url,
    ({ headers }) => {
      const found = answerSharedFile(file, headers)
      return { ...found, headers: { ...found.headers, ...cors_headers } }
    },
  ])

  return {
    ...Object.fromEntries(shared),
    '/voice/assets/:name': ({ params, headers }) => answerFile(`/assets/${params.name}`, headers),
    '/voice/:channel_id': async ({ params }) => {
      const found = await findPage(params.channel_id ?? '', clock.wall())
      return found ? answerPage(attributesOf(found), found.origins) : answerUnavailable([])
    },
  }
}

/** The attributes that tell the page who answers. */
const attributesOf = ({ agent_name, is_recorded }: Answerer): string =>
  ` data-agent="${escapeHtml(agent_name)}" data-is-recorded="${is_recorded}"`
