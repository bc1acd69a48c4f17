import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { atATime } from '../../support/at-a-time.ts'
import type { Talker } from '../../support/talker.ts'
import { between, pick, type Random, split } from '../random.ts'
import { rehearse, type World } from './world.ts'

/** People do anything at any moment. Each call ends, once. */

const sayings = [
  'Yes, please.',
  'No.',
  'I would like to know when you are open.',
  'Could you tell me that once more?',
  'My number is one two three four.',
  'Hold on a moment, I have to think about it.',
  'Yeah.',
  'And',
  'Goodbye.',
]

const answers = [
  { intent: 'yes', go: 'more' },
  { intent: 'no', go: 'more' },
  { slot: 'digits', say: 'I have noted {{digits}}.', go: 'more' },
  { intent: 'goodbye', go: 'bye' },
]
const script = {
  start: 'greet',
  nodes: {
    greet: {
      say: 'Hello, this is the office. We are open every day from morning to evening, also on holidays. Can I help you?',
      on: answers,
      else: { say: 'Sorry, I did not get that.', go: 'more' },
    },
    more: {
      say: 'You can tell me your customer number, or type it on your phone. Is there anything else I can do for you today?',
      on: answers,
      else: { go: 'more' },
    },
    bye: { say: 'Thank you, and goodbye.', go: '@end' },
  },
}

const steps = ['answer', 'interrupt', 'be_silent', 'press', 'come_back'] as const
const ends = ['hang_up', 'hang_up', 'be_cut', 'be_ended', 'stay'] as const
type Way = (typeof ends)[number]
const steps_max = 4
const calls_at_a_time = 5
/** Longer than the process waits for a socket that was lost. */
const ends_within_ms = 30_000
const stay_ms = 6_000

export async function checkRandomCalls({ api, random }: World, count: number): Promise<string> {
  const say = await rehearse(sayings)
  const agent_id = await api.addAgent(script)
  const plans = Array.from({ length: count }, () => split(random))
  const done: Record<string, number> = {}
  const note = (name: string) => {
    done[name] = (done[name] ?? 0) + 1
  }
  const reasons: Record<string, number> = {}
  let slowest_ms = 0
  const ids: string[] = []
  const unexpected: string[] = []
  await atATime(calls_at_a_time, plans, async (random) => {
    const talker = await api.talk(agent_id, { random: split(random) })
    ids.push(talker.call_id)
    const act = { api, talker, random, say, note }
    let way: Way = 'stay'
    try {
      await behave(act)
      way = pick(random, ends)
      await end(act, way)
    } catch (error) {
      // The agent may hang up at any moment.
      if (!talker.is_over) throw error
    } finally {
      talker.close()
    }
    const left_at = performance.now()
    const call = await api.untilEnded(talker.call_id)
    slowest_ms = Math.max(slowest_ms, performance.now() - left_at)
    reasons[call.end_reason] = (reasons[call.end_reason] ?? 0) + 1
    assert.equal(call.outcome, 'answered', JSON.stringify(call))
    if (call.end_reason === 'carrier_error' && way !== 'be_cut')
      unexpected.push(`${talker.call_id} after ${JSON.stringify(await talker.ended)}`)
  })
  assert.deepEqual(unexpected, [], 'only who has left for good is lost')
  assert.ok(slowest_ms < ends_within_ms, `a call ended ${slowest_ms} ms after its person had left`)
  const counts = await api.countEvents('call.ended')
  assert.equal(new Set(ids).size, count)
  for (const id of ids) assert.equal(counts.get(id), 1, `${id}: call.ended`)
  for (const status of ['queued', 'in_progress'])
    assert.deepEqual(await api.send('GET', `/calls?agent_id=${agent_id}&status=${status}`), [], `no call is ${status}`)
  const list = (counted: Record<string, number>) =>
    Object.entries(counted)
      .map(([name, times]) => `${name} ${times}`)
      .join(', ')
  return (
    `${count} random calls, ${calls_at_a_time} at a time: none stuck, one call.ended each, the slowest ` +
    `${(slowest_ms / 1_000).toFixed(1)} s after its person had left (people: ${list(done)}; ends: ${list(reasons)})`
  )
}

interface Act {
  api: World['api']
  talker: Talker
  random: Random
  say: (text: string) => Int16Array
  note: (name: string) => void
}

async function behave(act: Act): Promise<void> {
  const { talker, random, say, note } = act
  for (let count = between(random, 0, steps_max); count > 0 && !talker.is_over; count -= 1) {
    const step = pick(random, steps)
    note(step)
    if (step === 'answer') await talker.untilQuiet(0)
    else await sleep(between(random, 0, 2_500))
    if (step === 'answer' || step === 'interrupt') await talker.say(say(pick(random, sayings)))
    if (step === 'press') talker.press(pick(random, ['1', '42#', '1234', '*']))
    if (step !== 'come_back') continue
    talker.cut()
    await sleep(between(random, 0, 4_000))
    await talker.comeBack()
    if (talker.is_over) note('ended meanwhile')
  }
}

async function end({ api, talker, random, note }: Act, way: Way): Promise<void> {
  await sleep(between(random, 0, 2_000))
  if (talker.is_over) return note('ended by the agent')
  note(way)
  if (way === 'hang_up') await talker.hangUp()
  if (way === 'be_ended') {
    // 409 if the agent has just hung up: then this is a call that has ended.
    await api.send('POST', `/calls/${talker.call_id}/hang_up`).catch(() => api.untilEnded(talker.call_id))
    await talker.ended
  }
  if (way === 'be_cut') talker.cut()
  if (way === 'stay') await Promise.race([talker.ended, sleep(stay_ms, undefined, { ref: false })])
  if (way === 'stay' && !talker.is_over) await talker.hangUp()
}
