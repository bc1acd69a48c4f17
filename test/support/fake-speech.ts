import type { SpeechModelV4, TranscriptionModelV4 } from '@ai-sdk/provider'
import { type Sound, sound } from '../../server/audio/sound.ts'
import type { CallSpeech } from '../../server/audio/speech.ts'
import { readWav, writeWav } from '../../server/kit/sound/wav.ts'
import type { Server } from './harness.ts'

/* Speech without models: how loud a sound is says which of these was said, and a voice takes a tenth of a second for a word. */

const phrases = ['Yes.', 'No, thank you.', 'I would like to book a table.', 'Goodbye.', 'Stop calling me.'] as const
export type Phrase = (typeof phrases)[number]

const quiet_max = 1_000
const step = 2_000
const sample_rate = 16_000
const word_samples = sample_rate / 10

export const loudnessOf = (phrase: Phrase): number => step * (phrases.indexOf(phrase) + 1)

/** The phrase that was said, or nothing. */
export function phraseIn(samples: Int16Array): string {
  const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
  return phrases[Math.round(peak / step) - 1] ?? ''
}

/** Makes the samples of a text at 16 kHz: they are as long as a voice takes to say it. */
export const soundOf = (text: string): Int16Array =>
  new Int16Array(text.trim().split(/\s+/).length * word_samples).fill(step)

const info = { request: {}, response: { timestamp: new Date(0), modelId: 'fake', headers: {} }, warnings: [] }

const listening: TranscriptionModelV4 = {
  specificationVersion: 'v4',
  provider: 'offline.fake',
  modelId: 'fake',
  async doGenerate({ audio }) {
    const { samples } = readWav(typeof audio === 'string' ? Buffer.from(audio, 'base64') : audio)
    const text = phraseIn(samples)
    return { ...info, text, segments: [], language: 'en', durationInSeconds: samples.length / sample_rate }
  },
}

const voice: SpeechModelV4 = {
  specificationVersion: 'v4',
  provider: 'offline.fake',
  modelId: 'fake',
  async doGenerate({ text }) {
    return { ...info, audio: writeWav(soundOf(text), sample_rate) }
  },
}

const speech: CallSpeech = {
  listen: { model: listening, language: 'en' },
  speak: { model: voice, voice: undefined, speed: undefined, language: 'en' },
  fallback: undefined,
  openDetector: () => ({
    hear: async (samples) => (samples.some((sample) => Math.abs(sample) > quiet_max / 32_768) ? 1 : 0),
    close: () => {},
  }),
}

/** Everything that hears and speaks in a process, without models. */
export const fake_sound: Sound = {
  offline: {
    isInstalled: () => true,
    listening: () => speech.listen,
    speaking: () => speech.speak,
    openDetector: speech.openDetector,
    prepare: () => {},
    close: async () => {},
  },
  find: async () => speech,
  close: async () => {},
}

/** Agents of this server hear and speak without models from now on. */
export function addFakeSpeech(server: Pick<Server, 'at'>): void {
  sound.set(server.at(''), fake_sound)
}
