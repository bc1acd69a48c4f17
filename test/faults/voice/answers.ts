import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { atATime } from '../../support/at-a-time.ts'
import type { Talker } from '../../support/talker.ts'
import { split } from '../random.ts'
import { percent, rehearse, type World } from './world.ts'

/** An agent asks, people answer, and the script must take the branch that the sentence means. */

/** A branch says its name after the number of the answer, or the value that it has understood. */
interface Question {
  ask: string
  on: { name: string; hear?: string[]; intent?: string; slot?: string }[]
  /** What is said, and the name of the branch that it means. */
  answers: [said: string, meant: string][]
}

const questions: Question[] = [
  {
    ask: 'Does Tuesday morning suit you?',
    on: [
      { name: 'yes', intent: 'yes' },
      { name: 'no', intent: 'no' },
    ],
    answers: [
      ['Yes, please.', 'yes'],
      ['No, thank you.', 'no'],
      ['Yes, that works for me.', 'yes'],
      ["No, I can't come on Tuesday.", 'no'],
      ['Sure, that is fine.', 'yes'],
      ['Not really, I am sorry.', 'no'],
      ['Yes.', 'yes'],
      ['No.', 'no'],
      ['Of course.', 'yes'],
      ['No, that does not work.', 'no'],
      ['That sounds good to me.', 'yes'],
      ['I would rather not.', 'no'],
    ],
  },
  {
    ask: 'At what time would you like to come?',
    on: [{ name: '{{time}}', slot: 'time' }],
    answers: [
      ['At three in the afternoon.', '15:00'],
      ['At half past nine in the morning.', '09:30'],
      ["At ten o'clock in the morning.", '10:00'],
      ['Around four in the afternoon, please.', '16:00'],
      ["At twelve o'clock.", '12:00'],
      ['At a quarter past eleven in the morning.', '11:15'],
      ['At eight thirty in the morning.', '08:30'],
      ['At nine in the morning, please.', '09:00'],
    ],
  },
  {
    ask: 'Would you like to speak to Robert, Martin or Susan?',
    on: ['Robert', 'Martin', 'Susan'].map((name) => ({ name, hear: [name] })),
    answers: [
      ['To Martin, please.', 'Martin'],
      ['I would like to speak to Susan.', 'Susan'],
      ['Robert, please.', 'Robert'],
      ['Could I talk to Martin?', 'Martin'],
      ['With Susan, if she is there.', 'Susan'],
      ['It was Robert who called me.', 'Robert'],
    ],
  },
  {
    ask: 'What is your customer number?',
    on: [{ name: '{{digits}}', slot: 'digits' }],
    answers: [
      ['One two three four.', '1234'],
      ['My number is five five nine zero.', '5590'],
      ['It is seven three two eight.', '7328'],
      ['Four eight one six.', '4816'],
      ['Nine zero two one.', '9021'],
      ['Six six three seven.', '6637'],
    ],
  },
  {
    ask: 'What are you calling about?',
    on: [
      { name: 'hours', hear: ['open', 'opening hours', 'close'] },
      { name: 'order', hear: ['order', 'parcel', 'delivery'] },
      { name: 'invoice', hear: ['invoice', 'bill', 'payment'] },
      { name: 'appointment', hear: ['appointment', 'visit'] },
    ],
    answers: [
      ['When are you open on Saturday?', 'hours'],
      ['I would like to know your opening hours.', 'hours'],
      ['My order has not arrived yet.', 'order'],
      ['The delivery came two days late.', 'order'],
      ['I have a question about my invoice.', 'invoice'],
      ['There is a mistake in my bill.', 'invoice'],
      ['I want to make an appointment.', 'appointment'],
      ['Could you cancel my appointment for tomorrow?', 'appointment'],
    ],
  },
]

interface Answer {
  question: Question
  said: string
  meant: string
}

/** One of each question after the other, so that a few of them are of all kinds. */
const answers: Answer[] = questions
  .flatMap((question) => question.answers.map(([said, meant], index) => ({ question, said, meant, index })))
  .toSorted((one, other) => one.index - other.index)

const answers_per_call = 10
const calls_at_a_time = 4
const right_min = 0.8
/** At these the share that is right is checked; below, it is told. */
const checked_from_db = 10
const is_value = /^[\d:]+$/

/** Each answer has a node. Whatever is heard, the script goes on with the next one, and says which branch it took. */
function scriptOf(list: Answer[]): object {
  const nodes = list.map(({ question: { ask, on } }, index) => {
    const go = index + 1 < list.length ? `ask${index + 1}` : 'bye'
    const mark = (name: string) => `Answer ${index + 1}: ${name}.`
    const branches = on.map(({ name, ...branch }) => ({ ...branch, say: mark(name), go }))
    const node = {
      say: ask,
      on: branches,
      else: { say: mark('unclear'), go },
      silence: { say: mark('silence'), go },
    }
    return [`ask${index}`, node]
  })
  return { start: 'ask0', nodes: { ...Object.fromEntries(nodes), bye: { say: 'Thank you, goodbye.', go: '@end' } } }
}

export async function checkAnswers(
  world: World,
  { count, noises }: { count: number; noises: (number | undefined)[] },
): Promise<string> {
  const list = answers.slice(0, count)
  const say = await rehearse(list.map(({ said }) => said))
  const calls = noises.flatMap((noise_db) => {
    const starts = Array.from({ length: Math.ceil(count / answers_per_call) }, (_, index) => index * answers_per_call)
    return starts.map((start) => ({ noise_db, answers: list.slice(start, start + answers_per_call) }))
  })
  const all: (Answer & { noise_db: number | undefined; taken: string })[] = []
  await atATime(calls_at_a_time, calls, async ({ noise_db, answers }) => {
    const branches = await ask(world, { noise_db, answers, say })
    all.push(...answers.map((answer, index) => ({ ...answer, noise_db, taken: branches.get(index) ?? 'nothing' })))
  })
  const missed: string[] = []
  const told = noises.map((noise_db) => {
    const heard = all.filter((one) => one.noise_db === noise_db)
    const other = heard.filter(({ taken, meant }) => taken !== meant)
    // A branch that takes any time or number was the right one, even if it has understood another.
    const wrong = other.filter(({ taken, meant }) => !(is_value.test(taken) && is_value.test(meant)))
    const right = heard.length - wrong.length
    const name = noise_db === undefined ? 'clean' : `${noise_db} dB`
    const is_checked = noise_db === undefined || noise_db >= checked_from_db
    if (is_checked && right < right_min * heard.length) missed.push(name)
    const listed = other.map(({ said, taken }) => `"${said}" was ${taken}`).join(', ')
    const exact = heard.length - other.length
    return `${name} ${right} of ${heard.length} (${percent(right, heard.length)}), ${exact} to the value${listed && `: ${listed}`}`
  })
  assert.deepEqual(missed, [], `less than ${100 * right_min} % right: ${told.join('; ')}`)
  return `answers understood: ${told.join('; ')}`
}

interface Asking {
  noise_db: number | undefined
  answers: Answer[]
  say: (text: string) => Int16Array
}

/** Answers each question when it was asked. Returns the branches that were taken. */
async function ask({ api, random }: World, { noise_db, answers, say }: Asking): Promise<Map<number, string>> {
  const agent_id = await api.addAgent(scriptOf(answers))
  const talker = await api.talk(agent_id, { random: split(random), ...(noise_db !== undefined && { noise_db }) })
  try {
    let since_ms = 0
    for (let tries = 0; tries < 2 * answers.length; tries += 1) {
      await talker.untilQuiet(since_ms)
      const next = (await taken(api, talker)).size
      const answer = answers[next]
      if (!answer) break
      since_ms = (await talker.say(say(answer.said))).end_ms
      // A turn is written when all of it was heard.
      await talker.untilQuiet(since_ms)
      for (let tries = 0; tries < 20 && (await taken(api, talker)).size === next; tries += 1) await sleep(100)
    }
  } catch (error) {
    // The agent hangs up after the last answer.
    if (!talker.is_over) throw error
  } finally {
    if (talker.is_connected) await talker.hangUp()
    talker.close()
  }
  await api.untilEnded(talker.call_id)
  return taken(api, talker)
}

async function taken(api: World['api'], { call_id }: Talker): Promise<Map<number, string>> {
  const said = (await api.turns(call_id)).filter(({ role }) => role === 'agent').map(({ text }) => text)
  const marks = said.join(' ').matchAll(/Answer (\d+): ([^.]*)\./g)
  return new Map(marks.map(([, number, name = '']) => [Number(number) - 1, name]))
}
