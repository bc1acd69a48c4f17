import assert from 'node:assert/strict'
import type { Turn } from '../../support/voice-calls.ts'
import { between, chance } from '../random.ts'
import type { Service } from '../service.ts'
import { talkFor } from '../voice/kills.ts'
import { rehearse } from '../voice/world.ts'
import { explained, type PhoneTalker } from './talker.ts'
import type { PhoneWorld } from './world.ts'

/** The process of a call is killed. The network asks another one, opens a second stream there, and the talk goes on in the same call. */

export const answer = 'Yes, please go on.'
const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']
const question = 'Shall I go on?'
export const tellings = numbers.map(
  (number) => `This is part ${number} of the story, and it is not very long. ${question}`,
)
export const script = {
  start: 'part0',
  nodes: Object.fromEntries(
    tellings.map((say, index) => [`part${index}`, { say, else: { go: `part${(index + 1) % tellings.length}` } }]),
  ),
}
const notice = 'This call is recorded.'
const sorry = 'Sorry, we were cut off. '
const kill_after_ms = { min: 500, max: 12_000 }
/** Each is a call whose process is killed. */
const calls_per_kill = 3
const back_within_ms = 30_000
/** Sound that was not yet a part of the recording when the process was killed. */
const lost_max_ms = 32_000

export async function checkKills(world: PhoneWorld, count: number): Promise<string> {
  const { api, random, route, startOther } = world
  const say = await rehearse([answer])
  const agent_id = await api.addAgent(script, { recording: { is_on: true, notice } })
  const ids: string[] = []
  const away_ms: number[] = []
  const repeated: Record<string, number> = {}
  for (let begun = 0; begun < count; begun += calls_per_kill) {
    const other = await startOther()
    const talkers: PhoneTalker[] = []
    for (let index = begun; index < Math.min(count, begun + calls_per_kill); index += 1) {
      route.streams = other
      route.questions = chance(random, 0.5) ? other : undefined
      talkers.push(await api.talk(agent_id))
    }
    ids.push(...talkers.map(({ call_id }) => call_id))
    const killAt = openKill(world, other, between(random, kill_after_ms.min, kill_after_ms.max))
    try {
      const all = talkers.map((talker) =>
        explained(talker, () => survive(world, talker, { killAt, sound: say(answer) })),
      )
      for (const { how, opened_ms } of await Promise.all(all)) {
        repeated[how] = (repeated[how] ?? 0) + 1
        away_ms.push(opened_ms)
      }
    } finally {
      for (const talker of talkers) talker.close()
    }
  }
  const calls = await api.send('GET', `/calls?agent_id=${agent_id}&limit=100`)
  assert.deepEqual(calls.map(({ id }: { id: string }) => id).toSorted(), ids.toSorted(), 'one call each')
  for (const type of ['call.ended', 'call.recording_ready']) {
    const counts = await api.countEvents(type)
    for (const id of ids) assert.equal(counts.get(id), 1, `${id}: ${type}`)
  }
  const told = Object.entries(repeated).map(([how, times]) => `${how} ${times}`)
  return (
    `${count} kills during calls: each was one call with one recording and one call.ended, and went on with the right sentence ` +
    `(${told.join(', ')}); the second stream was open after ${Math.min(...away_ms).toFixed()} to ` +
    `${Math.max(...away_ms).toFixed()} ms`
  )
}

/** The process is killed when the first of its calls comes to this time. */
function openKill({ route }: PhoneWorld, other: Service, after_ms: number) {
  let killed: Promise<void> | undefined
  const kill = () => {
    // The network finds the other process from now on.
    route.streams = undefined
    route.questions = undefined
    return other.kill()
  }
  return {
    after_ms,
    get is_done() {
      return killed !== undefined
    },
    run: () => (killed ??= kill()),
  }
}

interface Surviving {
  killAt: ReturnType<typeof openKill>
  sound: Int16Array
}

async function survive({ api }: PhoneWorld, talker: PhoneTalker, { killAt, sound }: Surviving) {
  const { call_id } = talker
  const said_ms = await talkFor(talker, sound, () => killAt.is_done || talker.now() >= killAt.after_ms)
  const killed_ms = talker.now()
  await killAt.run()
  await talker.until('there is a second stream', () => talker.connections === 2, back_within_ms)
  const opened_ms = (talker.phone.streams.at(-1)?.opened_ms ?? 0) - killed_ms
  await goOn(talker, sound, Math.max(killed_ms, said_ms))
  await talker.hangUp()
  const { status, outcome, end_reason } = await api.untilEnded(call_id)
  assert.deepEqual([status, outcome, end_reason], ['completed', 'answered', 'contact_hung_up'])
  const how = checkTurns(await api.turns(call_id))
  const { contact, agent, duration_ms } = await api.readRecording(call_id)
  assert.ok(Math.abs(duration_ms - talker.now()) < lost_max_ms, `${duration_ms} ms of ${talker.now()} ms`)
  for (const side of [contact, agent]) assert.ok(isLoud(side.subarray(killed_ms * 8)), 'it goes on after the kill')
  return { how, opened_ms }
}

/** Says the rest of what was being said, hears how it goes on, answers, and hears the next part. */
async function goOn(talker: PhoneTalker, sound: Int16Array, since_ms: number): Promise<void> {
  await talker.untilQuiet(await talker.untilHeard(Math.max(since_ms, talker.phone.streams.at(-1)?.opened_ms ?? 0)))
  const { end_ms } = await talker.say(sound)
  await talker.untilQuiet(await talker.untilHeard(end_ms))
}

/** What was said after the kill must follow from what was written before. Returns what that was. */
function checkTurns(turns: Turn[]): string {
  const told = JSON.stringify(turns.map(({ role, text, is_interrupted }) => [role, text, is_interrupted]))
  const cut = turns.findIndex(({ text }) => text.startsWith(sorry))
  assert.ok(cut >= 0, `it says that the call was cut off: ${told}`)
  const before = turns.slice(0, cut)
  const last = before.at(-1)
  const part = before.findLast(({ role }) => role === 'agent')
  const index = part ? tellings.findIndex((telling) => part.text.trim().endsWith(telling)) : 0
  assert.ok(index >= 0, told)
  const said = (turns[cut]?.text ?? '').slice(sorry.length).replace(`${notice} `, '')
  const [same, next] = [tellings[index], tellings[(index + 1) % tellings.length]]
  const how =
    last?.role === 'contact' ? 'the next part' : last && !last.is_interrupted ? 'the last sentence' : 'the same part'
  assert.equal(said, { 'the next part': next, 'the last sentence': question, 'the same part': same }[how], told)
  // The person answers, and the story goes on.
  const [answered, following] = turns.slice(cut + 1).filter(({ text }) => text !== '')
  assert.equal(answered?.role, 'contact', told)
  const told_index = how === 'the next part' ? index + 1 : index
  assert.equal(following?.text, tellings[(told_index + 1) % tellings.length], told)
  return how
}

const isLoud = (samples: Int16Array): boolean => samples.some((sample) => Math.abs(sample) > 500)
