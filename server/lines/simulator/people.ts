import type { Outcome } from '../../calls/schema.ts'
import { friendly, leaving } from './friendly.ts'
import type { Act, Person, PersonState } from './person.ts'

const rings_ms = [2_000, 9_000] as const
const hello: Act = { say: ['Hello?', 'Hi there.', 'Yes, hello?'] }
const replies = { report: 'delivered' } as const
const no_reply = { report: 'delivered', is_silent: true } as const
const undelivered = { report: 'failed' } as const

const hangUpAfter = (after_ms: number): NonNullable<PersonState['silence']> => ({ after_ms, hang_up_ms: 0 })

const alex: Person = {
  description: 'friendly, agrees',
  voice: 'slt',
  rings_ms,
  opening: hello,
  states: friendly,
  turns_max: 11,
  texting: replies,
}

const nobody = (description: string, unanswered: Person['unanswered']): Person => ({
  description,
  voice: 'kal',
  ...(unanswered && { unanswered }),
  states: {},
  texting: undelivered,
})

const error = { final: 'error', after_ms: 1_000, is_ringing: false } as const

const greeting =
  "Hi, you've reached Alex Morgan. I can't take your call right now. Please leave a message after the tone."
const menu = 'For sales, press 1. For support, press 2. For everything else, press 3.'
const unavailable: Act = {
  say: ['I am sorry, this person is not available right now. Goodbye.'],
  hang_up_ms: 500,
}
const asks_for_person: Act = {
  say: ['Can I speak to a real person, please?', 'I would like to speak to a person, please.'],
  go: 'asked',
}
const wants_no_calls: Act = { say: ['Stop calling me.', 'Please stop calling me.'], go: 'told' }

const interruption = {
  after_ms: [900, 1_100],
  say: ['Sorry, wait a moment, I have a question.', 'Hold on, can I ask you something first?'],
} as const

/**
 * People by the last two digits of their number. For all other numbers a person is drawn from the mix of the workspace.
 * @internal
 */
export const people: Readonly<Record<string, Person>> = {
  '00': alex,
  '01': nobody('never answers', { final: 'no_answer', after_ms: 30_000, is_ringing: true }),
  '02': {
    ...nobody('busy', { final: 'busy', after_ms: [1_000, 2_000], is_ringing: false }),
    texting: no_reply,
  },
  '03': nobody('rejects', { final: 'rejected', after_ms: [3_000, 6_000], is_ringing: true }),
  '04': nobody('invalid number', { final: 'invalid_number', after_ms: 0, is_ringing: false }),
  '05': {
    ...alex,
    description: 'voicemail with a beep',
    rings_ms: [15_000, 25_000],
    machine: 'voicemail',
    opening: { say: [greeting], beep_ms: 500, go: 'recording' },
    states: { recording: { timeout: hangUpAfter(60_000) } },
    texting: no_reply,
  },
  '06': {
    ...alex,
    description: 'mailbox full',
    voice: 'kal16',
    rings_ms: [15_000, 25_000],
    machine: 'voicemail',
    opening: {
      say: ['The person you are calling is not available. The mailbox is full. Goodbye.'],
      hang_up_ms: 10_000,
    },
    states: {},
    texting: no_reply,
  },
  '07': {
    ...alex,
    description: 'call-screening assistant',
    voice: 'kal16',
    machine: 'screened',
    opening: {
      say: ['Hi, this call is screened by an assistant. Please say who is calling, and why.'],
      go: 'asked',
    },
    states: {
      asked: {
        else: { say: ['Thank you. Please stay on the line.'], go: 'asking' },
        silence: { after_ms: 15_000, ...unavailable },
      },
      asking: { timeout: { after_ms: [3_000, 6_000], ...unavailable } },
    },
    texting: no_reply,
  },
  '08': {
    ...alex,
    description: 'phone menu, wants 2',
    voice: 'kal16',
    machine: 'menu',
    opening: { say: [`Welcome to the example company. ${menu}`], go: 'first' },
    states: {
      first: menuState({ say: [menu], go: 'second' }),
      second: menuState({ say: [menu], go: 'third' }),
      third: menuState({ say: ['We have not received your choice. Goodbye.'], hang_up_ms: 500 }),
      support: {
        else: { say: ['Thank you, I have noted that. Goodbye.'], go: 'leaving' },
        silence: hangUpAfter(25_000),
      },
      ...leaving,
    },
    texting: undelivered,
  },
  '09': { ...alex, description: 'answers, says nothing', opening: {}, states: {}, texting: no_reply },
  '10': {
    ...alex,
    description: 'asks for a person',
    voice: 'rms',
    states: {
      start: { else: asks_for_person, silence: hangUpAfter(25_000) },
      asked: {
        on: [
          {
            hear: ['colleague', 'transfer', 'connect', 'hold', 'moment', 'hand over', 'human'],
            say: ['Thank you, I will wait.'],
            go: 'waiting',
          },
        ],
        else: { say: ['I would rather speak to a person, please.'], go: 'waiting' },
        timeout: hangUpAfter(60_000),
      },
      waiting: { timeout: hangUpAfter(60_000) },
    },
  },
  '11': {
    ...alex,
    description: '"stop calling me"',
    voice: 'rms',
    opening: wants_no_calls,
    states: {
      start: { else: wants_no_calls },
      told: {
        else: { say: ['I said, stop calling me. Goodbye.'], hang_up_ms: 1_000 },
        silence: hangUpAfter(30_000),
      },
    },
    texting: { report: 'delivered', reply: 'STOP' },
  },
  '12': {
    ...alex,
    description: 'wrong person',
    voice: 'awb',
    states: {
      start: {
        else: { say: ['Sorry, you have the wrong number.', 'I think you have the wrong number.'], go: 'told' },
        silence: hangUpAfter(25_000),
      },
      told: {
        else: { say: ['No, that person does not live here. Goodbye.'], go: 'leaving' },
        silence: hangUpAfter(30_000),
      },
      ...leaving,
    },
  },
  '13': {
    ...alex,
    description: 'interrupts every agent turn',
    voice: 'rms',
    turns_max: 6,
    states: {
      ...friendly,
      start: { ...friendly.start, interruption },
      satisfied: { ...friendly.satisfied, interruption },
      doubtful: { ...friendly.doubtful, interruption },
    },
  },
  '14': {
    ...alex,
    description: 'hangs up in mid-sentence',
    voice: 'awb',
    states: { start: { else: { say: ['Yes?', 'Yes, what is it?'] }, silence: hangUpAfter(18_000) } },
    hangs_up_in_mid_sentence: true,
  },
  '15': {
    ...alex,
    description: 'talks without end',
    voice: 'rms',
    opening: { say: ['Ah, how lovely to hear from you, I was just making tea.'] },
    states: {
      start: {
        timeout: {
          after_ms: [500, 1_500],
          say: [
            'You know, the market had such lovely apples, red and sweet.',
            'My neighbour says that the weather is about to change.',
            'My sister has a garden with old trees and a bench under them.',
            'The train was crowded, so I read the whole newspaper while standing.',
            'And he asked me whether I had seen his glasses, and they were on his nose.',
            'Have you seen how tall the new house at the corner has become?',
          ],
        },
      },
    },
  },
  '16': { ...nobody('carrier error, answers the second time', error), texting: { ...replies, fails_once: true } },
  '17': {
    ...nobody('carrier goes silent', undefined),
    has_no_reports: true,
    texting: { report: 'none', is_silent: true },
  },
  '18': { ...alex, description: 'callbacks doubled and shuffled', voice: 'kal', has_repeated_reports: true },
  '19': {
    ...alex,
    description: 'pauses in mid-sentence',
    voice: 'awb',
    hesitation: ['Well, let me think,', 'One second, let me see, and', 'Hm, you know,'],
  },
  unreachable: nobody('unreachable', { final: 'unreachable', after_ms: [2_000, 4_000], is_ringing: false }),
  error: nobody('carrier error', error),
}

/** The person for each outcome of the mix. */
export const person_by_outcome = {
  answered: '00',
  no_answer: '01',
  voicemail: '05',
  busy: '02',
  rejected: '03',
  unreachable: 'unreachable',
  error: 'error',
} satisfies Partial<Record<Outcome, string>>

/** The person who answers the second call, where it is another one. */
const second_persons: Readonly<Record<string, string>> = { '16': '00' }

export const onAttempt = (person: string, attempt: number): string =>
  attempt > 1 ? (second_persons[person] ?? person) : person

export const personOf = (key: string): Person => people[key] ?? alex

function menuState(timeout: Act): PersonState {
  return {
    digits: { 2: { say: ['Support, this is Sam. How can I help you?'], go: 'support' } },
    timeout: { after_ms: 6_000, ...timeout },
  }
}
