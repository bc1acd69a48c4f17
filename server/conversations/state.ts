/** What the engine knows of one conversation. It is plain data, and the same inputs always give the same state. */
export interface State {
  readonly settings: Settings
  phase: Phase
  /** What the model sees of what was said, oldest first. */
  history: Entry[]
  /** Whether the contact has said something since the last answer. */
  is_unanswered: boolean
  reply: Reply | null
  /** Tool runs without a result. The model isn't asked before all of them have one. */
  open_runs: OpenRun[]
  /** Tool runs with a result that are not yet part of a turn. */
  ended_runs: ToolRun[]
  /** The number of turns when the first of these runs began. What was said since comes after them. */
  turns_before_runs: number
  /** Due times by name. */
  timers: Partial<Record<TimerName, number>>
  turns: number
  tokens: number
}

/**
 * - `listening`: the contact may say something.
 * - `thinking`: the model is asked.
 * - `working`: tools are running. Then the model is asked again.
 * - `handed_over`: a person answers, and the agent is silent.
 */
export type Phase = 'listening' | 'thinking' | 'working' | 'handed_over' | 'ended'

export type TimerName = 'idle' | 'first_piece' | 'answer' | 'tools' | 'person'

/** The work that makes an agent's turn. */
export interface Reply {
  id: string
  /** Counts the requests to the model. */
  step: number
  is_fallback: boolean
  /** What was said so far. */
  text: string
  /** Whether someone can have read it. If not, and the reply is interrupted, it was never said. */
  is_shown: boolean
  /** Whether the model has begun to answer the current request. */
  has_piece: boolean
  /** Tools that the model wants to call. They run when its answer is complete. */
  calls: ToolCall[]
  /** What happens after the reply. A tool may set it. */
  ending: Ending | null
  usage: Usage
}

/** How a reply ends the agent's part. */
export interface Ending {
  type: 'close' | 'hand_over' | 'opt_out'
  reason: string | null
}

export interface Usage {
  input_tokens: number
  output_tokens: number
}

export const no_usage: Usage = { input_tokens: 0, output_tokens: 0 }

export interface ToolCall {
  run: string
  name: string
  arguments: unknown
  /** How many characters of the reply were said before. */
  after: number
}

export interface OpenRun extends ToolCall {
  reply: string
}

export interface ToolRun extends ToolCall {
  status: ToolStatus
  result: unknown
}

export type ToolStatus = 'succeeded' | 'failed' | 'timeout' | 'invalid_arguments' | 'unknown'

/** One turn as the model sees it. */
export interface Entry {
  role: 'contact' | 'agent' | 'human' | 'system'
  text: string
  /** Whether the agent was interrupted after these words. */
  is_cut: boolean
  /** Whether the contact asks for a person. It matters when no model can answer. */
  asks_for_person?: boolean
  runs: ToolRun[]
}

/** From the version of the agent and the channel. */
export interface Settings {
  greeting: string | null
  /** Said when the agent hands over, also after other words. */
  hand_over_message: string | null
  /** What the agent says while a tool runs, by the tool's name. */
  say_while: Record<string, string>
  has_fallback: boolean
  can_hand_over: boolean
  hands_over_on_failure: boolean
  /** Whether the model is asked for last words when it ends the conversation without any. */
  has_last_words: boolean
  /** Whether words such as STOP end the conversation, as on channels of carriers. */
  obeys_stop_words: boolean
  sentences: Sentences
  turns_max: number
  tokens_max: number
  reply_characters_max: number
  idle_ms: number
  first_piece_ms: number
  answer_ms: number
  tools_ms: number
  person_ms: number
}

/** What the agent says when no model can. */
export interface Sentences {
  failed: string
  goodbye: string
  limit: string
  handed_over: string
  nobody_yet: string
}

/** History keeps this many turns. */
export const history_turns = 24
/** Of one reply. The last request offers no tools. */
export const steps_max = 8
/** Of one answer of the model. */
export const calls_max = 4

export const newState = (settings: Settings, now: number): State => ({
  settings,
  phase: 'listening',
  history: [],
  is_unanswered: false,
  reply: null,
  open_runs: [],
  ended_runs: [],
  turns_before_runs: 0,
  timers: { idle: now + settings.idle_ms },
  turns: 0,
  tokens: 0,
})
