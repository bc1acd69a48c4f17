import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sound } from '../../server/audio/sound.ts'
import { countHeard, openEars, wordsIn } from '../support/ears.ts'
import { temporaryFolder } from '../support/folders.ts'
import { openServer, testPool } from '../support/harness.ts'
import { sentences } from '../support/sounds.ts'
import { requireSpeech, speech_folder } from '../support/speech.ts'
import { voiceApi } from '../support/voice-calls.ts'

/** One call with real speech. `npm run test:faults -- --only voice` has the long form. */

const server = await openServer(testPool(), { speech_dir: speech_folder, data_dir: temporaryFolder() })
const { offline, close } = sound.of(server.at(''))
after(async () => {
  await server.close()
  await close()
})

const greeting = 'Hello, this is the bakery. Shall I tell you more?'
const story =
  'We bake it early in the morning, with flour from the old mill and fresh butter. It rests in a warm room for a long time, and ' +
  'then it goes into a stone oven until the crust is dark and the whole street smells of it.'
const answer = 'Of course. What is it?'
const script = {
  start: 'greet',
  nodes: {
    greet: { say: greeting, on: [{ intent: 'yes', go: 'tell' }], else: { say: 'I did not get that.', go: 'greet' } },
    tell: { say: story, else: { go: 'ask' } },
    ask: { say: answer, else: { go: 'ask' } },
  },
}

test('someone talks to an agent, is understood, interrupts it, is answered and hangs up', async () => {
  requireSpeech()
  // Other models would take long to load.
  const ears = openEars(offline)
  const tenant = await server.workspace()
  const api = voiceApi(() => server.url, tenant.key)
  const [yes = new Int16Array(), wait = new Int16Array()] = await sentences([
    { text: 'Yes, I would like that.', voice: 'rms' },
    { text: 'Wait a moment, I have a question.', voice: 'rms' },
  ])
  const talker = await api.talk(await api.addAgent(script))
  after(() => talker.close())

  await talker.untilQuiet(0)
  const said = await talker.say(yes)
  const story_ms = await talker.untilHeard(said.end_ms)
  await talker.until('some of the story was heard', () => talker.now() > story_ms + 2_000)
  const interrupted = await talker.say(wait)
  const answer_ms = await talker.untilBegun(answer, interrupted.start_ms)
  await talker.untilQuiet(answer_ms)
  const ended = await talker.hangUp()
  assert.equal(ended.end_reason, 'contact_hung_up', `closed with ${ended.code}`)

  const greeted = await ears.transcribe(talker.played.slice(0, said.start_ms))
  assert.ok(isWithinOneWord(countHeard(greeting, greeted), wordsIn(greeting).length), `the greeting was "${greeted}"`)
  const call = await api.untilEnded(talker.call_id)
  assert.deepEqual([call.status, call.outcome, call.ended_by], ['completed', 'answered', 'contact'])
  const turns = await api.turns(talker.call_id)
  assert.deepEqual(
    turns.map(({ role, is_interrupted }) => ({ role, is_interrupted })),
    [
      { role: 'agent', is_interrupted: false },
      { role: 'contact', is_interrupted: false },
      { role: 'agent', is_interrupted: true },
      { role: 'contact', is_interrupted: false },
      { role: 'agent', is_interrupted: false },
    ],
  )
  const [, understood, cut, question, last] = turns
  assert.match(understood?.text ?? '', /\byes\b/i)
  assert.match(question?.text ?? '', /\bquestion\b/i)
  assert.equal(last?.text, answer)
  const told = await ears.transcribe(talker.played.slice(story_ms, answer_ms))
  const heard = wordsIn(cut?.heard ?? '')
  assert.deepEqual(heard, wordsIn(story).slice(0, heard.length))
  // On a busy machine what was played last is reported late.
  const more = countHeard(story, told) - heard.length
  assert.ok(more >= -1 && more <= 2, `"${cut?.heard}" was heard, and "${told}" was played`)

  await tenant.work()
  const recording = await api.readRecording(talker.call_id)
  for (const [side, samples] of Object.entries({ contact: recording.contact, agent: recording.agent }))
    assert.ok(
      samples.some((sample) => Math.abs(sample) > 500),
      `the ${side} is in the recording`,
    )
  assert.deepEqual([...(await api.countEvents('call.ended'))], [[talker.call_id, 1]])
})

const isWithinOneWord = (count: number, other: number): boolean => Math.abs(count - other) <= 1
