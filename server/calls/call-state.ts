import type { TalkState } from './talk.ts'

/** Where a call of a test workspace is between two advances of the clock. */
export interface CallState extends TalkState {
  line: unknown
  /** The number that was dialled. The call doesn't have it any more when its contact was deleted. */
  to: string
  is_over: boolean
  /** The last turn that was looked at for words of people. */
  last_read_seq: number
}
