import type { LanguageModelV4Message } from '@ai-sdk/provider'
import { hasFirstWords } from '../../conversations/begin.ts'
import { userText } from '../../drivers/prompt.ts'
import { truncate } from '../../kit/text.ts'
import type { Persona } from '../schema.ts'
import { askModel } from './ask-model.ts'
import type { Mark, PlayedTest, PlayRecord, Scene } from './scene.ts'
import { TextTalk, untilEnd } from './text-talk.ts'

const words_max = 2_000
/** The model says this when the person has nothing more to say. */
const end_mark = '[end]'

/** Lets a model play the contact. Its tokens count for the run, and not for the agent. */
export async function playPersona(scene: Scene, test: PlayedTest): Promise<PlayRecord> {
  const talk = await TextTalk.open(scene, test)
  const { persona } = test
  const marks: Mark[] = []
  let is_at_limit = false
  return untilEnd(
    talk,
    marks,
    async () => {
      if (!persona) return []
      if (test.begins === 'agent' && hasFirstWords(scene.configuration)) await talk.begin()
      while (talk.status === 'open') {
        is_at_limit = marks.length >= test.turns_max
        if (is_at_limit) break
        const answer = await askModel(scene, 'A persona', promptFor(persona, talk))
        const words = truncate(answer.replaceAll(end_mark, '').trim(), words_max)
        if (words !== '') {
          const seq = talk.last_seq + 1
          await talk.say(words)
          marks.push({ seq, results: talk.results, how: talk.how })
        }
        if (words === '' || answer.includes(end_mark)) break
      }
      return []
    },
    () => is_at_limit,
  )
}

function promptFor({ goal, facts, style }: Persona, { turns }: TextTalk): LanguageModelV4Message[] {
  const system = [
    'You play a person who writes to a company. Stay in this role: you are the customer, and never the agent.',
    `What you want: ${goal}`,
    ...(facts ? [`What you know: ${facts}`] : []),
    ...(style ? [`How you write: ${style}`] : []),
    'Write only the next message of the person, in one or two plain sentences.',
    `When you have what you want, or nothing more to say, write ${end_mark} after your last words.`,
  ].join('\n')
  const said = turns.map(
    ({ turn: { role, text } }): LanguageModelV4Message =>
      // For the model that plays the person, the agent is the other side.
      role === 'contact' ? { role: 'assistant', content: [{ type: 'text', text }] } : userText(text),
  )
  const opening = said[0]?.role === 'user' ? [] : [userText('(The conversation begins. You write first.)')]
  return [{ role: 'system', content: system }, ...opening, ...said]
}
