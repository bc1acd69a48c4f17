import { openResampler } from '../../server/audio/resampler.ts'
import { joinSamples } from '../../server/audio/samples.ts'
import { fromMulaw, toMulaw } from '../../server/kit/sound/mulaw.ts'
import { microphone_rate, openRandom } from './microphone.ts'
import { loud_above, openRoom, type Sentence, sentences } from './sounds.ts'

/** Voicemails, people and others that answer a telephone, as one hears them there. */

export type Kind = 'voicemail' | 'human' | 'screened' | 'menu'

export interface Answerer {
  kind: Kind
  voice: Sentence['voice']
  /** What is said at once: words, and pauses in ms. */
  says: (string | number)[]
  /** What a person answers after the agent's words. Machines go on without them. */
  replies?: string[]
  beep?: Beep
  /** How much quieter the noise of the line is than the voice. Without it there is none. */
  noise_db?: number
}

interface Beep {
  hz: number
  ms: number
  /** How long after the last word the beep begins. */
  after_ms: number
}

export const telephone_rate = 8_000

export const voicemails: Answerer[] = [
  {
    voice: 'slt',
    says: [
      800,
      "Hi, you've reached Sarah. I can't come to the phone right now. Please leave a message after the tone.",
    ],
    beep: { hz: 1_000, ms: 400, after_ms: 600 },
  },
  {
    voice: 'rms',
    says: [
      500,
      'Your call has been forwarded to an automatic voice message system. Five five five, one two three four, is not available. ' +
        'At the tone, please record your message. When you have finished recording, you may hang up, or press one for more options.',
    ],
    beep: { hz: 850, ms: 500, after_ms: 500 },
  },
  { voice: 'awb', says: [900, 'This is Bob. Leave a message.'], beep: { hz: 1_400, ms: 300, after_ms: 300 } },
  {
    voice: 'kal16',
    says: [700, 'The person you are trying to reach is not available. Please leave a message after the beep.'],
    beep: { hz: 1_000, ms: 250, after_ms: 900 },
  },
  {
    voice: 'slt',
    says: [
      600,
      'Hello.',
      800,
      'You have reached the voicemail of Jane Miller. Please leave your name and number, and I will get back to you as soon as possible.',
    ],
    beep: { hz: 1_100, ms: 600, after_ms: 700 },
  },
  {
    voice: 'rms',
    says: [700, "Hi, this is Tom. I'm not here right now. Leave me a message and I will call you back."],
  },
  {
    voice: 'awb',
    says: [1_000, 'Thank you for calling the Smith family. We are not able to take your call. Please leave a message.'],
    beep: { hz: 440, ms: 1_000, after_ms: 800 },
  },
  { voice: 'kal16', says: [500, 'The mailbox is full and can not accept any messages at this time. Goodbye.'] },
  {
    voice: 'slt',
    says: [
      500,
      'Thank you for calling Miller Dental. Our office is closed. We are open Monday to Friday from nine to five. If this is an ' +
        'emergency, please call your doctor. Otherwise leave your name, your number and a short message after the tone.',
    ],
    beep: { hz: 1_300, ms: 350, after_ms: 1_000 },
  },
  {
    voice: 'rms',
    says: [800, "You've reached five five five, zero one two three."],
    beep: { hz: 950, ms: 300, after_ms: 700 },
  },
  { voice: 'awb', says: [900, "Hey, it's Mike. You know what to do."], beep: { hz: 1_200, ms: 500, after_ms: 500 } },
  {
    voice: 'slt',
    noise_db: 20,
    says: [700, "Hello, this is Julia. I can't answer the phone at the moment. Please leave a message."],
    beep: { hz: 1_000, ms: 400, after_ms: 900 },
  },
  {
    voice: 'rms',
    noise_db: 10,
    says: [700, 'You have reached the Johnson residence. Please leave a message after the beep.'],
    beep: { hz: 1_500, ms: 500, after_ms: 600 },
  },
  {
    voice: 'slt',
    says: [2_500, 'Hi, this is Anna. Please leave a message after the tone.'],
    beep: { hz: 1_000, ms: 300, after_ms: 600 },
  },
  {
    voice: 'kal16',
    says: [600, 'Please leave your message after the tone.'],
    beep: { hz: 800, ms: 400, after_ms: 2_500 },
  },
  {
    voice: 'awb',
    says: [700, 'Hi.', 600, 'This is Peter.', 700, "I can't take your call right now.", 600, 'Leave a message.'],
    beep: { hz: 1_000, ms: 200, after_ms: 1_000 },
  },
  {
    voice: 'rms',
    says: [
      600,
      'Welcome to voicemail. The customer you have called is temporarily unavailable. Please try again later.',
    ],
  },
  {
    voice: 'slt',
    says: [600, 'Hello?', 1_200, 'Just kidding, I am not here. Leave a message after the beep.'],
    beep: { hz: 1_000, ms: 500, after_ms: 500 },
  },
  {
    voice: 'awb',
    noise_db: 20,
    says: [
      800,
      'The mobile phone you are calling is switched off. Please leave a message after the tone, or send a text message.',
    ],
    beep: { hz: 1_900, ms: 160, after_ms: 800 },
  },
  {
    voice: 'kal16',
    says: [600, "Hi, it's Kate. Sorry I missed you. Leave your number and I will call you back as soon as I can."],
    beep: { hz: 700, ms: 150, after_ms: 1_200 },
  },
].map((one): Answerer => ({ kind: 'voicemail', voice: 'slt', ...(one as Partial<Answerer>), says: one.says }))

const yes = ['Yes, that is me.', 'What is it about?']

export const persons: Answerer[] = [
  { voice: 'rms', says: [500, 'Hello?'] },
  { voice: 'slt', says: [900, 'Hello?'] },
  { voice: 'awb', says: [600, 'Yes?'] },
  { voice: 'kal16', says: [700, 'Hello, this is John.'] },
  {
    voice: 'slt',
    says: [600, 'Good morning, Miller Dental, this is Sarah speaking, how may I help you?'],
    replies: ['Yes, I can help you with that.', 'Thank you, bye.'],
  },
  { voice: 'rms', says: [800, 'Who is this?'], replies: ['Okay, and what do you want?', 'All right.'] },
  { voice: 'awb', says: [700, 'Miller residence, good evening.'] },
  { voice: 'slt', says: [700, "Hi, who's calling please?"] },
  { voice: 'rms', says: [500, 'Hello?', 900, 'Hello?'] },
  { voice: 'kal16', says: [], replies: ['Hello, yes, I am here.', 'Tomorrow at nine is fine.'] },
  { voice: 'awb', says: [600, 'John Smith.'] },
  { voice: 'rms', says: [600, 'Smith and Sons, how can I help you?'] },
  { voice: 'slt', says: [600, 'Hello, can you hear me?'] },
  { voice: 'rms', says: [500, 'Hold on a second, please.', 1_500, 'Okay, hello?'] },
  { voice: 'slt', noise_db: 20, says: [700, 'Hello, this is Julia.'] },
  { voice: 'awb', noise_db: 10, says: [700, 'Yes, hello?'] },
  {
    voice: 'kal16',
    says: [700, 'Hello?'],
    replies: ['He is not here right now, would you like to leave a message?', 'Okay, I will tell him.'],
  },
  { voice: 'rms', says: [700, "I can't talk right now, I am driving."], replies: ['Please call me later.', 'Bye.'] },
  {
    voice: 'slt',
    says: [600, 'Hello, this is the front desk of the Grand Hotel, my name is Anna, how may I direct your call?'],
    replies: ['One moment, please.', 'He is not in his room, can I take a message?'],
  },
  {
    voice: 'awb',
    says: [800, 'Hi there, I was just about to call you.'],
    replies: [
      'I wanted to ask whether I could come an hour later because my train is late and I have to bring my daughter to school before.',
      'Great, thanks.',
    ],
  },
].map((one): Answerer => ({ kind: 'human', voice: 'rms', replies: yes, ...(one as Partial<Answerer>), says: one.says }))

export const others: Answerer[] = [
  {
    kind: 'screened',
    voice: 'kal16',
    says: [500, 'Hi, if you record your name and reason for calling, I will see if this person is available.'],
  },
  {
    kind: 'screened',
    voice: 'slt',
    says: [600, 'The person you are calling uses a screening service. Please say your name, and why you are calling.'],
  },
  {
    kind: 'screened',
    voice: 'rms',
    says: [500, 'Hello, you are talking to an assistant. May I ask who is calling, and why?'],
  },
  {
    kind: 'menu',
    voice: 'kal16',
    says: [500, 'Welcome to the example company. For sales, press one. For support, press two.'],
  },
  {
    kind: 'menu',
    voice: 'slt',
    says: [600, 'Please listen carefully, as our menu options have changed. To leave a message, press one.'],
  },
  { kind: 'menu', voice: 'awb', says: [500, 'Thank you for calling. Press any key to accept this call.'] },
]

export interface Answer {
  /** At 8 kHz, after μ-law. */
  samples: Int16Array
  /** In ms from the beginning. */
  speech_ended_ms: number
  beep_ended_ms: number | undefined
}

/** The sound until `after_ms` after the last word or the beep. */
export async function answerOf({ voice, says, beep, noise_db }: Answerer, after_ms = 0): Promise<Answer> {
  const pieces: Int16Array[] = []
  const toMs = () => (pieces.reduce((sum, { length }) => sum + length, 0) * 1_000) / microphone_rate
  for (const one of says) pieces.push(typeof one === 'number' ? silence(one) : await say(one, voice))
  const speech_ended_ms = toMs()
  if (beep) pieces.push(silence(beep.after_ms), tone(beep.hz, beep.ms))
  const beep_ended_ms = beep && toMs()
  pieces.push(silence(after_ms))
  return { samples: toTelephone(joinSamples(pieces), noise_db), speech_ended_ms, beep_ended_ms }
}

/** What a person answers. */
export async function replyOf({ voice, noise_db }: Answerer, text: string): Promise<Int16Array> {
  return toTelephone(joinSamples([silence(400), await say(text, voice)]), noise_db)
}

/** Says words, without the silence around them. */
async function say(text: string, voice: Sentence['voice']): Promise<Int16Array> {
  const [spoken = new Int16Array()] = await sentences([{ text, voice }])
  const isLoud = (sample: number) => Math.abs(sample) > loud_above
  return spoken.slice(spoken.findIndex(isLoud), spoken.findLastIndex(isLoud) + 1)
}

const silence = (ms: number): Int16Array => new Int16Array((ms * microphone_rate) / 1_000)

/** Makes a tone of one or more frequencies at once, with soft ends. */
export function tone(hz: number | number[], ms: number, { rate = microphone_rate, level = 4_000 } = {}): Int16Array {
  const length = (ms * rate) / 1_000
  const soft = rate / 200
  const all = [hz].flat()
  return Int16Array.from({ length }, (_, index) => {
    const sum = all.reduce((total, one) => total + Math.sin((2 * Math.PI * one * index) / rate), 0)
    return Math.round((level * Math.min(1, index / soft, (length - index) / soft) * sum) / all.length)
  })
}

/** Sound at 16 kHz as a telephone passes it on. */
export function toTelephone(samples: Int16Array, noise_db?: number): Int16Array {
  const noisy = noise_db === undefined ? samples : openRoom({ noise_db, random: openRandom(samples.length) })(samples)
  const resampler = openResampler(microphone_rate, telephone_rate)
  return joinSamples([resampler.push(noisy), resampler.flush()]).map((sample) => fromMulaw(toMulaw(sample)))
}
