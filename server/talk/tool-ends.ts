import { membersOf } from '../kit/json.ts'
import type { Effect } from './input.ts'
import type { Ending, State, ToolCall, ToolRun } from './state.ts'

/** What the end of a tool changes. */
interface Step {
  state: State
  effects: Effect[]
}

/** Tools that tell the model nothing. The words that come with them can be the whole answer. */
const silent_tools = new Set([
  'set_result',
  'update_contact',
  'press_digits',
  'end_conversation',
  'hand_over',
  'opt_out',
  'transfer',
])

/** Returns whether the contact waits for what a tool has found out. A script says itself what follows a tool. */
export const leavesAnswerOwed = ({ settings }: State, { name, status }: ToolRun): boolean =>
  settings.has_last_words && (status !== 'succeeded' || !silent_tools.has(name))

/**
 * Records an opt-out. In a call this happens at once, because the contact may interrupt the last words. In text the
 * tool itself has done so.
 */
export function optOut({ state: { voice }, effects }: Step): void {
  if (!voice || voice.has_opted_out) return
  voice.has_opted_out = true
  effects.push({ type: 'opt_out' })
}

export function press({ effects }: Step, { name, arguments: values }: ToolCall): void {
  const { digits } = membersOf(values)
  if (name === 'press_digits' && typeof digits === 'string') effects.push({ type: 'press', digits })
}

export function endingAfter({ settings }: State, { name, arguments: values }: ToolCall): Ending | undefined {
  if (name === 'end_conversation') return { type: 'close', reason: null }
  if (name === 'opt_out') return { type: 'opt_out', reason: null }
  const { reason, to } = membersOf(values)
  if (name === 'transfer') return typeof to === 'string' ? { type: 'transfer', reason: to } : undefined
  const is_handed_over = name === 'hand_over' && settings.can_hand_over
  return is_handed_over ? { type: 'hand_over', reason: typeof reason === 'string' ? reason : null } : undefined
}
