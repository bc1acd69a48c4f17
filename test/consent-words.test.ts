import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { wordOf } from '../server/consent/words.ts'

const opt_out = ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT']

test('the words are known in any case', () => {
  for (const word of opt_out)
    for (const text of [word, word.toLowerCase(), word[0] + word.slice(1).toLowerCase()])
      assert.equal(wordOf(text), 'opt_out', text)
  for (const text of ['START', 'start', 'Unstop']) assert.equal(wordOf(text), 'opt_in', text)
  assert.equal(wordOf('help'), 'help')
})

test('white space and punctuation around a word are ignored', () => {
  for (const text of [
    ...[' stop\n', 'Stop.', 'STOP!!', "'stop'", '"Stop"', '“stop”', '«STOP»', '¡stop!', '…stop…', '\u200bstop\u00a0'],
    ...[
      'opt out',
      'opt-out',
      'Opt - Out.',
      'OPT—OUT',
      'stop all',
      'STOP 🛑',
      '(quit)',
      'ｓｔｏｐ',
      `${' '.repeat(500)}end`,
    ],
  ])
    assert.equal(wordOf(text), 'opt_out', JSON.stringify(text))
})

test('other messages are no words', () => {
  for (const text of [
    ...['', ' ', '!!', 'stop it', "don't stop", 'stop stop', 'stopped', 'st op', 'STOP2', 'weekend', 'the end', '停'],
    ...[
      'opt',
      'out',
      'opt all',
      'stop out',
      'help me',
      're-start',
      'constructor',
      '__proto__',
      '\ud800',
      'stop\ud800a',
    ],
  ])
    assert.equal(wordOf(text), undefined, JSON.stringify(text))
})

test('a word is found inside any punctuation, and nothing is found beside other letters', () => {
  const around = fc.string({ unit: fc.constantFrom('!', '.', ' ', '\n', '"', '-', '😀', '\u0301'), maxLength: 15 })
  const letters = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '1'), minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(around, around, fc.constantFrom(...opt_out), letters, (before, after, word, beside) => {
      assert.equal(wordOf(`${before}${word} ${after}`), 'opt_out')
      assert.equal(wordOf(`${before}${word}${after}${beside}`), undefined)
    }),
    { numRuns: 500 },
  )
})

test('any text is read, and a long one quickly', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void wordOf(text)))
  assert.equal(wordOf(`stop${'!'.repeat(1_000_000)}a`), undefined)
})
