import type { Fact } from '../../server/calls/facts.ts'
import { step } from '../../server/talk/engine.ts'
import type { Effect, EngineInput, Turn } from '../../server/talk/input.ts'
import type { Line, LineEvent } from '../../server/talk/line.ts'
import { newState, type Settings, type TimerName, type VoiceSettings } from '../../server/talk/state.ts'
import type { VirtualTime } from './virtual-sound.ts'

export interface Talk {
  turns: Turn[]
  events: LineEvent<Fact>[]
  /** The time of each effect. */
  effects: { at: number; effect: Effect }[]
  /** Takes another input at the time of now. */
  take: (input: EngineInput) => void
  readonly phase: string
}

export const voice_settings: VoiceSettings = {
  notice: null,
  voicemail_message: null,
  opt_out_key: null,
  asks_on_silence: false,
  call_ms: 3_600_000,
}

export const talk_settings: Settings = {
  hand_over_message: null,
  say_while: {},
  greeting: 'Hello, this is Acme.',
  has_last_words: false,
  has_fallback: false,
  can_hand_over: false,
  hands_over_on_failure: false,
  obeys_stop_words: true,
  sentences: {
    failed: 'Sorry.',
    goodbye: 'Bye.',
    limit: 'Goodbye.',
    handed_over: 'One moment.',
    nobody_yet: 'Please wait.',
    still_there: 'Are you still there?',
    one_moment: 'One moment, please.',
    no_more_calls: 'We will not call you again.',
    no_more_question: 'Do you want no more calls?',
    nobody_free: 'Nobody is free.',
    not_transferred: 'I could not reach them.',
    cut_off: 'Cut off.',
    is_that_right: 'Right?',
  },
  language: 'en',
  turns_max: 1_000,
  tokens_max: 1_000_000,
  reply_characters_max: 1_200,
  idle_ms: 10_000,
  first_piece_ms: 4_000,
  answer_ms: 20_000,
  tools_ms: 25_000,
  person_ms: 60_000,
  voice: voice_settings,
}

/** The engine and the line of a call, as the driver of calls joins them. `answer` is what the model says. */
export function talkOn(
  line: Line<Fact>,
  time: VirtualTime,
  {
    answer,
    settings = talk_settings,
    answer_ms = 50,
  }: { answer: (turn: number) => string; settings?: Settings; answer_ms?: number },
): Talk {
  let state = newState(settings, time.now())
  let ids = 0
  let answers = 0
  let cancel = () => {}
  const newId = () => `reply${++ids}`
  const talk: Talk = {
    turns: [],
    events: [],
    effects: [],
    get phase() {
      return state.phase
    },
    take: (input) => {
      take(input, time.now())
      run()
    },
  }

  function take(input: EngineInput, now: number): void {
    // An input without its time, and its time, are an input.
    const result = step(state, { ...input, now } as Parameters<typeof step>[1])
    state = result.state
    for (const effect of result.effects) carryOut(effect, now)
  }

  function carryOut(effect: Effect, now: number): void {
    talk.effects.push({ at: time.now(), effect })
    if (effect.type === 'say') line.say(now, effect)
    if (effect.type === 'end_words') line.endReply(now, effect.reply, effect)
    if (effect.type === 'clear') line.clear(now, effect.reply)
    if (effect.type === 'write') talk.turns.push(effect.turn)
    if (effect.type === 'close') line.hangUp(now)
    if (effect.type !== 'ask') return
    const { reply } = effect
    const text = answer(answers++)
    time.timers.after(answer_ms, () => {
      take({ type: 'piece', reply, text }, time.now())
      take({ type: 'asked', reply, usage: { input_tokens: 1, output_tokens: 1 } }, time.now())
      run()
    })
  }

  /** Runs what is due, by time. Events of the line come before the agent's own timers. */
  function run(): void {
    cancel()
    for (;;) {
      const timers = Object.entries(state.timers) as [TimerName, number][]
      const [timer] = timers.sort((one, other) => one[1] - other[1])
      const next = Math.min(line.next_at ?? Number.POSITIVE_INFINITY, timer?.[1] ?? Number.POSITIVE_INFINITY)
      if (next > time.now() || state.phase === 'ended') {
        if (next < Number.POSITIVE_INFINITY && state.phase !== 'ended')
          cancel = time.timers.after(next - time.now(), run)
        return
      }
      if (line.next_at !== undefined && line.next_at <= next)
        for (const event of line.take(next)) {
          talk.events.push(event)
          const { at, ...input } = event
          const needs_id = input.type === 'machine' || input.type === 'beep' || input.type === 'transferred'
          // Facts are for the driver, and the other events are inputs.
          if (input.type !== 'fact') take((needs_id ? { ...input, id: newId() } : input) as EngineInput, at)
        }
      else if (timer) {
        const played = line.readPlayed(timer[1])
        if (played) take({ type: 'played', ...played }, timer[1])
        take({ type: 'timer', name: timer[0], id: newId() }, timer[1])
      }
    }
  }

  line.onEvent?.(() => time.timers.after(0, run))
  run()
  return talk
}
