import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { step } from '../../server/talk/engine.ts'
import type { Effect, EngineInput } from '../../server/talk/input.ts'
import { newState, type State } from '../../server/talk/state.ts'
import { getCall, placeCall, turnsOf } from '../support/calls.ts'
import { createDatabase, openServer, testPool } from '../support/harness.ts'
import { until } from '../support/model-servers.ts'
import { talk_settings } from '../support/talk-on-line.ts'
import { newToolWorld } from '../support/tool-worlds.ts'
import { startWorker } from '../support/workers.ts'

/* The server ends before its database does. */
const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
const { url } = await createDatabase('tool_questions')
const server = await openServer(testPool(url), { outbound_allow_hosts: ['127.0.0.1'] })
open.defer(server.close)
open.defer(startWorker(server, { speed: 10 }).stop)

const question = 'I book Tuesday for you. Right?'
const usage = { input_tokens: 1, output_tokens: 1 }

/** A call in which the agent asks whether it is to book, and `heard` of that was heard when the contact says something. */
function answerTo(heard: string, words: string): { effects: Effect[]; state: State } {
  const tool_rules = { book: { calls_max: 5, may_repeat: false, confirm: 'I book {{day}} for you.' } }
  let state = newState({ ...talk_settings, has_last_words: true, tool_rules }, 0)
  const effects: Effect[] = []
  let now = 0
  const take = (input: EngineInput) => {
    // An input without its time, and its time, are an input.
    const stepped = step(state, { ...input, now } as Parameters<typeof step>[1])
    state = stepped.state
    effects.push(...stepped.effects)
  }
  const settle = (id: string) => {
    now = state.timers.settle ?? now
    take({ type: 'timer', name: 'settle', id })
  }
  const says = (text: string, start_ms: number) =>
    take({ type: 'heard', text, part: { text, start_ms, end_ms: start_ms + 500 } })
  const plays = (reply: string, text: string, start_ms: number) =>
    take({ type: 'played', reply, parts: [{ text, start_ms, end_ms: start_ms + 3_000 }] })
  take({ type: 'answered' })
  now = state.timers.opening ?? 0
  take({ type: 'timer', name: 'opening', id: 'greeting' })
  plays('greeting', 'Hello, this is Acme.', 0)
  take({ type: 'play_done', reply: 'greeting' })
  says('Tuesday, please.', 4_000)
  settle('asks')
  take({ type: 'tool_call', reply: 'asks', call: { run: 'first', name: 'book', arguments: { day: 'Tuesday' } } })
  take({ type: 'asked', reply: 'asks', usage })
  assert.equal(state.reply?.text, question)
  plays('asks', heard, 6_000)
  effects.length = 0
  says(words, 8_000)
  if (state.reply) {
    plays('asks', question, 6_000)
    take({ type: 'play_done', reply: 'asks' })
  }
  if (state.phase === 'settling') settle('answers')
  return { effects, state }
}

const answers: [string, string, boolean][] = [
  [question, 'Yes.', true],
  [question, 'Yes, please.', true],
  ['I book Tuesday for you.', 'Yes.', true],
  ['I book Tuesday for you.', 'Yes, please.', true],
  ['I book Tuesday', 'Yes.', false],
  ['I book Tuesday', 'Yes, please.', false],
  ['', 'Yes, please.', false],
  [question, 'No.', false],
  [question, 'Yes, but at ten.', false],
]
for (const [heard, words, runs] of answers)
  test(`"${words}" after "${heard}" ${runs ? 'runs the tool' : 'runs nothing'}`, () => {
    const { effects, state } = answerTo(heard, words)
    const called = effects.flatMap((effect) => (effect.type === 'run_tool' ? [effect.call] : []))
    assert.deepEqual(
      called.map(({ name, arguments: values }) => [name, values]),
      runs ? [['book', { day: 'Tuesday' }]] : [],
    )
    if (runs) assert.equal(state.reply?.text, 'One moment, please. ')
  })

test('in a call a tool runs once the contact has said yes', async () => {
  const tenant = await server.workspace()
  // The person agrees in several ways, and some of them are no clear yes. The model asks again then.
  const world = await newToolWorld(tenant, {
    calls: () => (world.tool.received.length === 0 ? [{ day: 'Tuesday' }] : []),
    fields: { confirm: true, say_while: 'I book {{day}} for you.' },
    configuration: { greeting: 'Hello, shall I book Tuesday?' },
  })
  const { id } = await placeCall(tenant, { agent_id: world.agent_id, to: '+14155550100', simulate: '00' })
  await until(() => world.tool.received.length > 0)
  const { conversation_id } = await getCall(tenant, id)
  type Turn = { role: string; text: string; tools: { status: string }[] }
  const hasRun = ({ tools }: Turn) => tools.some(({ status }) => status === 'succeeded')
  await until(async () => (await turnsOf(tenant, conversation_id)).some(hasRun))
  const turns: Turn[] = await turnsOf(tenant, conversation_id)
  const index = turns.findIndex(hasRun)
  const before = turns.slice(0, index)
  assert.match(before.at(-1)?.text ?? '', /^(yes|sure)/i)
  assert.match(before.findLast(({ role }) => role === 'agent')?.text ?? '', /I book Tuesday for you\. Is that right\?$/)
  assert.equal(turns[index]?.text, 'One moment, please. Done.')
  assert.equal((await tenant.call('POST', `/calls/${id}/hang_up`)).status, 200)
  assert.equal(world.tool.received.length, 1)
})

test('a run after a yes that a killed process has begun is not begun again', () => {
  const result = { reason: 'confirm', asked: 'I book Tuesday for you.' }
  const call = { name: 'book', arguments: { day: 'Tuesday' }, after: 0 }
  const asked = { run: 'first', ...call, status: 'refused' as const, result }
  const said = [
    { role: 'agent' as const, text: question, is_cut: false, runs: [asked] },
    { role: 'contact' as const, text: 'Yes.', is_cut: false, runs: [] },
  ]
  const begun = { ...newState(talk_settings, 0), history: said, turns: 2, is_unanswered: true }
  const runsIn = (state: State) =>
    step(state, { type: 'resumed', id: 'reply', now: 1 }).effects.filter(({ type }) => type === 'run_tool').length
  assert.equal(runsIn(begun), 1)
  assert.equal(runsIn({ ...begun, open_runs: [{ run: 'second', ...call, reply: 'cut' }] }), 0)
  const unknown = { run: 'second', ...call, status: 'unknown' as const, result: '' }
  assert.equal(runsIn({ ...begun, ended_runs: [unknown] }), 0)
})
