import assert from 'node:assert/strict'
import { atATime } from '../../support/at-a-time.ts'
import { countsHeard, wordsIn } from '../../support/ears.ts'
import { loud_above, sample_rate } from '../../support/sounds.ts'
import type { Talker } from '../../support/talker.ts'
import { summarizeDurations } from '../durations.ts'
import { between, pick, type Random, split } from '../random.ts'
import { rehearse, type World } from './world.ts'

/** People interrupt an agent at random moments. What they heard, transcribed from what was played, is what the turn says. */

/** Without numbers and names, which a recogniser may write otherwise. */
export const stories = [
  'The garden behind the house is quiet in the morning. A small river runs along the old wall, and the children like to play ' +
    'there after school. In the summer we sit under the apple tree, drink cold tea, and listen to the birds until it gets dark.',
  'The train leaves the station before the sun comes up. Most people sleep, and some of them read the paper. When it crosses ' +
    'the long bridge everybody looks out of the window, because the water below is green and clear and full of fish.',
  'My grandmother kept a little shop near the market. She sold bread, butter and fresh milk, and she knew the name of every ' +
    'dog in the street. On cold days she made soup for the whole family and told us stories about the sea.',
  'The museum has a large room with paintings of ships. You can walk around as long as you like, and there is a good cafe in ' +
    'the basement. Please leave your coat and your umbrella at the door, and do not touch the glass.',
]
const interruptions = [
  'Wait a moment, I have a question.',
  'Hold on, I would like to hear another one.',
  'Sorry, could you tell me a different story?',
  'One second please, I do not like this one.',
]
/** After the first sound of a story, which takes longer than this. */
const interrupt_after_ms = { min: 900, max: 7_000 }
const words_off_max = 1
const interruptions_per_call = 5
const calls_at_a_time = 2

const script = {
  start: 'story0',
  nodes: Object.fromEntries(
    stories.map((say, index) => [`story${index}`, { say, else: { go: `story${(index + 1) % stories.length}` } }]),
  ),
}

export async function checkInterruptions(world: World, count: number): Promise<string> {
  const say = await rehearse(interruptions)
  const agent_id = await world.api.addAgent(script)
  const calls = Array.from({ length: Math.ceil(count / interruptions_per_call) }, (_, index) => ({
    count: Math.min(interruptions_per_call, count - index * interruptions_per_call),
    random: split(world.random),
  }))
  const off: Off[] = []
  const cuts: Cut[] = []
  await atATime(calls_at_a_time, calls, async ({ count, random }) => {
    const talker = await world.api.talk(agent_id)
    try {
      const own = await interrupt(talker, { count, random, say })
      await talker.hangUp()
      off.push(...(await compare(world, talker, own)))
      cuts.push(...own)
    } finally {
      talker.close()
    }
  })
  const far = off.filter(({ words }) => words > words_off_max)
  assert.equal(
    far.length,
    0,
    `${far.length} of ${off.length} turns are far off: ${far.map(({ told }) => told).join('; ')}`,
  )
  const exact = off.filter(({ words }) => words === 0).length
  return (
    `${off.length} interruptions: what was played is what the turns say, ${exact} to the word and the others within one; ` +
    `the agent stops ${seconds(cuts.map(({ stopped_ms }) => stopped_ms))} after someone begins, and answers ` +
    `${seconds(cuts.map(({ answered_ms }) => answered_ms))} after the last sound`
  )
}

/** Half of them, and the longest. */
function seconds(times_ms: number[]): string {
  const { median, max } = summarizeDurations(times_ms)
  return `${(median / 1_000).toFixed(1)} s (at most ${(max / 1_000).toFixed(1)} s)`
}

interface Cut {
  /** What was played of a story, at the rate of ears. */
  sound: Int16Array
  /** After the person's first sound. */
  stopped_ms: number
  /** When the agent spoke again, after the person's last sound. */
  answered_ms: number
}

async function interrupt(
  talker: Talker,
  { count, random, say }: { count: number; random: Random; say: (text: string) => Int16Array },
): Promise<Cut[]> {
  const cuts: Cut[] = []
  let since_ms = 0
  while (cuts.length < count) {
    const start_ms = await talker.untilHeard(since_ms)
    const at_ms = start_ms + between(random, interrupt_after_ms.min, interrupt_after_ms.max)
    await talker.until('the moment has come', () => talker.now() >= at_ms)
    const { start_ms: began_ms, end_ms } = await talker.say(say(pick(random, interruptions)))
    const next_ms = await talker.untilBegun(stories[(cuts.length + 1) % stories.length] ?? '', began_ms)
    const sound = talker.listen(start_ms, next_ms)
    const stopped_ms = start_ms + lastSound(sound) / (sample_rate / 1_000)
    assert.ok(stopped_ms >= began_ms, 'the agent spoke when it was interrupted')
    cuts.push({ sound, stopped_ms: stopped_ms - began_ms, answered_ms: next_ms - end_ms })
    since_ms = next_ms
  }
  return cuts
}

const lastSound = (samples: Int16Array): number => samples.findLastIndex((sample) => Math.abs(sample) > loud_above)

interface Off {
  words: number
  told: string
}

/** Returns how many words each turn is off. */
async function compare({ api, ears }: World, talker: Talker, cuts: Cut[]): Promise<Off[]> {
  await api.untilEnded(talker.call_id)
  const turns = (await api.turns(talker.call_id)).filter(({ role }) => role === 'agent')
  const off: Off[] = []
  for (const [index, { sound }] of cuts.entries()) {
    const { text = '', heard = '', is_interrupted } = turns[index] ?? {}
    assert.equal(text.trim(), stories[index % stories.length], 'each interruption is answered with the next story')
    assert.ok(is_interrupted, `${talker.call_id}: turn ${index + 1} of the agent was interrupted`)
    const [meant, said] = [wordsIn(heard ?? ''), wordsIn(text)]
    assert.deepEqual(meant, said.slice(0, meant.length), 'what was heard is the beginning of the text')
    const transcript = await ears.transcribe(sound)
    const words_off = Math.min(...countsHeard(text, transcript).map((count) => Math.abs(count - meant.length)))
    off.push({ words: words_off, told: `the turn says "${heard}", and played was "${transcript}"` })
  }
  return off
}
