import assert from 'node:assert/strict'
import { test } from 'node:test'
import { talkOn } from '../support/talk-on-line.ts'
import {
  openFakeContact,
  openFakeVoice,
  openVirtualCall,
  openVirtualTime,
  type VirtualCall,
  wordsPlayed,
} from '../support/virtual-sound.ts'

const sentence = 'Good morning to all of you, what can I do for you today?'

/** What the line reports, in order. */
function eventsOf({ line, time }: VirtualCall) {
  const events: { type: string; text?: string; is_final?: boolean }[] = []
  line.onEvent?.(() => {
    for (const event of line.take(time.now()))
      events.push({ type: event.type, ...(event.type === 'heard' && { text: event.text, is_final: !!event.part }) })
  })
  return events
}

test('the first sound goes out before the voice has spoken all, and nothing is lost or doubled', async () => {
  const call = openVirtualCall({ is_streamed: true })
  const { line, time, wire, voice } = call
  const events = eventsOf(call)
  voice.piece_wait_ms = 90
  line.say(time.now(), { reply: 'r1', text: sentence })
  line.endReply(time.now(), 'r1')
  await time.advance(400)
  assert.ok(wire.played.length > 0)
  await time.advance(8_000)
  assert.equal(wordsPlayed(voice, wire.played).join(' '), sentence)
  assert.ok(events.some(({ type }) => type === 'play_done'))
  assert.equal(line.takeSpeechFault(), undefined)
  await line.close()
})

test('a voice that is slower than speech is played when it comes', async () => {
  const call = openVirtualCall({ is_streamed: true })
  const { line, time, wire, voice } = call
  const events = eventsOf(call)
  voice.piece_wait_ms = 400
  line.say(time.now(), { reply: 'r1', text: sentence })
  line.endReply(time.now(), 'r1')
  await time.advance(20_000)
  // Its words are torn, and none is missing.
  const values = [...new Set(wire.played)].flatMap((value) => voice.words.get(value) ?? [])
  assert.equal(values.join(' '), sentence)
  assert.ok(events.some(({ type }) => type === 'play_done'))
  assert.equal(line.takeSpeechFault(), undefined, 'it makes progress, so it has not failed')
  await line.close()
})

test('what was heard of a reply that is cleared while the voice speaks was played', async () => {
  const call = openVirtualCall({ is_streamed: true })
  const { line, time, wire, voice } = call
  voice.piece_wait_ms = 90
  line.say(time.now(), { reply: 'r1', text: sentence })
  line.endReply(time.now(), 'r1')
  await time.advance(1_500)
  const heard = line.readPlayed(time.now())?.parts.map(({ text }) => text) ?? []
  const played = wordsPlayed(voice, wire.played).join(' ')
  assert.ok(heard.length > 0 && played.startsWith(heard.join(' ')), `${heard.join(' ')} of ${played}`)
  line.clear(time.now(), 'r1')
  await time.advance(1_000)
  const { length } = wire.played
  await time.advance(3_000)
  assert.equal(wire.played.length, length)
  line.say(time.now(), { reply: 'r2', text: 'All right then.' })
  line.endReply(time.now(), 'r2')
  await time.advance(3_000)
  assert.match(wordsPlayed(voice, wire.played).join(' '), /All right then\.$/)
  await line.close()
})

/** A call whose fallback has a time of its own that passes with that of the call. */
function openCallWithFallback() {
  const elsewhere = openVirtualTime()
  const other = { voice: openFakeVoice(elsewhere, 16_000, 3_000), contact: openFakeContact(elsewhere) }
  other.voice.delay_ms = () => 0
  other.contact.delay_ms = () => 0
  const fallback = { listen: other.contact.listening, speak: other.voice.speaking }
  const call = openVirtualCall({ is_streamed: true, fallback })
  const advance = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      await call.time.advance(100)
      await elsewhere.advance(100)
    }
  }
  return { call, other, advance }
}

test('when a voice breaks off, the offline one says the rest of the words', async () => {
  const { call, other, advance } = openCallWithFallback()
  const { line, time, wire, voice } = call
  voice.pieces_max = 12
  line.say(time.now(), { reply: 'r1', text: sentence })
  line.endReply(time.now(), 'r1')
  await advance(10_000)
  const begun = wordsPlayed(voice, wire.played)
  const rest = wordsPlayed(other.voice, wire.played)
  const words = sentence.split(' ')
  assert.ok(begun.length > 0 && rest.length > 0)
  assert.equal(rest.at(-1), 'today?')
  // The word in which it broke off may be heard twice, and none is missing.
  const first = words.length - rest.length
  assert.deepEqual(rest, words.slice(first))
  assert.ok(first <= begun.length, `${begun.join(' ')} | ${rest.join(' ')}`)
  assert.match(line.takeSpeechFault()?.message ?? '', /broke off.*Offline speech took over\.$/)
  assert.ok(line.speech_ms > 0, 'what the provider has said is charged')
  await line.close()
})

test('when a voice stops in the middle and says nothing more, the offline one says the rest', async () => {
  const { call, other, advance } = openCallWithFallback()
  const { line, time, wire, voice } = call
  line.say(time.now(), { reply: 'r1', text: sentence })
  line.endReply(time.now(), 'r1')
  await advance(300)
  voice.piece_wait_ms = 1_000_000
  await advance(12_000)
  assert.equal(wordsPlayed(other.voice, wire.played).at(-1), 'today?')
  assert.match(line.takeSpeechFault()?.message ?? '', /no answer within 5 seconds\. Offline speech took over\.$/)
  await line.close()
})

test('a voice that always breaks off is tried twice', async () => {
  const call = openVirtualCall({ is_streamed: true })
  const { line, time, voice } = call
  const events = eventsOf(call)
  voice.pieces_max = 5
  line.say(time.now(), { reply: 'r1', text: 'Good morning to all of you.' })
  line.endReply(time.now(), 'r1')
  await time.advance(5_000)
  assert.equal(voice.texts.length, 2)
  assert.equal(line.takeSpeechFault()?.is_fatal, true)
  assert.ok(events.some(({ type }) => type === 'play_done'))
  await line.close()
})

test('words are reported while they are spoken, and all of them at the end', async () => {
  const call = openVirtualCall({ is_streamed: true })
  const { line, contact } = call
  const events = eventsOf(call)
  for (const word of ['I', 'need', 'help']) await call.hear(contact.speak(word, 300))
  await call.hear(600)
  assert.deepEqual(
    events.filter(({ type }) => type === 'heard'),
    [
      { type: 'heard', text: 'I', is_final: false },
      { type: 'heard', text: 'I need', is_final: false },
      { type: 'heard', text: 'I need help', is_final: false },
      { type: 'heard', text: 'I need help', is_final: true },
    ],
  )
  assert.deepEqual(contact.streams, { opened: 1, open: 0 })
  assert.ok(line.speech_ms > 900)
  await line.close()
})

test('what follows a pause belongs to the same words when they are not yet known', async () => {
  const call = openVirtualCall({ is_streamed: true })
  const { line, contact } = call
  contact.delay_ms = () => 500
  const events = eventsOf(call)
  await call.hear(contact.speak('Monday', 400))
  await call.hear(350)
  await call.hear(contact.speak('morning', 400))
  await call.hear(1_200)
  assert.deepEqual(
    events.filter(({ is_final }) => is_final).map(({ text }) => text),
    ['Monday morning'],
  )
  assert.deepEqual(contact.streams, { opened: 2, open: 0 })
  await line.close()
})

test('two words interrupt the agent before the contact has finished', async () => {
  const call = openVirtualCall({ is_streamed: true })
  const { line, time, contact } = call
  const long = 'We are open from Monday to Friday, and on some other days too. '.repeat(6)
  const talk = talkOn(line, time, { answer: () => long })
  await call.hear(4_000)
  await call.hear(contact.speak('Hello', 400))
  await call.hear(5_000)
  assert.ok(talk.turns.length >= 1)
  const before = talk.turns.length
  for (const word of ['Wait', 'please']) await call.hear(contact.speak(word, 250))
  assert.equal(talk.turns.length, before + 1, 'the turn is over while the contact speaks')
  assert.equal(talk.turns.at(-1)?.is_interrupted, true)
  await line.close()
})

test('a model that says nothing before the end is asked again about what interrupts the agent', async () => {
  const call = openVirtualCall({ is_streamed: true })
  const { line, time, contact } = call
  contact.has_partials = false
  const events = eventsOf(call)
  line.say(time.now(), { reply: 'r1', text: `${sentence} ${sentence}` })
  line.endReply(time.now(), 'r1')
  await call.hear(1_500)
  for (const word of ['Wait', 'please']) await call.hear(contact.speak(word, 500))
  assert.deepEqual(
    events.filter(({ type }) => type === 'heard'),
    [{ type: 'heard', text: 'Wait please', is_final: false }],
  )
  await call.hear(900)
  assert.deepEqual(events.findLast(({ type }) => type === 'heard')?.is_final, true)
  assert.equal(contact.streams.open, 0)
  await line.close()
})

test('words of a speech that is too long for one recognition are heard once', async () => {
  const call = openVirtualCall({ is_streamed: true })
  const { line, contact } = call
  const events = eventsOf(call)
  const words = Array.from({ length: 70 }, (_, index) => `w${index}`)
  for (const word of words) await call.hear(contact.speak(word, 500))
  await call.hear(1_500)
  const heard = events.filter(({ is_final }) => is_final).flatMap(({ text = '' }) => text.split(' '))
  assert.deepEqual([...new Set(heard)], words)
  // A word in which the speech was cut is in both parts.
  assert.ok(heard.length <= words.length + 1, heard.join(' '))
  assert.equal(contact.streams.open, 0)
  await line.close()
})

test('when hearing fails while someone speaks, the offline recogniser hears the whole of it', async () => {
  const { call, other, advance } = openCallWithFallback()
  const { line, contact } = call
  const events = eventsOf(call)
  contact.breaks = () => true
  const sound = contact.speak('yes', 400)
  other.contact.speak('yes', 400)
  await call.hear(sound)
  await call.hear(300)
  await advance(1_000)
  assert.deepEqual(
    events.filter(({ type }) => type === 'heard').map(({ text }) => text),
    ['yes'],
  )
  assert.match(line.takeSpeechFault()?.message ?? '', /deaf.*Offline speech took over\.$/)
  assert.equal(line.speech_ms, 0)
  assert.equal(contact.streams.open, 0)
  await line.close()
})

test('when hearing never answers, the offline recogniser hears the whole of it', async () => {
  const { call, other, advance } = openCallWithFallback()
  const { line, contact } = call
  const events = eventsOf(call)
  contact.delay_ms = () => 1_000_000
  const sound = contact.speak('yes', 400)
  other.contact.speak('yes', 400)
  await call.hear(sound)
  await call.hear(300)
  await advance(6_000)
  assert.deepEqual(
    events.filter(({ is_final }) => is_final).map(({ text }) => text),
    ['yes'],
  )
  assert.match(line.takeSpeechFault()?.message ?? '', /no answer within 5 seconds/)
  assert.equal(contact.streams.open, 0)
  await line.close()
})

test('without a fallback, hearing that fails once is tried again with all of the sound', async () => {
  const call = openVirtualCall({ is_streamed: true })
  const { line, contact } = call
  const events = eventsOf(call)
  let failures = 0
  contact.breaks = () => failures++ === 0
  await call.hear(contact.speak('yes', 400))
  await call.hear(900)
  assert.deepEqual(
    events.filter(({ is_final }) => is_final).map(({ text }) => text),
    ['yes'],
  )
  assert.equal(line.takeSpeechFault(), undefined)
  assert.deepEqual(contact.streams, { opened: 2, open: 0 })
  await line.close()
})

test('hearing that fails twice is fatal, and the end of a call leaves no stream open', async () => {
  const call = openVirtualCall({ is_streamed: true })
  const { line, contact } = call
  contact.breaks = () => true
  await call.hear(contact.speak('yes', 400))
  await call.hear(900)
  assert.equal(line.takeSpeechFault()?.is_fatal, true)
  contact.breaks = () => false
  await call.hear(contact.speak('no', 400))
  assert.equal(contact.streams.open, 1)
  await line.close()
  await call.time.advance(200)
  assert.equal(contact.streams.open, 0)
})
