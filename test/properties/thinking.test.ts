import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { endText, no_thinking, withoutThinking } from '../../server/models/thinking.ts'
import { runs } from '../support/property-runs.ts'

/** What a contact gets of an answer that comes in these pieces, and is sent whole or as it comes. */
function shown(pieces: string[], { is_whole = true } = {}): string {
  let state = no_thinking
  let text = ''
  let was_thinking = false
  const take = (taken: ReturnType<typeof endText>) => {
    state = taken.state
    was_thinking ||= taken.ends_thinking
    text = (taken.ends_thinking && is_whole ? '' : text) + taken.words
  }
  for (const piece of pieces) {
    take(withoutThinking(state, piece))
    assert.ok(state.held.length <= 13, `${state.held} is held back`)
  }
  take(endText(state))
  return was_thinking && is_whole ? text.trimStart() : text
}

/** The same in another way: a list of tags in the whole text, and a walk over them. */
function oracle(text: string): string {
  const names = 'think|thinking|thought|reasoning|reflection|analysis|scratchpad'
  const tags = new RegExp(`<(?:\\|/?|/\\|?)?(?:${names})(?:(?=[\\s/|])[^>]*)?(?:>|$)|\\[/?think(?:\\]|$)`, 'gi')
  let said = ''
  let from = 0
  let open: string[] = []
  let is_after_tag = false
  const say = (end: number) => {
    if (open.length > 0) return
    const words = text.slice(from, end)
    said += is_after_tag && said.trim() === '' ? words.trimStart() : words
  }
  for (let found = tags.exec(text); found; found = tags.exec(text)) {
    const [whole] = found
    const name = (/[a-z]+/i.exec(whole)?.[0] ?? '').toLowerCase()
    const is_end = /^.\|?\//.test(whole)
    if (open.length > 0 && open[0] !== name) {
      tags.lastIndex = found.index + 1
      continue
    }
    say(found.index)
    if (is_end && open.length === 0) said = ''
    from = found.index + whole.length
    is_after_tag = true
    if (!/[>\]]$/.test(whole)) return said
    if (is_end) open = open.slice(1)
    else if (!whole.endsWith('/>')) open = [...open, name]
  }
  say(text.length)
  return said
}

const fragments = fc.constantFrom(
  '<think>',
  '</think>',
  '<thinking>',
  '</thinking>',
  '<THINK>',
  '</Think >',
  '<think a="1">',
  '<think/>',
  '<think />',
  '<thought>',
  '</thought>',
  '<reasoning>',
  '</reasoning>',
  '<analysis>',
  '</analysis>',
  '<reflection>',
  '</reflection>',
  '<scratchpad>',
  '</scratchpad>',
  '<|think|>',
  '<|/think|>',
  '</|think|>',
  '[THINK]',
  '[/THINK]',
  '[think',
  '[/',
  '[',
  ']',
  '|',
  '[x]',
  '<|',
  '<|think',
  '<|x|>',
  '[thinking]',
  '<',
  '</',
  '>',
  '/',
  '<thin',
  'king>',
  '<thinker>',
  '<b>',
  'Hello',
  ' ',
  '\n\n',
  'a < b',
  'é',
  '😀',
  '<think',
  '</think',
  'x',
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

test('of words that were shown as they came only the tag is missing, when the end of a block has no beginning', () => {
  const words = fc.string({ unit: fc.constantFrom('a', ' ', '.', 'é', '\n'), minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(words, words, fc.constantFrom('</think>', '[/THINK]', '<|/think|>'), (before, after, end) => {
      fc.pre(before.trim() !== '' && after.trim() !== '')
      const pieces = [...before, ...end, ...after]
      assert.equal(shown(pieces, { is_whole: false }), before + after)
      assert.equal(shown([before + end + after], { is_whole: false }), after.trimStart())
      assert.equal(shown(pieces), after.trimStart())
    }),
    runs(),
  )
})

test('words without thinking are said as they are, and at once', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      fc.pre(!/<[|/]*[tras]|\[\/?t/i.test(text))
      assert.equal(shown([text]), text)
      if (!/(<[|/]{0,2}|\[\/?)$/.test(text)) assert.equal(withoutThinking(no_thinking, text).words, text)
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
  ['a</think>b', 'b'],
  ['secret</think>\n\nVisible.', 'Visible.'],
  ['secret <think>more</think> secret</think>Visible.', 'Visible.'],
  ['secret</THINKING >Visible.', 'Visible.'],
  ['[THINK]secret[/THINK]Visible.', 'Visible.'],
  ['secret[/THINK]Visible.', 'Visible.'],
  ['<|think|>secret<|/think|>Visible.', 'Visible.'],
  ['<|think|>secret</think>Visible.', 'Visible.'],
  ['<Reflection>secret</reflection><analysis x="1">secret</analysis>Visible.', 'Visible.'],
  ['<scratchpad>secret', ''],
  ['We [think] so', 'We '],
  ['We [think so], and press [1]', 'We [think so], and press [1]'],
  ['secret</think', ''],
  ['a <thi', 'a <thi'],
  ['a <think', 'a '],
] as const) {
  test(`of ${JSON.stringify(text)} a contact gets ${JSON.stringify(words)}`, () => {
    assert.equal(shown([text]), words)
    assert.equal(shown(text.split('')), words)
  })
}
