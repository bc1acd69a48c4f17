import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { CallLineEvent } from '../../server/calls/carrier.ts'
import { newLine, openLine } from '../../server/lines/simulator/line.ts'
import type { LineState } from '../../server/lines/simulator/line-state.ts'
import { people, personOf } from '../../server/lines/simulator/people.ts'
import { newRandom } from '../../server/lines/simulator/random.ts'
import { scoreIntent } from '../../server/models/intents.ts'
import { intents } from '../../server/models/languages/language.ts'
import { languageOf, listen } from '../../server/models/matching.ts'
import { findSlot, slots } from '../../server/models/slots.ts'
import type { SpeechPart } from '../../server/talk/state.ts'
import { runs } from '../support/property-runs.ts'
import { apply, type Command, dialPerson, type Listener, play } from '../support/simulated-calls.ts'

const receptionist = (): Listener => ({
  answers: [
    'Hello! I can tell you our opening hours or arrange a callback. How can I help?',
    'We are open Monday to Friday, from nine to six. Is there anything else?',
    'Then have a nice day. Goodbye!',
  ],
})
const endless = (): Listener => ({ answers: ['I did not understand that. What would you like?'], is_endless: true })

const factsIn = (events: CallLineEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type !== 'fact') return []
    const { fact } = event.fact
    return fact.kind === 'final'
      ? `final=${fact.final}`
      : fact.kind === 'machine'
        ? `machine=${fact.machine}`
        : fact.kind
  })
const spokenIn = (events: CallLineEvent[]): SpeechPart[] =>
  events.flatMap((event) => (event.type === 'heard' && event.part ? event.part : []))
const wordsIn = (events: CallLineEvent[]): string[] => spokenIn(events).map(({ text }) => text)
const has = (events: CallLineEvent[], type: CallLineEvent['type']): boolean =>
  events.some((event) => event.type === type)

test('a friendly person lets the agent finish, and the agent hangs up', () => {
  for (const speaks_first of [false, true])
    for (let seed = 0; seed < 20; seed += 1) {
      const { events, end } = play(dialPerson('00', seed), { ...receptionist(), speaks_first })
      assert.equal(end, 'agent', `seed ${seed}`)
      assert.deepEqual(factsIn(events), ['queued', 'ringing', 'answered', 'final=completed'])
      assert.ok(wordsIn(events).some((text) => /open/.test(text)))
    }
})

test('a friendly person has an answer to what agents ask', () => {
  const asked: [question: string, answer: RegExp][] = [
    ['May I have your name, please?', /Alex Morgan/],
    ['On which day shall we call you?', /Tuesday|Tomorrow|Thursday/],
    ['What is your phone number?', /415 555 0123/],
    ['We will call you on Tuesday. Is that right?', /^(Yes|Sure)/],
    ['What is your email address?', /alex at example dot com/],
    ['At what time?', /morning|afternoon/],
    ['Is there anything else?', /^No/],
    ['Great. On what day would it be nice?', /Tuesday|Tomorrow|Thursday/],
  ]
  for (const [question, answer] of asked) {
    const { events } = play(dialPerson('00'), { answers: [question, 'Thank you. Goodbye.'] })
    assert.match(wordsIn(events)[1] ?? '', answer, question)
  }
})

test('a person says goodbye to an agent that never ends, and hangs up in the end', () => {
  for (const person of ['00', '12', '13', '18', '19']) {
    const { events, end } = play(dialPerson(person), endless())
    assert.equal(end, 'contact', person)
    assert.ok(wordsIn(events).length <= 2 * 14, person)
    assert.match(wordsIn(events).at(-1) ?? '', /Goodbye/)
  }
})

test('a person who hears nothing asks, and hangs up', () => {
  const line = dialPerson('00')
  const events: CallLineEvent[] = []
  while (line.next_at !== undefined) events.push(...line.take(line.next_at))
  assert.ok(has(events, 'hung_up'))
  assert.equal(wordsIn(events).length, 3)
})

test('nobody answers in these ways', () => {
  const outcomes: Record<string, string[]> = {
    '01': ['queued', 'ringing', 'final=no_answer'],
    '02': ['queued', 'final=busy'],
    '03': ['queued', 'ringing', 'final=rejected'],
    '04': ['final=invalid_number'],
    '16': ['queued', 'final=error'],
    '17': [],
    unreachable: ['queued', 'final=unreachable'],
    error: ['queued', 'final=error'],
  }
  for (const [person, facts] of Object.entries(outcomes)) {
    const { events, end } = play(dialPerson(person), receptionist())
    assert.deepEqual([factsIn(events), end], [facts, facts.length > 0 ? 'unanswered' : 'nothing'], person)
    assert.ok(!has(events, 'answered'))
  }
  const { events } = play(dialPerson('01'), receptionist())
  assert.equal(events.at(-1)?.at, 1_030_000)
})

test('a voicemail greets, beeps and records for a minute', () => {
  const { events, end } = play(dialPerson('05'), { answers: ['Please call us back.'] })
  assert.equal(end, 'agent')
  assert.deepEqual(factsIn(events), ['queued', 'ringing', 'answered', 'machine=voicemail', 'final=completed'])
  assert.ok(has(events, 'beep') && has(events, 'machine'))
  const line = dialPerson('05')
  const alone: CallLineEvent[] = []
  while (line.next_at !== undefined) alone.push(...line.take(line.next_at))
  const atOf = (type: CallLineEvent['type']) => alone.find((event) => event.type === type)?.at ?? 0
  assert.ok(Math.abs(atOf('hung_up') - atOf('beep') - 60_000) < 1_000)
})

test('a full mailbox has no beep and hangs up', () => {
  const line = dialPerson('06')
  const events: CallLineEvent[] = []
  while (line.next_at !== undefined) events.push(...line.take(line.next_at))
  assert.deepEqual([has(events, 'beep'), has(events, 'hung_up'), has(events, 'machine')], [false, true, true])
  assert.match(wordsIn(events).join(' '), /mailbox is full/)
})

test('a call-screening assistant asks who is calling, and hangs up', () => {
  const { events, end } = play(dialPerson('07'), endless())
  assert.equal(end, 'contact')
  assert.match(wordsIn(events).join(' '), /who is calling.*stay on the line.*not available/)
  assert.ok(factsIn(events).includes('machine=screened'))
})

test('a phone menu wants 2, and hangs up without it', () => {
  const heard = (presses?: string) => {
    const { events } = play(dialPerson('08'), { ...endless(), ...(presses && { presses }) })
    return { words: wordsIn(events).join(' '), facts: factsIn(events), is_hung_up: has(events, 'hung_up') }
  }
  const { words, facts, is_hung_up } = heard('2')
  assert.match(words, /this is Sam/)
  assert.deepEqual([facts.includes('machine=menu'), is_hung_up], [true, true])
  const without = heard()
  assert.equal(without.words.match(/For sales/g)?.length, 3)
  assert.match(without.words, /not received your choice/)
  assert.ok(without.is_hung_up && !/Sam/.test(without.words))
  assert.equal(heard('1').is_hung_up, true)
})

test('someone who says nothing is silent for ever', () => {
  const { events, end } = play(dialPerson('09'), { ...receptionist(), speaks_first: true })
  assert.deepEqual([end, wordsIn(events)], ['silence', []])
})

test('people who want something else say so', () => {
  const said = (person: string) => wordsIn(play(dialPerson(person), { ...endless(), speaks_first: true }).events)
  assert.match(said('10')[0] ?? '', /person/)
  assert.match(said('11')[0] ?? '', /[Ss]top calling me/)
  assert.match(said('12')[0] ?? '', /wrong number/)
  const [first] = wordsIn(play(dialPerson('11'), { ...endless() }).events)
  assert.match(first ?? '', /[Ss]top calling me/, 'it is the first thing that is said')
})

test('someone who asks for a person waits a minute', () => {
  const line = dialPerson('10')
  const events: CallLineEvent[] = []
  const run = (until = Number.POSITIVE_INFINITY) => {
    while (line.next_at !== undefined && line.next_at <= until) events.push(...line.take(line.next_at))
  }
  run(1_015_000)
  line.say(1_015_000, { reply: 'r1', text: 'Hello, how can I help you?' })
  line.endReply(1_015_000, 'r1')
  run()
  const last = spokenIn(events).at(-1)
  const answered_at = events.find(({ type }) => type === 'answered')?.at ?? 0
  assert.equal(events.at(-1)?.at, answered_at + (last?.end_ms ?? 0) + 60_000)
})

test('someone interrupts every turn of the agent about a second after it began', () => {
  const { events, commands } = play(dialPerson('13'), endless())
  const turns = commands.filter(([, name]) => name === 'say').map(([now]) => now)
  const cleared = commands.filter(([, name]) => name === 'clear').map(([now]) => now)
  assert.ok(cleared.length >= 4)
  for (const at of cleared) {
    const began = turns.findLast((time) => time < at) ?? 0
    assert.ok(at - began > 900 && at - began < 3_500, `${at - began}`)
  }
  const { at } = events.find((event) => event.type === 'speech_started' && turns.some((time) => time < event.at)) ?? {
    at: 0,
  }
  const before = events.filter((event) => event.at === at).map(({ type }) => type)
  assert.deepEqual(before, ['played', 'speech_started'])
})

test('someone hangs up in the middle of the second sentence or turn', () => {
  for (const answers of [
    ['Hello there. This is a very long second sentence for you.'],
    ['Hello there', 'And now a longer turn.'],
  ])
    for (const speaks_first of [true, false]) {
      const { events, end } = play(dialPerson('14'), { answers: [...answers, 'No.'], speaks_first })
      assert.equal(end, 'contact')
      const [played, hung_up] = events.filter(({ at }) => at === events.at(-1)?.at)
      assert.ok(played?.type === 'played' && hung_up?.type === 'hung_up')
      const heard = played.parts.map(({ text }) => text).join(' ')
      assert.match(heard, /This is$|^And now$/)
    }
})

test('someone talks without end', () => {
  for (const speaks_first of [true, false]) {
    const { events, end } = play(dialPerson('15'), { ...endless(), speaks_first })
    assert.equal(end, 'max_duration')
    assert.ok(wordsIn(events).length > 50)
  }
})

test('who talks without end says nothing that a script waits for', () => {
  const { opening, states } = personOf('15')
  const language = languageOf('en')
  const moment = { now: 1_000_000, time_zone: 'UTC' }
  for (const sentence of [...(opening?.say ?? []), ...(states.start?.timeout?.say ?? [])]) {
    const heard = listen(sentence, language)
    const understood = [
      ...intents.filter((intent) => scoreIntent(intent, heard)),
      ...slots.filter((slot) => findSlot(slot, heard, moment)),
    ]
    assert.deepEqual(understood, [], sentence)
  }
})

test('someone pauses in the middle of a sentence', () => {
  const { events } = play(dialPerson('19'), receptionist())
  const spoken = spokenIn(events)
  const pauses = spoken.flatMap(({ text, end_ms }, index) =>
    /(,|and)$/.test(text) ? (spoken[index + 1]?.start_ms ?? 0) - end_ms : [],
  )
  assert.ok(pauses.length >= 3 && pauses.every((pause) => pause === 900), `${pauses}`)
})

test('repeated and shuffled reports are those of a friendly person', () => {
  for (let seed = 0; seed < 20; seed += 1) {
    const { events, end } = play(dialPerson('18', seed), receptionist())
    const facts = factsIn(events)
    assert.equal(end, 'agent')
    for (const fact of ['queued', 'ringing', 'answered', 'final=completed'])
      assert.equal(facts.filter((one) => one === fact).length, 2, `${seed} ${fact}`)
    const order = events.filter(({ type }) => type !== 'fact').map(({ at }) => at)
    assert.deepEqual(
      order,
      order.toSorted((left, right) => left - right),
    )
  }
})

test('the same seed gives the same call, another one another', () => {
  const textOf = (seed: number) => JSON.stringify(play(dialPerson('00', seed), receptionist()).events)
  assert.equal(textOf(1), textOf(1))
  assert.equal(new Set([1, 2, 3, 4, 5].map(textOf)).size, 5)
})

const listeners: Listener[] = [
  receptionist(),
  { ...receptionist(), speaks_first: true },
  { ...endless(), presses: '12' },
]

test('a line that is asked at any times, saved and opened again gives the same events', () => {
  const keys = Object.keys(people).filter((key) => key !== '15')
  const run = fc.record({
    person: fc.constantFrom(...keys),
    seed: fc.nat(1_000),
    listener: fc.constantFrom(...listeners),
    steps: fc.array(fc.record({ ms: fc.nat(20_000), is_saved: fc.boolean() }), { minLength: 1, maxLength: 60 }),
  })
  fc.assert(
    fc.property(run, ({ person, seed, listener, steps }) => {
      const { events, commands } = play(dialPerson(person, seed), { ...listener, answers: [...listener.answers] })
      let line = dialPerson(person, seed)
      const again: CallLineEvent[] = []
      let now = 1_000_000
      let step = 0
      const goTo = (until: number) => {
        while (now < until) {
          const { ms, is_saved } = steps[step % steps.length] ?? { ms: 1, is_saved: false }
          step += 1
          now = Math.min(until, now + ms + 1)
          // At the time of a command the events come first, as they do for the listener.
          again.push(...line.take(now))
          if (is_saved) line = openLine(JSON.parse(JSON.stringify(line.save())) as LineState)
        }
      }
      for (const command of commands) {
        goTo(command[0])
        apply(line, command)
      }
      again.push(...line.take(events.at(-1)?.at ?? 0))
      assert.deepEqual(again, events)
    }),
    runs(),
  )
})

/** What has been heard when so many milliseconds of the text were said: 65 for each character, and for the space after a word. */
const first_words = [
  { text: 'Good', ms: 325 },
  { text: 'Good morning,', ms: 910 },
]
const second_words = [
  { text: 'this', ms: 325 },
  { text: 'this is', ms: 520 },
  { text: 'this is  a', ms: 650 },
  { text: 'this is  a test.', ms: 1_040 },
]

test('what is played are whole words, never more than was said, and nothing after the agent was stopped', () => {
  fc.assert(
    fc.property(fc.nat(4_000), fc.nat(6_000), (say_after, clear_after) => {
      const line = dialPerson('09')
      const events: CallLineEvent[] = []
      while (!has(events, 'answered')) events.push(...line.take(line.next_at ?? 0))
      const answered_at = events.at(-1)?.at ?? 0
      line.say(answered_at, { reply: 'r1', text: 'Good morning,' })
      line.say(answered_at + say_after, { reply: 'r1', text: 'this is  a test.' })
      line.clear(answered_at + say_after + clear_after, 'r1')
      line.endReply(answered_at + say_after + clear_after, 'r1')
      const [played, ...more] = line.take(answered_at + 100_000)
      assert.ok(played?.type === 'played')
      const heardFrom = (start_ms: number, words: { text: string; ms: number }[]): SpeechPart[] => {
        const last = words.findLast(({ ms }) => start_ms + ms <= say_after + clear_after)
        return last ? [{ text: last.text, start_ms, end_ms: start_ms + last.ms }] : []
      }
      const heard = [...heardFrom(0, first_words), ...heardFrom(Math.max(say_after, 910), second_words)]
      assert.deepEqual(played.parts, heard)
      assert.deepEqual(
        more.map((event) => (event.type === 'played' ? event.parts : event.type)),
        [[], 'play_done'],
      )
    }),
    runs(),
  )
})

test('a line takes anything at any time without an error', () => {
  const command = fc.tuple(
    fc.nat(200_000),
    fc.constantFrom('say', 'press', 'endReply', 'clear', 'hangUp', 'transfer', 'take'),
    fc.constantFrom('r1', 'r2', '2', '9*#', '', '+14155550101', '+14155550100'),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(people)), fc.array(command, { maxLength: 30 }), (person, commands) => {
      const line = newLine({ person, started_at: 0, ...newRandom(1) })
      let now = 0
      let is_over = false
      for (const [ms, name, first, second] of commands) {
        now += ms
        if (name === 'take') line.take(now)
        else if (name === 'transfer') line.transfer(now, first)
        else apply(line, [now, name, first, second] as Command)
        is_over ||= name === 'hangUp'
        if (is_over) {
          line.take(now)
          assert.equal(line.next_at, undefined)
        }
      }
    }),
    runs(),
  )
})

test('a transfer succeeds if the number answers', () => {
  for (const [to, is_ok] of [
    ['+14155550100', true],
    ['+14155550199', true],
    ['+14155550101', false],
  ] as const) {
    const line = dialPerson('00')
    while (!has(line.take(line.next_at ?? 0), 'answered'));
    const now = line.next_at ?? 0
    line.transfer(now, to)
    const events = line.take(now + 30_000)
    const transferred = events.find((event) => event.type === 'transferred')
    assert.ok(transferred?.type === 'transferred' && transferred.is_ok === is_ok)
    assert.equal(factsIn(events).includes('final=completed'), is_ok)
  }
})
