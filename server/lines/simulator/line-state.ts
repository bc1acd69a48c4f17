import type { CallLineEvent } from '../../calls/carrier.ts'
import type { SpeechPart } from '../../talk/state.ts'
import type { Act } from './person.ts'
import type { Random } from './random.ts'
import type { Report } from './reports.ts'

/** Where a simulated call is. It is plain data. Times are those of the workspace, times of parts are since the answer. */
export interface LineState extends Random {
  /** The key of the person whom the call reaches. */
  person: string
  answered_at: number | null
  is_over: boolean
  /** Events that have happened and were not taken. */
  outbox: CallLineEvent[]
  /** What the carrier will report, in order. */
  reports: Report[]
  /** What will happen on the line, in order. */
  plans: Plan[]
  /** What the agent says: the first reply is heard now. */
  replies: Reply[]
  /** The stretch of speech that the person says now. */
  speech: Speech | null
  /** The name of the person's state. */
  state: string
  /** What the agent has said since the person last spoke. */
  heard: string
  /** How often the person and the agent have spoken. */
  turns: number
  agent_turns: number
}

export interface Reply {
  id: string
  parts: SpeechPart[]
  /** When the last words were added. Null if more may follow. */
  ended_at: number | null
}

export interface Speech {
  part: SpeechPart
  /** How many words were passed on before the end of the speech. */
  shown: number
  /** The stretches after this one, each after a pause. */
  rest: string[]
  ending: Ending
}

/** What the person does after the last word. */
export type Ending = Pick<Act, 'hang_up_ms' | 'beep_ms'>

export type Plan = { at: number } & (
  | { type: 'answer' | 'machine' | 'open' | 'beep' | 'hang_up' | 'leave' }
  /** The person answers the agent at this time. */
  | { type: 'respond' }
  | { type: 'silence' | 'timeout' }
  | { type: 'interrupt'; reply: string }
  | { type: 'digit'; digit: string }
  | { type: 'go_on'; rest: string[]; ending: Ending }
  | { type: 'transferred'; is_ok: boolean }
)

/** Adds a plan after those for the same time. */
export function plan(state: LineState, one: Plan): void {
  const index = state.plans.findIndex(({ at }) => at > one.at)
  state.plans.splice(index < 0 ? state.plans.length : index, 0, one)
}

export function cancel(state: LineState, ...types: Plan['type'][]): void {
  state.plans = state.plans.filter(({ type }) => !types.includes(type))
}

export const isPlanned = (state: LineState, type: Plan['type']): boolean => state.plans.some((one) => one.type === type)

/** Returns the milliseconds since the answer. */
export const sinceAnswer = ({ answered_at }: LineState, at: number): number => at - (answered_at ?? at)
