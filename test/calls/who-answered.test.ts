import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Fact, merge, summarize } from '../../server/calls/facts.ts'
import { step } from '../../server/talk/engine.ts'
import type { Effect, EngineInput, Input } from '../../server/talk/input.ts'
import { newState, type Settings, type TimerName } from '../../server/talk/state.ts'
import { talk_settings, voice_settings } from '../support/talk-on-line.ts'

const message = 'Please call us back.'
const settingsWith = (voicemail_message: string | null): Settings => ({
  ...talk_settings,
  voice: { ...voice_settings, voicemail_message },
})

/** The engine, without a line and a model. */
class Talk {
  readonly effects: Effect[] = []
  #state
  #now = 1_000
  #ids = 0

  constructor(settings = settingsWith(message)) {
    this.#state = newState(settings, 0)
    this.take({ type: 'answered' })
    this.take({ type: 'machine', kind: 'uncertain', id: 'none' })
  }

  get state() {
    return this.#state
  }

  get said(): string[] {
    return this.effects.flatMap((effect) => (effect.type === 'say' ? effect.text : []))
  }

  get asked(): number {
    return this.effects.filter(({ type }) => type === 'ask').length
  }

  take(input: EngineInput): void {
    // An input without its time, and its time, are an input.
    const { state, effects } = step(this.#state, { ...input, now: this.#now } as Input)
    this.#state = state
    this.effects.push(...effects)
  }

  find(kind: 'human' | 'voicemail' | 'screened' | 'menu'): void {
    this.take({ type: 'machine', kind, id: this.#newId() })
  }

  beep(): void {
    this.take({ type: 'beep', id: this.#newId() })
  }

  /** Time passes until this timer is due, and the others before it. */
  pass(until: TimerName): void {
    for (let count = 0; count < 20; count += 1) {
      const timers = Object.entries(this.#state.timers) as [TimerName, number][]
      const [next] = timers.sort(([, one], [, other]) => one - other)
      if (!next) return
      this.#now = Math.max(this.#now, next[1])
      this.take({ type: 'timer', name: next[0], id: this.#newId() })
      if (next[0] === until) return
    }
    assert.fail(`there is no timer ${until}`)
  }

  hear(text: string): void {
    this.take({ type: 'speech_started' })
    this.take({ type: 'heard', text, part: { text, start_ms: this.#now, end_ms: this.#now + 500 } })
    this.#now += 500
    this.take({ type: 'speech_stopped' })
  }

  /** The contact hears what the agent is saying. */
  playAll(): void {
    const { reply } = this.#state
    assert.ok(reply)
    this.take({ type: 'played', reply: reply.id, parts: [{ text: reply.text.trim(), start_ms: 0, end_ms: 100 }] })
    this.take({ type: 'play_done', reply: reply.id })
  }

  #newId(): string {
    this.#ids += 1
    return `id${this.#ids}`
  }
}

const greeting = talk_settings.greeting ?? ''

test('while it is uncertain who has answered, the agent says its greeting and nothing else', () => {
  const talk = new Talk()
  talk.hear('Good day.')
  talk.pass('settle')
  assert.deepEqual(talk.said, [greeting])
  talk.playAll()
  talk.hear('It is a nice day.')
  talk.pass('settle')
  talk.pass('silence')
  assert.deepEqual([talk.said, talk.asked], [[greeting], 0])
  // What was said meanwhile is answered.
  talk.find('human')
  assert.equal(talk.asked, 1)
})

test('a line on which nobody ever speaks is greeted and ended', () => {
  const talk = new Talk()
  talk.pass('opening')
  talk.playAll()
  for (let count = 0; count < 3; count += 1) talk.pass('silence')
  assert.deepEqual(talk.said, [greeting])
  assert.equal(talk.state.phase, 'ended')
})

test('who wants no more calls is heard, also while it is uncertain who it is', () => {
  const talk = new Talk()
  talk.hear('Stop calling me.')
  talk.pass('settle')
  assert.deepEqual(talk.said, [talk_settings.sentences.no_more_calls])
  assert.ok(talk.effects.some(({ type }) => type === 'opt_out'))
})

test('a voicemail interrupts the greeting, and gets its message after the beep', () => {
  const talk = new Talk()
  talk.pass('opening')
  talk.find('voicemail')
  assert.ok(talk.effects.some(({ type }) => type === 'clear'))
  talk.hear('Leave a message after the tone.')
  assert.deepEqual(talk.said, [greeting])
  talk.beep()
  assert.deepEqual(talk.said, [greeting, message])
  talk.playAll()
  assert.deepEqual(talk.effects.at(-1), { type: 'close', reason: 'agent_ended', end_reason: 'voicemail_left' })
})

test('a voicemail that never beeps gets its message after 30 seconds', () => {
  const talk = new Talk()
  talk.find('voicemail')
  talk.take({ type: 'speech_started' })
  assert.equal(talk.state.timers.beep, 31_000)
  talk.pass('beep')
  assert.deepEqual(talk.said, [message])
})

test('the agent hangs up on a voicemail for which it has no message', () => {
  const talk = new Talk(settingsWith(null))
  talk.find('voicemail')
  assert.deepEqual(talk.effects.at(-1), { type: 'close', reason: 'agent_ended', end_reason: 'voicemail_hung_up' })
})

test('a machine that turns out to be a person is talked to', () => {
  const waiting = new Talk()
  waiting.find('voicemail')
  waiting.take({ type: 'speech_started' })
  waiting.find('human')
  waiting.hear('Hello? Hello?')
  waiting.pass('settle')
  assert.deepEqual(waiting.said, [greeting])
  waiting.beep()
  assert.deepEqual(waiting.said, [greeting])
})

test('a person who lifts the receiver while the message is left is talked to', () => {
  const talk = new Talk()
  talk.find('voicemail')
  talk.beep()
  const reply = talk.state.reply?.id ?? ''
  talk.take({ type: 'played', reply, parts: [{ text: 'Please call', start_ms: 0, end_ms: 100 }] })
  talk.take({ type: 'speech_started' })
  talk.find('human')
  assert.ok(talk.effects.some((effect) => effect.type === 'clear' && effect.reply === reply))
  talk.hear('Hello? I am here.')
  talk.pass('settle')
  assert.equal(talk.asked, 1)
})

test('an assistant that screens calls is greeted, and a menu is answered', () => {
  for (const kind of ['screened', 'menu'] as const) {
    const talk = new Talk()
    talk.find(kind)
    talk.hear('Please say who is calling, or press one.')
    talk.pass('settle')
    assert.deepEqual(talk.said, [greeting])
    talk.playAll()
    talk.hear('For sales, press two.')
    talk.pass('settle')
    assert.equal(talk.asked, 1)
  }
})

test('of what was heard the last counts, and more than what the carrier says', () => {
  const fact = (source: Fact['source'], at: number, machine: 'human' | 'voicemail'): Fact => ({
    key: `${source}.${machine}`,
    at,
    source,
    fact: { kind: 'machine', machine },
  })
  const answered: Fact = { key: 'answered', at: 1_000, source: 'system', fact: { kind: 'answered' } }
  const outcomeOf = (...facts: Fact[]) => summarize(merge(facts, [answered])).outcome
  assert.equal(outcomeOf(fact('carrier', 2_000, 'voicemail')), 'voicemail')
  assert.equal(outcomeOf(fact('carrier', 2_000, 'voicemail'), fact('system', 9_000, 'human')), 'answered')
  assert.equal(outcomeOf(fact('carrier', 2_000, 'human'), fact('system', 9_000, 'voicemail')), 'voicemail')
  assert.equal(outcomeOf(fact('system', 9_000, 'human'), fact('system', 2_000, 'voicemail')), 'answered')
  assert.equal(outcomeOf(fact('system', 2_000, 'human'), fact('system', 9_000, 'voicemail')), 'voicemail')
})
