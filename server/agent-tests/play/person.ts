import { hasFirstWords } from '../../conversations/begin.ts'
import { wordsFor } from '../../lines/simulator/behave.ts'
import { onAttempt, personOf } from '../../lines/simulator/people.ts'
import { newRandom } from '../../lines/simulator/random.ts'
import { replyTo, reportOn } from '../../lines/simulator/texting.ts'
import type { Mark, PlayedTest, PlayRecord, Scene } from './scene.ts'
import { TextTalk, untilEnd } from './text-talk.ts'

const seed_default = 1
/** A person who begins with nothing to say says this. */
const hello = 'Hello?'

/**
 * Plays a simulated person, who writes as it does by SMS. What it says depends on its number, its seed and what the
 * agent says.
 */
export async function playPerson(scene: Scene, test: PlayedTest): Promise<PlayRecord> {
  const talk = await TextTalk.open(scene, test)
  const { number, seed = seed_default } = test.person ?? { number: '00' }
  const person = personOf(onAttempt(number, 1))
  const marks: Mark[] = []
  let replies = 0
  const randomAt = (seq: number) => newRandom(seed, number, 'message', seq)
  const say = async (text: string) => {
    const seq = talk.last_seq + 1
    replies += 1
    await talk.say(text)
    marks.push({ seq, results: talk.results, how: talk.how })
  }
  /** Returns the person's next words, or undefined when it says nothing more. */
  const nextWords = (): string | undefined => {
    const last = talk.turns.findLast(({ turn }) => turn.role !== 'contact')?.turn
    if (!last || last.seq < talk.last_seq) return undefined
    const is_first = replies === 0
    if (reportOn(person, { is_first })?.status === 'failed') return undefined
    return replyTo(person, randomAt(last.seq), {
      conversation_id: talk.id,
      status: talk.status,
      agent_id: scene.agent.id,
      counterpart: null,
      seq: last.seq,
      text: last.text,
      is_first,
      is_last: true,
      replies,
      has_opted_out: talk.how === 'opted_out',
    })
  }
  let is_at_limit = false
  return untilEnd(
    talk,
    marks,
    async () => {
      if (test.begins === 'agent' && hasFirstWords(scene.configuration)) await talk.begin()
      else await say(wordsFor(randomAt(0), person, person.opening ?? {}).join(' ') || hello)
      for (let words = nextWords(); words !== undefined; words = nextWords()) {
        is_at_limit = marks.length >= test.turns_max
        if (is_at_limit) break
        await say(words)
        if (talk.status !== 'open') break
      }
      return []
    },
    () => is_at_limit,
  )
}
