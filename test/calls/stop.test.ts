import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { languages } from '../../server/languages/languages.ts'
import { step } from '../../server/talk/engine.ts'
import type { Effect, EngineInput, Input } from '../../server/talk/input.ts'
import { sentencesIn } from '../../server/talk/sentences.ts'
import { newState, type State } from '../../server/talk/state.ts'
import { runs } from '../support/property-runs.ts'

/** What a contact may say alone, and what must follow, by language. Written down here, so that the engine isn't asked. */
const sayings = {
  ordinary: [
    'Cancel.',
    'cancel',
    'End.',
    'Quit',
    'Revoke!',
    'Cancel, cancel.',
    'Cancel my appointment.',
    'Quit it',
    'Stop by at five?',
    "Don't stop",
    'The bus stop',
    'Nonstop',
    'stopped',
    'The end',
    'Start.',
    'Help',
    'Stop 5',
    'No more questions?',
    'How do I opt in?',
    'Yes.',
    'Please call me again',
    'Beenden',
    'Ende.',
    'Kündigen',
    "Don't stop calling me",
    "I don't want you to stop calling",
    "Don't call me Bob",
    "Don't call me before nine",
    "Don't call me today",
    "If I'm at work, don't call me",
    'I have no more calls today, go ahead',
    "They don't call me",
    'No more calls today please',
    "Don't unsubscribe me",
    "I don't want to opt out",
    "Don't take me off your list",
    'No. More calls, please.',
    'I do not wish to unsubscribe',
    "Don't call me again today",
    'No more calls on Monday',
    'Rufen Sie mich heute nicht an',
    'Warum rufen Sie nicht mehr an?',
    'Ich habe heute keine Anrufe mehr',
    'Bitte keine Anrufe mehr heute',
  ],
  asks: [
    'Stop.',
    'stop',
    'STOP!',
    'Stop?',
    'Stopp',
    'Stopp!',
    'Stop stop',
    'stop, stop, stop',
    'Stopp. Stopp.',
    'S T O P',
    'stop all',
    'Please stop.',
    'Stop it!',
    'I said stop',
    'Leave me alone.',
    'Hören Sie auf!',
    // These may be meant otherwise.
    'My wife said stop calling',
    'How do I unsubscribe?',
    'Stop calling me at work',
    "Don't call me. Text me instead.",
  ],
  opts_out: [
    'Unsubscribe.',
    'unsubscribe me please',
    'Please unsubscribe',
    'Opt out',
    'opt-out',
    'I want to opt out.',
    'Stop calling me.',
    'please stop calling',
    'Stop texting me',
    "Don't call me again",
    'do not call anymore',
    'No more calls!',
    'Take me off your list',
    'Rufen Sie mich nicht mehr an',
    'Keine Anrufe mehr',
    "I'd like to unsubscribe from your calls",
    'Can you unsubscribe me from this list',
    'quit calling me',
    "Don't call me",
    'Do not call me.',
    "Please don't call me again",
    "I'm not interested. Don't call me. Bye now.",
    "I'm not interested, don't call me, thank you",
    "Don't. Stop calling me.",
    "Why don't you stop calling me?",
    'no more calls please',
    'I want no more calls',
    'Please, no more calls, I mean it',
    "I don't want any more calls",
    "I told you, don't call me",
    'Stop. Calling. Me!',
    "Don't call me again at this number",
    'No more calls on my phone',
    'No. Stop calling me.',
    "Don't call me again at all",
    "Don't call here anymore",
    'Bitte rufen Sie nicht mehr an',
    'Rufen Sie mich nicht an',
    'Ich möchte keine Anrufe mehr',
    'Ich will keine weiteren Anrufe mehr von Ihnen',
    'Bitte keine Anrufe mehr, danke',
    'Ich will keine Anrufe',
  ],
}
const answers = {
  en: {
    yes: [
      'Yes.',
      'yes please',
      'Yeah',
      'Yep!',
      'Um, yes',
      'Yes, I do.',
      "Yes, that's right",
      'Correct.',
      'Absolutely',
      'Of course',
      "Yes, I don't want any calls",
      'Okay.',
      'No more.',
      'Stop.',
      'stop stop',
      'Stop calling me',
      'Yes, no more',
      'Yes, stop',
      'yes yes yes',
      "Yes, I'm sure, thank you",
      'Yes, unsubscribe me',
      'Yes sir',
      "Yes, that's what I want. Goodbye.",
      'Please stop',
      'Yes. Stop it!',
      'I said stop',
      'Leave me alone',
    ],
    else: [
      'No.',
      'Nope',
      'no, go on',
      'Yeah, no, go on',
      'What?',
      'Okay, and my appointment?',
      'Great, so can I book?',
      'I want to book a table',
      'Cancel.',
      'No problem',
      'Sure, tell me more about it',
      'Hm',
      'Not at all',
      'Ja',
      'yes but call me tomorrow',
      'Yes, keep calling',
      'Yes, I want to keep my appointment',
      'Yes, I do want calls',
      "Yes, don't stop calling me",
      'Yes and no',
      'Thank you',
      'No. More calls, please.',
      "Don't call me. Text me instead.",
      'Stop calling me at work',
      'How do I unsubscribe?',
      'No, my wife said stop calling',
    ],
  },
  de: {
    yes: [
      'Ja.',
      'Ja bitte',
      'Ja, genau',
      'Jawohl',
      'Richtig',
      'Keine mehr',
      'Stopp',
      'Ja, ich will keine Anrufe',
      'Ja, das möchte ich',
      'Ja, nie wieder',
      'Ja, das stimmt',
    ],
    else: [
      'Nein.',
      'Nein, weiter',
      'Was?',
      'Gut, und mein Termin?',
      'Ich möchte buchen',
      'Kein Problem',
      'Abbrechen',
      'Ja, aber rufen Sie morgen an',
      'Ja, ich möchte meinen Termin behalten',
      'Ja, nein',
    ],
  },
}
type Language = keyof typeof answers

const questions = {
  en: 'Do you want no more calls and messages?',
  de: 'Möchten Sie keine Anrufe und Nachrichten mehr?',
}

/** A call with an agent whose model is asked for each answer. Everything that is said is heard, unless it is interrupted. */
class Talk {
  readonly effects: Effect[] = []
  state: State
  #now = 0
  #ids = 0

  constructor(language = 'en', { greeting = 'Hello.' }: { greeting?: string | null } = {}) {
    this.state = newState(
      {
        greeting,
        hand_over_message: null,
        say_while: {},
        has_fallback: false,
        can_hand_over: true,
        hands_over_on_failure: false,
        has_last_words: false,
        obeys_stop_words: true,
        language,
        sentences: sentencesIn(language),
        turns_max: 100,
        tokens_max: 60_000,
        reply_characters_max: 1_200,
        idle_ms: 10_000,
        first_piece_ms: 4_000,
        answer_ms: 20_000,
        tools_ms: 25_000,
        person_ms: 60_000,
        voice: { notice: null, voicemail_message: null, opt_out_key: '9', asks_on_silence: false, call_ms: 1_800_000 },
      },
      0,
    )
    this.take({ type: 'answered' })
  }

  take(input: EngineInput): Effect[] {
    const { state, effects } = step(this.state, { ...input, now: this.#now } as Input)
    this.state = state
    this.effects.push(...effects)
    return effects
  }

  /** The time of the next timer comes. */
  wait(): Effect[] {
    const [name, due] = Object.entries(this.state.timers).toSorted(([, one], [, other]) => one - other)[0] ?? []
    this.#now = Math.max(this.#now, due ?? 0)
    this.#ids += 1
    return this.take({ type: 'timer', name: name as 'call', id: `reply ${this.#ids}` })
  }

  /** The contact says this. Returns what happens until the agent listens again, and what the agent has said. */
  say(text: string, { until = 'end' }: { until?: 'end' | 'heard' } = {}): { effects: Effect[]; said: string } {
    const from = this.effects.length
    const part = { text, start_ms: this.#now, end_ms: this.#now + 500 }
    this.take({ type: 'speech_started' })
    this.take({ type: 'heard', text })
    this.take({ type: 'heard', text, part })
    this.take({ type: 'speech_stopped' })
    if (this.state.phase === 'settling') this.wait()
    if (until === 'end') this.listen()
    const effects = this.effects.slice(from)
    return {
      effects,
      said: ofType(effects, 'say')
        .map(({ text }) => text)
        .join(''),
    }
  }

  /** The model answers, and the contact hears all of it. */
  listen(): void {
    const { reply } = this.state
    if (this.state.phase === 'thinking' && reply) {
      this.take({ type: 'piece', reply: reply.id, text: 'The model has answered.' })
      this.take({ type: 'asked', reply: reply.id, usage: { input_tokens: 1, output_tokens: 1 } })
    }
    this.hearAll()
  }

  hearAll(): void {
    this.hearSome()
    const { reply } = this.state
    if (reply) this.take({ type: 'play_done', reply: reply.id })
  }

  hearSome(text = this.state.reply?.text.trim() ?? ''): void {
    const { reply } = this.state
    if (reply && text !== '')
      this.take({ type: 'played', reply: reply.id, parts: [{ text, start_ms: 0, end_ms: 900 }] })
  }
}

const ofType = <T extends Effect['type']>(effects: Effect[], type: T) =>
  effects.filter((effect): effect is Extract<Effect, { type: T }> => effect.type === type)

const begun = (language: Language = 'en'): Talk => {
  const talk = new Talk(language)
  talk.wait()
  talk.listen()
  assert.equal(talk.state.phase, 'listening')
  return talk
}

const sayingsOf = (name: 'no_more_calls' | 'no_more_question'): string[] =>
  languages.map(({ sayings }) => sayings[name]).filter((saying) => saying !== '')

/** What has happened: the contact has opted out, is asked, or the model has answered. */
function outcomeOf({ effects, said }: { effects: Effect[]; said: string }): string {
  const [opt_outs, asks] = [ofType(effects, 'opt_out').length, ofType(effects, 'ask').length]
  if (opt_outs > 0) {
    assert.deepEqual([opt_outs, asks], [1, 0])
    assert.ok(sayingsOf('no_more_calls').includes(said), said)
    assert.equal(ofType(effects, 'close')[0]?.end_reason, 'opted_out')
    return 'opts_out'
  }
  assert.deepEqual(ofType(effects, 'close'), [])
  if (sayingsOf('no_more_question').includes(said)) return asks === 0 ? 'asks' : 'asks, and the model too'
  assert.deepEqual([asks, said], [1, 'The model has answered.'])
  return 'ordinary'
}

for (const language of ['en', 'de'] as const) {
  for (const [outcome, texts] of Object.entries(sayings))
    test(`${outcome}: what is said alone in a call (${language})`, () => {
      for (const text of texts) {
        const said = begun(language).say(text)
        const expected = text === 'Yes.' ? 'ordinary' : outcome
        assert.equal(outcomeOf(said), expected, text)
      }
    })

  test(`only yes, or the word again, confirms that someone wants no more calls (${language})`, () => {
    for (const [answer, texts] of Object.entries(answers[language]))
      for (const text of texts) {
        const talk = begun(language)
        assert.equal(outcomeOf(talk.say('Stop.')), 'asks')
        const said = talk.say(text)
        assert.equal(outcomeOf(said), answer === 'yes' ? 'opts_out' : 'ordinary', text)
        const [turn] = ofType(said.effects, 'write')
        assert.equal(turn?.turn.text, text)
        if (answer === 'yes') continue
        const history = ofType(said.effects, 'ask')[0]?.history.map(({ text }) => text)
        assert.deepEqual(history?.slice(-3), ['Stop.', questions[language], text])
      }
  })
}

const punctuated = (text: string): fc.Arbitrary<string> => {
  const around = fc.string({ unit: fc.constantFrom('.', '!', ' ', '…', ','), maxLength: 4 })
  const casing = fc.constantFrom<(text: string) => string>(
    (text) => text,
    (text) => text.toUpperCase(),
    (text) => text.toLowerCase(),
  )
  return fc.tuple(around, casing, around).map(([before, cased, after]) => `${before}${cased(text)}${after}`)
}

test('case, punctuation and repetition of "stop" make no difference', () => {
  const variant = fc.constantFrom(...(Object.keys(sayings) as (keyof typeof sayings)[])).chain((outcome) =>
    fc.record({
      outcome: fc.constant(outcome),
      text: fc
        .constantFrom(...sayings[outcome])
        .chain(punctuated)
        .chain((text) => fc.integer({ min: 1, max: outcome === 'asks' ? 4 : 1 }).map((n) => `${text} `.repeat(n))),
    }),
  )
  fc.assert(
    fc.property(variant, ({ outcome, text }) => {
      assert.equal(outcomeOf(begun().say(text)), outcome, JSON.stringify(text))
    }),
    runs(),
  )
})

test('each "stop" is asked about, and an answer counts once', () => {
  const talk = begun()
  for (let round = 0; round < 3; round += 1) {
    assert.equal(outcomeOf(talk.say('Stop.')), 'asks')
    assert.equal(outcomeOf(talk.say('No, go on.')), 'ordinary')
    assert.equal(outcomeOf(talk.say('Yes.')), 'ordinary')
  }
})

test('"stop" interrupts the agent at its first sound, whatever it is doing', () => {
  const talk = begun()
  talk.say('Hello', { until: 'heard' })
  assert.equal(talk.state.phase, 'thinking')
  const reply = talk.state.reply?.id ?? ''
  talk.take({ type: 'speech_started' })
  const effects = talk.take({ type: 'heard', text: 'stop' })
  assert.deepEqual(
    effects.map(({ type }) => type),
    ['clear', 'stop_asking', 'end_reply'],
  )
  assert.ok(effects.every((effect) => !('reply' in effect) || effect.reply === reply))
  assert.equal(outcomeOf(talk.say('Stop!')), 'asks')
})

test('"stop" over the words of the agent is for these, and is asked about when it is said again', () => {
  for (const [again, outcome] of [
    ['Stop!', 'asks'],
    ['Leave me alone.', 'asks'],
    ['What do you cost?', 'ordinary'],
    ["Don't call me again.", 'opts_out'],
  ] as const) {
    const talk = begun()
    talk.say('Hello', { until: 'heard' })
    const { reply } = talk.state
    talk.take({ type: 'piece', reply: reply?.id ?? '', text: 'We have many offers. ' })
    talk.hearSome('We have many')
    const { effects } = talk.say('Stop.', { until: 'heard' })
    assert.deepEqual([ofType(effects, 'say'), ofType(effects, 'ask'), ofType(effects, 'opt_out')], [[], [], []])
    assert.equal(talk.state.phase, 'listening')
    assert.equal(outcomeOf(talk.say(again)), outcome, again)
  }
})

test('the question can be answered while it is spoken, once something of it was heard', () => {
  for (const [text, heard, outcome] of [
    ['Yes.', 'Do you want no more', 'opts_out'],
    ['Stop!', 'Do you', 'opts_out'],
    ['Stop!', '', 'asks'],
    ['No, no.', 'Do you want no more', 'ordinary'],
  ] as const) {
    const talk = begun()
    talk.say('Stop.', { until: 'heard' })
    assert.equal(talk.state.phase, 'speaking')
    talk.hearSome(heard)
    const from = talk.effects.length
    talk.say(text, { until: 'heard' })
    // "Yes" doesn't interrupt, and counts at the end of the question.
    if (talk.state.reply?.voice.asks_to_stop && outcome === 'opts_out') {
      talk.hearAll()
      talk.wait()
    }
    talk.listen()
    const effects = talk.effects.slice(from)
    const said = ofType(effects, 'say')
      .map(({ text }) => text)
      .join('')
    assert.equal(outcomeOf({ effects, said }), outcome, `${text} after "${heard}"`)
  }
})

test('a sign of listening is no answer to the question', () => {
  const talk = begun()
  talk.say('Stop.', { until: 'heard' })
  talk.hearSome('Do you')
  talk.say('mm-hm', { until: 'heard' })
  talk.hearAll()
  assert.equal(talk.state.phase, 'listening')
  assert.deepEqual(ofType(talk.effects, 'opt_out'), [])
})

test('silence after the question, and "yes" to "are you still there?", opt nobody out', () => {
  const talk = begun()
  talk.say('Stop.')
  const reminder = talk.wait()
  assert.equal(ofType(reminder, 'say')[0]?.text, 'Are you still there?')
  talk.hearAll()
  assert.equal(outcomeOf(talk.say('Yes.')), 'ordinary')
  const silent = begun()
  silent.say('Stop.')
  while (silent.state.phase !== 'ended') {
    silent.wait()
    silent.hearAll()
  }
  assert.deepEqual(ofType(silent.effects, 'opt_out'), [])
  assert.equal(ofType(silent.effects, 'close')[0]?.end_reason, 'silence')
})

test('who hangs up after "stop" has not opted out, who hangs up after "yes" has', () => {
  const reasonAfter = (...texts: string[]) => {
    const talk = begun()
    for (const text of texts.slice(0, -1)) talk.say(text)
    const text = texts.at(-1) ?? ''
    talk.take({ type: 'heard', text, part: { text, start_ms: 0, end_ms: 100 } })
    const [closed] = ofType(talk.take({ type: 'hung_up' }), 'close')
    return [closed?.end_reason, ofType(talk.effects, 'opt_out').length]
  }
  assert.deepEqual(reasonAfter('Stop.'), ['contact_hung_up', 0])
  assert.deepEqual(reasonAfter('Stop.', 'Hm.'), ['contact_hung_up', 0])
  assert.deepEqual(reasonAfter('Stop.', 'Yes.'), ['opted_out', 1])
  assert.deepEqual(reasonAfter('Stop.', 'Stop.'), ['opted_out', 1])
  assert.deepEqual(reasonAfter('Stop calling me.'), ['opted_out', 1])
  const talk = begun()
  talk.say('Stop.', { until: 'heard' })
  talk.hearSome('Do you want no more')
  talk.take({ type: 'heard', text: 'Yes.', part: { text: 'Yes.', start_ms: 0, end_ms: 100 } })
  assert.equal(ofType(talk.take({ type: 'hung_up' }), 'close')[0]?.end_reason, 'opted_out')
})

test('who says "stop" before the agent has begun is asked, and then greeted', () => {
  const talk = new Talk()
  assert.equal(talk.say('Stop.').said, questions.en)
  assert.equal(talk.say('No.').said, 'Hello.')
})

test('"stop" to a person who has taken over, and the greeting of a voicemail, are no wish', () => {
  const person = begun()
  person.take({ type: 'handed_over', reason: null })
  assert.deepEqual(person.say('Stop.').said, '')
  const voicemail = begun()
  voicemail.take({ type: 'machine', kind: 'voicemail', id: 'machine' })
  assert.deepEqual(ofType(voicemail.effects, 'opt_out'), [])
})

test('a tool that ends while the question is asked does not make the model speak', () => {
  const talk = begun()
  talk.say('Book it.', { until: 'heard' })
  const reply = talk.state.reply?.id ?? ''
  talk.take({ type: 'tool_call', reply, call: { run: 'run', name: 'book', arguments: {} } })
  talk.take({ type: 'asked', reply, usage: { input_tokens: 1, output_tokens: 1 } })
  talk.say('Stop.', { until: 'heard' })
  assert.equal(talk.state.reply?.voice.asks_to_stop, true)
  assert.deepEqual(talk.take({ type: 'tool_done', run: 'run', status: 'succeeded', result: '' }), [])
  talk.hearAll()
  assert.equal(talk.state.phase, 'listening')
})
