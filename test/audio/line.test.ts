import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEnergyDetector } from '../../server/audio/hearing/energy.ts'
import { levelOf } from '../../server/audio/samples.ts'
import type { Fact } from '../../server/calls/facts.ts'
import type { LineEvent } from '../../server/talk/line.ts'
import { openVirtualCall, type VirtualCall, wordsPlayed } from '../support/virtual-sound.ts'

type Event = LineEvent<Fact>

/** Takes events as they come. */
function follow({ line, time }: VirtualCall): Event[] {
  const events: Event[] = []
  const take = () => events.push(...line.take(time.now()))
  line.onEvent?.(take)
  take()
  return events
}

const typesOf = (events: Event[]): string[] => events.map(({ type }) => type)
const finalWords = (events: Event[]): string[] =>
  events.flatMap((event) => (event.type === 'heard' && event.part ? event.part.text : []))
const heardOf = (parts: { text: string }[] = []): string => parts.map(({ text }) => text).join(' ')

test('a reply is spoken at once, and is done when the other side has heard it', async () => {
  const call = openVirtualCall()
  const events = follow(call)
  const { line, time, wire, voice } = call
  line.say(time.now(), { reply: 'r1', text: 'Hello, this is the dentist. ' })
  line.say(time.now(), { reply: 'r1', text: 'How can I help you today?' })
  line.endReply(time.now(), 'r1')
  await time.advance(150)
  assert.ok(wire.sent_ms > 0, 'it begins within 150 ms')
  await time.advance(10_000)
  assert.deepEqual(typesOf(events), ['answered', 'played', 'play_done'])
  const done = events.at(-1)
  assert.equal(wordsPlayed(voice, wire.played).join(' '), 'Hello, this is the dentist. How can I help you today?')
  const played = events[1]
  assert.ok(played?.type === 'played')
  assert.equal(heardOf(played.parts), 'Hello, this is the dentist. How can I help you today?')
  // The time of a part is that of its sound.
  const first = wire.log[0]?.at ?? 0
  const began = (played.parts[0]?.start_ms ?? 0) + (events[0]?.at ?? 0)
  assert.ok(Math.abs(began - (first - 20)) <= 20, `${began} and ${first}`)
  assert.ok((done?.at ?? 0) - (wire.log.at(-1)?.at ?? 0) <= 120)
  assert.ok(wire.buffered_max_ms <= 600, `${wire.buffered_max_ms}`)
  assert.equal(line.readPlayed(time.now()), undefined)
  await line.close()
  await time.advance(1_000)
})

test('what a voice can not say is left out, and is no fault', async () => {
  const call = openVirtualCall()
  const events = follow(call)
  const { line, time, wire, voice } = call
  for (const [reply, text] of [
    ['r1', '👍'],
    ['r2', 'You are welcome today. 👍👍👍👍👍👍👍👍👍👍'],
  ] as const) {
    line.say(time.now(), { reply, text })
    line.endReply(time.now(), reply)
    await time.advance(5_000)
  }
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'play_done' ? event.reply : [])),
    ['r1', 'r2'],
  )
  assert.equal(wordsPlayed(voice, wire.played).join(' '), 'You are welcome today.')
  assert.equal(line.takeSpeechFault(), undefined)
  await line.close()
})

test('blanks that a model sends alone separate its words', async () => {
  const { line, voice, hear, time } = openVirtualCall()
  for (const text of ['We', ' meet', ' at', ' ', '3', ' ', 'pm', '.']) line.say(time.now(), { reply: 'one', text })
  line.endReply(time.now(), 'one')
  await hear(2_000)
  assert.deepEqual(voice.texts, ['We meet at 3 pm.'])
  await line.close()
})

test('a microphone that was muted makes no voice of the noise of a room', async () => {
  const detector = openEnergyDetector()
  await detector.hear(new Float32Array(512))
  const noise = Float32Array.from({ length: 512 }, (_, index) => 0.01 * Math.sign((index % 2) - 0.5))
  let likelihood = 1
  for (let window = 0; window < 600; window += 1) likelihood = await detector.hear(noise)
  assert.ok(likelihood < 0.5, `${likelihood}`)
})

test('what counts as heard is what was played, up to the last whole word', async () => {
  const call = openVirtualCall()
  follow(call)
  const { line, time, wire, voice } = call
  line.say(time.now(), { reply: 'r1', text: 'one two three four five six seven eight nine ten eleven.' })
  line.endReply(time.now(), 'r1')
  await time.advance(70)
  for (let playing = line.readPlayed(time.now()); playing; playing = line.readPlayed(time.now())) {
    await time.advance(70)
    const heard = heardOf(playing.parts).split(' ').filter(Boolean)
    const played = wordsPlayed(voice, wire.played)
    assert.deepEqual(heard, played.slice(0, heard.length))
    assert.ok(played.length - heard.length <= 2, `${played.length} and ${heard.length}`)
  }
  assert.equal(wordsPlayed(voice, wire.played).length, 11)
  await line.close()
})

test('a cleared reply is silent at once, and the next one is spoken', async () => {
  const call = openVirtualCall()
  const events = follow(call)
  const { line, time, wire, voice } = call
  line.say(time.now(), {
    reply: 'r1',
    text: 'This is a long sentence that nobody wants to hear to its end. And more. ',
  })
  await time.advance(1_000)
  line.clear(time.now(), 'r1')
  const played = wire.played.length
  await time.advance(100)
  assert.equal(wire.played.length, played)
  line.say(time.now(), { reply: 'r2', text: 'Yes, of course.' })
  line.endReply(time.now(), 'r2')
  await time.advance(3_000)
  assert.deepEqual(wordsPlayed(voice, wire.played.slice(played)), ['Yes,', 'of', 'course.'])
  assert.deepEqual(
    events.filter(({ type }) => type === 'play_done').map((event) => event.type === 'play_done' && event.reply),
    ['r2'],
  )
  await line.close()
})

test('speech is reported with the times of the sound, after the recogniser has heard it', async () => {
  const call = openVirtualCall()
  const events = follow(call)
  const { hear, contact, line, time } = call
  const opened = time.now()
  await hear(500)
  await hear(contact.speak('Hello', 400))
  await hear(contact.speak('there.', 400))
  await hear(800)
  assert.deepEqual(typesOf(events), ['answered', 'speech_started', 'heard', 'speech_stopped'])
  const [, started, heard, stopped] = events
  assert.ok(heard?.type === 'heard')
  assert.equal(heard.text, 'Hello there.')
  assert.ok(Math.abs((started?.at ?? 0) - opened - 500) <= 40, `${(started?.at ?? 0) - opened}`)
  assert.ok(Math.abs((stopped?.at ?? 0) - opened - 1_300) <= 40, `${(stopped?.at ?? 0) - opened}`)
  assert.equal(heard.at, stopped?.at)
  assert.equal(heard.part?.text, 'Hello there.')
  assert.ok(Math.abs((heard.part?.start_ms ?? 0) - 500) <= 40 && Math.abs((heard.part?.end_ms ?? 0) - 1_300) <= 40)
  assert.equal(contact.asked, 1)
  await line.close()
})

test('more speech discards an unfinished recognition and is part of the same speech', async () => {
  const call = openVirtualCall()
  const events = follow(call)
  const { hear, contact, line } = call
  contact.delay_ms = () => 150
  await hear(200)
  await hear(contact.speak('I', 300))
  await hear(280)
  await hear(contact.speak('think', 300))
  await hear(800)
  assert.equal(contact.asked, 2)
  assert.equal(contact.running_max, 1)
  const heard = events.filter((event) => event.type === 'heard')
  assert.deepEqual(
    heard.map(({ text }) => text),
    ['I think'],
  )
  await line.close()
})

test('a sound without words ends without words, and short noise is no speech', async () => {
  const call = openVirtualCall()
  const events = follow(call)
  const { hear, line } = call
  await hear(200)
  await hear(new Int16Array(16 * 20).fill(9_000))
  await hear(600)
  assert.deepEqual(typesOf(events), ['answered'])
  await hear(new Int16Array(16 * 400).fill(5_000))
  await hear(600)
  assert.deepEqual(typesOf(events), ['answered', 'speech_started', 'speech_stopped'])
  await line.close()
})

test('a speech ends when frames stop coming, and lost frames are silence', async () => {
  const call = openVirtualCall()
  const events = follow(call)
  const { hear, contact, line, time, wire } = call
  await hear(contact.speak('Wait', 600))
  await time.advance(2_000)
  assert.deepEqual(typesOf(events), ['answered', 'speech_started', 'heard', 'speech_stopped'])
  const at = events.at(-1)?.at ?? 0
  assert.ok(at - (events[0]?.at ?? 0) < 700)
  // Two seconds are missing, and the time line goes on.
  await hear(contact.speak('again', 600))
  await hear(600)
  assert.equal(typesOf(events).filter((type) => type === 'heard').length, 2)
  assert.ok((events.at(-2)?.at ?? 0) > at + 2_000)
  wire.stop()
  await line.close()
})

test('a speech of a minute is recognised in pieces', async () => {
  const call = openVirtualCall()
  const events = follow(call)
  const { hear, contact, line } = call
  for (let index = 0; index < 65; index += 1) await hear(contact.speak(`w${index}`, 1_000))
  await hear(1_000)
  const heard = events.flatMap((event) => (event.type === 'heard' && event.part ? event.part : []))
  assert.equal(heard.length, 3)
  const words = heard.flatMap(({ text }) => text.split(' '))
  assert.deepEqual(
    [...new Set(words)],
    Array.from({ length: 65 }, (_, index) => `w${index}`),
  )
  for (const { start_ms, end_ms } of heard) assert.ok(end_ms - start_ms <= 30_000)
  assert.equal(typesOf(events).filter((type) => type === 'speech_stopped').length, 1)
  await line.close()
})

test('after a cough the words go on at once, wherever the events are taken', async () => {
  const call = openVirtualCall({ wire_options: { report_ms: 40 } })
  follow(call)
  const { line, time, wire, voice, hear } = call
  const text = 'one two three four five six seven eight nine ten eleven twelve.'
  line.say(time.now(), { reply: 'r1', text })
  line.endReply(time.now(), 'r1')
  await hear(800)
  await hear(new Int16Array(16 * 320).fill(5_000))
  const stopped = time.now()
  await hear(5_000)
  const resumed = wire.log.find(({ at }) => at > stopped)?.at ?? 0
  // 200 ms of silence, and the recogniser.
  assert.ok(resumed - stopped < 450, `${resumed - stopped}`)
  assert.equal(wordsPlayed(voice, wire.played).join(' '), text)
  await line.close()
})

test('keys, hanging up and a lost connection are reported once, and nothing after', async () => {
  for (const reason of ['hung_up', 'lost'] as const) {
    const call = openVirtualCall()
    const events = follow(call)
    const { line, time, wire, hear, contact } = call
    wire.onDigit('5')
    await hear(contact.speak('stop', 400))
    // The last words are not lost.
    wire.onEnd(reason)
    await time.advance(2_000)
    wire.onDigit('6')
    line.say(time.now(), { reply: 'r', text: 'Are you there? ' })
    await time.advance(2_000)
    assert.deepEqual(typesOf(events), ['answered', 'digit', 'speech_started', 'heard', 'speech_stopped', reason])
    assert.equal(wire.sent_ms, 0)
    await line.close()
  }
})

for (const [name, detect_ms] of Object.entries({ 'is behind': 60, 'has just begun': 150, hangs: 1_000_000 }))
  test(`the last words before the contact hangs up are heard though the detector ${name}`, async () => {
    const detector = {
      hear: async (samples: Float32Array) => {
        const { promise, resolve } = Promise.withResolvers<void>()
        call.time.timers.after(detect_ms, resolve)
        await promise
        return levelOf(samples) > 0.05 ? 0.95 : 0.02
      },
      close: () => {},
    }
    const call = openVirtualCall({ detector })
    const events = follow(call)
    const { line, time, wire, hear, contact } = call
    for (const word of ['Stop', 'calling', 'me.']) await hear(contact.speak(word, 200))
    wire.onEnd('hung_up')
    await time.advance(3_000)
    assert.deepEqual(finalWords(events), ['Stop calling me.'])
    assert.equal(typesOf(events).at(-1), 'hung_up')
    await line.close()
  })

test('the last words are heard to the end, though their last window is not full', async () => {
  const call = openVirtualCall()
  const events = follow(call)
  const { line, time, wire, hear, contact } = call
  await hear(contact.speak('Stop', 160))
  await hear(contact.speak('now', 20))
  wire.onEnd('hung_up')
  await time.advance(3_000)
  assert.deepEqual(finalWords(events), ['Stop now'])
  await line.close()
})

test('the last words are heard when the carrier says first that the contact has hung up', async () => {
  const call = openVirtualCall()
  const events = follow(call)
  const { line, time, wire, hear, contact } = call
  await hear(contact.speak('Stop', 160))
  line.noteHungUp?.()
  // Carriers say so more than once, and the wire ends too.
  line.noteHungUp?.()
  wire.onEnd('lost')
  await time.advance(3_000)
  assert.deepEqual(finalWords(events), ['Stop'])
  assert.deepEqual(typesOf(events), ['answered', 'speech_started', 'heard', 'speech_stopped', 'hung_up'])
  await line.close()
})

test('our own hanging up ends the wire', async () => {
  const call = openVirtualCall()
  const { line, time, wire } = call
  line.say(time.now(), { reply: 'r', text: 'Goodbye then. ' })
  line.hangUp(time.now())
  line.hangUp(time.now())
  assert.equal(wire.ended, 'hung_up')
  await time.advance(1_000)
  await line.close()
  assert.equal(time.waiting, 0)
})

test('the stages before the first sound are measured', async () => {
  const call = openVirtualCall()
  const events = follow(call)
  const { line, time, hear, contact, voice } = call
  voice.delay_ms = () => 80
  await hear(contact.speak('Hello.', 500))
  for (let waited = 0; waited < 100 && typesOf(events).at(-1) !== 'speech_stopped'; waited += 1) await hear(20)
  await hear(100)
  line.say(time.now(), { reply: 'r1', text: 'Good morning to you. ' })
  assert.equal(line.readLatency('r1'), undefined)
  await hear(1_000)
  const latency = line.readLatency('r1')
  assert.ok(latency)
  assert.equal(latency.recognise_ms, 100)
  assert.ok(latency.wait_ms >= 300 && latency.wait_ms <= 400, `${latency.wait_ms}`)
  assert.ok(latency.voice_ms >= 80 && latency.voice_ms <= 120, `${latency.voice_ms}`)
  const sum = latency.wait_ms + 100 + latency.voice_ms
  assert.ok(Math.abs(latency.first_sound_ms - sum) <= 60, `${latency.first_sound_ms} and ${sum}`)
  assert.ok(line.speech_ms > 1_000)
  await line.close()
})

test('words that end where a long speech is cut are heard once', async () => {
  const call = openVirtualCall()
  const events = follow(call)
  const { line, contact, hear } = call
  contact.delay_ms = () => 400
  await hear(1_000)
  await hear(contact.speak('one', 28_800))
  await hear(3_000)
  assert.deepEqual(finalWords(events), ['one'])
  assert.equal(typesOf(events).filter((type) => type === 'speech_stopped').length, 1)
  await line.close()
})

test('a long speech ends though it is cut while its last words wait for the recogniser', async () => {
  const call = openVirtualCall()
  const events = follow(call)
  const { line, contact, hear } = call
  // This recogniser doesn't stop when it should.
  const { model } = contact.listening
  const { doGenerate } = model
  model.doGenerate = ({ abortSignal, ...options }) => doGenerate(options)
  contact.delay_ms = () => 1_500
  await hear(1_000)
  await hear(contact.speak('one', 28_200))
  await hear(260)
  await hear(contact.speak('two', 260))
  await hear(6_000)
  assert.deepEqual(finalWords(events), ['one two'])
  assert.equal(typesOf(events).filter((type) => type === 'speech_stopped').length, 1)
  await line.close()
})

test('words are not cut in two because the process was held up', async () => {
  const call = openVirtualCall()
  const events = follow(call)
  const { line, contact, time, wire, hear } = call
  contact.delay_ms = () => 0
  await hear(500)
  let at_ms = 500
  /** They follow each other on the wire, whenever they are taken. */
  const take = async (samples: Int16Array) => {
    for (let from = 0; from < samples.length; from += 320, at_ms += 20) {
      await time.advance(20)
      wire.onFrame(samples.slice(from, from + 320), at_ms)
    }
  }
  const sound = contact.speak('Tuesday', 600)
  await take(sound.subarray(0, 16 * 300))
  time.stall(900)
  await take(sound.subarray(16 * 300))
  await take(new Int16Array(16 * 1_000))
  assert.deepEqual(finalWords(events), ['Tuesday'])
  await line.close()
})

test('a reply that no voice can speak was not heard', async () => {
  const call = openVirtualCall()
  const events = follow(call)
  const { line, time, voice } = call
  line.say(time.now(), { reply: 'r1', text: 'This is the first sentence. ' })
  await time.advance(200)
  voice.fails = () => true
  line.say(time.now(), { reply: 'r1', text: 'And nobody speaks this one.' })
  line.endReply(time.now(), 'r1')
  await time.advance(10_000)
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'play_done' ? event.is_lost : [])),
    [true],
  )
  await line.close()
})

test('reports that are on their way when the sound is cleared do not count for what follows', async () => {
  for (const delay_ms of [0, 150, 400, 900]) {
    const call = openVirtualCall({ wire_options: { report_ms: 40, delay_ms: () => delay_ms } })
    follow(call)
    const { line, time, wire, voice } = call
    line.say(time.now(), { reply: 'r1', text: 'one two three four five six seven eight nine ten eleven twelve.' })
    line.endReply(time.now(), 'r1')
    await time.advance(1_500)
    line.clear(time.now(), 'r1')
    const words = 'thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty.'
    line.say(time.now(), { reply: 'r2', text: words })
    line.endReply(time.now(), 'r2')
    let heard = ''
    for (let playing = line.readPlayed(time.now()); playing; playing = line.readPlayed(time.now())) {
      heard = heardOf(playing.parts)
      const played = wordsPlayed(voice, wire.played).join(' ')
      assert.ok(played.includes(heard), `${heard} was heard, and ${played} was played, with ${delay_ms} ms`)
      await time.advance(20)
    }
    assert.ok(words.startsWith(heard) && heard.length > 40, heard)
    assert.ok(wordsPlayed(voice, wire.played).join(' ').endsWith(words))
    await line.close()
  }
})
