import assert from 'node:assert/strict'
import { test } from 'node:test'
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
