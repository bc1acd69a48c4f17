import assert from 'node:assert/strict'
import { sample_rate } from '../../support/sounds.ts'
import type { Talker } from '../../support/talker.ts'
import { voiceApi } from '../../support/voice-calls.ts'
import { between, split } from '../random.ts'
import { childrenOf, type Service, startService, type Tenant } from '../service.ts'
import { rehearse, type World } from './world.ts'

/** The process of a call is killed, and the launcher starts another one: the talk goes on in the same call. */

const answer = 'Yes, please go on.'
const script = {
  start: 'tell',
  nodes: {
    tell: {
      say: 'The library has many rooms, and in each of them somebody reads aloud. Shall I tell you more about it?',
      else: { go: 'tell' },
    },
  },
}
const kill_after_ms = { min: 1_500, max: 9_000 }
/** A launcher waits twice as long after each crash, and gives up after ten. */
const kills_per_launcher = 4
const back_within_ms = 60_000
/** Sound that was not yet a part of the recording when the process was killed. */
const lost_max_ms = 32_000

interface Killing extends World {
  stack: AsyncDisposableStack
  environment: Record<string, string>
  tenant: Tenant
}

export async function checkKills({ stack, environment, tenant, random }: Killing, count: number): Promise<string> {
  const say = await rehearse([answer])
  let service: Service | undefined
  const api = voiceApi(() => service?.url ?? '', tenant.key)
  const ids: string[] = []
  const away_ms: number[] = []
  let agent_id = ''
  for (let kill = 0; kill < count; kill += 1) {
    if (kill % kills_per_launcher === 0) {
      await service?.stop()
      service = await startService(stack, environment)
    }
    agent_id ||= await api.addAgent(script)
    const talker = await api.talk(agent_id, { comes_back: true, random: split(random) })
    ids.push(talker.call_id)
    try {
      const kill_ms = between(random, kill_after_ms.min, kill_after_ms.max)
      await talkFor(talker, say(answer), () => talker.now() >= kill_ms)
      const [pid = 0] = childrenOf(service?.running.child.pid ?? 0)
      process.kill(pid, 'SIGKILL')
      const killed_ms = talker.now()
      await talker.until('the talker is back', () => talker.connections === 2, back_within_ms)
      away_ms.push(talker.now() - killed_ms)
      const heard_ms = await talker.untilHeard(talker.now())
      await talker.untilQuiet(heard_ms)
      const { end_ms } = await talker.say(say(answer))
      await talker.untilQuiet(await talker.untilHeard(end_ms))
      await talker.hangUp()
      const call = await api.untilEnded(talker.call_id)
      assert.deepEqual([call.status, call.outcome, call.ended_by], ['completed', 'answered', 'contact'])
      const { contact, agent, duration_ms } = await api.readRecording(talker.call_id)
      assert.ok(Math.abs(duration_ms - talker.now()) < lost_max_ms, `${duration_ms} ms of ${talker.now()} ms`)
      for (const side of [contact, agent]) assert.ok(isLoud(side.subarray(killed_ms * 8)), 'it goes on after the kill')
    } finally {
      talker.close()
    }
  }
  const calls = await api.send('GET', `/calls?agent_id=${agent_id}&limit=100`)
  assert.deepEqual(new Set(calls.map(({ id }: { id: string }) => id)), new Set(ids), 'one call each')
  for (const type of ['call.ended', 'call.recording_ready']) {
    const counts = await api.countEvents(type)
    for (const id of ids) assert.equal(counts.get(id), 1, `${id}: ${type}`)
  }
  await service?.stop()
  return (
    `${count} kills during calls: each was one call with one recording and one call.ended; people were back after ` +
    `${(Math.min(...away_ms) / 1_000).toFixed(1)} to ${(Math.max(...away_ms) / 1_000).toFixed(1)} s`
  )
}

/** Answers whenever the agent is quiet, until it is time. Then the person may be speaking. Returns until when. */
export async function talkFor(talker: Talker, sound: Int16Array, isTime: () => boolean): Promise<number> {
  let since_ms = 0
  while (!isTime()) {
    await talker.until('it is the turn of the person', () => isTime() || talker.isQuiet(since_ms))
    if (isTime()) break
    since_ms = talker.now() + sound.length / (sample_rate / 1_000)
    void talker.say(sound)
    await talker.until('it was said', () => isTime() || talker.now() >= since_ms)
  }
  return since_ms
}

const isLoud = (samples: Int16Array): boolean => samples.some((sample) => Math.abs(sample) > 500)
