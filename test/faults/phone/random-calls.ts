import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { atATime } from '../../support/at-a-time.ts'
import { between, pick, type Random, split } from '../random.ts'
import { rehearse } from '../voice/world.ts'
import { describe, explained, type PhoneTalker } from './talker.ts'
import type { PhoneWorld } from './world.ts'

/** People do anything at any moment, and so does the network. Each call ends, once. */

const [press_saying, transfer_sayings] = [
  'Please press the keys.',
  ['Connect me to the office.', 'Connect me to the garage.', 'Connect me to the kitchen.'],
]
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
  press_saying,
  ...transfer_sayings,
]
/** Their last digits say how they take a transfer. */
const places = [
  { name: 'office', phone_number: '+14155559991' },
  { name: 'garage', phone_number: '+14155559992' },
  { name: 'kitchen', phone_number: '+14155559993' },
]
const answers = [
  { hear: ['press', 'keys'], go: 'press' },
  ...places.map(({ name }) => ({ hear: [name], say: 'One moment.', go: name })),
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
    press: { press: '12', else: { go: 'more' } },
    ...Object.fromEntries(
      places.map(({ name }) => [name, { tool: 'transfer', with: { to: name }, ok: 'bye', failed: 'more' }]),
    ),
    bye: { say: 'Thank you, and goodbye.', go: '@end' },
  },
}

const steps = [
  'answer',
  'answer',
  'interrupt',
  'be_silent',
  'press',
  'lose_stream',
  'ask_for_keys',
  'ask_to_connect',
] as const
const ends = ['hang_up', 'hang_up', 'vanish', 'be_ended', 'stay'] as const
type Way = (typeof ends)[number]
const steps_max = 5
const calls_at_a_time = 5
/** A transfer may ring for half a minute after its telephone has gone. */
const ends_within_ms = 60_000
const stay_ms = 6_000

export async function checkRandomCalls(world: PhoneWorld, count: number): Promise<string> {
  const { api, random } = world
  const say = await rehearse(sayings)
  const earlier = world.network.calls.length
  const agent_id = await api.addAgent(script, { transfers: places })
  const plans = Array.from({ length: count }, () => split(random))
  const [done, reasons]: Record<string, number>[] = [{}, {}]
  const note = (name: string) => add(done, name)
  let slowest_ms = 0
  const ids: string[] = []
  const unexpected: string[] = []
  await atATime(calls_at_a_time, plans, async (random) => {
    const talker = await api.talk(agent_id)
    ids.push(talker.call_id)
    await explained(talker, async () => {
      const { way, is_gone } = await live({ world, talker, random, say, note })
      const left_at = performance.now()
      const call = await api.untilEnded(talker.call_id)
      slowest_ms = Math.max(slowest_ms, performance.now() - left_at)
      add(reasons, call.end_reason)
      assert.equal(call.outcome, 'answered', JSON.stringify(call))
      const is_lost = ['carrier_error', 'system_error'].includes(call.end_reason)
      if (is_lost && !is_gone) unexpected.push(`${call.end_reason} after ${way}: ${describe(talker.phone)}`)
      // Whoever is still at the telephone hears that the call is over.
      assert.ok(talker.is_over, 'the telephone is not left in a call that has ended')
    })
  })
  assert.deepEqual(unexpected, [], 'only who has left for good is lost')
  assert.ok(slowest_ms < ends_within_ms, `a call ended ${slowest_ms} ms after its person had left`)
  const counts = await api.countEvents('call.ended')
  assert.equal(new Set(ids).size, count)
  for (const id of ids) assert.equal(counts.get(id), 1, `${id}: call.ended`)
  for (const status of ['queued', 'in_progress'])
    assert.deepEqual(await api.send('GET', `/calls?agent_id=${agent_id}&status=${status}`), [], `no call is ${status}`)
  const did = (what: 'pressed' | 'transfers' | 'streams') =>
    world.network.calls.slice(earlier).reduce((sum, call) => sum + call[what].length, 0)
  const list = (counted: Record<string, number> = {}) =>
    Object.entries(counted)
      .map(([name, times]) => `${name} ${times}`)
      .join(', ')
  return (
    `${count} random calls, ${calls_at_a_time} at a time: none stuck, one call.ended each, the slowest ` +
    `${(slowest_ms / 1_000).toFixed(1)} s after its person had left (people: ${list(done)}; keys pressed ${did('pressed')}, transfers ` +
    `${did('transfers')}, streams ${did('streams')}; ends: ${list(reasons)})`
  )
}

const add = (counted: Record<string, number> = {}, name: string): void => {
  counted[name] = (counted[name] ?? 0) + 1
}

interface Act {
  world: PhoneWorld
  talker: PhoneTalker
  random: Random
  say: (text: string) => Int16Array
  note: (name: string) => void
}

/** Returns how the person has left, and whether the service can't know it: nobody tells it between two streams. */
async function live(act: Act): Promise<{ way: Way; is_gone: boolean }> {
  const { talker, random, note } = act
  let way: Way = 'stay'
  let is_gone = false
  try {
    await behave(act)
    way = pick(random, ends)
    await sleep(between(random, 0, 2_000))
    if (talker.is_over) note('ended by the agent')
    else is_gone = await end(act, way)
  } catch (error) {
    // The agent may hang up at any moment.
    if (!talker.is_over) throw error
  }
  return { way, is_gone }
}

async function behave({ talker, random, say, note }: Act): Promise<void> {
  for (let count = between(random, 0, steps_max); count > 0 && !talker.is_over; count -= 1) {
    const step = pick(random, steps)
    note(step)
    if (step === 'interrupt' || step === 'be_silent' || step === 'press' || step === 'lose_stream')
      await sleep(between(random, 0, 2_500))
    else await talker.untilQuiet(0)
    if (step === 'answer' || step === 'interrupt') await talker.say(say(pick(random, sayings)))
    if (step === 'ask_for_keys') await talker.say(say(press_saying))
    if (step === 'ask_to_connect') await talker.say(say(pick(random, transfer_sayings)))
    if (step === 'press') talker.press(pick(random, ['1', '42#', '1234', '*']))
    if (step === 'lose_stream') talker.cut()
  }
}

async function end({ world: { api }, talker, note }: Act, way: Way): Promise<boolean> {
  note(way)
  if (way === 'be_ended') {
    // 409 if the agent has just hung up: then this is a call that has ended.
    await api.send('POST', `/calls/${talker.call_id}/hang_up`).catch(() => api.untilEnded(talker.call_id))
    await talker.ended
  }
  if (way === 'stay') await Promise.race([talker.ended, sleep(stay_ms, undefined, { ref: false })])
  const is_between_streams = !talker.is_connected
  if (way === 'vanish') {
    talker.cut()
    talker.close()
  } else if (!talker.is_over) await talker.hangUp()
  return way === 'vanish' || is_between_streams
}
