import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Answering,
  type AnsweringEvent,
  type AnsweringInput,
  dueAt,
  newAnswering,
  step,
} from '../../server/audio/answering.ts'
import { countCallingOut, speakerOf } from '../../server/audio/answering-words.ts'
import { verdicts } from '../../server/calls/facts.ts'
import { runs } from '../support/property-runs.ts'

type WithoutTime = AnsweringInput extends infer One ? (One extends { at: number } ? Omit<One, 'at'> : never) : never

/** Something that happens this long after the answer. A speech ends with its words. */
type Moment = [at: number, WithoutTime]

const says = (start: number, end: number, text: string): Moment[] => [
  [start, { type: 'speech_started' }],
  [end, { type: 'words', text, is_final: true }],
  [end, { type: 'speech_stopped' }],
]
const verdict = (at: number, name: (typeof verdicts)[number]): Moment => [at, { type: 'verdict', verdict: name }]
const beep = (at: number): Moment[] => [
  [at - 400, { type: 'tone_started' }],
  [at, { type: 'beep' }],
]
const agent = (at: number): Moment => [at, { type: 'agent_heard' }]

/** What is found, with its time. Time passes as it does on a line. */
function find(moments: Moment[], until_ms = 60_000): string[] {
  let state = newAnswering(0)
  const found: string[] = []
  const take = (input: AnsweringInput) => {
    const next = step(state, input)
    state = next.state
    for (const event of next.events) found.push(`${nameOf(event)} ${input.at}`)
  }
  const passUntil = (time: number) => {
    for (let due = dueAt(state); due !== undefined && due <= time; due = dueAt(state)) take({ type: 'time', at: due })
  }
  for (const [at, input] of moments.toSorted(([one], [other]) => one - other)) {
    passUntil(at - 1)
    take({ ...input, at })
  }
  passUntil(until_ms)
  return found
}

const nameOf = (event: AnsweringEvent): string => (event.type === 'machine' ? event.kind : event.type)

const leave = 'Please leave a message.'
const after_tone = 'Please leave a message after the tone.'

const cases: [string, Moment[], string[]][] = [
  ['nobody speaks', [], []],
  ['a short speech, then silence', says(500, 1_000, 'Hello?'), ['human 2500']],
  ['a speech of 2.5 s, then silence', says(500, 3_000, 'Hello, Miller residence'), ['human 4500']],
  ['a longer one, then silence', says(500, 3_100, 'Hello, Miller residence'), ['human 7100']],
  ['two short ones', [...says(500, 900, 'Hello?'), ...says(1_700, 2_100, 'Hello?')], ['human 6100']],
  ['4 s without a pause', says(500, 4_500, 'It is a nice day and so on'), ['human 8500']],
  ['more than 4 s', says(500, 4_600, 'It is a nice day and so on'), ['voicemail 4600', 'beep 7600']],
  ['a speech that does not end', [[500, { type: 'speech_started' }]], ['voicemail 8500']],
  [
    'words of a long speech that tell a person',
    says(500, 5_500, 'Good morning, this is Miller Dental, how may I help you?'),
    ['human 5500'],
  ],
  ['"leave a message", and silence', says(500, 2_000, leave), ['voicemail 2000', 'beep 5000']],
  ['"leave a message", and a beep', [...says(500, 2_000, leave), ...beep(3_000)], ['voicemail 2000', 'beep 3000']],
  [
    'a beep that begins before the silence is over, and ends after it',
    [...says(500, 2_000, leave), ...beep(5_300)],
    ['voicemail 2000', 'beep 5300'],
  ],
  [
    'a tone that is no beep',
    [...says(500, 2_000, leave), [3_000, { type: 'tone_started' }], [3_100, { type: 'tone_stopped' }]],
    ['voicemail 2000', 'beep 6100'],
  ],
  ['a tone is announced', says(500, 2_000, after_tone), ['voicemail 2000', 'beep 7000']],
  ['... and late', [...says(500, 2_000, after_tone), ...beep(5_000)], ['voicemail 2000', 'beep 5000']],
  [
    'the words come before the speech has ended',
    [
      [500, { type: 'speech_started' }],
      [2_500, { type: 'words', text: 'To leave a message', is_final: false }],
      [4_500, { type: 'words', text: `${leave} I will call you`, is_final: false }],
      [9_000, { type: 'words', text: `${leave} Thank you.`, is_final: true }],
      [9_000, { type: 'speech_stopped' }],
    ],
    ['voicemail 4500', 'beep 12000'],
  ],
  [
    'the words have a pause in between',
    [...says(500, 1_200, 'Hi, please leave a'), ...says(2_000, 2_700, 'message.')],
    ['voicemail 2700', 'beep 5700'],
  ],
  [
    'a greeting with a long pause in it',
    [...says(500, 2_000, 'You have reached the voicemail of Jane.'), ...says(4_000, 5_500, leave), ...beep(6_500)],
    ['voicemail 2000', 'beep 6500'],
  ],
  [
    'a long greeting with a long pause in it, and then a long wait for the beep',
    [
      ...says(500, 5_000, 'It is a nice day and so on'),
      ...says(6_500, 8_000, 'And so on'),
      ...beep(10_500),
      verdict(11_000, 'machine_end_beep'),
    ],
    ['voicemail 5000', 'beep 10500'],
  ],
  [
    'a person by its shape, and then a message',
    [...says(500, 1_000, 'Hello.'), ...says(3_000, 4_500, leave)],
    ['human 2500', 'voicemail 4500', 'beep 7500'],
  ],
  [
    'a beep without telling words',
    [...says(500, 2_000, 'Five five five.'), ...beep(3_000)],
    ['voicemail 3000', 'beep 3000'],
  ],
  ['a beep before anything else, then nothing', beep(1_000), ['voicemail 2500', 'beep 2500']],
  ['a beep before anything else, then a person', [...beep(1_000), ...says(1_500, 2_000, 'Hello?')], ['human 3500']],
  ['an assistant', says(500, 4_000, 'Please say your name and why you are calling.'), ['screened 4000']],
  ['a person who asks who is calling', says(500, 1_600, 'Who is calling, please?'), ['human 3100']],
  [
    'an assistant that asks who is calling',
    says(500, 3_600, 'Hi there. I am busy. Who is calling?'),
    ['screened 3600'],
  ],
  ['a menu', says(500, 5_000, 'For sales, press one. For support, press two.'), ['menu 5000']],
  [
    'an assistant, and then its voicemail',
    [...says(500, 3_500, 'Please state your name.'), ...says(12_000, 14_000, leave)],
    ['screened 3500', 'voicemail 14000', 'beep 17000'],
  ],
  [
    'a menu, and then a person',
    [...says(500, 3_500, 'For sales, press one.'), agent(5_000), ...says(9_000, 11_000, 'Sales, how can I help you?')],
    ['menu 3500', 'human 11000'],
  ],
  [
    'a voicemail with keys is no menu',
    [...says(500, 3_500, leave), ...says(4_000, 6_000, 'Or press one for more options.'), ...beep(7_000)],
    ['voicemail 3500', 'beep 7000'],
  ],
  ['the carrier: a person', [verdict(900, 'human')], ['human 900']],
  [
    'the carrier has found a person, the words a voicemail',
    [verdict(900, 'human'), ...says(500, 3_000, after_tone), ...beep(4_000)],
    ['human 900', 'voicemail 3000', 'beep 4000'],
  ],
  [
    'the carrier finds a person after the words have told a voicemail',
    [...says(500, 3_000, leave), verdict(3_200, 'human')],
    ['voicemail 3000', 'beep 6000'],
  ],
  [
    'the carrier has found a person, who speaks long',
    [verdict(900, 'human'), ...says(500, 6_000, 'It is a nice day and so on')],
    ['human 900'],
  ],
  ['the carrier: a machine begins', [verdict(3_000, 'machine_start')], ['voicemail 3000', 'beep 6000']],
  [
    'the carrier: a machine, while it speaks',
    [verdict(3_000, 'machine_start'), ...says(500, 6_000, 'It is a nice day and so on')],
    ['voicemail 3000', 'beep 9000'],
  ],
  [
    'the carrier: a beep',
    [...says(500, 3_000, after_tone), verdict(4_000, 'machine_end_beep')],
    ['voicemail 3000', 'beep 4000'],
  ],
  ['the carrier alone: a beep', [verdict(4_000, 'machine_end_beep')], ['voicemail 4000', 'beep 4000']],
  ['the carrier: the end of a greeting', [verdict(4_000, 'machine_end_silence')], ['voicemail 4000', 'beep 7000']],
  ['the carrier does not know', [verdict(4_000, 'unknown')], []],
  ['a fax machine', [verdict(4_000, 'fax')], ['voicemail 4000', 'beep 7000']],
  [
    'the carrier: a machine that is a menu',
    [verdict(3_000, 'machine_start'), ...says(500, 6_000, 'For sales, press one.')],
    ['voicemail 3000', 'menu 6000'],
  ],
  [
    'the carrier: a machine, but a person has answered the agent',
    [
      ...says(500, 1_000, 'Hello?'),
      agent(4_000),
      ...says(4_500, 5_500, 'Yes, that is me.'),
      verdict(6_000, 'machine_start'),
    ],
    ['human 2500'],
  ],
  [
    'who talks with the agent may speak of messages, and hear a beep',
    [
      ...says(500, 1_000, 'Hello?'),
      agent(4_000),
      ...says(4_500, 5_500, 'Yes, that is me.'),
      agent(7_000),
      ...says(8_000, 9_000, 'He was at the tone, leave a message.'),
      ...beep(10_000),
    ],
    ['human 2500'],
  ],
  [
    'who says nothing before the agent, and then answers',
    [
      agent(4_000),
      ...says(4_500, 11_500, 'Oh yes I have been waiting for you all the day'),
      verdict(12_000, 'machine_start'),
    ],
    ['human 11500'],
  ],
  [
    'a greeting that begins after the agent has spoken',
    [agent(4_000), ...says(4_500, 5_500, 'Hi, this is Bob.'), ...says(6_200, 7_500, leave)],
    ['human 5500', 'voicemail 7500', 'beep 10500'],
  ],
  [
    'a machine by its shape that turns out to be a person',
    [...says(500, 4_600, 'It is a nice day and so on'), ...says(5_500, 6_500, 'Hello? Hello?')],
    ['voicemail 4600', 'human 6500'],
  ],
  [
    'one "hello" begins many greetings',
    [verdict(400, 'machine_start'), ...says(500, 900, 'Hello.'), ...says(1_600, 3_000, leave), ...beep(4_000)],
    ['voicemail 400', 'beep 4000'],
  ],
  [
    'a person lifts the receiver while the message is left',
    [
      ...says(500, 2_000, leave),
      ...beep(3_000),
      ...says(6_000, 6_400, 'Hello?'),
      ...says(7_000, 8_000, 'Hello, who is this?'),
    ],
    ['voicemail 2000', 'beep 3000', 'human 8000'],
  ],
  [
    'a person who was a machine is not one again',
    [
      ...says(500, 4_600, 'It is a nice day and so on'),
      ...says(5_000, 5_800, 'Hello? Hello?'),
      verdict(6_000, 'machine_start'),
      ...says(7_000, 8_000, leave),
    ],
    ['voicemail 4600', 'human 5800'],
  ],
  [
    'who wants no more calls is a person',
    [
      verdict(900, 'machine_start'),
      ...says(500, 1_400, 'Stop calling me.'),
      ...beep(3_000),
      verdict(4_000, 'machine_end_beep'),
    ],
    ['voicemail 900', 'human 1400'],
  ],
]

for (const [name, moments, expected] of cases)
  test(`who answered: ${name}`, () => assert.deepEqual(find(moments), expected))

const spoken: [string, string | undefined][] = [
  ["You've reached Tom. Leave your name and number.", 'voicemail'],
  ['Record your message at the tone.', 'voicemail'],
  ["I can't take your call right now.", 'voicemail'],
  ['The person you are calling is not available.', 'voicemail'],
  ['The subscriber you have dialled is temporarily unavailable.', 'voicemail'],
  ['You have reached the voice mail of Jane.', 'voicemail'],
  ["We're closed. We will return your call as soon as we can.", 'voicemail'],
  ['If you would like to leave a message, please do so now.', 'voicemail'],
  ['After the tone, record your message or press 1 for more options.', 'voicemail'],
  ['Bitte hinterlassen Sie eine Nachricht nach dem Signalton.', 'voicemail'],
  ['Sprechen Sie bitte nach dem Piep.', 'voicemail'],
  ['Dies ist die Mailbox von Jan. Ich bin gerade nicht erreichbar.', 'voicemail'],
  ['Der Anrufbeantworter ist eingeschaltet.', 'voicemail'],
  ['Nach dem Ton können Sie Ihren Namen und Ihre Nummer hinterlassen.', 'voicemail'],
  ['Would you like to leave a message?', 'person'],
  ['She is not in, can I take a message?', 'person'],
  ['How can I help you?', 'person'],
  ['Was kann ich für Sie tun?', 'person'],
  ['Er ist nicht da, kann ich etwas ausrichten?', 'person'],
  ['Möchten Sie eine Nachricht hinterlassen?', 'person'],
  ['He is not here right now, but he would like to leave a message.', 'person'],
  ['This is the front desk. My name is Anna. Tell me, I direct your call.', 'person'],
  ['To leave a message, press two.', 'menu'],
  ['Press 1 for English.', 'menu'],
  ['Press any key to connect.', 'menu'],
  ['Für den Vertrieb drücken Sie bitte die eins.', 'menu'],
  ['Please state your name and the reason for your call.', 'screened'],
  ['Go ahead and say your name, and why you are calling.', 'screened'],
  ["May I ask who's calling, and why?", 'screened'],
  ['If you record your name and reason for calling, I will see if this person is available.', 'screened'],
  ['Bitte nennen Sie Ihren Namen.', 'screened'],
  ['Hello?', undefined],
  ['Hello, this is John.', undefined],
  ['I got your message.', undefined],
  ['I have to leave now, what is your number?', undefined],
  ['I left my number with your colleague.', undefined],
  ['You pressed me to buy one.', undefined],
  ['Ich habe Ihre Nachricht bekommen.', undefined],
]

for (const [text, speaker] of spoken)
  test(`"${text}" is said by ${speaker ?? 'anybody'}`, () => assert.equal(speakerOf(text, { is_long: false }), speaker))

test('who asks whether anybody is there is counted, and no other words', () => {
  const counts: [string, number][] = [
    ['Hello? Hello?', 2],
    ['Hello, is anybody there?', 2],
    ['Hallo, wer ist da?', 2],
    ['Hello.', 1],
    ['Hello, this is Bob.', 0],
    ['Hello, you have reached Bob.', 0],
    ['Yes.', 0],
    ['', 0],
  ]
  for (const [text, count] of counts) assert.equal(countCallingOut(text), count, text)
})

const moment = fc.tuple(
  fc.nat({ max: 3_000 }),
  fc.oneof(
    fc.constantFrom<WithoutTime>(
      { type: 'speech_started' },
      { type: 'speech_stopped' },
      { type: 'tone_started' },
      { type: 'tone_stopped' },
      { type: 'beep' },
      { type: 'agent_heard' },
      { type: 'time' },
    ),
    fc.constantFrom(...verdicts).map((verdict): WithoutTime => ({ type: 'verdict', verdict })),
    fc
      .tuple(
        fc.constantFrom(leave, after_tone, 'Hello?', 'Hello? Hello?', 'Press one.', 'Stop calling me.', ''),
        fc.boolean(),
      )
      .map(([text, is_final]): WithoutTime => ({ type: 'words', text, is_final })),
  ),
)

test('whatever happens, each kind is found once, a beep comes once and after its voicemail, and time alone comes to rest', () => {
  fc.assert(
    fc.property(fc.array(moment, { maxLength: 60 }), (moments) => {
      let state: Answering = newAnswering(0)
      let at = 0
      const names: string[] = []
      const take = (input: AnsweringInput) => {
        const before = JSON.stringify(state)
        const next = step(state, input)
        assert.equal(JSON.stringify(state), before, 'it is not changed')
        state = next.state
        names.push(...next.events.map(nameOf))
        if (next.events.some(({ type }) => type === 'beep')) assert.equal(state.found?.kind, 'voicemail')
      }
      for (const [wait, input] of moments) {
        at += wait
        take({ ...input, at })
      }
      let count = 0
      for (let due = dueAt(state); due !== undefined; due = dueAt(state)) {
        at = Math.max(at, due)
        take({ type: 'time', at })
        count += 1
        assert.ok(count < 5, 'it rests')
      }
      assert.equal(new Set(names).size, names.length, names.join())
      const [voicemail, beep] = [names.indexOf('voicemail'), names.indexOf('beep')]
      assert.ok(beep === -1 || (voicemail >= 0 && voicemail < beep), names.join())
    }),
    runs(),
  )
})
