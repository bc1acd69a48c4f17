import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RE2JS } from 're2js'
import { workOf } from '../../server/agent-tests/pattern-work.ts'
import { isPattern, openPattern } from '../../server/agent-tests/patterns.ts'

const usual = [
  'nine|9',
  '\\d{4}-\\d{2}-\\d{2}',
  '(?:at|by) \\w{1,20}',
  '[^\\x00-\\x7F]',
  '\\p{Lu}\\p{L}+',
  '[一-龥]{2,4}',
]

test('usual patterns can be used', () => {
  for (const source of usual) assert.ok(openPattern(`/${source}/`).size > 0, source)
  assert.ok(openPattern('/nine|9/').matches('At Nine.'))
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
