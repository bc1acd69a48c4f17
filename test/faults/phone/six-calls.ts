import assert from 'node:assert/strict'
import { stories } from '../voice/interruptions.ts'
import type { PhoneWorld } from './world.ts'

/** Six people listen at once. What they hear has no break that the voice has not made. */

const calls = 6
/** Only people who listen would make it easy: each also speaks. */
const saying = 'Please tell me more about it.'

/** On a machine that does other things as well, sound comes late: breaks are told in the short form, and asserted in the long one. */
export async function checkSixCalls({ api }: PhoneWorld, { is_long }: { is_long: boolean }): Promise<string> {
  const script = {
    start: 'story0',
    nodes: Object.fromEntries(
      stories.map((say, index) => [`story${index}`, { say, else: { go: `story${(index + 1) % stories.length}` } }]),
    ),
  }
  const agent_id = await api.addAgent(script)
  const all = await Promise.all(
    Array.from({ length: calls }, async () => {
      const talker = await api.talk(agent_id)
      await talker.untilQuiet(0)
      const { end_ms } = await talker.say(saying)
      const heard_ms = await talker.untilHeard(end_ms)
      await talker.untilQuiet(heard_ms)
      await talker.hangUp()
      const gaps = talker.findGaps()
      return {
        gaps,
        played_ms: talker.stretches.reduce((sum, one) => sum + one.end_ms - one.start_ms, 0),
        answer_ms: heard_ms - end_ms,
      }
    }),
  )
  const gaps = all.flatMap((one) => one.gaps.map(({ start_ms, end_ms }) => Math.round(end_ms - start_ms)))
  if (is_long) assert.deepEqual(gaps, [], 'breaks in what was played, in ms')
  const played_s = all.reduce((sum, { played_ms }) => sum + played_ms, 0) / 1_000
  const answers = all.map(({ answer_ms }) => (answer_ms / 1_000).toFixed(1))
  return `${calls} calls at once: ${played_s.toFixed()} s of speech with ${gaps.length} breaks; answered after ${answers.join(', ')} s`
}
