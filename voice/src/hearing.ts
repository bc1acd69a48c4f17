/** Quieter frames are never speech: -42 dB. */
const speech_min = 0.008
/** Speech is at least this many times as loud as the room. */
const over_room = 3
/** The measured room gets louder slowly, so that speech doesn't become the room. */
const room_growth = 1.01
const frames_min = 3
const level_floor_db = 60

/** Tells speech from the noise of the room by loudness alone: it measures how long an answer takes, and decides nothing. */
export class Hearing {
  #room = 0.001
  #loud_frames = 0

  /** Whether the frame of this loudness is speech. */
  hear(loudness: number): boolean {
    this.#room = Math.min(Math.max(loudness, 0.000_1), this.#room * room_growth)
    const is_loud = loudness > Math.max(speech_min, this.#room * over_room)
    this.#loud_frames = is_loud ? this.#loud_frames + 1 : 0
    return this.#loud_frames >= frames_min
  }
}

/** The root of the mean square of samples from -1 to 1. */
export function loudnessOf(samples: Float32Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return Math.sqrt(sum / Math.max(1, samples.length))
}

/** Converts loudness to a level from 0 for silence to 1, in steps that the ear finds even. */
export const levelOf = (loudness: number): number =>
  Math.min(1, Math.max(0, 1 + (20 * Math.log10(Math.max(loudness, 1e-6))) / level_floor_db))
