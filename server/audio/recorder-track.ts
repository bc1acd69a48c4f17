import { openResampler } from './resampler.ts'

/** Sound of one side, in pieces, at the rate of the recording. */
export interface RecorderTrack {
  add: (samples: Int16Array, at_ms: number) => void
  flush: () => void
}

const recording_rate = 8_000
/** Sound that begins further from the end of the last piece follows a gap. */
const gap_ms = 2

/**
 * Opens a track. The time of a piece is that of its first sample. Pieces without a gap between them are resampled as
 * one sound.
 */
export function openRecorderTrack(rate: number, write: (frame8k: Int16Array, at_ms: number) => void): RecorderTrack {
  const resampler = openResampler(rate, recording_rate)
  let began_ms = Number.NaN
  let taken = 0
  let written = 0

  function put(samples: Int16Array): void {
    if (samples.length === 0) return
    write(samples, began_ms + (written * 1_000) / recording_rate)
    written += samples.length
  }

  function flush(): void {
    put(resampler.flush())
    began_ms = Number.NaN
  }

  return {
    add(samples, at_ms) {
      const expected_ms = began_ms + (taken * 1_000) / rate
      if (!(Math.abs(at_ms - expected_ms) <= gap_ms)) {
        flush()
        began_ms = at_ms
        taken = 0
        written = 0
      }
      taken += samples.length
      put(resampler.push(samples))
    },
    flush,
  }
}
