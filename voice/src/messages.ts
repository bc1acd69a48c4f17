export interface MicrophoneFrame {
  samples: Int16Array<ArrayBuffer>
  /** From 0 to 1. */
  level: number
}

/** From the page to the worklet. */
export type ToWorklet =
  | { type: 'play'; samples: Int16Array<ArrayBuffer> }
  | { type: 'clear' }
  /** Drops everything and counts from 0. What is reported from then on has this round. */
  | { type: 'reset'; round: number }
  | { type: 'stop' }

/** From the worklet to the page. */
export type FromWorklet =
  | ({ type: 'frame' } & MicrophoneFrame)
  /** How much was played since the last reset, and how often it was cleared before that. */
  | { type: 'played'; ms: number; clears: number; round: number }
  /** The agent begins to sound, so long after the person has spoken. */
  | { type: 'answered'; latency_ms: number }
