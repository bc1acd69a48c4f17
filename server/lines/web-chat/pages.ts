import { atWall, type Service } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import type { AnswerPage } from '../../kit/http/pages.ts'
import { findAnswerer } from '../browser/answerer.ts'
import { readVisitorPage } from '../visitor-page.ts'
import type { FindChannel, FoundChannel } from './door.ts'

/** The page of web chats, its files, and the script that puts it on other pages, by path. */
export function webChatPages(folder: string, service: Service, findChannel: FindChannel): Record<string, AnswerPage> {
  const { answerFile, answerSharedFile, answerPage, answerUnavailable } = readVisitorPage(folder)
  return {
    '/chat/widget.js': ({ headers }) => answerSharedFile('/assets/widget.js', headers),
    '/chat/assets/:name': ({ params, headers }) => answerFile(`/assets/${params.name}`, headers),
    '/chat/:channel_id': async ({ params }) => {
      const found = await findChannel(params.channel_id ?? '', clock.wall())
      // Any page may frame the page that says that there is no chat, so that the widget hears of it.
      if (!found) return answerUnavailable(['*'])
      return answerPage(await attributesOf(service, found), found.origins)
    },
  }
}

/** Returns the attributes that tell the page whether visitors can talk, and whether that is recorded. */
async function attributesOf(service: Service, { channel, workspace }: FoundChannel): Promise<string> {
  if (!channel.has_voice) return ''
  const { is_recorded } = await findAnswerer(atWall(service, workspace, clock.wall()), channel.agent_id)
  return ` data-has-voice data-is-recorded="${is_recorded}"`
}
