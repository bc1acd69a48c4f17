import { hasFirstWords } from '../../conversations/begin.ts'
import { playPerson } from './person.ts'
import { playPersona } from './persona.ts'
import { isScripted, type Mark, type PlayedTest, type PlayRecord, type Scene } from './scene.ts'
import { TextTalk, untilEnd } from './text-talk.ts'
import { playVoice } from './voice.ts'

/** Plays a test once, in memory. Throws an AbortedError when the play was aborted. */
export function play(scene: Scene, test: PlayedTest): Promise<PlayRecord> {
  if (test.kind === 'reply') return playReply(scene, test)
  if (test.kind === 'conversation') return playConversation(scene, test)
  if (test.medium === 'voice') return playVoice(scene, test)
  return test.persona ? playPersona(scene, test) : playPerson(scene, test)
}

/** Whether the agent has a script, which is played without a model also where it looks something up. */
export const asksNoModel = ({ configuration: { script }, has_embedder }: Agent): boolean =>
  script !== null &&
  !(has_embedder && Object.values(script.nodes).some(({ answer_from_knowledge }) => answer_from_knowledge))

type Agent = Pick<Scene, 'configuration' | 'has_embedder'>

/** Whether each play gives the same, as long as it calls nothing: no model talks or judges. */
export const isRepeatable = (scene: Pick<Scene, 'configuration'>, test: PlayedTest): boolean =>
  isScripted(scene) &&
  test.persona === null &&
  ![...test.expect, ...test.steps.flatMap(({ expect = [] }) => expect)].some(({ type }) => type === 'judge')

/**
 * Plays a reply. A model gets what was said before as it is. A script is where it is because of what it has heard, so
 * its contact says again what it has said.
 */
async function playReply(scene: Scene, test: PlayedTest): Promise<PlayRecord> {
  const { turns, says } = test
  const is_scripted = isScripted(scene)
  const talk = await TextTalk.open(scene, test, is_scripted ? [] : turns)
  const marks: Mark[] = []
  return untilEnd(talk, marks, async () => {
    const begins = turns[0]?.role ?? test.begins
    if (is_scripted && begins === 'agent') await talk.begin()
    if (!is_scripted && turns.length === 0 && begins === 'agent' && hasFirstWords(scene.configuration))
      await talk.begin()
    if (is_scripted)
      for (const { role, text } of turns) if (role === 'contact' && talk.status !== 'closed') await talk.say(text)
    return sayAll(talk, [says ?? ''], marks)
  })
}

async function playConversation(scene: Scene, test: PlayedTest): Promise<PlayRecord> {
  const talk = await TextTalk.open(scene, test)
  const marks: Mark[] = []
  return untilEnd(talk, marks, async () => {
    if (test.begins === 'agent' && hasFirstWords(scene.configuration)) await talk.begin()
    return sayAll(
      talk,
      test.steps.map(({ says }) => says),
      marks,
    )
  })
}

/** Says all lines. A line that can't be said any more is a fault. */
async function sayAll(talk: TextTalk, lines: string[], marks: Mark[]): Promise<PlayRecord['faults']> {
  for (const [index, line] of lines.entries()) {
    if (talk.status === 'closed') {
      const sentence = 'The conversation had ended before the contact could say this.'
      return [{ sentence, step: index + 1, seq: talk.last_seq }]
    }
    const seq = talk.last_seq + 1
    await talk.say(line)
    marks.push({ seq, results: talk.results, how: talk.how })
  }
  return []
}
