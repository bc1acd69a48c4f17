import type { Phrase } from './recogniser.ts'

/** What the service and the process that hears tell each other. */

export type ToHearing =
  | { kind: 'hear'; id: number; detector: number; samples: Float32Array }
  | { kind: 'close_detector'; detector: number }
  | { kind: 'recognise'; id: number; phrase: Phrase }
  | { kind: 'cancel'; id: number }

export type FromHearing =
  | { kind: 'ready' }
  | { kind: 'heard'; id: number; probability: number }
  | { kind: 'recognised'; id: number; text: string }
  | { kind: 'failed'; id: number; message: string }
