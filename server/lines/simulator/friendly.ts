import type { Act, PersonState, Topic } from './person.ts'

/**
 * A friendly person who agrees. Phrases have one or two telling words: of three words, two would be enough to match.
 * When several topics match equally well, the first one wins.
 */
const topics: readonly Topic[] = [
  {
    hear: ['goodbye', 'bye', 'farewell', 'good bye'],
    say: ['Goodbye!', 'Thank you. Goodbye!', 'Bye now!'],
    go: 'leaving',
  },
  {
    hear: ['anything else', 'something else', 'other questions', 'further questions', 'more questions'],
    say: ["No, that's all. Thank you.", "No, thank you, that's all.", 'No, nothing else. Thank you.'],
    go: 'satisfied',
  },
  { hear: ['still there', 'hear me', 'you there'], say: ['Yes, I am here.', 'Yes, I can hear you.'] },
  { hear: ['speaking with', 'speaking to', 'am speaking'], say: ['Yes, that is me.', 'Yes, speaking.'] },
  {
    hear: ['your name', 'full name', 'first name', 'last name', 'who speaking'],
    say: ['My name is Alex Morgan.', "It's Alex Morgan.", 'Alex Morgan.'],
  },
  {
    hear: ['email', 'mail address'],
    say: ['It is alex at example dot com.', 'My address is alex at example dot com.'],
  },
  { hear: ['this number', 'same number'], say: ['Yes, this number is fine.', 'Yes, please use this number.'] },
  {
    hear: ['phone number', 'your number', 'which number', 'what number', 'best number', 'reach you'],
    say: ['My number is 415 555 0123.', 'You can use 415 555 0123.'],
  },
  {
    hear: ['how many', 'how much', 'number of'],
    say: ['Two, please.', 'Three would be good.'],
  },
  {
    hear: ['what time', 'which time', 'time suits'],
    say: ['At ten in the morning, please.', 'Three in the afternoon would be good.'],
  },
  {
    hear: [
      'which day',
      'what day',
      'name day',
      'date',
      'when would',
      'when should',
      'when shall',
      'when can',
      'when suit',
    ],
    say: ['Next Tuesday would be good.', 'Tomorrow, please.', 'Next Thursday, please.'],
  },
]

const wish: Topic = {
  hear: ['how help', 'what help', 'how assist', 'help today'],
  say: ['What are your opening hours?', 'When are you open?', 'Could you tell me your opening hours, please?'],
}

const agrees: Act = {
  say: ['Yes, that sounds good.', 'Yes, please.', 'Sure, that works for me.', 'Yes, of course.'],
}

export const goodbye: Act = { say: ['Thank you very much. Goodbye!', 'That is all. Goodbye!'], go: 'leaving' }

/**
 * The person waits for the agent to hang up, longer than agents wait for someone who says nothing. An agent that goes
 * on talking hears goodbye again.
 */
export const leaving: Record<'leaving' | 'left', PersonState> = {
  leaving: {
    is_leaving: true,
    else: { say: ['Goodbye!', 'Thank you, goodbye!'], go: 'left' },
    silence: { after_ms: 30_000, hang_up_ms: 0 },
  },
  left: {
    is_leaving: true,
    else: { say: ['I have to go. Goodbye!', 'I am hanging up now. Goodbye!'], hang_up_ms: 2_000 },
    silence: { after_ms: 30_000, hang_up_ms: 0 },
  },
}

const talking: PersonState = {
  on: [wish, ...topics],
  else: agrees,
  silence: { after_ms: 12_000, say: ['Hello?', 'Are you still there?'], go: 'doubtful' },
}

export const friendly = {
  start: talking,
  /** A person with nothing left to ask. */
  satisfied: { ...talking, on: topics, else: goodbye },
  /** A person to whom the agent has not said anything for a while. */
  doubtful: {
    ...talking,
    on: [wish, ...topics].map((topic) => ({ go: 'start', ...topic })),
    else: { ...agrees, go: 'start' },
    silence: { after_ms: 20_000, say: ['Hello? I am hanging up now.'], hang_up_ms: 500 },
  },
  ...leaving,
} satisfies Record<string, PersonState>
