import type { Entry, TimerName, ToolCall, ToolRun, ToolStatus, Usage } from './state.ts'

/** Something that happens to a conversation. `id` is for a reply that may begin. */
export type Input = { now: number } & (
  | { type: 'opened'; id: string }
  | { type: 'message'; id: string; text: string; asks_for_person?: boolean }
  /** After a restart: answers what is unanswered. */
  | { type: 'resumed'; id: string }
  | { type: 'piece'; reply: string; text: string }
  /** From now on the words of the reply are shown as they come. */
  | { type: 'shown'; reply: string }
  | { type: 'tool_call'; reply: string; call: Omit<ToolCall, 'after'> }
  | { type: 'asked'; reply: string; usage: Usage }
  | { type: 'ask_failed'; reply: string }
  | { type: 'tool_done'; run: string; status: ToolStatus; result: unknown }
  | { type: 'timer'; name: TimerName }
  | { type: 'handed_over'; reason: string | null }
  /** Another process, or a later drive, continues. What was shown so far stays. */
  | { type: 'left' }
  | { type: 'answer'; text: string }
  | { type: 'taken_back'; id: string }
  | { type: 'close'; reason: CloseReason }
  | { type: 'limit' }
)

export type InputOf<Type extends Input['type']> = Extract<Input, { type: Type }>

/** An input without its time. */
export type EngineInput = Input extends infer One ? (One extends { now: number } ? Omit<One, 'now'> : never) : never

export type CloseReason =
  | 'agent_ended'
  | 'human_ended'
  | 'api'
  | 'idle'
  | 'limit'
  | 'opted_out'
  | 'agent_deleted'
  | 'error'

/** Something that is to be done. */
export type Effect =
  | { type: 'ask'; reply: string; step: number; is_fallback: boolean; has_tools: boolean; history: Entry[] }
  | { type: 'stop_asking'; reply: string }
  | { type: 'say'; reply: string; text: string }
  | { type: 'run_tool'; reply: string; call: ToolCall }
  | { type: 'stop_tool'; run: string }
  | { type: 'end_reply'; reply: string; outcome: ReplyOutcome }
  | { type: 'write'; turn: Turn }
  | { type: 'hand_over'; reason: string | null }
  | { type: 'opt_out' }
  | { type: 'close'; reason: CloseReason }

export type EffectOf<Type extends Effect['type']> = Extract<Effect, { type: Type }>

export type ReplyOutcome = 'done' | 'interrupted' | 'superseded' | 'failed'

export interface Turn {
  role: Entry['role']
  /** Null for words that no reply made. */
  reply: string | null
  text: string
  is_interrupted: boolean
  runs: ToolRun[]
  usage: Usage
}
