import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readEvents } from '../../server/kit/outbound/events.ts'
import { runs } from '../support/property-runs.ts'

const limits = { events_max: 10, event_length_max: 100 }

async function* chunks(parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts
}

const read = (text: string, more: Partial<typeof limits> = {}): Promise<string[]> =>
  Array.fromAsync(readEvents(chunks([Buffer.from(text)]), { ...limits, ...more }), ({ data }) => data)

test('the data of events is read, and nothing else', async () => {
  assert.deepEqual(await read(': hello\n\nevent: a\nid: 1\ndata: one\n\ndata:two\ndata:  three\n\nretry: 1\n\n'), [
    'one',
    'two\n three',
  ])
  assert.deepEqual(await read('data\n\n'), [''])
})

test('an event has the last name that was given to it', async () => {
  const text = 'event: a\ndata: 1\n\ndata: 2\nevent:error\n\nevent: b\n\ndata: 3\n\nevent: c\nevent: d\ndata: 4'
  assert.deepEqual(await Array.fromAsync(readEvents(chunks([Buffer.from(text)]), limits)), [
    { name: 'a', data: '1' },
    { name: 'error', data: '2' },
    { name: '', data: '3' },
    { name: 'd', data: '4' },
  ])
})

test('the last event may lack its empty line', async () => {
  assert.deepEqual(await read('data: one\n\ndata: two'), ['one', 'two'])
  assert.deepEqual(await read('data: one\r\rdata: two\r'), ['one', 'two'])
})

test('events are the same wherever their bytes are cut', async () => {
  const text = 'data: é😀\r\n\r\ndata: a\rdata: b\r\rdata: c\n\n: x\r\n\r\ndata: d\r\n'
  const bytes = Buffer.from(text)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
      const places = [...cuts].sort((left, right) => left - right)
      const parts = [0, ...places].map((start, index) => bytes.subarray(start, places[index] ?? bytes.length))
      const events = await Array.fromAsync(readEvents(chunks(parts), limits), ({ data }) => data)
      assert.deepEqual(events, ['é😀', 'a\nb', 'c', 'd'])
    }),
    runs(),
  )
})

test('a long event can come in very small pieces', async () => {
  const text = 'é'.repeat(100_000)
  const bytes = Buffer.from(`data: ${text}\r\n\r\ndata: b`)
  const piece_bytes = 7
  const parts = Array.from({ length: Math.ceil(bytes.length / piece_bytes) }, (_, index) =>
    bytes.subarray(index * piece_bytes, (index + 1) * piece_bytes),
  )
  const [first, ...others] = await Array.fromAsync(
    readEvents(chunks(parts), { ...limits, event_length_max: 256 * 1024 }),
  )
  assert.ok(first?.data === text)
  assert.deepEqual(others, [{ name: '', data: 'b' }])
})

test('there may be as many events as allowed, and no more', async () => {
  const event = 'data: x\n\n'
  assert.equal((await read(event.repeat(10))).length, 10)
  await assert.rejects(read(event.repeat(11)), /more than 10 events/)
})

test('there may be eight lines for each event, and no more', async () => {
  assert.deepEqual(await read('\n'.repeat(80)), [])
  await assert.rejects(read('\n'.repeat(81)), /more than 80 lines/)
})

test('an event may be as long as allowed, and no longer, in one line or in many', async () => {
  assert.equal((await read(`data: ${'x'.repeat(94)}\n\n`)).length, 1)
  for (const text of [
    `data: ${'x'.repeat(95)}\n\n`,
    `data: ${'x'.repeat(95)}`,
    'data: x\n'.repeat(15),
    `: ${'x'.repeat(99)}`,
  ])
    await assert.rejects(read(text), /more than 100 characters/, text)
})

test('timers run while many small events are read', async () => {
  let is_timer_run = false
  setTimeout(() => (is_timer_run = true))
  const events = readEvents(chunks([Buffer.from('data: {}\n\n'.repeat(500_000))]), { ...limits, events_max: 1_000_000 })
  let count = 0
  for await (const _ of events) {
    count += 1
    if (is_timer_run) break
  }
  assert.ok(is_timer_run && count < 500_000)
})
