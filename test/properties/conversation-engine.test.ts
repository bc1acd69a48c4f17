import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { step } from '../../server/talk/engine.ts'
import type { Effect, Input, VoiceInput } from '../../server/talk/input.ts'
import { newState, type Settings, type State } from '../../server/talk/state.ts'
import { runs } from '../support/property-runs.ts'
import { checkWords } from '../support/said-words.ts'

const settings = fc.record<Settings>({
  hand_over_message: fc.constantFrom(null, 'A person answers.'),
  say_while: fc.constantFrom<Record<string, string>>({}, { book: 'One moment.' }),
  tool_rules: fc.constantFrom<NonNullable<Settings['tool_rules']>>(
    {},
    { book: { calls_max: 1, may_repeat: true, confirm: null } },
    { book: { calls_max: null, may_repeat: false, confirm: null } },
    { book: { calls_max: 2, may_repeat: false, confirm: '' } },
  ),
  greeting: fc.constantFrom(null, 'Hello.'),
  has_last_words: fc.boolean(),
  has_fallback: fc.boolean(),
  can_hand_over: fc.boolean(),
  hands_over_on_failure: fc.boolean(),
  obeys_stop_words: fc.boolean(),
  sentences: fc.constant({
    failed: 'Sorry.',
    goodbye: 'Bye.',
    limit: 'Goodbye.',
    handed_over: 'One moment.',
    nobody_yet: 'Please wait.',
    still_there: 'Hello?',
    one_moment: 'Wait.',
    no_more_calls: 'No more.',
    no_more_question: 'No more calls and messages?',
    nobody_free: 'Nobody.',
    not_transferred: 'Not reached.',
    cut_off: 'Cut off.',
    is_that_right: 'Right?',
  }),
  language: fc.constant('en'),
  turns_max: fc.constantFrom(3, 200),
  tokens_max: fc.constantFrom(20, 60_000),
  reply_characters_max: fc.constantFrom(12, 4_000),
  idle_ms: fc.constant(10_000),
  first_piece_ms: fc.constant(100),
  answer_ms: fc.constant(300),
  tools_ms: fc.constant(200),
  person_ms: fc.constant(500),
  voice: fc.constant(null),
})

/** Calls have their own properties. */
type TextType = Exclude<Input['type'], VoiceInput['type']>

/** What happens next. Replies and tool runs are chosen among those that exist when it happens. */
interface Command {
  type: TextType
  text: string
  pass_ms: number
  /** Chooses a reply or run: the current one, or an old or unknown one. */
  chosen: number
  tool: string
  is_ok: boolean
}

const command = fc.record<Command>({
  type: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom<TextType[]>('message', 'piece', 'shown', 'tool_call', 'asked', 'tool_done'),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom<TextType[]>(
        'opened',
        'resumed',
        'ask_failed',
        'timer',
        'handed_over',
        'left',
        'answer',
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom<TextType[]>('taken_back', 'close', 'limit') },
  ),
  text: fc.constantFrom('Yes.', 'I would like to book a table. Please', 'stop', ' STOP! ', '💥 '.repeat(9), ''),
  pass_ms: fc.constantFrom(0, 1, 150, 600, 20_000),
  chosen: fc.nat({ max: 9 }),
  tool: fc.constantFrom('book', 'hand_over', 'end_conversation'),
  is_ok: fc.boolean(),
})

const sequence = fc.tuple(settings, fc.array(command, { maxLength: 60, size: 'max' }))

/** A model that calls one tool again and again. Anything else seldom does. */
const insistence = fc.record<Command>({
  type: fc.constantFrom<TextType[]>('tool_call', 'asked', 'tool_done', 'tool_call', 'asked', 'tool_done', 'message'),
  text: fc.constantFrom('Yes.', 'No.'),
  pass_ms: fc.constant(0),
  chosen: fc.nat({ max: 6 }),
  tool: fc.constant('book'),
  is_ok: fc.boolean(),
})
const insistent = fc.tuple(settings, fc.array(insistence, { maxLength: 60, size: 'max' }))

/** What was seen of one conversation. */
interface Seen {
  now: number
  ids: number
  replies: string[]
  runs: string[]
}

function toInput({ type, text, chosen, tool, is_ok }: Command, state: State, seen: Seen): Input {
  const { now } = seen
  seen.ids += 1
  const id = `id${seen.ids}`
  const current = <T>(own: T | undefined, old: T[], other: T): T =>
    (chosen < 7 ? own : old[chosen % Math.max(1, old.length)]) ?? other
  const reply = current(state.reply?.id, seen.replies, 'unknown')
  const run = current(state.open_runs[chosen % Math.max(1, state.open_runs.length)]?.run, seen.runs, 'unknown')
  const names = Object.keys(state.timers) as (keyof State['timers'])[]
  const usage = { input_tokens: chosen, output_tokens: 1 }
  const inputs: Record<TextType, () => Input> = {
    opened: () => ({ type: 'opened', now, id }),
    message: () => ({ type: 'message', now, id, text }),
    resumed: () => ({ type: 'resumed', now, id }),
    piece: () => ({ type: 'piece', now, reply, text }),
    shown: () => ({ type: 'shown', now, reply }),
    tool_call: () => ({ type: 'tool_call', now, reply, call: { run: id, name: tool, arguments: {} } }),
    asked: () => ({ type: 'asked', now, reply, usage, finish_reason: is_ok ? 'stop' : 'length' }),
    ask_failed: () => ({ type: 'ask_failed', now, reply }),
    tool_done: () => ({ type: 'tool_done', now, run, status: is_ok ? 'succeeded' : 'failed', result: text }),
    timer: () => ({ type: 'timer', now, name: names[chosen % Math.max(1, names.length)] ?? 'answer' }),
    handed_over: () => ({ type: 'handed_over', now, reason: text }),
    left: () => ({ type: 'left', now }),
    answer: () => ({ type: 'answer', now, text }),
    taken_back: () => ({ type: 'taken_back', now, id }),
    close: () => ({ type: 'close', now, reason: 'api' }),
    limit: () => ({ type: 'limit', now }),
  }
  return inputs[type]()
}

interface Stepped {
  before: State
  input: Input
  state: State
  effects: Effect[]
}

/** Runs the commands of one conversation, and returns every step. */
function run([settings, commands]: [Settings, Command[]]): Stepped[] {
  const seen: Seen = { now: 0, ids: 0, replies: [], runs: [] }
  let state = newState(settings, 0)
  return commands.map((command) => {
    seen.now += command.pass_ms
    const before = state
    const input = toInput(command, before, seen)
    const stepped = step(before, input)
    for (const effect of stepped.effects) {
      if (effect.type === 'ask') seen.replies.push(effect.reply)
      if (effect.type === 'run_tool') seen.runs.push(effect.call.run)
    }
    state = stepped.state
    return { before, input, ...stepped }
  })
}

function property(name: string, check: (steps: Stepped[]) => void, sequences = sequence): void {
  void test(name, () => {
    fc.assert(
      fc.property(sequences, (sequence) => check(run(sequence))),
      runs(),
    )
  })
}

const ofType = <T extends Effect['type']>(effects: Effect[], type: T) =>
  effects.filter((effect): effect is Extract<Effect, { type: T }> => effect.type === type)

property('each reply ends exactly once, and one is active at a time', (steps) => {
  const active = new Set<string>()
  const ended = new Set<string>()
  for (const { effects, state } of steps) {
    for (const effect of effects) {
      if (effect.type === 'ask' || effect.type === 'say') active.add(effect.reply)
      if ('reply' in effect && effect.type !== 'stop_asking') assert.ok(!ended.has(effect.reply), effect.type)
      if (effect.type !== 'end_reply') continue
      active.delete(effect.reply)
      ended.add(effect.reply)
    }
    assert.ok(active.size <= 1)
    if (state.phase === 'listening' || state.phase === 'ended') assert.deepEqual([active.size, state.reply], [0, null])
  }
})

property('every tool call has exactly one result before the model is asked again', (steps) => {
  const called = new Set<string>()
  const written: string[] = []
  for (const { effects } of steps) {
    for (const effect of effects) {
      if (effect.type === 'run_tool') called.add(effect.call.run)
      if (effect.type === 'write') written.push(...effect.turn.runs.map(({ run }) => run))
      if (effect.type !== 'ask') continue
      const in_history = effect.history.flatMap(({ runs }) => runs.map(({ run }) => run))
      assert.equal(new Set(in_history).size, in_history.length, 'no result twice')
      const known = new Set([...in_history, ...written])
      assert.deepEqual(
        [...called].filter((run) => !known.has(run)),
        [],
        'none without a result',
      )
    }
  }
  assert.equal(new Set(written).size, written.length)
})

property('history has only words that were said, with a mark where they were cut', (steps) => {
  const said = new Map<string, string>()
  const turns: { text: string; is_cut: boolean }[] = []
  for (const { effects, state } of steps) {
    for (const effect of effects) {
      if (effect.type === 'say') said.set(effect.reply, (said.get(effect.reply) ?? '') + effect.text)
      if (effect.type === 'write' && effect.turn.reply !== null) {
        assert.equal(effect.turn.text, said.get(effect.turn.reply))
        turns.push({ text: effect.turn.text, is_cut: effect.turn.is_interrupted })
      }
      if (effect.type !== 'ask') continue
      const so_far = effect.history.filter((entry) => !state.history.includes(entry))
      const rest = effect.history.filter((entry) => state.history.includes(entry))
      assert.deepEqual(rest, state.history)
      const texts = so_far.map(({ role, text }) => ({ role, text }))
      if (so_far.length > 0) assert.deepEqual(texts, [{ role: 'agent', text: said.get(effect.reply) ?? '' }])
    }
    const by_agent = state.history.filter(({ role }) => role === 'agent').map(({ text, is_cut }) => ({ text, is_cut }))
    assert.deepEqual(by_agent, by_agent.length > 0 ? turns.slice(-by_agent.length) : [])
  }
})

property('words that nobody was shown are forgotten when the reply is interrupted', (steps) => {
  const shown = new Set<string>()
  for (const { before, input, effects } of steps) {
    if (input.type === 'shown' && before.reply?.id === input.reply) shown.add(input.reply)
    const cut = ofType(effects, 'end_reply').filter(
      ({ outcome }) => outcome === 'interrupted' || outcome === 'superseded',
    )
    for (const { turn } of ofType(effects, 'write')) {
      const is_cut = cut.some(({ reply }) => reply === turn.reply)
      if (is_cut) assert.ok(shown.has(turn.reply ?? ''))
    }
  }
})

property('an input for an old reply or run changes nothing', (steps) => {
  for (const { state } of steps) {
    const now = 0
    const old: Input[] = [
      { type: 'piece', now, reply: 'old', text: 'x' },
      { type: 'shown', now, reply: 'old' },
      { type: 'tool_call', now, reply: 'old', call: { run: 'r', name: 'book', arguments: {} } },
      { type: 'asked', now, reply: 'old', usage: { input_tokens: 1, output_tokens: 1 } },
      { type: 'ask_failed', now, reply: 'old' },
      { type: 'tool_done', now, run: 'old', status: 'succeeded', result: '' },
    ]
    for (const input of old) assert.deepEqual(step(state, input), { state, effects: [] })
  }
})

property('after the end nothing is done', (steps) => {
  for (const { before, effects } of steps) if (before.phase === 'ended') assert.deepEqual(effects, [])
})

property('every state that waits has a timer, and the timers alone end the conversation', (steps) => {
  for (const { state } of steps) assert.equal(Object.keys(state.timers).length > 0, state.phase !== 'ended')
  let state = steps.at(-1)?.state
  for (let count = 0; state && state.phase !== 'ended'; count += 1) {
    assert.ok(count < 40, 'it ends')
    const [name, now] = Object.entries(state.timers).toSorted(([, one], [, other]) => one - other)[0] ?? ['idle', 0]
    state = step(state, { type: 'timer', now, name: name as keyof State['timers'] }).state
  }
})

property('the same input gives the same state and effects, and the state before stays as it was', (steps) => {
  for (const { before, input } of steps) {
    const text = JSON.stringify(before)
    assert.equal(JSON.stringify(step(before, input)), JSON.stringify(step(JSON.parse(text), input)))
    assert.equal(JSON.stringify(before), text)
  }
})

property(
  'a tool that asks first runs only right after a yes to its question',
  (steps) => {
    for (const { before, input, effects } of steps) {
      if (before.settings.tool_rules?.book?.confirm == null) continue
      if (!ofType(effects, 'run_tool').some(({ call }) => call.name === 'book')) continue
      const said = [...before.history, ...(input.type === 'message' ? [{ role: 'contact', text: input.text }] : [])]
      const last = said.findLastIndex(({ role }) => role !== 'contact')
      assert.match(said[last]?.text ?? '', /book\. Right\?$/)
      assert.ok(said.slice(last + 1).every(({ role, text }) => role === 'contact' && text === 'Yes.'))
    }
  },
  insistent,
)

property(
  'a run that has succeeded is not repeated before the contact has spoken',
  (steps) => {
    const done = new Set<string>()
    for (const { before, input, effects } of steps) {
      if (before.settings.tool_rules?.book?.may_repeat !== false) return
      if (input.type === 'message') done.clear()
      const open = before.open_runs.find((one) => input.type === 'tool_done' && one.run === input.run)
      for (const { call } of ofType(effects, 'run_tool')) assert.ok(call.name !== 'book' || !done.has(call.name))
      if (open && input.type === 'tool_done' && input.status === 'succeeded') done.add(open.name)
    }
  },
  insistent,
)

property('a word that opts out is acted on before any model sees it, and nothing else opts anyone out', (steps) => {
  for (const { before, input, state, effects } of steps) {
    const is_stop = input.type === 'message' && ['stop', ' STOP! '].includes(input.text)
    const opts_out = is_stop && before.settings.obeys_stop_words && before.phase !== 'ended'
    assert.equal(ofType(effects, 'opt_out').length, opts_out ? 1 : 0)
    if (!opts_out) continue
    assert.deepEqual(ofType(effects, 'ask'), [])
    assert.deepEqual([state.phase, ofType(effects, 'close')[0]?.reason], ['ended', 'opted_out'])
  }
})

property('the contact gets words after everything that fails, from the fallback if the model said nothing', checkWords)

property('a turn of the agent says how it ended, and others do not', (steps) => {
  for (const { effects } of steps)
    for (const { turn } of ofType(effects, 'write')) {
      assert.equal(turn.finish_reason !== undefined, turn.role === 'agent')
      assert.equal(turn.is_interrupted, turn.finish_reason === 'interrupted')
    }
})

property('the contact always gets an answer: each message is followed by words, a person or the end', (steps) => {
  for (const { before, input, state, effects } of steps) {
    if (input.type !== 'message' || before.phase === 'ended') continue
    const is_followed = state.reply !== null || state.phase === 'handed_over' || state.phase === 'ended'
    assert.ok(is_followed, JSON.stringify(effects))
  }
  for (const { effects } of steps)
    for (const { turn } of ofType(effects, 'write')) assert.ok(turn.role === 'human' || turn.text !== '')
})
