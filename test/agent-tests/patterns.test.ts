import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { isFound } from '../../server/agent-tests/pattern-search.ts'
import { isPattern, openPattern, workOf } from '../../server/agent-tests/patterns.ts'
import { runs } from '../support/property-runs.ts'

const usual = [
  'nine|9',
  '\\d{4}-\\d{2}-\\d{2}',
  '(?:at|by) \\w{1,20}',
  '[^\\x00-\\x7F]',
  '\\p{Lu}\\p{L}+',
  '[一-龥]{2,4}',
]

test('usual patterns can be used', async () => {
  for (const source of usual) assert.ok(openPattern(`/${source}/`).size > 0, source)
  assert.ok(await openPattern('/nine|9/').isIn('At Nine.'))
  assert.ok(!(await openPattern('/nine|9/').isIn('At ten.')))
  assert.ok(!isPattern('//'))
})

/** In each of them the bracket is none that opens or ends a group. */
const hidden = ['\\)', '[)]', '[])]', '[^])]', '[[:alpha:])]', '[[)]', '\\Q)\\E', '[\\])]']

test('a program is never much larger than its work says', () => {
  const small = ['a', 'ab', 'a|b', '(a)', 'a?', 'a{0,3}', 'a{2,}', '(?:ab?){2}', 'a*', '\\pL', 'x{0}']
  const sources = [...usual, ...small, ...hidden.map((one) => `(${one}ab){9}`), '((a{3}b){3}c){3}', '(\\Qabc\\E){9}']
  for (const source of sources) {
    const size = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE).programSize()
    assert.ok(size <= 3 * workOf(source).size + 3, `${source}: ${size}, ${workOf(source).size}`)
  }
})

test('ranges of letters count, however they are written', () => {
  for (const range of ['a-\\x{fffff}', '--\\x{fffff}', 'a-b-\\x{fffff}', '\\d-\u{fffff}', '[:alpha:]a-\\x{fffff}'])
    assert.ok(workOf(`[${range}]`).letters > 1_000_000, range)
})

test('patterns that take long to compile are refused without that', () => {
  const times = (what: string, count: number) => what.repeat(count)
  const slow = [
    ...hidden.map((one) => `(${one}${times('a', 470)}){1000}`),
    `(?:${times('(a*)', 120)}){1000}`,
    times('\\pL', 160),
    times('[a-\\x{1ffff}]', 35),
    '[a-\\x{10fffe}]',
  ]
  for (const source of slow) {
    const { size, letters } = workOf(source)
    assert.ok(size > 100_000 || letters > 100_000, source)
    assert.throws(() => openPattern(`/${source}/`), /is too large/, source)
  }
})

test('others run while a slow pattern is looked for', async () => {
  let is_found: boolean | undefined
  const searching = openPattern('/.{0,120}~/')
    .isIn('a'.repeat(20_000))
    .then((found) => {
      is_found = found
    })
  for (let turn = 1; turn <= 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(is_found, undefined)
  await searching
  assert.equal(is_found, false)
})

const letters = [...'aAbkK9_ .\n', 'ſ', '\u212a', 'é', '一', '😀', '\ud83d', '\ude00']
const atoms = [
  'a',
  'B',
  'k',
  's',
  '9',
  '_',
  '.',
  '😀',
  '(?s:.)',
  '[ab]',
  '[^a]',
  '\\w',
  '\\W',
  '\\d',
  '\\s',
  '\\pL',
  '[一-龥]',
  '(?-i:k)',
]
const borders = ['^', '$', '(?m:^)', '(?m:$)', '\\b', '\\B', '\\A', '\\z', '']
const repetitions = ['', '', '', '*', '+', '?', '*?', '{2}', '{1,3}', '{0}', '{2,}']

const { source: any_source } = fc.letrec<{ source: string }>((tie) => ({
  source: fc.oneof(
    { maxDepth: 4 },
    { weight: 4, arbitrary: fc.constantFrom(...atoms) },
    { weight: 2, arbitrary: fc.constantFrom(...borders) },
    { weight: 3, arbitrary: fc.array(tie('source'), { minLength: 2, maxLength: 4 }).map((all) => all.join('')) },
    { weight: 2, arbitrary: fc.tuple(tie('source'), tie('source')).map((both) => `(?:${both.join('|')})`) },
    {
      weight: 2,
      arbitrary: fc.tuple(tie('source'), fc.constantFrom(...repetitions)).map(([one, times]) => `(${one})${times}`),
    },
  ),
}))
const any_letters = fc.array(fc.constantFrom(...letters), { maxLength: 12 }).map((all) => all.join(''))

test('a pattern is found where RE2 finds it', async () => {
  let found = 0
  let tried = 0
  const property = fc.asyncProperty(any_source, fc.array(any_letters, { maxLength: 20 }), async (source, texts) => {
    const expected = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE)
    for (const text of texts) {
      const is_found = expected.matcher(text).find()
      assert.equal(await isFound(expected.re2Input.prog, text), is_found, JSON.stringify({ source, text }))
      tried += 1
      if (is_found) found += 1
    }
  })
  await fc.assert(property, runs())
  assert.ok(found > 0 && found < tried)
})
