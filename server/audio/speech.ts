import type { Listening, Speaking } from '../models/speech.ts'

/**
 * What a call hears and speaks with. Models get and give WAV with PCM16, mono: `mediaType` is `audio/wav`, `outputFormat` is
 * `wav`. A voice may give any sample rate, and the times of its words in `providerMetadata.offline.words`.
 */
export interface CallSpeech {
  listen: Listening
  speak: Speaking
  /**
   * The models that take over when a provider fails in mid-call. Undefined when offline speech is not installed or the
   * language isn't English.
   */
  fallback: { listen: Listening; speak: Speaking } | undefined
  openDetector: () => VoiceDetector
}

/** Says how likely it is that someone speaks in each 512 samples at 16 kHz. One for each call. */
export interface VoiceDetector {
  hear: (samples: Float32Array) => Promise<number>
  close: () => void
}

/** A word of what a voice has spoken, with its time in the sound. */
export interface WordTime {
  text: string
  start_ms: number
  end_ms: number
}
