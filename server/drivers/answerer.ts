import type { LanguageModelV4Message } from '@ai-sdk/provider'
import type { Configuration } from '../agents/configuration.ts'
import type { ClaimedConversation } from '../conversations/claim.ts'
import type { ScriptProgress } from '../conversations/rows.ts'
import type { At, AtOutside } from '../kit/at.ts'
import { scoreIntent } from '../models/intents.ts'
import { openModel } from '../models/language-model.ts'
import { languageOf, listen } from '../models/matching.ts'
import { awaitsDigits, type TakenStep } from '../models/script.ts'
import type { Script } from '../models/script-schema.ts'
import { createScriptedModel, scriptAnswer, scriptOptions } from '../models/scripted.ts'
import type { Effect } from '../talk/input.ts'
import { valuesOf } from '../talk/settings.ts'
import type { Entry } from '../talk/state.ts'
import { type Answer, ask, askAtOnce } from './ask.ts'
import type { FoundPassage } from './citations.ts'
import { namesToAskFor } from './names-to-ask-for.ts'
import { promptFor, toOutput, userText } from './prompt.ts'
import type { Tools } from './tools.ts'

/**
 * A request is repeated only if the wait before it is shorter than this. In a call the first words must come within
 * four seconds, half of which are left for the answer.
 */
const retry_wait_max_ms = { text: 5_000, call: 2_000 }

export interface AnswererParts {
  at: AtOutside
  claimed: AnsweredConversation
  configuration: Configuration
  tools: Tools
}

/** The parts of a conversation that an answerer needs. */
type AnsweredConversation = Pick<
  ClaimedConversation,
  'kind' | 'agent_name' | 'variables' | 'summary' | 'contact' | 'time_zone' | 'script_state' | 'turns'
>

type Ask = Extract<Effect, { type: 'ask' }>

/** Answers in a conversation, by a language model or a script. */
export interface Answerer {
  asksForPerson: (text: string) => Promise<boolean>
  /** Tells that the contact has said something. */
  addMessage: (words: { seq: number; text: string }) => void
  ask: (request: Ask, now: number, signal: AbortSignal) => AsyncGenerator<Answer>
  /** Returns what a complete answer has changed. */
  readResult: (answer: Extract<Answer, { type: 'asked' }>) => {
    facts: Record<string, unknown>
    progress: ScriptProgress | null
    /** The step to which a script has come. */
    script: TakenStep | null
    /** Whether the contact must hear the whole answer. */
    is_uninterruptible: boolean
    /** The passages from which a script has answered. */
    passages: FoundPassage[]
  }
  /** Returns a script to where it was. */
  continueFrom: (progress: ScriptProgress) => void
  /** Whether a script waits for digits. It is not known what a model has asked for. */
  awaitsDigits: () => boolean
}

export const openAnswerer = (parts: AnswererParts): Answerer =>
  parts.configuration.script ? openScriptedAnswerer(parts, parts.configuration.script) : openModelAnswerer(parts)

function openModelAnswerer({ at, claimed, configuration, tools }: AnswererParts): Answerer {
  const { contact, time_zone } = claimed
  const { model, fallback_model, model_settings } = configuration
  const nothing = { facts: {}, progress: null, script: null, is_uninterruptible: false, passages: [] }
  return {
    asksForPerson: (text) => asksForPerson(at, text, configuration),
    addMessage: () => {},
    ask: ({ is_fallback, has_tools, history }, now, abortSignal) =>
      ask(
        () => openModel(at, { ...(is_fallback ? fallback_model : model), settings: model_settings }),
        {
          prompt: promptFor({ conversation: claimed, configuration, contact, time_zone, now }, history),
          ...(has_tools && tools.offered.length > 0 && { tools: tools.offered, toolChoice: { type: 'auto' } }),
          abortSignal,
        },
        {
          retry_wait_max_ms: claimed.kind === 'voice' ? retry_wait_max_ms.call : retry_wait_max_ms.text,
          is_whole: claimed.kind === 'sms',
        },
      ),
    readResult: () => nothing,
    continueFrom: () => {},
    awaitsDigits: () => false,
  }
}

/** Whether the text asks for a person, by the words that scripts know as the intent `human`. */
export async function asksForPerson(at: At, text: string, configuration: Configuration): Promise<boolean> {
  const names = await namesToAskFor(at, [text], configuration)
  return scoreIntent('human', listen(text, languageOf(configuration.language)), names) !== undefined
}

/**
 * Opens an answerer for a script. It gets what has happened since it last spoke: the result of its tool, and what the
 * contact said.
 */
function openScriptedAnswerer({ at, claimed, configuration, tools }: AnswererParts, script: Script): Answerer {
  const model = createScriptedModel(script)
  const { language } = configuration
  const { contact, time_zone } = claimed
  let progress: ScriptProgress = claimed.script_state ?? { node: null, variables: {}, heard_until: 0 }
  let passages: FoundPassage[] = []
  let unheard = claimed.turns
    .filter(({ role, seq }) => role === 'contact' && seq > progress.heard_until)
    .map(({ seq, text }) => ({ seq, text }))
  return {
    // The script's own branches say what happens when the contact asks for a person.
    asksForPerson: async () => false,
    addMessage: (words) => unheard.push(words),
    async *ask({ history, is_silence = false, is_opening = false }, now, abortSignal) {
      if (is_opening) unheard = []
      const { node, variables } = progress
      const { tool, press } = (node === null ? undefined : script.nodes[node]) ?? {}
      // A node may wait after digits, so that silence can follow their result.
      const is_at_tool = tool !== undefined || (press !== undefined && !is_silence)
      const prompt = [...(is_at_tool ? lastResult(history) : []), ...unheard.map(({ text }) => userText(text))]
      const values = valuesOf(claimed, { contact, time_zone, now })
      const state = { node, variables: { ...claimed.variables, ...variables } }
      const names = await namesToAskFor(
        at,
        unheard.map(({ text }) => text),
        configuration,
      )
      const request = { state, now, is_silence, language, time_zone, values, names }
      passages = []
      const answers = await Array.fromAsync(
        askAtOnce(model, { prompt, providerOptions: scriptOptions(request), abortSignal }),
      )
      const text = lookedUp(answers)
      if (text === null) return yield* answers
      const found = await tools.answerFromKnowledge(at, text)
      passages = found.passages
      yield* askAtOnce(model, {
        prompt,
        providerOptions: scriptOptions({ ...request, knowledge: found.answer }),
        abortSignal,
      })
    },
    readResult: ({ metadata }) => {
      const { state, results, has_heard, taken, is_uninterruptible } = scriptAnswer(metadata)
      const heard_until = has_heard ? (unheard.at(-1)?.seq ?? progress.heard_until) : progress.heard_until
      if (has_heard) unheard = []
      progress = { ...state, heard_until }
      return { facts: results, progress, script: taken, is_uninterruptible, passages }
    },
    continueFrom: (before) => {
      progress = before
    },
    awaitsDigits: () => awaitsDigits(script, progress, language),
  }
}

/** Returns the question to which the script needs an answer before it goes on. */
function lookedUp(answers: Answer[]): string | null {
  const asked = answers.find((answer) => answer.type === 'asked')
  return asked ? scriptAnswer(asked.metadata).looks_up : null
}

function lastResult(history: Entry[]): LanguageModelV4Message[] {
  const run = history.findLast(({ runs }) => runs.length > 0)?.runs.at(-1)
  if (!run) return []
  const output = toOutput(run, Number.POSITIVE_INFINITY)
  // A script may use the members of a result.
  const is_json = run.status === 'succeeded' && typeof run.result === 'object' && run.result !== null
  const value = is_json ? { type: 'json' as const, value: JSON.parse(JSON.stringify(run.result)) } : output
  return [{ role: 'tool', content: [{ type: 'tool-result', toolCallId: run.run, toolName: run.name, output: value }] }]
}
