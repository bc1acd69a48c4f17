import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { assertSupportedSchema, type RequestSchema, validate } from '../../server/kit/http/validate.ts'
import { type ScriptInput, type ScriptState, type ScriptStep, stepScript } from '../../server/models/script.ts'
import { checkScript, Script, type ScriptNode } from '../../server/models/script-schema.ts'
import { fill } from '../../server/models/template.ts'

const guide = fs.readFileSync(path.resolve(import.meta.dirname, '../../server/guide.md'), 'utf8')
const [, section = ''] = /\n## Scripts\n(.*?)\n## /s.exec(guide) ?? []
const examples = Array.from(section.matchAll(/```json\n(.*?)```/gs), ([, json = '']) => JSON.parse(json))
const [booking] = examples as Script[]
assert.ok(booking)

const schemaFaults = (script: unknown) => validate(Script as RequestSchema, script).faults
const faultsOf = (nodes: Record<string, ScriptNode>, start = 'a') => checkScript({ start, nodes })

const now = Date.parse('2026-11-15T12:00:00Z')
const heard = (text: string): ScriptInput => ({ type: 'heard', text, now })
const fresh = (variables = {}): ScriptState => ({ node: null, variables })

/** Everything that the agent says and does. */
function play(script: Script, inputs: (string | ScriptInput)[], variables = {}): ScriptStep[] {
  let state = fresh(variables)
  return inputs.map((input) => {
    const step = stepScript(script, state, typeof input === 'string' ? heard(input) : input)
    state = step.state
    return step
  })
}
const begin: ScriptInput = { type: 'begin' }

test('the examples of the guide are valid', () => {
  for (const script of examples) assert.deepEqual([...schemaFaults(script), ...checkScript(script)], [])
})

test('the error that the guide shows is that of the example', () => {
  const [, shown = ''] = /```\n(\{"path".*?)\n```/s.exec(section) ?? []
  const { book, ...nodes } = booking.nodes
  assert.deepEqual(checkScript({ ...booking, nodes: { ...nodes, book: { ...book, ok: 'finish' } } }), [
    JSON.parse(shown),
  ])
})

test('requests can use the schema, and its examples are valid', () => {
  assertSupportedSchema(Script)
  const { start, nodes } = Script.properties as unknown as Record<'start' | 'nodes', { examples: unknown[] }>
  const example = { start: start.examples[0], nodes: nodes.examples[0] }
  assert.deepEqual([...schemaFaults(example), ...checkScript(example as Script)], [])
})

test('the schema rejects unknown intents, slots and fields, and names the node', () => {
  const nodes = { a: { say: 'x', on: [{ intent: 'maybe', go: '@end' }, { slot: 'size', go: '@end' }, {}], said: 'x' } }
  assert.deepEqual(
    schemaFaults({ start: 'a', nodes }).map(({ path, code }) => `${path} ${code}`),
    ['nodes.a.said unknown', 'nodes.a.on.0.intent enum', 'nodes.a.on.1.slot enum', 'nodes.a.on.2.go required'],
  )
})

test('a script with a fault is rejected, and the message names the node', () => {
  const end = '@end'
  const rows: [Record<string, ScriptNode>, string, RegExp][] = [
    [{ b: { go: end } }, 'start', /^start: there is no node "a"\.$/],
    [{ a: { go: 'b' } }, 'nodes.a.go', /^nodes\.a: go is "b", which is no node, @end or @hand_over\.$/],
    [{ a: { go: '@ende' } }, 'nodes.a.go', /^nodes\.a: go is "@ende"/],
    [{ a: { go: 'constructor' } }, 'nodes.a.go', /^nodes\.a: go is "constructor"/],
    [{ a: { say: 'x', on: [{ intent: 'yes', go: 'b' }] } }, 'nodes.a.on.0.go', /^nodes\.a: on\.0\.go is "b"/],
    [{ a: { else: { go: 'b' } } }, 'nodes.a.else.go', /^nodes\.a: else\.go is "b"/],
    [{ a: { else: { go: end }, silence: { go: 'b' } } }, 'nodes.a.silence.go', /^nodes\.a: silence\.go is "b"/],
    [{ a: { tool: 't', ok: 'b', failed: end } }, 'nodes.a.ok', /^nodes\.a: ok is "b"/],
    [{ a: { tool: 't', ok: end, failed: 'b' } }, 'nodes.a.failed', /^nodes\.a: failed is "b"/],
    [{ a: { tool: 't', ok: end } }, 'nodes.a.failed', /^nodes\.a: failed is required together with tool\.$/],
    [{ a: { tool: 't', ok: end, failed: end, say: 'x' } }, 'nodes.a.say', /^nodes\.a: say is not allowed/],
    [{ a: { go: end, ok: end } }, 'nodes.a.ok', /^nodes\.a: ok is only allowed together with tool\.$/],
    [{ a: { say: 'Hello.' } }, 'nodes.a', /^nodes\.a: one of on, else, go or tool is required\.$/],
    [{ a: { else: { go: end }, go: end } }, 'nodes.a.go', /^nodes\.a: go is not allowed together with on/],
    [
      { a: { say: 'x', on: [{ go: end }] } },
      'nodes.a.on.0',
      /^nodes\.a: on\.0 must have exactly one of hear, intent and slot\.$/,
    ],
    [{ a: { say: 'x', on: [{ hear: ['x'], slot: 'date', go: end }] } }, 'nodes.a.on.0', /exactly one/],
    [
      { a: { say: 'x', on: [{ hear: [], go: end }] } },
      'nodes.a.on.0.hear',
      /^nodes\.a: on\.0\.hear must not be empty\.$/,
    ],
    [
      { a: { say: 'x', on: [{ hear: ['?!'], go: end }] } },
      'nodes.a.on.0.hear.0',
      /^nodes\.a: on\.0\.hear\.0 must contain/,
    ],
    [{ a: { else: {} } }, 'nodes.a.else', /^nodes\.a: else must have say or go\.$/],
    [{ a: { go: end }, b: { on: [{ intent: 'yes', go: end }] } }, 'nodes.b', /^nodes\.b: say or else is required, for/],
    [{ a: { go: '@x' }, '@x': { go: end } }, 'nodes.@x', /^nodes\.@x: the name of a node/],
    [{ a: { press: '2' } }, 'nodes.a', /^nodes\.a: one of on, else, go or tool is required\.$/],
    [
      { a: { tool: 't', ok: end, failed: end, press: '2' } },
      'nodes.a.press',
      /^nodes\.a: press is not allowed together with tool\.$/,
    ],
    [
      { a: { go: end, is_uninterruptible: true } },
      'nodes.a.is_uninterruptible',
      /^nodes\.a: is_uninterruptible is only allowed together with say\.$/,
    ],
    [{ a: { tool: 't', with: { x: '\0' }, ok: end, failed: end } }, 'nodes.a.with', /^nodes\.a: with can have/],
  ]
  for (const [nodes, path, message] of rows) {
    const [fault, ...others] = faultsOf(nodes)
    assert.deepEqual([fault?.path, others], [path, []], JSON.stringify(nodes))
    assert.match(fault?.message ?? '', message)
  }
})

test('nodes that no one reaches are allowed', () => {
  assert.deepEqual(faultsOf({ a: { go: '@end' }, b: { say: 'x', go: 'a' } }), [])
})

test('a circle in which the agent never waits is rejected', () => {
  const circle = { a: { say: 'x', go: 'b' }, b: { tool: 't', ok: '@end', failed: 'c' }, c: { go: 'a' } }
  const message = 'nodes.a: a -> b -> c -> a never waits for the contact. Add "on" or "else" to one of these nodes.'
  assert.deepEqual(faultsOf(circle), [{ path: 'nodes.a', code: 'endless', message }])
  assert.deepEqual(faultsOf({ ...circle, c: { else: { go: 'a' } } }), [])
  assert.match(faultsOf({ a: { go: 'a' } })[0]?.message ?? '', /^nodes\.a: a -> a never waits/)
})

test('a script can have 500 nodes, 256 kB, and 64 kB of phrases at a node', () => {
  const nodes = (count: number, node: ScriptNode = { go: '@end' }) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [index === 0 ? 'a' : `n${index}`, node]))
  assert.deepEqual(faultsOf(nodes(500)), [])
  assert.deepEqual(faultsOf(nodes(501)), [
    { path: 'nodes', code: 'too_many', message: 'A script can have at most 500 nodes.' },
  ])
  const empty = JSON.stringify({ start: 'a', nodes: { a: { say: '', go: '@end' } } }).length
  const ofSize = (bytes: number) => faultsOf({ a: { say: 'x'.repeat(bytes - empty), go: '@end' } })
  assert.deepEqual(ofSize(256_000), [])
  assert.equal(ofSize(256_001)[0]?.message, 'A script can have at most 256 kB.')
  const phrases = (bytes: number) => faultsOf({ a: { say: 'x', on: [{ hear: ['x'.repeat(bytes)], go: '@end' }] } })
  assert.deepEqual(phrases(64_000), [])
  assert.equal(phrases(64_001)[0]?.message, 'nodes.a: the phrases of a node can have at most 64 kB.')
})

test('a conversation goes through the example of the guide', () => {
  const steps = play(booking, [
    begin,
    'when are you open?',
    'hm',
    'could we do Wednesday',
    'yes',
    { type: 'tool_done', is_ok: true },
  ])
  assert.deepEqual(
    steps.map(({ say, next }) => [say, next]),
    [
      ['Hello there, is Tuesday at nine all right?', 'wait'],
      ['Nine to six. Hello there, is Tuesday at nine all right?', 'wait'],
      ['Sorry, I did not get that. Hello there, is Tuesday at nine all right?', 'wait'],
      ['Shall I book 2026-11-18 at nine?', 'wait'],
      ['', { tool: 'book_slot', arguments: { day: '2026-11-18' } }],
      ['Booked. Goodbye.', 'end'],
    ],
  )
  assert.deepEqual(steps[3]?.results, { date: '2026-11-18' })
  assert.deepEqual(steps[3]?.state, { node: 'other_day', variables: { date: '2026-11-18' } })
})

test('first words are matched at the start node; without a match the agent says what it has to', () => {
  assert.deepEqual(play(booking, ['yes'])[0]?.next, { tool: 'book_slot', arguments: { day: '2026-11-17' } })
  assert.equal(play(booking, ['hello'])[0]?.say, 'Hello there, is Tuesday at nine all right?')
})

test('a failed tool, silence and a request to repeat are handled', () => {
  assert.equal(play(booking, ['yes', { type: 'tool_done', is_ok: false }])[1]?.next, 'hand_over')
  assert.equal(play(booking, [begin, { type: 'silence' }])[1]?.say, 'Are you still there?')
  assert.equal(play(booking, [begin, 'pardon?'])[1]?.say, 'Hello there, is Tuesday at nine all right?')
  const handled: Script = {
    start: 'a',
    nodes: { a: { say: 'A.', on: [{ intent: 'repeat', say: 'Once more:', go: 'a' }], else: { say: 'What?' } } },
  }
  assert.deepEqual(checkScript(handled), [])
  assert.deepEqual(
    play(handled, [begin, 'say that again', 'blue']).map(({ say }) => say),
    ['A.', 'Once more: A.', 'What?'],
  )
})

test('words that arrive while a tool runs do not run it again', () => {
  const [, second, third] = play(booking, ['yes', 'yes, do it', { type: 'tool_done', is_ok: true }])
  assert.deepEqual([second?.say, second?.next], ['', 'wait'])
  assert.equal(third?.say, 'Booked. Goodbye.')
})

test('digits are pressed after the words, and lead to go, whatever became of them', () => {
  const nodes = {
    a: { say: 'One moment.', press: '12*#', go: 'b' },
    b: { say: 'Hello?', else: { go: '@end' } },
  }
  assert.deepEqual(faultsOf(nodes), [])
  for (const is_ok of [true, false]) {
    const script = { start: 'a', nodes }
    const [first, second, third] = play(script, [begin, 'press one', { type: 'tool_done', is_ok, result: 'x' }])
    assert.deepEqual([first?.say, first?.state.node], ['One moment.', 'a'])
    assert.deepEqual(first?.next, { tool: 'press_digits', arguments: { digits: '12*#' } })
    assert.deepEqual([second?.say, second?.next], ['', 'wait'])
    assert.deepEqual([third?.say, third?.state], ['Hello?', { node: 'b', variables: {} }])
  }
})

test('after digits a node can wait for an answer', () => {
  const on = [{ hear: ['support'], say: 'Good.', go: '@end' }]
  const nodes = { a: { press: '2', on, silence: { say: 'Hello?' }, else: { say: 'Once more.', go: 'a' } } }
  assert.deepEqual(faultsOf(nodes), [])
  const done: ScriptInput = { type: 'tool_done', is_ok: true }
  const steps = play({ start: 'a', nodes }, [begin, done, { type: 'silence' }, 'hm', done, 'support here'])
  const pressed = { tool: 'press_digits', arguments: { digits: '2' } }
  assert.deepEqual(
    steps.map(({ say, next }) => [say, next]),
    [
      ['', pressed],
      ['', 'wait'],
      ['Hello?', 'wait'],
      ['Once more.', pressed],
      ['', 'wait'],
      ['Good.', 'end'],
    ],
  )
})

test('digits are 1 to 20 of 0 to 9, * and #', () => {
  const faults = (press: string) =>
    schemaFaults({ start: 'a', nodes: { a: { press, go: '@end' } } }).map(({ path }) => path)
  for (const press of ['2', '0123456789*#', '1'.repeat(20)]) assert.deepEqual(faults(press), [])
  for (const press of ['', 'a', '1 2', '1'.repeat(21)]) assert.deepEqual(faults(press), ['nodes.a.press'], press)
})

test('what must be heard marks all that is said with it, also when it is repeated', () => {
  const nodes = {
    a: { say: 'This call is recorded.', is_uninterruptible: true, go: 'b' },
    b: { say: 'Shall I go on?', on: [{ intent: 'yes' as const, say: 'Good.', go: 'c' }] },
    c: { say: 'It costs nine euros.', is_uninterruptible: true, on: [{ intent: 'no' as const, go: '@end' }] },
  }
  assert.deepEqual(faultsOf(nodes), [])
  const steps = play({ start: 'a', nodes }, [begin, 'blue', 'yes', 'blue', 'no'])
  assert.deepEqual(
    steps.map(({ say, is_uninterruptible }) => [say, is_uninterruptible]),
    [
      ['This call is recorded. Shall I go on?', true],
      ['Shall I go on?', false],
      ['Good. It costs nine euros.', true],
      ['It costs nine euros.', true],
      ['', false],
    ],
  )
})

test('after a hand-over the script begins again', () => {
  const [first, second] = play(booking, ['let me speak to someone', 'hello'])
  assert.equal(first?.next, 'hand_over')
  assert.equal(second?.say, 'Hello there, is Tuesday at nine all right?')
})

test('the best score wins, then the longer phrase, then the order', () => {
  const targets = ['one', 'two', 'three', 'four']
  const on = [
    { hear: ['cancel'], go: 'one' },
    { hear: ['cancel my order'], go: 'two' },
    { hear: ['order my cancel'], go: 'three' },
    { hear: ['order a big pizza'], go: 'four' },
  ]
  const nodes = Object.fromEntries(targets.map((name) => [name, { say: name, else: {} }]))
  const script = { start: 'a', nodes: { a: { on }, ...nodes } }
  const answers = ['cancel', 'cancel my order', 'cancel order', 'order a pizza'].map(
    (text) => play(script, [text])[0]?.say,
  )
  assert.deepEqual(answers, ['one', 'two', 'one', 'four'])
})

test("a tool's result can be said, and is never read as a placeholder", () => {
  const script: Script = {
    start: 'a',
    nodes: {
      a: { tool: 'find', with: { of: ['{{who}}', 1, null], deep: { x: '{{who}}' } }, ok: 'b', failed: 'b' },
      b: { say: '{{find.day}} {{find.price}} {{find.list|none}} {{find}}', go: '@end' },
    },
  }
  const result = { day: '{{secret}}', price: 5, list: [1], nul: 'a\0b\u0007' }
  const [first, second] = play(script, [begin, { type: 'tool_done', is_ok: true, result }], {
    who: '{{x}}',
    secret: 's',
  })
  assert.deepEqual(first?.next, { tool: 'find', arguments: { of: ['{{x}}', 1, null], deep: { x: '{{x}}' } } })
  assert.equal(second?.say, '{{secret}} 5 none')
  assert.equal(second?.state.variables['find.nul'], 'ab')
})

test('placeholders are replaced with values or defaults', () => {
  const values = { 'contact.first_name': 'Ada', empty: '', zero: 0, none: null, dollar: '$& $1', nested: '{{zero}}' }
  const rows: [string, string][] = [
    ['Hello {{contact.first_name|there}}!', 'Hello Ada!'],
    ['{{ contact.first_name }}', 'Ada'],
    ['{{empty|there}} {{none|x}} {{unknown}}.', 'there x .'],
    ['{{zero}} {{dollar}} {{nested}}', '0 $& $1 {{zero}}'],
    ['{{constructor}}{{__proto__}}', ''],
    ['{{ {{zero}} {x} }} {{', '{{ 0 {x} }} {{'],
    ['{{zero|a|b}} {{unknown|a|b}}', '0 a|b'],
  ]
  for (const [text, expected] of rows) assert.equal(fill(text, values), expected)
})

test('a reply has at most 4,000 characters', () => {
  const script: Script = {
    start: 'a',
    nodes: { a: { say: '{{long}}'.repeat(100), go: 'b' }, b: { say: 'x', go: '@end' } },
  }
  const [step] = play(script, [begin], { long: 'y'.repeat(900) })
  assert.deepEqual([step?.say.length, step?.next], [4000, 'end'])
})

test('a script that nobody checked ends as well', () => {
  const circle: Script = { start: 'a', nodes: { a: { say: 'x', go: 'b' }, b: { go: 'a' } } }
  assert.equal(play(circle, [begin])[0]?.next, 'hand_over')
  assert.equal(play({ start: 'constructor', nodes: {} }, [begin])[0]?.next, 'hand_over')
  const lost = stepScript(booking, { node: 'gone', variables: {} }, heard('hello'))
  assert.equal(lost.say, 'Hello there, is Tuesday at nine all right?')
})
