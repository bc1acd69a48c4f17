import type { Log } from '../kit/log.ts'
import type { CallState } from './call-state.ts'
import type { CallLine, CallToDial, Carrier } from './carrier.ts'
import type { RecordOptions } from './record.ts'
import type { Request } from './store.ts'
import type { TalkOptions } from './talk.ts'

/** What a driver needs to drive one call. */
export interface CallDrive
  extends Omit<
      RecordOptions,
      'unsaved' | 'is_over' | 'readReply' | 'onShown' | 'readState' | 'takeOptOut' | 'onSaved' | 'onError'
    >,
    Pick<TalkOptions, 'answerer' | 'tools' | 'unsaved' | 'transfers'> {
  dialed: CallToDial
  carrier: Carrier
  line: CallLine
  state: CallState
  /** What someone has asked of the call. */
  request: Request | null
  /** The facts that the agent is to collect. */
  goals: string[]
  /** In a test workspace: up to when the call may run ahead. */
  horizon: number | undefined
  isStopping: () => boolean
  onProgress: () => void
  log: Log
}
