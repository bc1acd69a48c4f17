import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Settings } from '../../server/talk/state.ts'
import { talk_settings, talkOn, voice_settings } from '../support/talk-on-line.ts'
import { openVirtualCall, wordsPlayed } from '../support/virtual-sound.ts'

/** The table "Turn taking": the engine, the line, and a contact whose words are known. */

const long_answer =
  'We are open from nine to five on every day of the week, and on Sundays we are closed, as all the others here are too.'

/** The agent has greeted, the contact has asked, and the agent is in the middle of its answer. */
async function untilAnswering(options: { ends?: boolean } = {}) {
  const call = openVirtualCall({ wire_options: { report_ms: 60 } })
  const settings = talk_settings
  const talk = talkOn(call.line, call.time, {
    answer: (turn) => (turn === 0 ? long_answer : 'All right then.'),
    settings,
  })
  const { hear, contact } = call
  await hear(4_000)
  await hear(contact.speak('When', 300))
  await hear(contact.speak('exactly?', 300))
  await hear(options.ends ? 12_000 : 1_600)
  return { ...call, talk }
}

const agentTurns = (turns: { role: string; spoken?: { heard: string } }[]) =>
  turns.filter(({ role }) => role === 'agent').map(({ spoken }) => spoken?.heard)

test('an answer begins after the wait that the words ask for, counted from the end of the voice', async () => {
  const call = openVirtualCall()
  const talk = talkOn(call.line, call.time, { answer: () => 'All right then.' })
  const { hear, contact, time } = call
  await hear(4_000)
  for (const [word, wait_ms] of [
    ['Yes.', 300],
    ['bananas', 600],
    ['my', 1_400],
    ['12', 1_100],
  ] as const) {
    await hear(contact.speak(word, 500))
    const stopped_at = time.now()
    const asked = talk.effects.length
    await hear(2_000)
    const ask = talk.effects.slice(asked).find(({ effect }) => effect.type === 'ask')
    const waited = (ask?.at ?? 0) - stopped_at
    // The recogniser needs 200 ms of silence and 100 ms.
    assert.ok(Math.abs(waited - Math.max(wait_ms, 340)) <= 60, `${word}: ${waited}`)
    await hear(2_000)
  }
  await call.line.close()
})

test('whoever was asked for a name gets time to say it', async () => {
  const call = openVirtualCall()
  const talk = talkOn(call.line, call.time, { answer: () => 'All right. What is your name?' })
  const { hear, contact, time } = call
  await hear(4_000)
  await hear(contact.speak('Yes.', 500))
  await hear(4_000)
  await hear(contact.speak('bananas', 500))
  const stopped_at = time.now()
  const asked = talk.effects.length
  await hear(2_000)
  const ask = talk.effects.slice(asked).find(({ effect }) => effect.type === 'ask')
  assert.ok(Math.abs((ask?.at ?? 0) - stopped_at - 1_100) <= 60)
  await call.line.close()
})

test('two words interrupt the agent, and its turn ends with the last word that was played', async () => {
  const { hear, contact, talk, wire, voice, line } = await untilAnswering()
  await hear(contact.speak('Wait', 400))
  await hear(contact.speak('please.', 700))
  await hear(3_000)
  const heard = agentTurns(talk.turns)[1] ?? ''
  const played = wordsPlayed(voice, wire.played).join(' ')
  assert.ok(heard.length > 10 && long_answer.startsWith(heard), heard)
  assert.ok(played.includes(`${heard} All right then.`), `${heard} / ${played}`)
  assert.equal(talk.turns.find(({ is_interrupted }) => is_interrupted)?.role, 'agent')
  await line.close()
})

test('the sound stops after 250 ms of voice, before it is known what was said', async () => {
  const { hear, contact, wire, line } = await untilAnswering()
  const clears = wire.clears
  await hear(contact.speak('Wait', 200))
  assert.equal(wire.clears, clears)
  await hear(contact.speak('please.', 160))
  assert.equal(wire.clears, clears + 1)
  const played = wire.played.length
  await hear(contact.speak('and', 200))
  assert.equal(wire.played.length, played)
  await line.close()
})

test('words such as "mm-hm" let the agent go on, from the last word boundary, and nothing is lost', async () => {
  const { hear, contact, talk, wire, voice, line } = await untilAnswering()
  const clears = wire.clears
  await hear(contact.speak('Mm-hm.', 400))
  await hear(12_000)
  assert.equal(wire.clears, clears + 1)
  const played = wordsPlayed(voice, wire.played).join(' ')
  assert.ok(played.endsWith(long_answer) || played.includes(`${long_answer} Are`), played)
  assert.equal(agentTurns(talk.turns)[1], long_answer)
  assert.equal(talk.turns.filter(({ role }) => role === 'contact').length, 1)
  await line.close()
})

test('a noise that is not understood is a false alarm after 1,200 ms, though it goes on', async () => {
  const { hear, wire, talk, line, time } = await untilAnswering()
  const noise = new Int16Array(16 * 20).fill(6_000)
  const began = time.now()
  for (let ms = 0; ms < 3_000; ms += 20) await hear(noise)
  const silent = wire.log.filter(({ at }) => at > began).map(({ at }) => at)
  const gap = silent.findIndex((at, index) => at - (silent[index - 1] ?? began) > 500)
  const resumed_after = (silent[gap] ?? 0) - began
  assert.ok(resumed_after >= 1_150 && resumed_after <= 1_450, `${resumed_after}`)
  await hear(10_000)
  assert.equal(agentTurns(talk.turns)[1], long_answer)
  await line.close()
})

test('a yes during the last word of a question is an answer, and no sign of listening', async () => {
  const { hear, contact, talk, line, time } = await untilAnswering()
  const isEnding = () => (line.readPlayed(time.now())?.parts.at(-1)?.text ?? '').endsWith('all the others here')
  for (let waited = 0; waited < 12_000 && !isEnding(); waited += 20) await hear(20)
  assert.ok(isEnding())
  await hear(contact.speak('Yes.', 500))
  await hear(3_000)
  assert.equal(agentTurns(talk.turns)[1], long_answer)
  assert.deepEqual(
    talk.turns.filter(({ role }) => role === 'contact').map(({ text }) => text),
    ['When exactly?', 'Yes.'],
  )
  await line.close()
})

test('a key stops the agent at once', async () => {
  const { hear, wire, talk, line } = await untilAnswering()
  const played = wire.played.length
  wire.onDigit('7')
  await hear(60)
  assert.equal(wire.played.length, played)
  await hear(4_000)
  assert.ok(talk.turns.some(({ role, text }) => role === 'contact' && text === '7'))
  assert.equal(agentTurns(talk.turns).at(-1), 'All right then.')
  await line.close()
})

test('words that ask for no more calls stop the agent, and what it then says can not be stopped', async () => {
  const { hear, contact, wire, voice, talk } = await untilAnswering()
  await hear(contact.speak('Stop', 300))
  await hear(contact.speak('calling', 300))
  await hear(contact.speak('me.', 300))
  await hear(800)
  await hear(contact.speak('Hello', 500))
  await hear(contact.speak('hello?', 500))
  await hear(5_000)
  assert.ok(wordsPlayed(voice, wire.played).join(' ').endsWith('We will not call you again.'))
  assert.equal(wire.ended, 'hung_up')
  assert.equal(talk.phase, 'ended')
})

test('after an interruption the words of the next answers are all heard', async () => {
  const { hear, contact, talk, wire, voice, line } = await untilAnswering()
  for (let round = 0; round < 5; round += 1) {
    await hear(contact.speak('No', 300))
    await hear(contact.speak('listen.', 600))
    await hear(700 + 130 * round)
  }
  await hear(5_000)
  const played = wordsPlayed(voice, wire.played).join(' ')
  assert.ok(played.includes('All right then.'))
  assert.equal(agentTurns(talk.turns).at(-1), 'All right then.')
  await line.close()
})

const notice = 'This call is recorded so that we can learn from it, and so that nobody forgets what was said.'
const greeting = 'Hello, this is Acme, the company that everybody knows.'
const with_notice: Settings = { ...talk_settings, greeting, voice: { ...voice_settings, notice } }

/** The agent is in the middle of the notice. */
async function untilNotice() {
  const call = openVirtualCall({ wire_options: { report_ms: 60 } })
  const talk = talkOn(call.line, call.time, { answer: () => 'All right then.', settings: with_notice })
  await call.hear(2_200)
  const heard = () => wordsPlayed(call.voice, call.wire.played).join(' ')
  assert.ok(heard() !== '' && notice.startsWith(heard()), heard())
  return { ...call, talk, heard }
}

const contactTurns = (turns: { role: string; text: string }[]) =>
  turns.filter(({ role }) => role === 'contact').map(({ text }) => text)

test('words over the notice of a recording do not stop it, and count for the next turn', async () => {
  const { hear, contact, wire, talk, line, heard } = await untilNotice()
  await hear(contact.speak('Wait', 400))
  wire.onDigit('5')
  await hear(contact.speak('please.', 700))
  await hear(contact.speak('Really.', 400))
  assert.equal(wire.clears, 0)
  await hear(9_000)
  assert.equal(wire.clears, 0)
  assert.deepEqual(agentTurns(talk.turns), [`${notice} ${greeting}`, 'All right then.'])
  assert.deepEqual(contactTurns(talk.turns), ['Wait please. Really. 5'])
  assert.equal(heard(), `${notice} ${greeting} All right then.`)
  await line.close()
})

test('what follows the notice can be interrupted', async () => {
  const { hear, contact, talk, line, heard } = await untilNotice()
  for (let waited = 0; waited < 9_000 && !heard().endsWith('Hello,'); waited += 20) await hear(20)
  await hear(contact.speak('Wait', 400))
  await hear(contact.speak('please.', 700))
  await hear(4_000)
  const [opening, answer] = agentTurns(talk.turns)
  assert.ok(opening?.startsWith(notice) && !opening.endsWith(greeting), `${opening}`)
  assert.equal(answer, 'All right then.')
  await line.close()
})

test('the notice goes on after a lost connection', async () => {
  const { hear, wire, talk, line } = await untilNotice()
  wire.onPause?.(true)
  await hear(1_000)
  wire.onPause?.(false)
  await hear(9_000)
  assert.equal(agentTurns(talk.turns)[0], `${notice} ${greeting}`)
  await line.close()
})

test('who asks for no more calls is not made to hear the notice', async () => {
  const { hear, contact, talk, heard } = await untilNotice()
  for (const word of ['Stop', 'calling', 'me.']) await hear(contact.speak(word, 250))
  await hear(6_000)
  assert.ok(heard().endsWith('We will not call you again.') && !heard().includes(notice), heard())
  assert.equal(talk.phase, 'ended')
})

test('a notice that was stopped is said again before the next answer', async () => {
  const { hear, contact, talk, line } = await untilNotice()
  await hear(contact.speak('Stop.', 500))
  await hear(4_000)
  await hear(contact.speak('No.', 500))
  await hear(9_000)
  const [cut, ...rest] = agentTurns(talk.turns)
  assert.ok(cut !== undefined && cut !== notice && notice.startsWith(cut), `${cut}`)
  // Over the agent's words, "stop" is for these only.
  assert.deepEqual(rest, [`${notice} All right then.`])
  await line.close()
})

test('a yes while the agent thinks is an answer, also if the agent begins to speak meanwhile', async () => {
  for (const answer_ms of [3_000, 900]) {
    const call = openVirtualCall()
    const { hear, contact, line } = call
    const talk = talkOn(line, call.time, { answer: () => long_answer, answer_ms })
    await hear(4_000)
    await hear(contact.speak('Tuesday.', 400))
    await hear(800)
    await hear(contact.speak('Yes.', 400))
    await hear(12_000)
    assert.deepEqual(contactTurns(talk.turns), ['Tuesday.', 'Yes.'])
    assert.ok(agentTurns(talk.turns).at(-1)?.endsWith(long_answer))
    await line.close()
  }
})

test('a sign of listening at the end of a filler is none of words', async () => {
  const call = openVirtualCall()
  const { hear, contact, line, voice, wire } = call
  const talk = talkOn(line, call.time, { answer: () => long_answer, answer_ms: 3_500 })
  const heard = () => wordsPlayed(voice, wire.played).join(' ')
  await hear(4_000)
  await hear(contact.speak('Tuesday.', 400))
  for (let waited = 0; waited < 6_000 && !heard().endsWith('One moment,'); waited += 20) await hear(20)
  await hear(contact.speak('Okay.', 400))
  await hear(15_000)
  assert.deepEqual(contactTurns(talk.turns), ['Tuesday.'])
  assert.equal(agentTurns(talk.turns)[1], `One moment, please. ${long_answer}`)
  await line.close()
})

test('noise does not make the agent wait longer than 2,500 ms after the words', async () => {
  const call = openVirtualCall()
  const { hear, contact, line, time } = call
  const talk = talkOn(line, time, { answer: () => 'All right then.' })
  await hear(4_000)
  await hear(contact.speak('my', 400))
  const stopped_at = time.now()
  for (let count = 0; count < 8; count += 1) {
    await hear(700)
    await hear(new Int16Array(16 * 160).fill(6_000))
  }
  const ask = talk.effects.find(({ effect }) => effect.type === 'ask')
  // A noise has to end, and to be understood, before it counts as none.
  const waited = (ask?.at ?? Number.POSITIVE_INFINITY) - stopped_at
  assert.ok(waited >= 2_000 && waited <= 2_500 + 160 + 400, `${waited}`)
  await line.close()
})
