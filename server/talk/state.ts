import type { TakenStep } from '../models/script.ts'

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
  /**
   * The number of turns when the first run in `open_runs` or `ended_runs` began. What was said since then comes after
   * the runs.
   */
  turns_before_runs: number
  /** Each timer that runs has the time at which it is due. */
  timers: Partial<Record<TimerName, number>>
  turns: number
  tokens: number
  /** The line of a call. Null in text. */
  voice: Voice | null
}

/** What is known of the line of a call. */
export interface Voice {
  /** When the call was answered. */
  answered_at: number | null
  /** What the contact has said that is no turn yet. */
  parts: SpeechPart[]
  /** The words of the stretch of speech that has not ended. */
  hearing: string
  is_contact_speaking: boolean
  /** Keys that the contact has pressed, and that are no turn yet. */
  digits: string
  /** A script waited for digits when the last one was pressed. */
  are_digits_awaited: boolean
  /** Since when the agent waits for more of what is no turn yet. */
  waiting_since: number | null
  /** Since when the agent waits for the contact. */
  silent_since: number | null
  /** How often the agent has asked since then whether someone is there. */
  reminders: number
  /**
   * What has answered the call. Null where no detection was asked for: then it counts as a person. While it is
   * uncertain the agent says nothing but its first words.
   */
  machine: Machine | 'uncertain' | null
  has_opted_out: boolean
  /** When the contact last said a mere "stop" over the agent's words. */
  stopped_at: number | null
  /** The contact has not heard the whole notice. */
  is_notice_due: boolean
}

/**
 * - `listening`: the contact may say something.
 * - `thinking`: the model is asked.
 * - `working`: tools are running. Then the model is asked again.
 * - `handed_over`: a person answers, and the agent is silent.
 *
 * In calls also:
 * - `hearing`: the contact speaks.
 * - `settling`: the contact has stopped, and may go on.
 * - `speaking`: the answer is complete, and is being heard.
 * - `recording`: a voicemail has answered. The agent waits until it can leave its message.
 * - `transferring`: the call is being transferred.
 */
type Phase = TextPhase | 'hearing' | 'settling' | 'speaking' | 'recording' | 'transferring'
type TextPhase = 'listening' | 'thinking' | 'working' | 'handed_over' | 'ended'

export type TimerName = 'idle' | 'first_piece' | 'answer' | 'tools' | 'person' | VoiceTimerName

/**
 * - `call`: the longest call. `opening`: the agent speaks first if the contact doesn't.
 * - `settle`: the contact has said all. `overlap`: the contact speaks while the agent does, and means it.
 * - `silence`: the contact says nothing. `filler`: the model takes long.
 * - `beep`: the voicemail has none. `speaking` and `transfer` end what the line has not ended.
 */
export type VoiceTimerName =
  | 'call'
  | 'opening'
  | 'settle'
  | 'overlap'
  | 'silence'
  | 'filler'
  | 'beep'
  | 'speaking'
  | 'transfer'

/** The work that makes an agent's turn. */
export interface Reply {
  id: string
  /** Counts the requests to the model. One that is repeated with the fallback counts once. */
  step: number
  /** Whether the agent speaks first. */
  is_opening: boolean
  is_fallback: boolean
  /** The words of the reply so far. */
  text: string
  /** How many characters of `text` the current request to the model knows: those said before it. */
  known_length: number
  /** Whether the contact can have read the reply. A reply that is interrupted before that was never said. */
  is_shown: boolean
  /** Whether the model has begun to answer the current request. */
  has_piece: boolean
  /** Whether the model has said something in answer to the current request. */
  has_words: boolean
  /** Whether what was said answers the contact. Words that fill the time, or come before a tool has looked something up, don't. */
  has_answer: boolean
  finish_reason: FinishReason
  /** Where a script has come to, and what began the reply. */
  script?: TakenStep
  /** Why no model could answer, if the driver doesn't know it. */
  error: string | null
  /** Tools that the model wants to call. They run when its answer is complete. */
  calls: ToolCall[]
  /** What the contact is asked before a tool runs. */
  asks: ToolQuestion | null
  /** What happens after the reply. A tool may set it. */
  ending: Ending | null
  usage: Usage
  /** What only calls need of a reply. */
  voice: SpokenReply
}

/**
 * How an answer ended.
 * - `length`: it was too long. `content_filter`: the provider has stopped it.
 * - `tool_loop`: the model called tools again and again. `failed`: no model could answer.
 */
export const finish_reasons = ['stop', 'length', 'content_filter', 'tool_loop', 'failed', 'interrupted'] as const
export type FinishReason = (typeof finish_reasons)[number]

export interface SpokenReply {
  /** The parts of the reply that the contact has heard. */
  played: SpeechPart[]
  /** Set when all words of the reply are there: the reply ends with this outcome when they are heard. */
  outcome: 'done' | 'failed' | null
  is_uninterruptible: boolean
  /**
   * How many of the reply's first characters end with the notice. Words don't interrupt the reply before the notice was
   * heard.
   */
  notice_length: number
  /** Whether the reply asks a silent contact whether someone is there. */
  is_reminder: boolean
  /** Whether the reply asks the contact whether it wants no more calls. */
  asks_to_stop: boolean
}

export const not_spoken: SpokenReply = {
  played: [],
  outcome: null,
  is_uninterruptible: false,
  notice_length: 0,
  is_reminder: false,
  asks_to_stop: false,
}

/** How a reply ends the agent's part. */
export interface Ending {
  type: 'close' | 'hand_over' | 'opt_out' | 'transfer' | 'limit' | 'voicemail_left'
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
  /** How many characters of the reply were said before the call. */
  after: number
  /** Whether the tool doesn't take these arguments. */
  is_invalid?: boolean
  /** How far the run was when the contact last spoke. It is left out if the run has begun since. */
  before_words?: 'begun' | 'ended' | undefined
}

interface OpenRun extends ToolCall {
  reply: string
}

export interface ToolRun extends ToolCall {
  status: ToolStatus
  result: unknown
}

export type ToolStatus = 'succeeded' | 'failed' | 'timeout' | 'invalid_arguments' | 'unknown' | 'refused'

/** How a model may use a tool. */
export interface ToolRule {
  /** How many runs one answer to the contact may have. Null: as many as an answer has room for. */
  calls_max: number | null
  /** Whether a run that has succeeded may be repeated with the same arguments before the contact has spoken. */
  may_repeat: boolean
  /**
   * The sentence in which the contact is asked before the tool runs. Empty if the tool has none. Null: nobody is asked.
   */
  confirm: string | null
}

/** What the contact is asked before the tool runs. */
export interface ToolQuestion {
  run: string
  /** The sentence names all arguments of the call. */
  sentence: string
  /** The question follows the sentence. It is empty if the sentence is a question itself. */
  question: string
}

/** One turn as the model sees it. */
export interface Entry {
  role: 'contact' | 'agent' | 'human' | 'system'
  text: string
  /** Whether the agent was interrupted after these words. */
  is_cut: boolean
  /** Whether the contact asks for a person. It matters when no model can answer. */
  asks_for_person?: boolean
  /** Whether the agent asks in a call whether the contact wants no more of them. */
  asks_to_stop?: boolean
  runs: ToolRun[]
}

/** A part of a spoken turn, with its times since the call was answered. */
export interface SpeechPart {
  text: string
  start_ms: number
  end_ms: number
}

/** What has answered a call. */
export type Machine = 'human' | 'voicemail' | 'screened' | 'menu'

/** The settings of one conversation. They come from the version of the agent and from the channel. */
export interface Settings {
  greeting: string | null
  /** The agent says this when it hands over, also after other words. */
  hand_over_message: string | null
  /** What the agent says while a tool runs, by the tool's name. */
  say_while: Record<string, string>
  /** How a model may use tools, by the tool's name. There are none for a script: it runs a tool whenever it comes to it. */
  tool_rules?: Record<string, ToolRule>
  has_fallback: boolean
  can_hand_over: boolean
  hands_over_on_failure: boolean
  /** Whether the model is asked for last words when it ends the conversation without any. */
  has_last_words: boolean
  /** Whether words such as STOP end the conversation, as on channels of carriers. */
  obeys_stop_words: boolean
  sentences: Sentences
  /** The BCP 47 tag of the agent's language. */
  language: string
  turns_max: number
  tokens_max: number
  reply_characters_max: number
  idle_ms: number
  first_piece_ms: number
  answer_ms: number
  tools_ms: number
  person_ms: number
  voice: VoiceSettings | null
}

export interface VoiceSettings {
  /** The agent says this before its first words: that the call is recorded, and which key ends the calls. */
  notice: string | null
  voicemail_message: string | null
  /** Pressed alone, this key asks for no more calls. */
  opt_out_key: string | null
  /** Whether the script says what to do when the contact is silent. */
  asks_on_silence: boolean
  /** A call may last this long. */
  call_ms: number
}

/** What the agent says when no model can. */
export interface Sentences {
  failed: string
  goodbye: string
  limit: string
  handed_over: string
  nobody_yet: string
  still_there: string
  one_moment: string
  no_more_calls: string
  no_more_question: string
  nobody_free: string
  not_transferred: string
  cut_off: string
  is_that_right: string
}

/** History keeps this many turns. */
export const history_turns = 24
/** A reply may take this many requests. The last one offers no tools. */
export const steps_max = 8
/** One answer of the model may call this many tools. */
export const tool_calls_max = 4

export const newState = (settings: Settings, now: number): State => ({
  settings,
  phase: 'listening',
  history: [],
  is_unanswered: false,
  reply: null,
  open_runs: [],
  ended_runs: [],
  turns_before_runs: 0,
  timers: settings.voice ? {} : { idle: now + settings.idle_ms },
  turns: 0,
  tokens: 0,
  voice: settings.voice && { ...new_voice, is_notice_due: settings.voice.notice !== null },
})

export const newReply = (id: string): Reply => ({
  id,
  step: 0,
  is_opening: false,
  is_fallback: false,
  text: '',
  known_length: 0,
  is_shown: false,
  has_piece: false,
  has_words: false,
  has_answer: false,
  finish_reason: 'stop',
  error: null,
  calls: [],
  asks: null,
  ending: null,
  usage: { input_tokens: 0, output_tokens: 0 },
  voice: not_spoken,
})

const new_voice: Voice = {
  answered_at: null,
  parts: [],
  hearing: '',
  is_contact_speaking: false,
  digits: '',
  are_digits_awaited: false,
  waiting_since: null,
  silent_since: null,
  reminders: 0,
  machine: null,
  has_opted_out: false,
  stopped_at: null,
  is_notice_due: false,
}
