import { sentence } from './microphone.ts'

/** What people say at a talker's microphone, and the room that they are in. */

export interface Sentence {
  text: string
  voice: (typeof voices)[number]
}

/** The voices that speak at 16 kHz. */
export const voices = ['slt', 'rms', 'awb', 'kal16'] as const

export const sample_rate = 16_000
/** Speech is louder than this, and the pauses of a voice are quieter. */
export const loud_above = 200
/** The loudness of speech, as the root of the mean square of its samples: about 26 dB below the loudest sound. */
const speech_level = 1_600
const sample_max = 32_767

/**
 * Makes sentences that are equally loud. A thread makes them, so that a call that goes on meanwhile doesn't stutter.
 */
export async function sentences(list: Sentence[]): Promise<Int16Array[]> {
  const made: Int16Array[] = []
  for (const { text, voice } of list) made.push(toLevel(await sentence(text, { voice, before_ms: 0, after_ms: 0 })))
  return made
}

function toLevel(samples: Int16Array): Int16Array {
  const isLoud = (sample: number) => Math.abs(sample) > loud_above
  const spoken = samples.subarray(samples.findIndex(isLoud), samples.findLastIndex(isLoud) + 1)
  const sum = spoken.reduce((total, sample) => total + sample * sample, 0)
  const gain = speech_level / Math.sqrt(sum / Math.max(1, spoken.length))
  return samples.map((sample) => clip(sample * gain))
}

const clip = (value: number): number => Math.max(-sample_max, Math.min(sample_max, Math.round(value)))

/** A steady tone, about as loud as speech. */
export const tone = ({ hz, ms, sample_rate }: { hz: number; ms: number; sample_rate: number }): Int16Array =>
  Int16Array.from({ length: (ms * sample_rate) / 1_000 }, (_, index) =>
    Math.round(Math.SQRT2 * speech_level * Math.sin((2 * Math.PI * hz * index) / sample_rate)),
  )

/**
 * A room that is `noise_db` quieter than speech, with as much noise in each octave: returns a function that adds it to what
 * comes next.
 */
export function openRoom({
  noise_db,
  random,
}: {
  noise_db: number
  random: () => number
}): (sound: Int16Array) => Int16Array {
  const gain = (speech_level * noise_gain) / 10 ** (noise_db / 20)
  // Paul Kellet's filter: white noise through low passes, an octave or two apart.
  const kept = low_passes.map(() => 0)
  return (sound) =>
    sound.map((sample) => {
      const white = 2 * random() - 1
      let noise = direct_share * white
      for (const [index, [keep, share]] of low_passes.entries()) {
        kept[index] = keep * (kept[index] ?? 0) + share * white
        noise += kept[index] ?? 0
      }
      return clip(sample + gain * noise)
    })
}

const low_passes = [
  [0.99886, 0.0555179],
  [0.99332, 0.0750759],
  [0.969, 0.153852],
  [0.8665, 0.3104856],
  [0.55, 0.5329522],
  [-0.7616, -0.016898],
] as const
const direct_share = 0.5362
/** Makes the noise as loud as speech. */
const noise_gain = 0.575
