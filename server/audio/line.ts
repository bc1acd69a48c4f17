import type { Fact } from '../calls/facts.ts'
import type { Log } from '../kit/log.ts'
import type { Line } from '../talk/line.ts'
import type { Recorder } from './recorder.ts'
import type { CallSpeech } from './speech.ts'
import type { Wire } from './wire.ts'

export interface AudioLineOptions {
  wire: Wire
  speech: CallSpeech
  /** The workspace's time in ms. */
  now: () => number
  recorder?: Recorder
  log: Log
}

/** A line whose sound travels over a wire. */
export interface AudioLine extends Line<Fact> {
  readLatency: NonNullable<Line<Fact>['readLatency']>
  takeSpeechFault: NonNullable<Line<Fact>['takeSpeechFault']>
  /** Ms of sound recognised and spoken, for prices. */
  readonly speech_ms: number
  close: () => Promise<void>
}
