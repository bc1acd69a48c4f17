import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type RequestSchema, validate } from '../../server/kit/http/validate.ts'
import { isWithinDistance } from '../../server/kit/text.ts'
import { intents } from '../../server/models/languages/language.ts'
import { languageOf, listen, normalize, scorePhrases } from '../../server/models/matching.ts'
import { type ScriptInput, type ScriptState, stepScript } from '../../server/models/script.ts'
import { checkScript, Script } from '../../server/models/script-schema.ts'
import { findSlot, slots } from '../../server/models/slots.ts'
import { fill } from '../../server/models/template.ts'
import { anyText, runs } from '../support/property-runs.ts'

const language = fc.constantFrom('en', 'en-GB', 'de-DE', 'fr')
/** Words that mean something to the matcher, among any others. */
const word = fc.constantFrom(
  'yes',
  'no',
  'next',
  'tuesday',
  'in',
  'two',
  'hundred',
  'thousand',
  'and',
  'weeks',
  '17',
  '31',
  'november',
  'at',
  '9:30',
  '12/24',
  '2026-02-30',
  '99.99.9999',
  'double',
  'oh',
  'plus',
  'my name is',
  'ada@',
  'dot',
  'half past',
  'the',
  'twenty',
  'first',
  'guten',
  'morgen',
  'uhr',
  'halb',
  'again',
  '{{a}}',
  '{{',
  '|',
  '}}',
  '__proto__',
)
const sentence = fc.array(fc.oneof(word, anyText({ maxLength: 6 })), { maxLength: 12 })
const text = fc.oneof(
  sentence.map((words) => words.join(' ')),
  anyText({ maxLength: 100 }),
)

test('normalizing twice is normalizing once', () => {
  fc.assert(
    fc.property(text, language, (said, tag) => {
      const once = normalize(said, languageOf(tag))
      assert.equal(normalize(once, languageOf(tag)), once)
      assert.match(once, /^$|^\S+( \S+)*$/)
    }),
    runs(),
  )
})

test('a phrase with a word is heard in any message that contains it, in any order', () => {
  const words = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,9}$/), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(words, words, (phrase, others) => {
      const heard = listen([...others, ...phrase.toReversed()].join(', '), languageOf('fr'))
      assert.equal(scorePhrases([phrase.join(' ')], heard)?.score, 1)
    }),
    runs(),
  )
})

test('the edit distance is that of the textbook', () => {
  const short = fc.stringMatching(/^[ab]{0,7}$/)
  fc.assert(
    fc.property(short, short, fc.nat({ max: 3 }), (left, right, max) => {
      assert.equal(isWithinDistance(left, right, max), distance(left, right) <= max)
    }),
    runs(),
  )
})

function distance(left: string, right: string): number {
  if (left === '' || right === '') return left.length + right.length
  if (left[0] === right[0]) return distance(left.slice(1), right.slice(1))
  const rest = [distance(left.slice(1), right), distance(left, right.slice(1)), distance(left.slice(1), right.slice(1))]
  return 1 + Math.min(...rest)
}

const shapes: Record<(typeof slots)[number], RegExp> = {
  digits: /^[0-9]{1,32}$/,
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^([01]\d|2[0-3]):[0-5]\d$/,
  phone: /^\+?[0-9]{2,32}$/,
  name: /^\p{L}.*$/u,
  email: /^\S+@\S+\.\S+$/,
}

test('a slot has its form or nothing, for any text and time', () => {
  const time = fc.integer({ min: 0, max: Date.parse('2100-01-01') })
  const zone = fc.constantFrom('UTC', 'America/New_York', 'Pacific/Kiritimati')
  fc.assert(
    fc.property(text, language, time, zone, (said, tag, now, time_zone) => {
      for (const slot of slots) {
        const found = findSlot(slot, listen(said, languageOf(tag)), { now, language: tag, time_zone })
        if (found) assert.match(found.value, shapes[slot])
      }
    }),
    runs(),
  )
})

test('what stands in a value is never replaced', () => {
  fc.assert(
    fc.property(text, text, (value, other) => {
      assert.equal(fill('{{a}}', { a: value, b: other }), value)
      assert.equal(fill('[{{a}}][{{b|x}}]', { a: value, b: other }), `[${value}][${other || 'x'}]`)
    }),
    runs(),
  )
})

const names = ['a', 'b', 'c', 'd']
const target = fc.constantFrom(...names, ...names, '@end', '@hand_over')
const say = fc.constantFrom('One.', 'Two {{date}}.', '{{a|b}}')
const optional = { requiredKeys: [] }
const reaction = fc.record({ say, go: target }, optional)
const branch = fc
  .tuple(
    fc.oneof(
      fc.record({
        hear: fc.array(fc.constantFrom('yes', 'next tuesday', 'opening hours'), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ intent: fc.constantFrom(...intents) }),
      fc.record({ slot: fc.constantFrom(...slots) }),
    ),
    fc.record({ say, go: target }, { requiredKeys: ['go'] }),
  )
  .map(([listens, does]) => ({ ...listens, ...does }))
const press = fc.constantFrom('2', '*1#')
const node = fc.oneof(
  fc.record({ say, press, go: target }, { requiredKeys: ['go'] }),
  fc.record({ say, is_uninterruptible: fc.boolean(), go: target }),
  fc.record(
    { say, press, on: fc.array(branch, { maxLength: 4 }), silence: reaction, else: reaction },
    { requiredKeys: ['else'] },
  ),
  fc.record({ tool: fc.constantFrom('t', 'u'), with: fc.dictionary(word, say), ok: target, failed: target }),
)
/** Valid by the schema; some have circles that `checkScript` rejects. */
const script = fc.record({ start: fc.constantFrom(...names), nodes: fc.record({ a: node, b: node, c: node, d: node }) })

const now = Date.parse('2026-11-15T12:00:00Z')
const input: fc.Arbitrary<ScriptInput> = fc.oneof(
  fc.constant({ type: 'begin' as const }),
  text.map((said) => ({ type: 'heard' as const, text: said, now })),
  fc.constant({ type: 'silence' as const }),
  fc.record({ type: fc.constant('tool_done' as const), is_ok: fc.boolean(), result: fc.jsonValue() }),
)

test('any script takes any input: it ends, repeats itself exactly, and its state is JSON', () => {
  fc.assert(
    fc.property(script, fc.array(input, { maxLength: 8 }), language, (given, inputs, tag) => {
      let state: ScriptState = { node: null, variables: {} }
      for (const one of inputs) {
        const step = stepScript(given, state, one, { language: tag })
        const stored: ScriptState = JSON.parse(JSON.stringify(state))
        assert.deepEqual(stepScript(given, stored, one, { language: tag }), step)
        assert.ok(step.state.node === null || Object.hasOwn(given.nodes, step.state.node))
        assert.ok(step.next !== 'end' || step.state.node === null)
        state = step.state
      }
    }),
    runs(),
  )
})

test('a valid script never gives up: it hands over only where it says so', () => {
  fc.assert(
    fc.property(script, fc.array(input, { maxLength: 8 }), (given, inputs) => {
      fc.pre(checkScript(given).length === 0)
      assert.deepEqual(validate(Script as RequestSchema, given).faults, [])
      let state: ScriptState = { node: null, variables: {} }
      for (const one of inputs) {
        const step = stepScript(given, state, one)
        if (step.next === 'hand_over') assert.ok(JSON.stringify(given).includes('@hand_over'))
        state = step.state
      }
    }),
    runs(),
  )
})

test('every fault names its node', () => {
  const loose = fc.record(
    {
      say,
      on: fc.array(branch, { maxLength: 2 }),
      silence: reaction,
      else: reaction,
      go: target,
      press,
      is_uninterruptible: fc.boolean(),
      tool: fc.constant('t'),
    },
    optional,
  )
  const broken = fc.record({
    start: fc.constantFrom('a', 'x'),
    nodes: fc.dictionary(fc.constantFrom('a', '@b', 'c'), loose),
  })
  fc.assert(
    fc.property(broken, (given) => {
      for (const { path, code, message } of checkScript(given)) {
        const [, name = ''] = /^nodes\.(@?\w)/.exec(path) ?? []
        assert.ok(message.startsWith(name ? `nodes.${name}: ` : 'start: '), `${path} ${code} ${message}`)
      }
    }),
    runs(),
  )
})
