import { levelOf } from '../samples.ts'
import type { VoiceDetector } from '../speech.ts'

/** Quieter sound is no voice, in any room. */
const level_min = 0.008
/** A voice is this many times louder than the noise around it. */
const above_noise = 3
const noise_start = 0.003
/** The noise of a room is at least this: a muted microphone says nothing about the room. */
const noise_min = 0.001
const noise_max = 0.05
/**
 * The estimate of noise grows by this factor every 32 ms, so a room that becomes louder is noticed after some seconds.
 */
const noise_growth = 1.004

/** Opens a detector that tells voice from silence by how loud it is. It is used where nothing better is installed. */
export function openEnergyDetector(): VoiceDetector {
  let noise = noise_start
  return {
    async hear(samples) {
      const level = levelOf(samples)
      noise = Math.max(noise_min, Math.min(level, noise * noise_growth, noise_max))
      return Math.min(1, (0.5 * level) / Math.max(level_min, above_noise * noise))
    },
    close: () => {},
  }
}
