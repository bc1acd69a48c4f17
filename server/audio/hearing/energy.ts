import { levelOf } from '../samples.ts'
import type { VoiceDetector } from '../speech.ts'

/** Quieter than this is no voice, in any room. */
const level_min = 0.008
/** A voice is this many times louder than the noise around it. */
const above_noise = 3
const noise_start = 0.003
/** A muted microphone says nothing about the room. */
const noise_min = 0.001
const noise_max = 0.05
/** For each 32 ms. A room that becomes louder is noticed after some seconds. */
const noise_growth = 1.004

/** Tells voice from silence by how loud it is. It is used where nothing better is installed. */
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
