import type { Configuration } from '../../agents/configuration.ts'
import { beforeWords, type LoadedTurn, readTalk } from '../../conversations/claim.ts'
import type { ScriptProgress } from '../../conversations/rows.ts'
import type { Conversation } from '../../conversations/schema.ts'
import type { At } from '../../kit/at.ts'
import { newId } from '../../kit/id.ts'
import type { EngineInput } from '../../talk/input.ts'
import type { Entry } from '../../talk/state.ts'
import type { Connection } from '../carrier.ts'
import type { ClaimedCall } from '../claim.ts'
import { type Fact, summarize } from '../facts.ts'
import type { CallState } from '../rows.ts'

/** Names the reply that the earlier process was speaking. */
export const cut_reply = 'cut'

export interface Resumed {
  /** What the answerer knows of what was said. */
  turns: LoadedTurn[]
  progress: ScriptProgress | null
  /** The turn that was open when the other process was killed. */
  cut: LoadedTurn | undefined
  /** The state of a new call becomes that of the one that goes on. */
  continueFrom: (begun: CallState) => CallState
  /**
   * The input that the engine begins with. Undefined if nobody has answered so far, or if a person or a voicemail
   * speaks.
   */
  first: EngineInput | undefined
}

interface Interrupted {
  conversation: Conversation
  /** Undefined if the other process was killed before it could write so. */
  answered_at: number | undefined
  configuration: Configuration
  facts: Fact[]
  recording_status: ClaimedCall['recording_status']
  after: Connection['after']
}

/** Reads what another process has written about a call, so that this process can go on with it. */
export async function resume(at: At, call: Interrupted): Promise<Resumed> {
  const { conversation, answered_at, configuration, facts, recording_status, after } = call
  const { id, status, turn_count } = conversation
  const { script_state, turns, runs, tokens } = await readTalk(at, id)
  const cut = turns.find(({ is_open }) => is_open)
  const said = turns.filter(({ is_open }) => !is_open)
  const pending = runs.map((run) => ({ ...toRun(run), before_words: beforeWords(run, said) }))
  const is_open = status === 'open'
  const failed_transfer = is_open && after === 'transfer' ? 'transferring' : undefined
  const continueFrom = (begun: CallState): CallState => {
    const { engine } = begun
    return {
      ...begun,
      progress: script_state,
      last_read_seq: turn_count,
      engine: {
        ...engine,
        phase: failed_transfer ?? (status === 'handed_over' ? 'handed_over' : 'listening'),
        history: said.map(toEntry),
        is_unanswered: said.at(-1)?.role === 'contact',
        open_runs: pending.flatMap(({ status, result: _, ...run }) =>
          status === 'running' ? [{ ...run, reply: cut_reply }] : [],
        ),
        ended_runs: pending.flatMap(({ status, ...run }) => (status === 'running' ? [] : [{ ...run, status }])),
        turns_before_runs: turn_count,
        turns: turn_count,
        tokens,
        timers: answered_at === undefined ? {} : { call: answered_at + (engine.settings.voice?.call_ms ?? 0) },
        voice: engine.voice && {
          ...engine.voice,
          answered_at: answered_at ?? null,
          // Nothing is recorded before the contact has heard the notice, so a recording shows that it was heard.
          is_notice_due: engine.voice.is_notice_due && recording_status === 'none',
        },
      },
    }
  }
  const is_voicemail = summarize(facts).outcome === 'voicemail'
  const before = { said, cut, script_state, configuration, answered_at, is_voicemail, after }
  const first = is_open ? firstInput(before) : undefined
  return { turns: said, progress: script_state, cut, continueFrom, first }
}

interface Before {
  said: LoadedTurn[]
  cut: LoadedTurn | undefined
  script_state: ScriptProgress | null
  configuration: Configuration
  answered_at: number | undefined
  is_voicemail: boolean
  after: Connection['after']
}

/**
 * Words that were cut off are made anew, unless a script counts them as said: then the same words are said again. The
 * line of a call that was answered doesn't report the answer again, so the agent also begins if nothing was said.
 */
function firstInput(before: Before): EngineInput | undefined {
  const { said, cut, script_state, configuration, answered_at, is_voicemail, after } = before
  if (after === 'transfer') return { type: 'transferred', is_ok: false, id: newId() }
  // The agent has pressed keys and waits for an answer, or it waits for the beep of a voicemail.
  if (after === 'digits' || is_voicemail) return undefined
  const last = said.at(-1)
  const { script, language } = configuration
  const heard_until = said.findLast(({ role }) => role === 'contact')?.seq ?? 0
  const is_counted = script !== null && script_state !== null && script_state.heard_until >= heard_until
  const is_end = is_counted && script_state.node === null
  const input = { type: 'reconnected' as const, id: newId() }
  if (cut && is_counted) return { ...input, text: cut.text, is_end }
  if (last?.role === 'contact' || (!last && (cut || answered_at !== undefined)))
    return { ...input, text: null, is_end: false }
  return last && { ...input, text: lastSentence(last.heard || last.text, language), is_end }
}

function lastSentence(text: string, language: string): string {
  const sentences = [...new Intl.Segmenter(language, { granularity: 'sentence' }).segment(text)]
  return sentences.at(-1)?.segment.trim() ?? ''
}

/** The model learns what was heard. */
const toEntry = ({ role, text, heard, is_interrupted, tools }: LoadedTurn): Entry => ({
  role,
  text: heard ?? text,
  is_cut: is_interrupted,
  runs: tools.map(toRun).flatMap(({ status, ...run }) => (status === 'running' ? [] : [{ ...run, status }])),
})

const toRun = ({ id, name, arguments: values, result, status }: LoadedTurn['tools'][number]) => ({
  run: id,
  name,
  arguments: values,
  after: 0,
  status,
  result,
})
