import type { VoiceDetector } from '../speech.ts'

/** How fast the loudness of the background is learned, for each frame of 32 ms: slowly while it seems to get louder. */
const louder_part = 0.005
const quieter_part = 0.3
/** Of the background, in the root mean square of samples from -1 to 1. */
const background_first = 0.002
const background_min = 0.0005
/** Speech is this much louder than the background: the probability is a half there. */
const speech_db = 12
const steepness_per_db = 0.5

/** Hears by loudness alone whether someone speaks, while Silero is not installed. */
export function openLoudnessDetector(): VoiceDetector {
  let background = background_first
  return {
    hear: async (samples) => {
      const loudness = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
      background += (loudness - background) * (loudness > background ? louder_part : quieter_part)
      background = Math.max(background, background_min)
      const above_db = 20 * Math.log10(Math.max(loudness, background_min) / background)
      return 1 / (1 + Math.exp(-steepness_per_db * (above_db - speech_db)))
    },
    close: () => {},
  }
}
