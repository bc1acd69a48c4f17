import { step } from '../../server/talk/engine.ts'
import type { EngineInput, Input } from '../../server/talk/input.ts'
import { newState, type Settings } from '../../server/talk/state.ts'
import { median } from '../table.ts'

const conversations = 400
/** Run before the measurement, so that the code is compiled. */
const warm_up_conversations = 100
const messages = 15
/** In every third answer the agent uses a tool. */
const tool_every = 3
const pieces = ['We', ' are', ' open', ' from', ' nine', ' to', ' six,', ' Monday', ' to', ' Friday.']
const usage = { input_tokens: 400, output_tokens: 10 }

const settings: Settings = {
  greeting: 'Hello, how can I help?',
  hand_over_message: null,
  say_while: {},
  has_last_words: true,
  has_fallback: true,
  can_hand_over: true,
  hands_over_on_failure: false,
  obeys_stop_words: true,
  sentences: {
    goodbye: 'Goodbye.',
    failed: 'Sorry.',
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
  },
  language: 'en',
  turns_max: 200,
  tokens_max: 60_000,
  reply_characters_max: 4_000,
  idle_ms: 86_400_000,
  first_piece_ms: 10_000,
  answer_ms: 60_000,
  tools_ms: 25_000,
  person_ms: 900_000,
  voice: null,
}

/** Returns the median time of one step of the engine, in microseconds, over whole conversations. */
export function measureStep(): number {
  const inputs = conversation()
  const times_us: number[] = []
  for (let number = 0; number < conversations; number += 1) {
    let state = newState(settings, 0)
    for (const input of inputs) {
      const started_at = performance.now()
      state = step(state, input).state
      const time_us = (performance.now() - started_at) * 1_000
      if (number >= warm_up_conversations) times_us.push(time_us)
    }
    const turns = 1 + messages * 2
    if (state.turns !== turns) throw new Error(`the engine made ${state.turns} turns instead of ${turns}`)
  }
  return median(times_us)
}

function conversation(): Input[] {
  const happenings: EngineInput[] = [{ type: 'opened', id: 'greeting' }]
  for (let number = 1; number <= messages; number += 1) happenings.push(...answeredMessage(number))
  return happenings.map((input, index): Input => ({ ...input, now: index * 20 }))
}

function answeredMessage(number: number): EngineInput[] {
  const reply = `reply ${number}`
  const run = `run ${number}`
  const says = pieces.map((text): EngineInput => ({ type: 'piece', reply, text }))
  const tool: EngineInput[] = [
    { type: 'tool_call', reply, call: { run, name: 'find_hours', arguments: { day: 'Tuesday' } } },
    { type: 'asked', reply, usage },
    { type: 'tool_done', run, status: 'succeeded', result: { opens: '09:00', closes: '18:00' } },
  ]
  return [
    { type: 'message', id: reply, text: 'When are you open on Tuesday?' },
    ...(number % tool_every === 0 ? tool : []),
    ...says.toSpliced(1, 0, { type: 'shown', reply }),
    { type: 'asked', reply, usage },
  ]
}
