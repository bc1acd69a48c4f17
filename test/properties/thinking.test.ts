import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { endText, no_thinking, withoutThinking } from '../../server/models/thinking.ts'
import { runs } from '../support/property-runs.ts'

/** What a contact gets of an answer that comes in these pieces. */
function shown(pieces: string[]): string {
  let state = no_thinking
  let text = ''
  for (const piece of pieces) {
    const taken = withoutThinking(state, piece)
    state = taken.state
    text += taken.words
    assert.ok(state.held.length <= 12, `${state.held} is held back`)
  }
  return text + endText(state).words
}

/** The same in another way: a list of tags in the whole text, and a walk over them. */
function oracle(text: string): string {
  const tags = /<(\/?)(think|thinking|thought|reasoning)(?:(?=[\s/])[^>]*)?(?:>|$)/gi
  let said = ''
  let from = 0
  let open: string[] = []
  const say = (end: number, is_after_tag: boolean) => {
    if (open.length > 0) return
    const words = text.slice(from, end)
    said += is_after_tag && said.trim() === '' ? words.trimStart() : words
  }
  let is_after_tag = false
  for (let found = tags.exec(text); found; found = tags.exec(text)) {
    const [whole, slash, written = ''] = found
    const name = written.toLowerCase()
    if (open.length > 0 && open[0] !== name) {
      tags.lastIndex = found.index + 1
      continue
    }
    say(found.index, is_after_tag)
    from = found.index + whole.length
    is_after_tag = true
    if (!whole.endsWith('>')) return said
    if (slash === '/') open = open.slice(1)
    else if (!whole.endsWith('/>')) open = [...open, name]
  }
  say(text.length, is_after_tag)
  return said
}

const fragments = fc.constantFrom(
  ...[
    '<think>',
    '</think>',
    '<thinking>',
    '</thinking>',
    '<THINK>',
    '</Think >',
    '<think a="1">',
    '<think/>',
    '<think />',
  ],
  ...[
    '<thought>',
    '</thought>',
    '<reasoning>',
    '</reasoning>',
    '<',
    '</',
    '>',
    '/',
    '<thin',
    'king>',
    '<thinker>',
    '<b>',
  ],
  ...['Hello', ' ', '\n\n', 'a < b', 'é', '😀', '<think', '</think', 'x'],
)
const texts = fc.array(fragments, { maxLength: 14 }).map((parts) => parts.join(''))

const cutAt = (text: string, cuts: number[]): string[] => {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((left, right) => left - right)
  return [0, ...places].map((start, index) => text.slice(start, places[index] ?? text.length))
}

test('thinking is taken out wherever the text is cut', () => {
  fc.assert(
    fc.property(texts, fc.array(fc.nat(200), { maxLength: 20 }), (text, cuts) => {
      assert.equal(shown(cutAt(text, cuts)), oracle(text))
      assert.equal(shown(text.split('')), oracle(text))
      assert.equal(shown([text]), oracle(text))
    }),
    runs(),
  )
})

test('words without thinking are said as they are, and at once', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      fc.pre(!/<\/?[tr]/i.test(text))
      assert.equal(shown([text]), text)
      if (!/<\/?$/.test(text)) assert.equal(withoutThinking(no_thinking, text).words, text)
    }),
    runs(),
  )
})

for (const [text, words] of [
  ['<think>They want to know.</think>\n\nWe open at nine.', 'We open at nine.'],
  ['We open <think>when?</think>at nine.', 'We open at nine.'],
  ['<think>a<think>b</think>c</think>d', 'd'],
  ['<THINKING effort="high">a</thinking >b', 'b'],
  ['Yes. <think>but', 'Yes. '],
  ['<think>I close it with </thinking> maybe</think>d', 'd'],
  ['a < b, and <thinker> too', 'a < b, and <thinker> too'],
  ['a</think>b', 'ab'],
  ['a <thi', 'a <thi'],
  ['a <think', 'a '],
] as const) {
  test(`of ${JSON.stringify(text)} a contact gets ${JSON.stringify(words)}`, () => {
    assert.equal(shown([text]), words)
    assert.equal(shown(text.split('')), words)
  })
}
