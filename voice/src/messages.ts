export interface MicrophoneFrame {
  samples: Int16Array<ArrayBuffer>
  /** The level, from 0 to 1. */
  level: number
}

/** A message from the page to the worklet. */
export type ToWorklet =
  | { type: 'play'; samples: Int16Array<ArrayBuffer> }
  | { type: 'clear' }
  /** Drops all sound and counts from 0. Reports carry this round from then on. */
  | { type: 'reset'; round: number }
  | { type: 'stop' }

/** A message from the worklet to the page. */
export type FromWorklet =
  | ({ type: 'frame' } & MicrophoneFrame)
  /** Says how much was played since the last reset, and how often the sound was cleared meanwhile. */
  | { type: 'played'; ms: number; clears: number; round: number }
  /** Says that the agent begins to sound, this long after the person has spoken. */
  | { type: 'answered'; latency_ms: number }
