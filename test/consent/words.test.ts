import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { wordOf } from '../../server/consent/words.ts'
import { anyText, runs } from '../support/property-runs.ts'

const opt_out = ['STOP', 'STOPP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT']

test('the words are known in any case', () => {
  for (const word of opt_out)
    for (const text of [word, word.toLowerCase(), word[0] + word.slice(1).toLowerCase()])
      assert.equal(wordOf(text)?.word, 'opt_out', text)
  for (const text of ['START', 'start', 'Unstop']) assert.equal(wordOf(text)?.word, 'opt_in', text)
  assert.equal(wordOf('help')?.word, 'help')
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
    assert.equal(wordOf(text)?.word, 'opt_out', JSON.stringify(text))
})

test('other messages are no words', () => {
  for (const text of [
    ...['', ' ', '!!', 'stop it', "don't stop", 'stopped', 'st op', 'STOP2', 'weekend', 'the end', '車'],
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

test('a word counts also when it is repeated, spaced out, or followed by a signature', () => {
  for (const text of [
    ...['STOP STOP', 'stop, stop!', 'Stop. Stop. Stop.', 'stop\nSTOP', 'opt out, opt out', 'stop unsubscribe'],
    ...['S T O P', 'S.T.O.P.', 's-t-o-p', 'S T O P  S T O P', 'S T O P stop', 'e n d', 'O P T O U T', 'Stopp! Stopp!'],
    ...['STOP\nSent from my iPhone', 'Stop\r\n\r\n  sent from Outlook', 'stop.\n--\nJane Doe\nAcme', 'STOP\n-- Jane'],
    ...['stop stop\n—\nJane', `STOP\nSent from ${'my telephone '.repeat(50)}`, 'STOP '.repeat(30)],
  ])
    assert.equal(wordOf(text)?.word, 'opt_out', JSON.stringify(text))
  assert.equal(wordOf('START START\nSent from my iPhone')?.word, 'opt_in')
  assert.equal(wordOf('H E L P')?.word, 'help')
})

test('every line break of Unicode begins a signature line', () => {
  for (const line_break of ['\n', '\r', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029'])
    for (const line of ['Sent from my iPhone', ' sent from Outlook', '--', '-- Jane', '—'])
      for (const between of ['', line_break, ' '])
        assert.equal(wordOf(`STOP${between}${line_break}${line}`)?.word, 'opt_out', JSON.stringify([line_break, line]))
  for (const separator of [' ', '\u00a0', '\t', '\u2003', ', '])
    assert.equal(wordOf(`STOP${separator}Sent from my iPhone`), undefined, JSON.stringify(separator))
})

test('who writes something else is not opted out', () => {
  for (const text of [
    ...[
      'Stop by at 5?',
      'cancel my appointment',
      'END of story',
      'Please cancel',
      'I quit',
      'Stop, I mean go',
      'end it',
    ],
    ...['START STOP', 'stop start', 'help stop', 'S T O R E', 'S T', 's top', 'stop\n\nJane', 'Jane\nSent from: stop'],
    ...[
      'Sent from my iPhone',
      'See you\n--\nstop',
      'stop -- wait, no',
      'STOP '.repeat(100),
      `stop${' '.repeat(400)}by`,
    ],
  ])
    assert.ok([undefined, 'ordinary'].includes(wordOf(text)?.word), JSON.stringify(text))
})

test('repetitions, spaces and signatures are found in any combination', () => {
  const between = fc.string({ unit: fc.constantFrom(' ', '.', ',', '!', '\n'), minLength: 1, maxLength: 3 })
  const end = fc.constantFrom('', '\nSent from my iPhone', '\r\n--\r\nJane Doe', '\n-- Jane, 5 Main Street')
  const spell = fc.constantFrom<(word: string) => string>(
    (word) => word,
    (word) => word.toLowerCase(),
    (word) => [...word].join(' '),
    (word) => `${[...word].join('.')}.`,
  )
  const said = fc.array(fc.tuple(fc.constantFrom(...opt_out), spell, between), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(said, end, fc.constantFrom('by', 'it', 'Jane'), (said, end, other) => {
      // Whole words, so that the letters of two are told apart.
      const text = said.map(([word, spelled, after], index) => (index % 2 ? word : spelled(word)) + after).join('')
      assert.equal(wordOf(text + end)?.word, 'opt_out', JSON.stringify(text + end))
      assert.equal(wordOf(`${text} ${other}${end}`), undefined)
    }),
    runs(),
  )
})

test('a word is found inside any punctuation, and nothing is found beside other letters', () => {
  const around = fc.string({ unit: fc.constantFrom('!', '.', ' ', '\n', '"', '*', '😀', '\u0301'), maxLength: 15 })
  const letters = fc.string({ unit: fc.constantFrom('x', 'ж', '漢', '1'), minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(around, around, fc.constantFrom(...opt_out), letters, (before, after, word, beside) => {
      assert.equal(wordOf(`${before}${word} ${after}`)?.word, 'opt_out')
      assert.equal(wordOf(`${before}${word}${after}${beside}`), undefined)
    }),
    runs(),
  )
})

test('any text is read, and a long one quickly', () => {
  fc.assert(
    fc.property(anyText(), (text) => void wordOf(text)),
    runs(),
  )
  for (const text of [
    `stop${'!'.repeat(1_000_000)}a`,
    's '.repeat(500_000),
    'stop\r \r '.repeat(200_000),
    '-\n'.repeat(500_000),
  ])
    assert.equal(wordOf(text), undefined)
})
