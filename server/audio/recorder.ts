/** Collects both sides of a call. Frames are PCM16 at 8 kHz; `at_ms` is their time in the workspace. */
export interface Recorder {
  contact: (frame8k: Int16Array, at_ms: number) => void
  agent: (frame8k: Int16Array, at_ms: number) => void
  end: (at_ms: number) => void
}

export interface RecordedPart {
  index: number
  /** Where the part begins, since `began_ms`. */
  start_ms: number
  /** μ-law at 8 kHz, the contact left and the agent right, without a header. */
  bytes: Uint8Array
}
