import type { NewAgentTest } from '../agent-tests/schema.ts'
import type { NewAgent } from '../agents/schema.ts'
import type { NewDocument } from '../documents/schema.ts'
import type { Branch } from '../models/script-schema.ts'

const human: Branch = { intent: 'human', say: 'Of course. A colleague will answer you here.', go: '@hand_over' }
const goodbye: Branch = { intent: 'goodbye', say: 'Thank you for getting in touch. Goodbye!', go: '@end' }

const topics: Branch[] = [
  {
    hear: ['opening hours', 'when are you open', 'are you open', 'when do you open', 'when do you close'],
    say: 'We are open Monday to Friday, from nine to six.',
    go: 'more',
  },
  { hear: ['callback', 'call me back', 'call me', 'call back'], go: 'ask_name' },
  human,
  goodbye,
]

const not_understood = { say: 'Sorry, I did not get that. Ask for our opening hours, a callback or a person.' }

const tag = 'front desk'

/** The document that the example agent looks up. */
export const front_desk: NewDocument & { text: string } = {
  name: 'Front desk',
  tags: [tag],
  text: `# Front desk

This is an example. Replace it with what people ask you.

## Parking

You can park in the yard behind the house. Parking is free for two hours.

## Payment

You can pay in cash, by card or by invoice. Invoices are due within 14 days.

## Cancellation

You can cancel an appointment free of charge until the day before.

## How to find us

The entrance is on Mill Street, next to the pharmacy. Bus 12 stops in front of the door.

## Accessibility

There is a lift, and all rooms can be reached by wheelchair. Guide dogs are welcome.
`,
}

/** The example agent of the first workspace. It needs no model. */
export const receptionist: NewAgent = {
  name: 'Receptionist',
  description:
    'An example: tells the opening hours, answers from a document, arranges a callback and hands over to a person.',
  knowledge: { tags: [tag] },
  script: {
    start: 'welcome',
    nodes: {
      welcome: {
        say: 'Hello! I can tell you our opening hours or arrange a callback. How can I help?',
        on: topics,
        answer_from_knowledge: true,
        else: not_understood,
      },
      ask_name: {
        say: 'Gladly. What is your name?',
        on: [{ slot: 'name', go: 'ask_day' }, human, goodbye],
        else: { say: 'Sorry, I did not get your name. What is it?' },
      },
      ask_day: {
        say: 'Thank you, {{name}}. On which day shall we call you?',
        on: [{ slot: 'date', go: 'confirm' }, human, goodbye],
        else: { say: 'Please name a day, such as tomorrow or next Tuesday.' },
      },
      confirm: {
        say: 'We will call you on {{date}}. Is that right?',
        on: [
          { intent: 'yes', say: 'Noted.', go: 'more' },
          { slot: 'date', go: 'confirm' },
          { intent: 'no', go: 'ask_day' },
          human,
          goodbye,
        ],
      },
      more: {
        say: 'Is there anything else?',
        on: [
          ...topics,
          { intent: 'yes', go: 'ask_topic' },
          { intent: 'no', say: 'Then have a nice day. Goodbye!', go: '@end' },
        ],
        answer_from_knowledge: true,
        else: not_understood,
      },
      ask_topic: { say: 'How can I help?', on: topics, answer_from_knowledge: true, else: not_understood },
    },
  },
}

/** Tests of the example agent, which pass. */
export const receptionist_tests: NewAgentTest[] = [
  {
    name: 'Tells the opening hours',
    kind: 'conversation',
    steps: [
      { says: 'When are you open?', expect: [{ type: 'says', any_of: ['from nine to six'] }] },
      { says: 'No, thank you', expect: [{ type: 'says', any_of: ['goodbye'] }] },
    ],
    expect: [{ type: 'ends', how: 'agent_ended' }],
  },
  {
    name: 'Arranges a callback',
    kind: 'conversation',
    now: '2027-03-01T09:00:00.000Z',
    steps: [
      { says: 'Could you call me back?', expect: [{ type: 'says', any_of: ['your name'] }] },
      { says: 'My name is Ada Lovelace', expect: [{ type: 'says', any_of: ['which day'] }] },
      { says: 'Tomorrow', expect: [{ type: 'says', any_of: ['2027-03-02'] }] },
      { says: 'Yes', expect: [{ type: 'says', any_of: ['noted'] }] },
    ],
    expect: [
      { type: 'result', name: 'name', equals: 'Ada Lovelace' },
      { type: 'result', name: 'date', equals: '2027-03-02' },
    ],
  },
  {
    name: 'Hands over to a person',
    kind: 'conversation',
    steps: [{ says: 'I want to talk to a person', expect: [{ type: 'says', any_of: ['a colleague'] }] }],
    expect: [{ type: 'ends', how: 'handed_over' }],
  },
]
