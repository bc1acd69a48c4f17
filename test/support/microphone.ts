import { type OfflineSpeech, openOfflineSpeech } from '../../server/audio/offline-speech.ts'
import { openResampler } from '../../server/audio/resampler.ts'
import { openLog } from '../../server/kit/log.ts'
import { readWav } from '../../server/kit/sound/wav.ts'
import { closeAfterLastFile } from './shared.ts'
import { speech_folder } from './speech.ts'

export const microphone_rate = 16_000

export interface Room {
  /** A voice of Flite other than the agent's, which is slt unless its configuration says otherwise. */
  voice?: string
  /** The signal-to-noise ratio. Without it the room is silent. */
  noise_db?: number
  /** White noise, or the voices of six others. */
  noise?: 'white' | 'babble'
  /** How long the room alone is heard before and after the sentence. */
  before_ms?: number
  after_ms?: number
}

let opened: OfflineSpeech | undefined

/** Says a sentence as a microphone would hear it: 16 kHz, the same samples each time. */
export async function sentence(text: string, room: Room = {}): Promise<Int16Array> {
  const { voice = 'rms', noise_db, noise = 'white', before_ms = 300, after_ms = 400 } = room
  const spoken = await say(text, voice)
  const before = (before_ms * microphone_rate) / 1_000
  const length = before + spoken.length + (after_ms * microphone_rate) / 1_000
  const samples = new Float64Array(length)
  samples.set(spoken, before)
  if (noise_db !== undefined) {
    const random = openRandom(seedOf(text))
    const background = noise === 'white' ? whiteNoise(length, random) : await babble(length, random)
    const gain = loudnessOf(spoken) / loudnessOf(background) / 10 ** (noise_db / 20)
    for (let index = 0; index < length; index += 1)
      samples[index] = (samples[index] ?? 0) + gain * (background[index] ?? 0)
  }
  const loudest = samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 1)
  const fit = Math.min(1, 32_767 / loudest)
  return Int16Array.from(samples, (sample) => Math.round(sample * fit))
}

async function say(text: string, voice: string): Promise<Int16Array> {
  if (!opened) {
    const speech = openOfflineSpeech({ folder: speech_folder, log: openLog('silent') })
    opened = speech
    closeAfterLastFile(async () => {
      opened = undefined
      await speech.close()
    })
  }
  const { audio } = await opened.speaking(voice).model.doGenerate({ text, voice })
  if (typeof audio === 'string') throw new Error('the voice returned text')
  const { samples, sample_rate } = readWav(audio)
  const resampler = openResampler(sample_rate, microphone_rate)
  return Int16Array.from([...resampler.push(samples), ...resampler.flush()])
}

const babble_voices = ['kal16', 'rms', 'awb']
const babble_texts = [
  'Did you hear what happened to the train this morning, it was an hour late again.',
  'We could have lunch at the new place around the corner and then go back to the office.',
]

async function babble(length: number, random: () => number): Promise<Float64Array> {
  const mixed = new Float64Array(length)
  for (const voice of babble_voices)
    for (const text of babble_texts) {
      const one = await say(text, voice)
      const gain = 1 / loudnessOf(one)
      const offset = Math.floor(random() * one.length)
      for (let index = 0; index < length; index += 1)
        mixed[index] = (mixed[index] ?? 0) + gain * (one[(index + offset) % one.length] ?? 0)
    }
  return mixed
}

const whiteNoise = (length: number, random: () => number): Float64Array =>
  Float64Array.from({ length }, () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()))

const loudnessOf = (samples: Int16Array | Float64Array): number => {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return Math.sqrt(sum / samples.length)
}

const seedOf = (text: string): number =>
  Array.from(text).reduce((seed, letter) => (seed * 31 + letter.charCodeAt(0)) >>> 0, 7)

export function openRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
