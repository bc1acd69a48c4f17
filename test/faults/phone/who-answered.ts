import assert from 'node:assert/strict'
import { atATime } from '../../support/at-a-time.ts'
import { wordsIn } from '../../support/ears.ts'
import { type Answerer, answerOf, persons, replyOf, voicemails } from '../../support/who-answered.ts'
import { percent } from '../voice/world.ts'
import type { PhoneWorld } from './world.ts'

/** The service calls people and voicemails, and the network says nothing about who has answered. */

const greeting = 'Hello, this is the office. Am I speaking to the right person?'
/** Words that are in nothing else that the agent says. */
const message = 'Please visit our garden, the flowers are beautiful.'
const message_words = ['garden', 'flowers', 'beautiful']
const script = {
  start: 'greet',
  nodes: {
    greet: { say: greeting, else: { go: 'ask' } },
    ask: { say: 'Thank you. Is there anything else?', else: { say: 'Goodbye.', go: '@end' } },
  },
}
const calls_at_a_time = 3
const right_min = 0.8
const stays_ms = 45_000

interface Called {
  answerer: Answerer
  to: string
  /** In the person's time. */
  beep_ended_ms: number | undefined
}

export async function checkWhoAnswered(world: PhoneWorld, count: number): Promise<string> {
  const { api, people } = world
  const agent_id = await api.addAgent(script, { voicemail_message: message })
  const channel = await world.addChannel({ agent_id })
  const list = [...voicemails.slice(0, count), ...persons.slice(0, count)]
  const wrong: string[] = []
  const right = { voicemail: 0, human: 0 }
  const early: string[] = []
  let [left, beeps] = [0, 0]
  await atATime(calls_at_a_time, list, async (answerer, index) => {
    const called: Called = { answerer, to: `+1303${5_550_000 + index}`, beep_ended_ms: undefined }
    people.set(called.to, await behaviourOf(called))
    const { id } = await api.send('POST', '/calls', { agent_id, channel_id: channel.id, to: called.to })
    const call = await api.untilEnded(id)
    const is_voicemail = call.outcome === 'voicemail'
    const is_right = is_voicemail === (answerer.kind === 'voicemail')
    const told = `${answerer.kind} "${answerer.says.filter((one) => typeof one === 'string').join(' ')}" was ${call.outcome}`
    if (is_right) right[answerer.kind === 'voicemail' ? 'voicemail' : 'human'] += 1
    else wrong.push(told)
    const { person } = world.network.calls.find(({ to }) => to === called.to) ?? {}
    if (!person || called.beep_ended_ms === undefined) return
    beeps += 1
    const isMessage = (text: string) => message_words.some((word) => wordsIn(text).includes(word))
    const before = await world.ears.transcribe(person.listen(0, called.beep_ended_ms))
    if (isMessage(before)) early.push(`${told}: "${before}" before the beep`)
    if (isMessage(await world.ears.transcribe(person.listen(called.beep_ended_ms)))) left += 1
  })
  const told =
    `who has answered: ${right.voicemail} of ${count} voicemails (${percent(right.voicemail, count)}) and ${right.human} of ` +
    `${count} people (${percent(right.human, count)}) were told apart; ${left} messages after ${beeps} beeps, ` +
    `${early.length} before${wrong.length > 0 ? `; ${wrong.join(', ')}` : ''}`
  assert.deepEqual(early, [], told)
  for (const one of Object.values(right)) assert.ok(one >= right_min * count, told)
  return told
}

async function behaviourOf(called: Called): Promise<Parameters<PhoneWorld['people']['set']>[1]> {
  const { answerer } = called
  const { samples, beep_ended_ms } = await answerOf(answerer)
  const replies = await Promise.all((answerer.replies ?? []).map((text) => replyOf(answerer, text)))
  return {
    verdict: null,
    hangs_up_after_ms: stays_ms,
    async acts(person) {
      const { start_ms, end_ms } = await person.say(samples)
      if (beep_ended_ms !== undefined) called.beep_ended_ms = start_ms + beep_ended_ms
      let since_ms = end_ms
      for (const reply of answerer.kind === 'voicemail' ? [] : replies) {
        await person.untilQuiet(since_ms)
        since_ms = (await person.say(reply)).end_ms
      }
    },
  }
}
