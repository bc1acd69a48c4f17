import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { step } from '../../server/talk/engine.ts'
import type { Effect, Input } from '../../server/talk/input.ts'
import { newState, type Settings, type SpeechPart, type State, type TimerName } from '../../server/talk/state.ts'
import { runs } from '../support/property-runs.ts'
import { checkWords } from '../support/said-words.ts'

const notice = 'This call is recorded.'
const question = 'No more calls and messages?'

const settings = fc.record<Settings>({
  hand_over_message: fc.constantFrom(null, 'A person answers.'),
  say_while: fc.constantFrom<Record<string, string>>({}, { book: 'One moment.' }),
  tool_rules: fc.constantFrom<NonNullable<Settings['tool_rules']>>(
    {},
    { book: { calls_max: 1, may_repeat: true, confirm: null } },
    { book: { calls_max: null, may_repeat: false, confirm: null } },
    { book: { calls_max: 2, may_repeat: false, confirm: '' } },
  ),
  greeting: fc.constantFrom(null, 'Hello, this is Acme.'),
  has_last_words: fc.boolean(),
  has_fallback: fc.boolean(),
  can_hand_over: fc.boolean(),
  hands_over_on_failure: fc.boolean(),
  obeys_stop_words: fc.constant(true),
  sentences: fc.constant({
    failed: 'Sorry.',
    goodbye: 'Bye.',
    limit: 'Goodbye.',
    handed_over: 'One moment.',
    nobody_yet: 'Please wait.',
    still_there: 'Are you there?',
    one_moment: 'A moment.',
    no_more_calls: 'We will not call again.',
    no_more_question: question,
    nobody_free: 'Nobody is free.',
    not_transferred: 'I could not reach them.',
    cut_off: 'We were cut off.',
    is_that_right: 'Right?',
  }),
  language: fc.constant('en'),
  turns_max: fc.constant(3),
  tokens_max: fc.constantFrom(20, 60_000),
  reply_characters_max: fc.constantFrom(12, 1_200),
  idle_ms: fc.constant(10_000),
  first_piece_ms: fc.constant(4_000),
  answer_ms: fc.constant(20_000),
  tools_ms: fc.constant(25_000),
  person_ms: fc.constant(60_000),
  voice: fc.record({
    notice: fc.constantFrom(null, notice),
    voicemail_message: fc.constantFrom(null, 'Please call us back.'),
    opt_out_key: fc.constantFrom(null, '9'),
    asks_on_silence: fc.boolean(),
    call_ms: fc.constant(1_800_000),
  }),
})

const common_types = [
  'piece',
  'piece',
  'asked',
  'asked',
  'ask_failed',
  'ask_failed',
  'tool_call',
  'tool_done',
  'speech_started',
  'heard',
  'heard',
  'heard',
  'heard_all',
  'heard_all',
  'heard_all',
  'speech_stopped',
  'played',
  'played',
  'play_done',
  'next_timer',
  'next_timer',
  'next_timer',
  'timer',
  'digit',
] as const
/** Most of these end the call, or the talk with the agent. */
const rare_types = [
  'machine',
  'beep',
  'transferred',
  'handed_over',
  'answer',
  'taken_back',
  'hung_up',
  'lost',
  'close',
  'limit',
] as const

interface Command {
  type: (typeof common_types)[number] | (typeof rare_types)[number]
  text: string
  pass_ms: number
  chosen: number
  tool: string
  is_ok: boolean
}

interface Saying {
  /** What it asks for. */
  wish: 'opt_out' | 'stop' | 'unclear' | 'yes' | null
  /** When it interrupts the agent. A single word does so when it is complete. `in_silence`: also, but only if the agent can't be heard. */
  interrupts: 'at_once' | 'when_complete' | 'in_silence' | 'never'
}

/** What the contact says. Written down here, so that the engine isn't asked. */
const sayings: Record<string, Saying> = {
  'stop calling me': { wish: 'opt_out', interrupts: 'at_once' },
  'Unsubscribe.': { wish: 'opt_out', interrupts: 'at_once' },
  'I want to opt out': { wish: 'opt_out', interrupts: 'at_once' },
  stop: { wish: 'stop', interrupts: 'at_once' },
  'Stopp!': { wish: 'stop', interrupts: 'at_once' },
  'Stop, stop.': { wish: 'stop', interrupts: 'at_once' },
  'Please stop it': { wish: 'stop', interrupts: 'at_once' },
  'My wife said stop calling': { wish: 'unclear', interrupts: 'at_once' },
  'Yes.': { wish: 'yes', interrupts: 'in_silence' },
  'Yes, please': { wish: 'yes', interrupts: 'at_once' },
  'Cancel.': { wish: null, interrupts: 'when_complete' },
  End: { wish: null, interrupts: 'when_complete' },
  'Quit!': { wish: null, interrupts: 'when_complete' },
  'Stop by at five': { wish: null, interrupts: 'at_once' },
  'No.': { wish: null, interrupts: 'when_complete' },
  'Hello?': { wish: null, interrupts: 'when_complete' },
  'mm-hm': { wish: null, interrupts: 'in_silence' },
  'I would like to book, and': { wish: null, interrupts: 'at_once' },
  'my number is 5 5 1': { wish: null, interrupts: 'at_once' },
  '': { wish: null, interrupts: 'never' },
}
const texts = Object.keys(sayings)

const command = fc.record<Command>({
  type: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...common_types) },
    { weight: 1, arbitrary: fc.constantFrom(...rare_types) },
  ),
  text: fc.constantFrom(...texts),
  pass_ms: fc.constantFrom(0, 0, 1, 150, 800, 5_000),
  chosen: fc.nat({ max: 9 }),
  tool: fc.constantFrom('book', 'hand_over', 'end_conversation', 'transfer', 'press_digits', 'opt_out'),
  is_ok: fc.boolean(),
})

const sequence = fc.tuple(settings, fc.array(command, { maxLength: 80, size: 'max' }))

const machine_kinds = ['human', 'voicemail', 'screened', 'menu', 'uncertain'] as const

interface Seen {
  now: number
  ids: number
  replies: string[]
  /** What the line was given to say, by reply. */
  said: Map<string, string>
}

/** The first words of what was said, as a line reports them. */
function played(seen: Seen, reply: string, share: number): SpeechPart[] {
  const words = (seen.said.get(reply) ?? '').trim().split(/\s+/)
  const heard = words.slice(0, Math.ceil((words.length * share) / 9)).join(' ')
  return heard === '' ? [] : [{ text: heard, start_ms: 0, end_ms: heard.length * 65 }]
}

function toInput({ type, text, chosen, tool, is_ok }: Command, state: State, seen: Seen): Input {
  const { now } = seen
  seen.ids += 1
  const id = `id${seen.ids}`
  const reply = (chosen < 8 ? state.reply?.id : seen.replies[0]) ?? 'unknown'
  const run = state.open_runs[0]?.run ?? 'unknown'
  const names = Object.keys(state.timers) as TimerName[]
  const next = Object.entries(state.timers).sort(([, one], [, other]) => one - other)[0]
  const part = { text, start_ms: now, end_ms: now + 10 }
  switch (type) {
    case 'piece':
      return { type, now, reply, text }
    case 'asked':
      return { type, now, reply, usage: { input_tokens: chosen, output_tokens: 1 }, is_uninterruptible: chosen === 3 }
    case 'tool_call': {
      const values = { press_digits: { digits: '2' }, transfer: { to: 'sales' } }[tool] ?? {}
      return { type, now, reply, call: { run: id, name: tool, arguments: values } }
    }
    case 'tool_done':
      return { type, now, run, status: is_ok ? 'succeeded' : 'failed', result: text }
    case 'ask_failed':
      return { type, now, reply }
    case 'heard':
      return { type, now, text }
    case 'heard_all':
      return { type: 'heard', now, text, part }
    case 'digit':
      return { type, now, digit: chosen < 5 ? '9' : String(chosen), is_awaited: !is_ok }
    case 'played':
      return { type, now, reply, parts: played(seen, reply, chosen) }
    case 'play_done':
      return { type, now, reply }
    case 'timer':
      return { type, now, name: names[chosen % Math.max(1, names.length)] ?? 'answer', id }
    case 'next_timer': {
      // As time passes.
      seen.now = Math.max(now, next?.[1] ?? now)
      return { type: 'timer', now: seen.now, name: (next?.[0] ?? 'call') as TimerName, id }
    }
    case 'machine':
      return { type, now, id, kind: machine_kinds[chosen % machine_kinds.length] ?? 'human' }
    case 'beep':
      return { type, now, id }
    case 'transferred':
      return { type, now, id, is_ok }
    case 'handed_over':
      return { type, now, reason: null }
    case 'answer':
      return { type, now, text: 'I am a person.', id: `person ${seen.ids}` }
    case 'taken_back':
      return { type, now, id }
    case 'close':
      return { type, now, reason: 'api', end_reason: 'human_hung_up' }
    case 'limit':
      return { type, now, id }
    default:
      return { type, now }
  }
}

interface Stepped {
  before: State
  input: Input
  state: State
  effects: Effect[]
}

function run([settings, commands]: [Settings, Command[]]): Stepped[] {
  const seen: Seen = { now: 1_000, ids: 0, replies: [], said: new Map() }
  const first = step(newState(settings, 0), { type: 'answered', now: 1_000 })
  let { state } = first
  return commands.map((command) => {
    seen.now += command.pass_ms
    const before = state
    const input = toInput(command, before, seen)
    const stepped = step(before, input)
    for (const effect of stepped.effects) {
      if (effect.type === 'say') seen.said.set(effect.reply, (seen.said.get(effect.reply) ?? '') + effect.text)
      if (effect.type === 'end_reply') seen.replies.push(effect.reply)
    }
    state = stepped.state
    return { before, input, ...stepped }
  })
}

function property(name: string, check: (steps: Stepped[]) => void): void {
  void test(name, () => {
    fc.assert(
      fc.property(sequence, (sequence) => check(run(sequence))),
      runs(),
    )
  })
}

const ofType = <T extends Effect['type']>(effects: Effect[], type: T) =>
  effects.filter((effect): effect is Extract<Effect, { type: T }> => effect.type === type)

property('in a call each reply ends exactly once, and nothing of it is said after', (steps) => {
  const ended = new Set<string>()
  for (const { effects, state } of steps) {
    for (const effect of effects) {
      if ('reply' in effect && effect.type !== 'stop_asking' && effect.type !== 'clear')
        assert.ok(!ended.has(effect.reply), effect.type)
      if (effect.type === 'end_reply') ended.add(effect.reply)
    }
    if (state.reply) assert.ok(!ended.has(state.reply.id))
    const is_quiet = !['thinking', 'working', 'speaking'].includes(state.phase)
    assert.equal(state.reply === null, is_quiet, state.phase)
  }
})

property('in a call the model only sees heard words, with a mark where they were cut', (steps) => {
  const turns: { text: string; is_cut: boolean }[] = []
  for (const { effects, state } of steps) {
    for (const { turn } of ofType(effects, 'write')) {
      assert.ok(turn.spoken, 'each turn of a call is spoken')
      if (turn.role !== 'agent') continue
      assert.ok(turn.text.startsWith(turn.spoken.heard), `${turn.text} | ${turn.spoken.heard}`)
      if (!turn.is_interrupted) assert.equal(turn.spoken.heard, turn.text)
      turns.push({ text: turn.spoken.heard, is_cut: turn.is_interrupted })
    }
    const by_agent = state.history.filter(({ role }) => role === 'agent').map(({ text, is_cut }) => ({ text, is_cut }))
    assert.deepEqual(by_agent, by_agent.length > 0 ? turns.slice(-by_agent.length) : [])
  }
})

property('an interruption clears the line before anything else', (steps) => {
  for (const { effects } of steps) {
    const cut = effects.find((effect) => effect.type === 'end_reply' && effect.outcome === 'interrupted')
    if (!cut) continue
    const order = effects.map(({ type }) => type)
    const clear = order.indexOf('clear')
    assert.ok(clear >= 0)
    for (const later of ['stop_asking', 'write', 'end_reply'] as const) {
      const at = order.indexOf(later)
      assert.ok(at === -1 || clear < at, order.join())
    }
  }
})

property('an uninterruptible reply is not cut by words', (steps) => {
  for (const { before, input, effects } of steps) {
    const is_word = input.type === 'heard' || input.type === 'speech_started' || input.type === 'digit'
    if (!is_word || !before.reply?.voice.is_uninterruptible) continue
    assert.deepEqual(ofType(effects, 'clear'), [])
  }
})

interface Account {
  /** What was said of the reply before this step, and what the line has reported of it. */
  said: string
  played: SpeechPart[]
  /** Whether the contact has heard the notice, or there is none. */
  is_informed: boolean
}

/** Follows what the line was given, and what it has reported. */
function* withAccounts(steps: Stepped[]): Generator<Stepped & { account: Account }> {
  const said = new Map<string, string>()
  let played: { reply: string; parts: SpeechPart[] } = { reply: '', parts: [] }
  let is_informed = steps[0]?.before.settings.voice?.notice === null
  for (const stepped of steps) {
    const { before, input, effects } = stepped
    if (input.type === 'played' && input.reply === before.reply?.id) {
      played = input
      is_informed ||= input.parts.some(({ text }) => text.includes(notice))
    }
    const reply = before.reply?.id ?? ''
    const parts = played.reply === reply ? played.parts : []
    yield { ...stepped, account: { said: said.get(reply) ?? '', played: parts, is_informed } }
    for (const effect of ofType(effects, 'say')) said.set(effect.reply, (said.get(effect.reply) ?? '') + effect.text)
  }
}

const letters = (text = ''): number => text.replace(/[^a-z0-9]/gi, '').length

/** Whether the contact began to speak after the agent did, and before it was silent. */
function isOverAgent({ said, played: [played] }: Account, part: SpeechPart): boolean {
  if (!played || part.start_ms < played.start_ms) return false
  return part.start_ms < played.end_ms || letters(played.text) < letters(said)
}

property('words interrupt the agent once they are more than a sign of listening', (steps) => {
  for (const { before, input, effects, account } of withAccounts(steps)) {
    if (input.type !== 'heard' || !before.reply) continue
    const { interrupts, wish } = sayings[input.text] ?? assert.fail(input.text)
    const is_silent = input.part && !before.reply.voice.asks_to_stop && !isOverAgent(account, input.part)
    const is_said =
      interrupts === 'at_once' ||
      (interrupts === 'when_complete' && input.part !== undefined) ||
      (interrupts === 'in_silence' && is_silent)
    const in_notice = !account.is_informed && account.said.includes(notice)
    const may_cut = in_notice ? wish !== null && wish !== 'yes' : true
    const is_cut = is_said && may_cut && !before.reply.voice.is_uninterruptible
    assert.equal(ofType(effects, 'clear').length, is_cut ? 1 : 0, `"${input.text}" in ${before.phase}`)
  }
})

/** What the agent says to whoever has not heard the notice. */
const without_notice = ['We will not call again.', question, 'Goodbye.', 'Please call us back.', 'I am a person.']

property('the agent begins with the notice until the contact has heard it', (steps) => {
  const begun = new Set<string>()
  for (const { effects, account, state } of withAccounts(steps)) {
    for (const { reply, text } of ofType(effects, 'say')) {
      if (begun.has(reply)) continue
      begun.add(reply)
      assert.equal(text.startsWith(notice), !account.is_informed && !without_notice.includes(text), text)
    }
    assert.equal(state.voice?.is_notice_due, !account.is_informed)
  }
})

property('words that a line has not reported were not heard', (steps) => {
  for (const { input, effects, account } of withAccounts(steps)) {
    if (input.type !== 'timer') continue
    for (const { turn } of ofType(effects, 'write'))
      if (turn.role === 'agent') assert.equal(letters(turn.spoken?.heard), letters(account.played[0]?.text), turn.text)
  }
})

property('an input for an old reply or run changes nothing in a call', (steps) => {
  for (const { state } of steps) {
    const now = 0
    const old: Input[] = [
      { type: 'piece', now, reply: 'old', text: 'x' },
      { type: 'tool_call', now, reply: 'old', call: { run: 'r', name: 'book', arguments: {} } },
      { type: 'asked', now, reply: 'old', usage: { input_tokens: 1, output_tokens: 1 } },
      { type: 'ask_failed', now, reply: 'old' },
      { type: 'tool_done', now, run: 'old', status: 'succeeded', result: '' },
      { type: 'played', now, reply: 'old', parts: [] },
      { type: 'play_done', now, reply: 'old' },
    ]
    for (const input of old) assert.deepEqual(step(state, input), { state, effects: [] })
  }
})

property('after a call has ended nothing is done', (steps) => {
  for (const { before, effects } of steps) if (before.phase === 'ended') assert.deepEqual(effects, [])
})

property('a call ends once, with a reason', (steps) => {
  const closes = steps.flatMap(({ effects }) => ofType(effects, 'close'))
  assert.ok(closes.length <= 1)
  for (const { end_reason } of closes) assert.ok(end_reason)
})

property('timers alone end every call', (steps) => {
  for (const { state } of steps)
    assert.equal(Object.keys(state.timers).length > 0, state.phase !== 'ended', state.phase)
  let state = steps.at(-1)?.state
  for (let count = 0; state && state.phase !== 'ended'; count += 1) {
    assert.ok(count < 2_000, 'it ends')
    const [name, now] = Object.entries(state.timers).toSorted(([, one], [, other]) => one - other)[0] ?? ['call', 0]
    state = step(state, { type: 'timer', now, name: name as TimerName, id: `t${count}` }).state
  }
})

property('the same input gives the same state and effects of a call', (steps) => {
  for (const { before, input } of steps) {
    const text = JSON.stringify(before)
    assert.equal(JSON.stringify(step(before, input)), JSON.stringify(step(JSON.parse(text), input)))
    assert.equal(JSON.stringify(before), text)
  }
})

/** What the contact has asked for by a turn of one piece of speech: otherwise the words of several are one text. */
function wishOf({ turn }: Extract<Effect, { type: 'write' }>) {
  const { speech } = turn.spoken ?? {}
  return turn.role === 'contact' && speech?.length === 1 && speech[0]?.text === turn.text
    ? sayings[turn.text]?.wish
    : undefined
}

property('who wants no more calls is heard before any model is asked, and nobody else opts out', (steps) => {
  /** What the contact has last heard of the agent or a person. */
  let last_heard = ''
  let last_turn: Extract<Effect, { type: 'write' }>['turn'] | undefined
  let stopped_at = Number.NEGATIVE_INFINITY
  for (const { before, input, state, effects } of steps) {
    for (const { turn } of ofType(effects, 'write').filter(({ turn }) => turn.role === 'agent')) {
      last_heard = turn.spoken?.heard || last_heard
      last_turn = turn
    }
    if (input.type === 'answer' && before.phase === 'handed_over') last_heard = input.text
    const written = ofType(effects, 'write').find(({ turn }) => turn.role === 'contact')
    // The greeting of a voicemail is nobody's wish.
    const wish = written && state.voice?.machine !== 'voicemail' ? wishOf(written) : undefined
    const has_cut = last_turn?.role === 'agent' && last_turn.is_interrupted && last_turn.text !== question
    if (written) last_turn = written.turn
    if (wish === undefined) continue
    const was_asked = last_heard !== '' && question.startsWith(last_heard)
    const opts_out = wish === 'opt_out' || (was_asked && (wish === 'stop' || wish === 'yes'))
    // Whoever talks to a person, or has hung up, is not asked.
    const is_settled = input.type === 'timer' && input.name === 'settle' && before.phase !== 'handed_over'
    // Over the agent's words the first "stop" in ten seconds is for these.
    const is_for_words = wish === 'stop' && is_settled && has_cut && input.now - stopped_at > 10_000
    if (is_for_words && !was_asked) stopped_at = input.now
    const is_asked = !was_asked && (wish === 'stop' || wish === 'unclear') && is_settled && !is_for_words
    assert.equal(ofType(effects, 'opt_out').length, opts_out ? 1 : 0, `${written?.turn.text} after ${last_heard}`)
    if (opts_out || is_asked) assert.deepEqual(ofType(effects, 'ask'), [])
    const said = ofType(effects, 'say').map(({ text }) => text)
    assert.equal(said.includes(question), is_asked, `${written?.turn.text} is followed by ${said}`)
  }
})

property('the key alone ends the calls, and no other digits do', (steps) => {
  let has_opted_out = false
  let is_awaited = false
  for (const { before, input, state, effects } of steps) {
    if (input.type === 'digit') is_awaited = input.is_awaited === true
    const written = ofType(effects, 'write').find(({ turn }) => turn.role === 'contact')
    const opts_out = ofType(effects, 'opt_out').length
    if (written && /^\d+$/.test(written.turn.text)) {
      const is_key = written.turn.text === before.settings.voice?.opt_out_key
      const is_meant: boolean = is_key && !is_awaited && !has_opted_out && state.voice?.machine !== 'voicemail'
      assert.equal(opts_out, is_meant ? 1 : 0, `${written.turn.text} in ${before.phase}`)
      if (is_meant) assert.deepEqual(ofType(effects, 'ask'), [])
    }
    has_opted_out ||= opts_out > 0
  }
})

property('a model that is told so records that the contact wants no more calls, once', (steps) => {
  for (const { before, input, effects } of steps) {
    if (input.type !== 'tool_done' || input.status !== 'succeeded' || before.voice?.has_opted_out) continue
    const call = before.open_runs.find(({ run }) => run === input.run)
    if (call) assert.equal(ofType(effects, 'opt_out').length, call.name === 'opt_out' ? 1 : 0)
  }
})

test('who hangs up with the words has opted out', () => {
  const [given] = fc.sample(settings, { numRuns: 1, seed: 1 })
  assert.ok(given)
  const part = { text: 'Stop calling me.', start_ms: 0, end_ms: 900 }
  const inputs: Input[] = [
    { type: 'answered', now: 0 },
    { type: 'heard', now: 900, text: part.text, part },
    { type: 'hung_up', now: 950 },
  ]
  let state = newState(given, 0)
  const effects = inputs.flatMap((input) => {
    const next = step(state, input)
    state = next.state
    return next.effects
  })
  assert.equal(ofType(effects, 'opt_out').length, 1)
  assert.equal(ofType(effects, 'close')[0]?.end_reason, 'opted_out')
})

property('in a call the contact hears words after everything that fails', checkWords)

property('the contact always gets an answer in a call, once it is known who it is', (steps) => {
  for (const { effects, state } of steps) {
    const written = ofType(effects, 'write').find(({ turn }) => turn.role === 'contact')
    if (!written || state.voice?.machine === 'uncertain') continue
    // Over the agent's words, "stop" is for these: the property about wishes says when it is asked about.
    if (/^(?=.*stop)((no|please|stopp?|it)[\s,.!]*)+$/i.test(written.turn.text) && state.phase === 'listening') continue
    const is_followed = state.reply !== null || ['handed_over', 'ended'].includes(state.phase)
    assert.ok(is_followed, state.phase)
  }
})

property('while it is uncertain who has answered, the agent adds nothing to its first words', (steps) => {
  for (const { before, input, effects } of steps) {
    const has_spoken = before.history.some(({ role, asks_to_stop }) => role === 'agent' && !asks_to_stop)
    const is_due = input.type === 'timer' && (input.name === 'settle' || input.name === 'silence')
    if (before.voice?.machine !== 'uncertain' || !has_spoken || !is_due) continue
    assert.deepEqual(ofType(effects, 'ask'), [])
    // Wishes are heard from anyone.
    const said = ofType(effects, 'say').map(({ text }) => text)
    assert.deepEqual(without(said, [question, 'We will not call again.']), [])
  }
})

const without = (texts: string[], left_out: string[]): string[] => texts.filter((text) => !left_out.includes(text))
