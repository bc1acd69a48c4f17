import assert from 'node:assert/strict'
import { test } from 'node:test'
import { talk_settings, talkOn } from '../support/talk-on-line.ts'
import {
  openFakeContact,
  openFakeVoice,
  openVirtualCall,
  openVirtualTime,
  wordsPlayed,
} from '../support/virtual-sound.ts'

const sentence = 'Good morning, what can I do for you?'

/** A call whose fallback is another voice and another recogniser. */
function openCallWithFallback() {
  const elsewhere = openVirtualTime()
  const voice = openFakeVoice(elsewhere)
  const contact = openFakeContact(elsewhere)
  voice.delay_ms = () => 0
  contact.delay_ms = () => 0
  const call = openVirtualCall({ fallback: { listen: contact.listening, speak: voice.speaking } })
  // Their time passes with that of the call.
  const advance = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      await call.time.advance(100)
      await elsewhere.advance(100)
    }
  }
  return { ...call, other: { voice, contact }, advance }
}

for (const [name, breakVoice] of Object.entries({
  fails: (voice: ReturnType<typeof openFakeVoice>) => {
    voice.fails = () => true
  },
  'never answers': (voice: ReturnType<typeof openFakeVoice>) => {
    voice.delay_ms = () => 1_000_000
  },
}))
  test(`when a voice ${name}, the offline one speaks the same words, and the rest of the call`, async () => {
    const { line, time, wire, voice, other, advance } = openCallWithFallback()
    breakVoice(voice)
    line.say(time.now(), { reply: 'r1', text: sentence })
    line.endReply(time.now(), 'r1')
    await advance(12_000)
    assert.equal(wordsPlayed(other.voice, wire.played).join(' '), sentence)
    const fault = line.takeSpeechFault()
    assert.match(fault?.message ?? '', /^The voice by fake-voice failed: .*Offline speech took over\.$/)
    assert.equal(fault?.is_fatal, false)
    assert.equal(line.takeSpeechFault(), undefined)
    const asked = voice.texts.length
    line.say(time.now(), { reply: 'r2', text: sentence })
    line.endReply(time.now(), 'r2')
    await advance(8_000)
    assert.equal(wordsPlayed(other.voice, wire.played).join(' '), `${sentence} ${sentence}`)
    assert.equal(voice.texts.length, asked)
    assert.equal(line.speech_ms, 0)
    await line.close()
  })

test('without a fallback a voice is tried twice, then the fault is fatal, and the line is not stuck', async () => {
  const { line, time, voice } = openVirtualCall()
  voice.fails = () => true
  const done: string[] = []
  line.onEvent?.(() => done.push(...line.take(time.now()).map(({ type }) => type)))
  line.say(time.now(), { reply: 'r1', text: sentence })
  line.endReply(time.now(), 'r1')
  await time.advance(1_000)
  assert.equal(voice.texts.filter((text) => text === voice.texts[0]).length, 2)
  const fault = line.takeSpeechFault()
  assert.equal(fault?.is_fatal, true)
  assert.match(fault?.message ?? '', /hoarse/)
  assert.ok(done.includes('play_done'))
  await line.close()
})

test('a fault that is gone the next time is none', async () => {
  const { line, time, voice, wire } = openVirtualCall()
  let failures = 0
  voice.fails = () => failures++ === 0
  line.say(time.now(), { reply: 'r1', text: sentence })
  line.endReply(time.now(), 'r1')
  await time.advance(6_000)
  assert.equal(wordsPlayed(voice, wire.played).join(' '), sentence)
  assert.equal(line.takeSpeechFault(), undefined)
  await line.close()
})

test('without a fallback a slow voice is waited for', async () => {
  const { line, time, voice, wire } = openVirtualCall()
  voice.delay_ms = () => 8_000
  line.say(time.now(), { reply: 'r1', text: 'Good morning to you.' })
  line.endReply(time.now(), 'r1')
  await time.advance(12_000)
  assert.equal(wordsPlayed(voice, wire.played).join(' '), 'Good morning to you.')
  assert.equal(line.takeSpeechFault(), undefined)
  await line.close()
})

test('when a recogniser fails, the offline one hears the same words', async () => {
  const call = openCallWithFallback()
  const { line, time, contact, other, advance } = call
  contact.fails = () => true
  const heard: string[] = []
  line.onEvent?.(() => {
    for (const event of line.take(time.now())) if (event.type === 'heard') heard.push(event.text)
  })
  // Both know the sound of the word.
  const sound = contact.speak('yes', 400)
  other.contact.speak('yes', 400)
  await call.hear(sound)
  await call.hear(400)
  await advance(1_000)
  assert.deepEqual(heard, ['yes'])
  assert.match(line.takeSpeechFault()?.message ?? '', /^Speech recognition by fake-ear failed/)
  await line.close()
})

test('a detector that fails or hangs is replaced, and speech is still heard', async () => {
  for (const hear of [() => Promise.reject(new Error('gone')), () => new Promise<number>(() => {})]) {
    const call = openVirtualCall({ detector: { hear, close: () => {} } })
    const { contact, line, time } = call
    const heard: string[] = []
    line.onEvent?.(() => {
      for (const event of line.take(time.now())) if (event.type === 'heard') heard.push(event.text)
    })
    await call.hear(9_000)
    await call.hear(contact.speak('yes', 400))
    await call.hear(1_000)
    assert.deepEqual(heard, ['yes'])
    await line.close()
  }
})

test('a wire that stops playing gets the words again, and not for ever', async () => {
  const { line, time, wire } = openVirtualCall()
  const types: string[] = []
  line.onEvent?.(() => types.push(...line.take(time.now()).map(({ type }) => type)))
  line.say(time.now(), { reply: 'r1', text: sentence })
  line.endReply(time.now(), 'r1')
  await time.advance(600)
  wire.is_deaf = true
  await time.advance(30_000)
  assert.ok(types.includes('play_done'))
  wire.is_deaf = false
  line.say(time.now(), { reply: 'r2', text: 'Are you there again?' })
  line.endReply(time.now(), 'r2')
  await time.advance(5_000)
  assert.equal(types.filter((type) => type === 'play_done').length, 2)
  await line.close()
})

for (const sample_rate of [8_000, 16_000] as const)
  for (const [name, wire_options] of Object.entries({
    'soon and often': { report_ms: 40 },
    late: { report_ms: 100, delay_ms: () => 250 },
    'in marks of 200 ms': { report_ms: 200, counts_clears: false },
  }))
    test(`words that wait for the voice are spoken, on a wire of ${sample_rate} Hz that reports ${name}`, async () => {
      const { line, time, wire, voice } = openVirtualCall({ wire_options: { sample_rate, ...wire_options } })
      const done: (string | boolean)[] = []
      const heard: string[] = []
      line.onEvent?.(() => {
        for (const event of line.take(time.now())) {
          if (event.type === 'played') heard.push(event.parts.map(({ text }) => text).join(' '))
          if (event.type !== 'play_done') continue
          done.push(event.reply, event.is_lost ?? false)
          if (event.reply === 'r1') say('r2', last)
        }
      })
      const say = (reply: string, text: string) => {
        line.say(time.now(), { reply, text })
        line.endReply(time.now(), reply)
      }
      const first = 'Sorry, we were cut off. Hello, this is the office of the dentist. Is Tuesday all right for you?'
      const last = 'Your order is on its way.'
      // No clip has a whole number of milliseconds, and each one comes long after the sound of the one before.
      voice.ms_per_character = 50.07
      voice.delay_ms = () => 3_500
      say('r1', first)
      await time.advance(40_000)
      assert.deepEqual(done, ['r1', false, 'r2', false])
      assert.deepEqual(heard, [first, last])
      assert.equal(wordsPlayed(voice, wire.played, sample_rate).join(' '), `${first} ${last}`)
      assert.equal(wire.clears, 0)
      await line.close()
    })

test('a wire that loses the end of a clip gets the rest of the reply', async () => {
  const { line, time, wire, voice } = openVirtualCall()
  const done: boolean[] = []
  line.onEvent?.(() => {
    for (const event of line.take(time.now())) if (event.type === 'play_done') done.push(event.is_lost ?? false)
  })
  const { send } = wire
  let frames = 0
  wire.send = (frame) => {
    frames += 1
    // The last frame of the first clip, which has 1,050 ms.
    if (frames !== 53) send(frame)
  }
  voice.delay_ms = () => 1_500
  const text = 'Sorry, we were cut off. Hello, this is the office of the dentist.'
  line.say(time.now(), { reply: 'r1', text })
  line.endReply(time.now(), 'r1')
  await time.advance(20_000)
  assert.deepEqual(done, [false])
  assert.equal(wordsPlayed(voice, wire.played).join(' '), text)
  await line.close()
})

test('a reply that was not played to its end is written as interrupted, with what was heard', async () => {
  const { line, time, wire, voice } = openVirtualCall()
  const greeting = `${sentence} We have all the time in the world, so please take as much of it as you like.`
  const talk = talkOn(line, time, { answer: () => 'All right.', settings: { ...talk_settings, greeting } })
  await time.advance(3_500)
  wire.is_deaf = true
  const played = wordsPlayed(voice, wire.played).join(' ')
  await time.advance(12_000)
  const [turn] = talk.turns
  assert.equal(turn?.is_interrupted, true)
  assert.equal(turn?.spoken?.heard, played)
  assert.ok(played.length > 0 && played.length < greeting.length, played)
  await line.close()
})

test('a call ends though its last words are not played', async () => {
  const { line, time, wire, contact, hear } = openVirtualCall()
  const talk = talkOn(line, time, { answer: () => 'All right.' })
  await hear(4_000)
  for (const word of ['Stop', 'calling', 'me.']) await hear(contact.speak(word, 300))
  wire.is_deaf = true
  await hear(12_000)
  assert.equal(talk.phase, 'ended')
  assert.ok(!talk.turns.some(({ text }) => text === talk_settings.sentences.no_more_calls))
})

test('while the connection is gone nothing is sent, and then the words go on', async () => {
  const { line, time, wire, voice } = openVirtualCall()
  line.say(time.now(), { reply: 'r1', text: sentence })
  line.endReply(time.now(), 'r1')
  await time.advance(700)
  wire.onPause?.(true)
  const sent = wire.sent_ms
  await time.advance(8_000)
  assert.equal(wire.sent_ms, sent)
  wire.onPause?.(false)
  await time.advance(5_000)
  assert.equal(wordsPlayed(voice, wire.played).join(' '), sentence)
  await line.close()
})

test('what offline speech hears is not charged, and what a provider speaks is', async () => {
  const call = openVirtualCall()
  const { line, time, contact, voice } = call
  Object.assign(contact.listening.model, { provider: 'offline' })
  await call.hear(contact.speak('yes', 400))
  await call.hear(900)
  assert.equal(line.speech_ms, 0)
  line.say(time.now(), { reply: 'r1', text: 'Good morning.' })
  line.endReply(time.now(), 'r1')
  await time.advance(3_000)
  assert.ok(line.speech_ms > 500)
  Object.assign(voice.speaking.model, { provider: 'offline' })
  assert.equal(line.speech_ms, 0)
  await line.close()
})
