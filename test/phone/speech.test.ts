import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sound } from '../../server/audio/sound.ts'
import { waitUntil } from '../faults/client.ts'
import { openPhoneNetwork } from '../peers/phone.ts'
import { ended, newCaller, turnsOf } from '../support/calls.ts'
import { countHeard, openEars, wordsIn } from '../support/ears.ts'
import { temporaryFolder } from '../support/folders.ts'
import { openServer, testPool } from '../support/harness.ts'
import { listCalls, newPhoneChannel } from '../support/phone.ts'
import { own_number } from '../support/sms.ts'
import { requireSpeech, speech_folder } from '../support/speech.ts'

/** One telephone call with real speech. */

const server = await openServer(testPool(), { speech_dir: speech_folder, data_dir: temporaryFolder() })
const { offline, close } = sound.of(server.at(''))
const network = await openPhoneNetwork()
after(async () => {
  await network.close()
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

test('someone calls, is understood on a telephone line, interrupts the agent, is answered and hangs up', async () => {
  requireSpeech()
  const ears = openEars(offline)
  const tenant = await server.workspace()
  const agent_id = await newCaller(tenant, { script, voice: 'slt' })
  const channel = await newPhoneChannel(server, tenant, { network, agent_id })
  const phone = network.call({ from: '+14155550123', to: own_number, webhook_url: channel.inbound_url })
  const { person } = phone
  await phone.untilStreaming()
  await person.untilQuiet(0)
  const said = await person.say('Yes, I would like that.')
  const story_ms = await person.untilHeard(said.end_ms)
  await person.until('some of the story was heard', () => person.now() > story_ms + 2_000)
  await person.say('Wait a moment, I have a question.')
  await person.until('the agent is stopped', () => person.clears.length > 0)
  const [{ id, conversation_id }] = await listCalls(tenant)
  await waitUntil(
    'the agent has answered',
    async () => (await turnsOf(tenant, conversation_id)).at(-1).heard === answer,
  )
  // The agent may have been stopped and have gone on before.
  const cleared_ms = person.clears.at(-1) ?? 0
  await person.hangUp()

  const call = await ended(tenant, id)
  assert.deepEqual([call.status, call.outcome, call.end_reason], ['completed', 'answered', 'contact_hung_up'])
  assert.ok(call.latency.turn_p50_ms > 0)
  const greeted = await ears.transcribe(person.listen(0, said.start_ms))
  assert.ok(countHeard(greeting, greeted) >= wordsIn(greeting).length - 1, `the greeting was "${greeted}"`)
  const turns = await turnsOf(tenant, conversation_id)
  assert.deepEqual(
    turns.map(({ role, is_interrupted }: { role: string; is_interrupted: boolean }) => [role, is_interrupted]),
    [
      ['agent', false],
      ['contact', false],
      ['agent', true],
      ['contact', false],
      ['agent', false],
    ],
  )
  const [, understood, cut, question, last] = turns
  assert.match(understood.text, /\byes\b/i)
  assert.match(question.text, /\bquestion\b/i)
  assert.equal(last.text, answer)
  const told = await ears.transcribe(person.listen(story_ms, cleared_ms))
  const heard = wordsIn(cut.heard)
  assert.deepEqual(heard, wordsIn(story).slice(0, heard.length))
  const more = countHeard(story, told) - heard.length
  assert.ok(more >= -1 && more <= 2, `"${cut.heard}" was heard, and "${told}" was played`)
})
