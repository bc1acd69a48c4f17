import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openChunker } from '../../server/audio/speaking/chunks.ts'
import { runs } from '../support/property-runs.ts'

const chunksOf = (...pieces: string[]): string[] => {
  const chunker = openChunker()
  return [...pieces.flatMap((piece) => chunker.add(piece)), ...chunker.flush()]
}

test('sentences are spoken one by one', () => {
  assert.deepEqual(chunksOf('We are open today. ', 'Come by at any time! Do you know where we are?'), [
    'We are open today.',
    'Come by at any time!',
    'Do you know where we are?',
  ])
})

test('the first chunk may be a clause, and the others are whole sentences', () => {
  assert.deepEqual(
    chunksOf(
      'Thank you for calling Acme, we are happy to help you with your order, whatever it is. And so on, and on.',
    ),
    ['Thank you for calling Acme,', 'we are happy to help you with your order, whatever it is.', 'And so on, and on.'],
  )
  // A short clause is no chunk, and neither is a part of a number.
  assert.deepEqual(chunksOf('Well, it costs 1,299 dollars.'), ['Well, it costs 1,299 dollars.'])
})

test('a short sentence is spoken with the next one, and numbers are not cut', () => {
  assert.deepEqual(chunksOf('Hi. ', 'How are you today? '), ['Hi. How are you today?'])
  assert.deepEqual(chunksOf('The price is 3.', '5 dollars for each.'), ['The price is 3.5 dollars for each.'])
})

test('what can not be heard is not spoken', () => {
  assert.deepEqual(chunksOf(' ', '... ', '—'), [])
})

test('no word is lost, whatever the pieces, and no chunk is long', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z ]{1,30}[,.?!;:]? ?$/), { maxLength: 40 }), (pieces) => {
      const chunks = chunksOf(...pieces)
      const wordsOf = (texts: string[]) => texts.join(' ').match(/[a-z]+/g) ?? []
      assert.deepEqual(wordsOf(chunks).join(''), (pieces.join('').match(/[a-z]+/g) ?? []).join(''))
      for (const chunk of chunks) assert.ok(chunk.length <= 220)
    }),
    runs(),
  )
})
