/** The sound on the wire: PCM16, mono, in frames of 20 ms. */
export const sample_rate = 16_000
export const frame_samples = 320
