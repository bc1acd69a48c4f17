import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { wordsOf } from '../../server/talk/words.ts'
import { runs } from '../support/property-runs.ts'

test('each word gets a share of the time by its characters and one space', () => {
  assert.deepEqual(wordsOf({ text: ' Hello  to\nyou ', start_ms: 1_000, end_ms: 2_300 }), [
    { text: 'Hello', start_ms: 1_000, end_ms: 1_600 },
    { text: 'to', start_ms: 1_600, end_ms: 1_900 },
    { text: 'you', start_ms: 1_900, end_ms: 2_300 },
  ])
  assert.deepEqual(wordsOf({ text: ' ', start_ms: 0, end_ms: 10 }), [])
})

test('words fill their part in whole milliseconds without overlap', () => {
  const part = fc.record({ text: fc.string(), start_ms: fc.nat(10_000_000), duration_ms: fc.nat(60_000) })
  fc.assert(
    fc.property(part, ({ text, start_ms, duration_ms }) => {
      const words = wordsOf({ text, start_ms, end_ms: start_ms + duration_ms })
      assert.equal(words.map((word) => word.text).join(''), text.replace(/\s/g, ''))
      let end_ms = start_ms
      for (const word of words) {
        assert.equal(word.start_ms, end_ms)
        assert.ok(Number.isInteger(word.end_ms) && word.end_ms >= word.start_ms)
        end_ms = word.end_ms
      }
      if (words.length > 0) assert.equal(end_ms, start_ms + duration_ms)
    }),
    runs(),
  )
})

test('the first words of a part have the same times when the rest was not heard', () => {
  const [hello, to] = wordsOf({ text: 'Hello to you', start_ms: 1_000, end_ms: 2_300 })
  assert.deepEqual(wordsOf({ text: 'Hello to', start_ms: 1_000, end_ms: to?.end_ms ?? 0 }), [hello, to])
})
