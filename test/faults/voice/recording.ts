import assert from 'node:assert/strict'
import { findOffset, halve, type Offset } from '../../support/ears.ts'
import type { Stretch } from '../../support/person.ts'
import type { Talker } from '../../support/talker.ts'
import { type Recording, recorded_rate } from '../../support/voice-calls.ts'
import { rehearse, type World } from './world.ts'

/** The recording of a long call beside what its person said and heard. */

const sayings = [
  'I would like to hear more about it.',
  'That is interesting, please go on.',
  'And what happened after that?',
  'Tell me about something else now.',
]
const tellings = [
  'The old harbour was built of stone, and the ships came in with the evening tide.',
  'Then the fishermen carried their baskets up the hill, and the whole town smelled of salt.',
  'In winter the snow covered the boats, and the children walked across the frozen water.',
]
const script = {
  start: 'telling0',
  nodes: Object.fromEntries(
    tellings.map((say, index) => [`telling${index}`, { say, else: { go: `telling${(index + 1) % tellings.length}` } }]),
  ),
}
const offset_max_ms = 20
/** Where a piece of sound is looked for, around its own place. */
const search_ms = 400
/** Below this the two are not the same sound. */
const likeness_min = 0.5
const piece_ms = 3_000

export async function checkRecording({ api }: World, minutes: number): Promise<string> {
  const say = await rehearse(sayings)
  const agent_id = await api.addAgent(script)
  const talker = await api.talk(agent_id)
  const said: Stretch[] = []
  const heard: Stretch[] = []
  try {
    for (let since_ms = 0; talker.now() < minutes * 60_000; ) {
      const start_ms = await talker.untilHeard(since_ms)
      await talker.untilQuiet(start_ms)
      heard.push({ start_ms, end_ms: talker.played.last_sound_ms ?? start_ms })
      const stretch = await talker.say(say(sayings[said.length % sayings.length] ?? ''))
      said.push(stretch)
      since_ms = stretch.end_ms
    }
    await talker.hangUp()
  } finally {
    talker.close()
  }
  await api.untilEnded(talker.call_id)
  const recording = await api.readRecording(talker.call_id)
  const offsets = {
    contact: ends(said).map((stretch) => offsetOf(talker, recording, 'contact', stretch)),
    agent: ends(heard).map((stretch) => offsetOf(talker, recording, 'agent', stretch)),
  }
  // The recording begins when the call is answered, a moment after the socket was ready.
  const begin_ms = offsets.contact[0]?.offset_ms ?? 0
  const told: string[] = []
  for (const [side, list] of Object.entries(offsets)) {
    for (const { offset_ms, likeness } of list) {
      assert.ok(likeness >= likeness_min, `${side}: the recording has another sound: ${JSON.stringify(offsets)}`)
      assert.ok(Math.abs(offset_ms - begin_ms) <= offset_max_ms, `${side}: ${JSON.stringify(offsets)}`)
    }
    told.push(`${side} ${list.map(({ offset_ms }) => `${(offset_ms - begin_ms).toFixed(1)} ms`).join(' and ')}`)
  }
  return (
    `a recording of ${(recording.duration_ms / 1_000).toFixed()} s beside what was said and heard, off at the beginning and at ` +
    `the end: ${told.join(', ')}; ${said.length} turns of each side`
  )
}

/** The first and the last. */
const ends = (stretches: Stretch[]): Stretch[] => [stretches.at(0), stretches.at(-1)].flatMap((one) => one ?? [])

function offsetOf(
  { spoken, played }: Talker,
  recording: Recording,
  side: 'contact' | 'agent',
  { start_ms, end_ms }: Stretch,
): Offset {
  const tape = side === 'contact' ? spoken : played
  const original = halve(tape.slice())
  const place = { start_ms, end_ms: Math.min(end_ms, start_ms + piece_ms), max_ms: search_ms }
  return findOffset({ original, recorded: recording[side], sample_rate: recorded_rate }, place)
}
