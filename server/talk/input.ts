import type { Shown } from '../consent/spoken.ts'
import type { TakenStep } from '../models/script.ts'
import type {
  Entry,
  FinishReason,
  Machine,
  SpeechPart,
  TimerName,
  ToolCall,
  ToolRun,
  ToolStatus,
  Usage,
} from './state.ts'

/** Something that happens to a conversation. `id` is for a reply that may begin. */
export type Input = { now: number } & (
  | { type: 'opened'; id: string }
  | { type: 'message'; id: string; text: string; asks_for_person?: boolean }
  /** A drive begins: what is unanswered is answered. */
  | { type: 'resumed'; id: string }
  | { type: 'piece'; reply: string; text: string }
  /** From now on the words of the reply are shown as they come. */
  | { type: 'shown'; reply: string }
  | { type: 'tool_call'; reply: string; call: Omit<ToolCall, 'after'> }
  | {
      type: 'asked'
      reply: string
      usage: Usage
      finish_reason?: ModelFinishReason
      script?: TakenStep | null
      is_uninterruptible?: boolean
    }
  | { type: 'ask_failed'; reply: string }
  | { type: 'tool_done'; run: string; status: ToolStatus; result: unknown }
  | { type: 'timer'; name: TimerName; id?: string }
  | { type: 'handed_over'; reason: string | null }
  /** Another process, or a later drive, continues. What was shown so far stays. */
  | { type: 'left' }
  /** What a person says. `id` is for the words on a line. */
  | { type: 'answer'; text: string; id?: string }
  | { type: 'taken_back'; id: string }
  | { type: 'close'; reason: CloseReason; end_reason?: EndReason }
  | { type: 'limit'; id?: string }
  | VoiceInput
)

/** What happens on the line of a call. */
export type VoiceInput =
  | { type: 'answered' }
  | { type: 'machine'; kind: Machine | 'uncertain'; id: string }
  | { type: 'beep'; id: string }
  | { type: 'speech_started' }
  /** `text` has the words of this stretch of speech so far. With `part` these are all of them. */
  | { type: 'heard'; text: string; part?: SpeechPart }
  | { type: 'speech_stopped' }
  /** `is_awaited`: a script waits for digits. */
  | { type: 'digit'; digit: string; is_awaited?: boolean }
  /** What the contact has heard of the reply. */
  | { type: 'played'; reply: string; parts: SpeechPart[] }
  | { type: 'play_done'; reply: string; is_lost?: boolean }
  | { type: 'transferred'; is_ok: boolean; id: string }
  | { type: 'hung_up' }
  | { type: 'lost' }
  /** Another process goes on with the call. `text` is said again; without it the contact is answered, or greeted. */
  | { type: 'reconnected'; id: string; text: string | null; is_end: boolean }

export type InputOf<Type extends Input['type']> = Extract<Input, { type: Type }>

export type VoiceInputOf<Type extends VoiceInput['type']> = Extract<VoiceInput, { type: Type }>

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
  | 'contact_ended'

/** Why a call ends. */
export type EndReason =
  | 'contact_hung_up'
  | 'agent_hung_up'
  | 'human_hung_up'
  | 'transferred'
  | 'opted_out'
  | 'max_duration'
  | 'silence'
  | 'voicemail_left'
  | 'voicemail_hung_up'
  | 'canceled'
  | 'carrier_error'
  | 'system_error'

/** Something that is to be done. */
export type Effect =
  | {
      type: 'ask'
      reply: string
      step: number
      is_fallback: boolean
      has_tools: boolean
      history: Entry[]
      /** Whether the contact has said nothing. */
      is_silence?: boolean
      /** Whether these are the agent's first words, whatever the contact has said before. */
      is_opening?: boolean
    }
  | { type: 'stop_asking'; reply: string }
  | { type: 'say'; reply: string; text: string; is_uninterruptible?: boolean }
  | { type: 'run_tool'; reply: string; call: ToolCall }
  | { type: 'stop_tool'; run: string }
  | { type: 'end_reply'; reply: string; outcome: ReplyOutcome }
  | { type: 'write'; turn: Turn }
  | { type: 'hand_over'; reason: string | null }
  /** `shown` is missing when a tool opts the contact out: then only the turn shows it. */
  | { type: 'opt_out'; shown?: Shown }
  | { type: 'close'; reason: CloseReason; end_reason?: EndReason }
  /** All words of the reply were said. `clear` stops them. */
  | { type: 'end_words'; reply: string; is_uninterruptible?: boolean }
  | { type: 'clear'; reply: string }
  | { type: 'press'; digits: string }
  | { type: 'transfer'; to: string }
  | { type: 'take_back' }

export type EffectOf<Type extends Effect['type']> = Extract<Effect, { type: Type }>

/** Why a model has ended its answer. */
export type ModelFinishReason = Extract<FinishReason, 'stop' | 'length' | 'content_filter'>

export type ReplyOutcome = 'done' | 'interrupted' | 'superseded' | 'failed'

export interface Turn {
  role: Entry['role']
  /** The id of the reply, or null for words that no reply made. */
  reply: string | null
  text: string
  is_interrupted: boolean
  /** Only turns of the agent have a finish reason. */
  finish_reason?: FinishReason
  /** Only turns of the agent that a script has made have a script step. */
  script?: TakenStep
  /** Why no model could answer, if the driver doesn't know it. */
  error?: string | null
  runs: ToolRun[]
  usage: Usage
  /** Only turns of calls have this: what was heard, and when. */
  spoken?: { heard: string; speech: SpeechPart[] }
}
