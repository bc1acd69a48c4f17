import assert from 'node:assert/strict'
import { test } from 'node:test'
import { complete } from '../../server/agents/configuration.ts'
import type { Conversation } from '../../server/conversations/schema.ts'
import { step } from '../../server/talk/engine.ts'
import type { Effect, EngineInput, Input } from '../../server/talk/input.ts'
import { sentencesIn } from '../../server/talk/sentences.ts'
import { settingsFor, time_limits, voice_time_limits } from '../../server/talk/settings.ts'
import { newState, type Settings } from '../../server/talk/state.ts'

const { failed, goodbye, one_moment, handed_over } = sentencesIn('en')

function settings(kind: Conversation['kind'], more: Partial<Settings> = {}): Settings {
  const limits = kind === 'voice' ? voice_time_limits : time_limits
  const given = { values: {}, say_while: {}, time_limits: limits, kind }
  return {
    ...settingsFor(complete({ hand_over: { is_allowed: true, on_failure: false, message: null } }), given),
    ...more,
  }
}

/** Lets things happen one after the other, and returns all that is to be done. */
function happen(given: Settings, inputs: (EngineInput & { now?: number })[]): Effect[] {
  let state = newState(given, 0)
  return inputs.flatMap(({ now = 0, ...input }) => {
    const stepped = step(state, { ...input, now } as Input)
    state = stepped.state
    return stepped.effects
  })
}

const ofType = <T extends Effect['type']>(effects: Effect[], type: T) =>
  effects.filter((effect): effect is Extract<Effect, { type: T }> => effect.type === type)

const wordsOf = (effects: Effect[]): string =>
  ofType(effects, 'say')
    .map(({ text }) => text)
    .join('')

const reply = 'r'
const asked: EngineInput = { type: 'asked', reply, usage: { input_tokens: 1, output_tokens: 1 } }
const message: EngineInput = { type: 'message', id: reply, text: 'When are you open?' }
const piece = (text: string): EngineInput => ({ type: 'piece', reply, text })
const uses = (name: string): EngineInput[] => [
  { type: 'tool_call', reply, call: { run: name, name, arguments: {} } },
  asked,
  { type: 'tool_done', run: name, status: 'succeeded', result: 'Done.' },
]

/** A call in which the model is asked for the first words, and takes long. */
const slow_call = [
  { type: 'answered' as const },
  { type: 'timer' as const, name: 'opening' as const, id: reply, now: 1_500 },
  { type: 'timer' as const, name: 'filler' as const, now: 2_700 },
  { type: 'timer' as const, name: 'first_piece' as const, now: 5_500 },
]

test('in a call a model that takes too long is followed by a sentence, also after a filler', () => {
  const effects = happen(settings('voice'), slow_call)
  assert.equal(wordsOf(effects), `${one_moment} ${failed}`)
  assert.equal(ofType(effects, 'end_words').length, 1)
})

test('in a call the fallback is asked the same after a filler, and knows nothing of it', () => {
  const effects = happen(settings('voice', { has_fallback: true }), [...slow_call, piece('Hello.'), asked])
  const [first, again] = ofType(effects, 'ask')
  assert.deepEqual(again, { ...first, is_fallback: true })
  assert.equal(wordsOf(effects), `${one_moment} Hello.`)
})

test('words that come with a tool that tells nothing can be the whole answer', () => {
  const effects = happen(settings('api'), [
    message,
    piece('Noted. When do you want to come?'),
    ...uses('set_result'),
    asked,
  ])
  const [{ turn } = { turn: undefined }] = ofType(effects, 'write').filter(({ turn }) => turn.role === 'agent')
  assert.deepEqual([turn?.text, turn?.finish_reason], ['Noted. When do you want to come?', 'stop'])
})

test('a model that ends the conversation after a tool is asked for last words, whatever it said before the tool', () => {
  const inputs = [message, piece('Let me check.'), ...uses('look_up'), ...uses('end_conversation')]
  assert.equal(ofType(happen(settings('api'), inputs), 'ask').length, 3)
  const effects = happen(settings('api'), [...inputs, asked])
  assert.equal(wordsOf(effects), `Let me check. ${goodbye}`)
  assert.equal(ofType(effects, 'close')[0]?.reason, 'agent_ended')
})

test('a hand-over without words is explained, whatever was said before a tool', () => {
  const effects = happen(settings('api'), [message, piece('Let me check.'), ...uses('look_up'), ...uses('hand_over')])
  assert.equal(wordsOf(effects), `Let me check. ${handed_over}`)
})

test('a script that ends after a tool says no more than it says', () => {
  const script = settings('api', { has_last_words: false })
  const effects = happen(script, [
    message,
    piece('I book it. Goodbye!'),
    ...uses('look_up'),
    ...uses('end_conversation'),
  ])
  assert.equal(wordsOf(effects), 'I book it. Goodbye!')
})

test('last words that fail do not hand over a conversation that has ended', () => {
  const given = settings('api', { hands_over_on_failure: true })
  const effects = happen(given, [
    message,
    ...uses('end_conversation'),
    piece('Thank you and'),
    { type: 'ask_failed', reply },
  ])
  assert.equal(wordsOf(effects), `Thank you and ${goodbye}`)
  assert.deepEqual([ofType(effects, 'close').length, ofType(effects, 'hand_over').length], [1, 0])
})

test('what is said while a tool runs comes before its result', () => {
  const given = settings('api', { say_while: { look_up: 'One moment.' } })
  const [, second] = ofType(happen(given, [message, ...uses('look_up')]), 'ask')
  const last = second?.history.at(-1)
  assert.deepEqual([last?.text, last?.runs[0]?.after], ['One moment.', 'One moment.'.length])
})

test('by SMS a long answer that fails is shortened, so that the carrier takes it', () => {
  const sentence = 'This is a long sentence. '
  const effects = happen(settings('sms'), [message, piece(sentence.repeat(63)), { type: 'ask_failed', reply }])
  const [{ turn } = { turn: undefined }] = ofType(effects, 'write').filter(({ turn }) => turn.role === 'agent')
  assert.ok(turn && turn.text.length <= 1_600 && turn.text.length > 1_500)
  assert.ok(turn.text.endsWith(`long sentence. ${failed}`))
})
