import type {
  JSONObject,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import { newId } from '../kit/id.ts'
import {
  type ScriptInput,
  type ScriptSettings,
  type ScriptState,
  type ScriptStep,
  stepScript,
  type TakenStep,
} from './script.ts'
import type { Script } from './script-schema.ts'

/** The key of `providerOptions` and `providerMetadata`. */
const provider = 'script'

/** A request to a script, in addition to the prompt. The prompt holds the turns only: values are not part of it. */
export interface ScriptRequest extends ScriptSettings {
  state: ScriptState
  /** The time in milliseconds. */
  now: number
  /** Whether the agent is asked because the contact has said nothing. */
  is_silence?: boolean
}

/** A script's answer besides its words. The driver keeps `state` until the next request. */
export interface ScriptAnswer {
  state: ScriptState
  /** Whether the contact's words were used. They are not when a tool's result has led to another tool. */
  has_heard: boolean
  results: ScriptStep['results']
  /** The last step of this answer. */
  taken: TakenStep | null
  /** Whether the contact must hear the whole answer. */
  is_uninterruptible: boolean
  /**
   * What is to be looked up, or null. If set, the answer is not complete: the request is sent again, with what the
   * documents say about this.
   */
  looks_up: string | null
}

export const scriptOptions = (request: ScriptRequest): SharedV4ProviderMetadata => ({ [provider]: toJson(request) })

/** Reads the answer in the `providerMetadata` of the model's result. */
export function scriptAnswer(metadata: SharedV4ProviderMetadata | undefined): ScriptAnswer {
  const answer = metadata?.[provider]
  if (!answer) throw new Error('this is no answer of the scripted model')
  // The cast is true because only `generate` writes this.
  return answer as unknown as ScriptAnswer
}

/**
 * Makes a language model that follows a script. It ends the conversation and hands it over by the tools that other models have
 * for this.
 */
export const createScriptedModel = (script: Script): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider,
  modelId: provider,
  supportedUrls: {},
  doGenerate: async (options) => generate(script, options),
  doStream: async (options) => ({ stream: toStream(generate(script, options), options.abortSignal) }),
})

function generate(script: Script, options: LanguageModelV4CallOptions): LanguageModelV4GenerateResult {
  options.abortSignal?.throwIfAborted()
  const request = readRequest(options)
  const steps: ScriptStep[] = []
  let has_heard = false
  let { state } = request
  for (const input of readInputs(options, request)) {
    const step = stepScript(script, state, input, request)
    steps.push(step)
    has_heard ||= input.type === 'heard'
    state = step.state
    if (step.next !== 'wait' || step.looks_up !== null) break
  }
  const says = steps.map(({ say }) => say).filter((say) => say !== '')
  const call = toolCall(steps.at(-1)?.next)
  const answer: ScriptAnswer = {
    state,
    has_heard,
    results: Object.assign({}, ...steps.map(({ results }) => results)),
    taken: steps.at(-1)?.taken ?? null,
    is_uninterruptible: steps.some((step) => step.is_uninterruptible),
    looks_up: steps.at(-1)?.looks_up ?? null,
  }
  return {
    content: [...(says.length > 0 ? [{ type: 'text' as const, text: says.join(' ') }] : []), ...call],
    finishReason: { unified: call.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
    usage: no_usage,
    providerMetadata: { [provider]: toJson(answer) },
    warnings: [],
  }
}

function readRequest({ providerOptions }: LanguageModelV4CallOptions): ScriptRequest {
  const request = providerOptions?.[provider]
  if (!request) throw new Error('the scripted model needs the options of scriptOptions()')
  // The cast is true because only `scriptOptions` writes this.
  return request as unknown as ScriptRequest
}

/** Returns what has happened since the agent last spoke: results of tools, then the contact's words. */
function readInputs({ prompt }: LanguageModelV4CallOptions, { now, is_silence }: ScriptRequest): ScriptInput[] {
  const recent = prompt.slice(prompt.findLastIndex(({ role }) => role === 'assistant') + 1)
  const results = recent.flatMap(({ role, content }) =>
    role === 'tool' ? content.filter((part) => part.type === 'tool-result') : [],
  )
  const texts = recent.flatMap(({ role, content }) =>
    role === 'user' ? content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  )
  const done = results.map(({ output }): ScriptInput => ({ type: 'tool_done', ...readOutput(output) }))
  if (texts.length > 0) return [...done, { type: 'heard', text: texts.join('\n'), now }]
  if (done.length > 0) return done
  return [{ type: is_silence ? 'silence' : 'begin' }]
}

function readOutput(output: LanguageModelV4ToolResultPart['output']): { is_ok: boolean; result?: unknown } {
  if (output.type === 'text' || output.type === 'json') return { is_ok: true, result: output.value }
  if (output.type === 'error-text' || output.type === 'error-json') return { is_ok: false, result: output.value }
  return { is_ok: output.type === 'content' }
}

function toolCall(next: ScriptStep['next'] = 'wait'): (LanguageModelV4Content & { type: 'tool-call' })[] {
  if (next === 'wait') return []
  const { tool, arguments: input } = typeof next === 'object' ? next : { tool: tools_of_ends[next], arguments: {} }
  return [{ type: 'tool-call', toolCallId: newId(), toolName: tool, input: JSON.stringify(input) }]
}

const tools_of_ends = { end: 'end_conversation', hand_over: 'hand_over' }

const no_usage: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
}

/** Turns an answer into a stream. Each read gives one part, so that an abort ends the stream between two parts. */
function toStream(result: LanguageModelV4GenerateResult, signal: AbortSignal | undefined) {
  const parts = toParts(result).values()
  return new ReadableStream<LanguageModelV4StreamPart>(
    {
      pull(controller) {
        if (signal?.aborted) return controller.error(signal.reason)
        const { value, done } = parts.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
}

function toParts({ content, finishReason, usage, providerMetadata }: LanguageModelV4GenerateResult) {
  const parts: LanguageModelV4StreamPart[] = [{ type: 'stream-start', warnings: [] }]
  const id = '0'
  for (const part of content) {
    if (part.type === 'tool-call') parts.push(part)
    if (part.type !== 'text') continue
    const deltas = sentences(part.text).map((delta) => ({ type: 'text-delta' as const, id, delta }))
    parts.push({ type: 'text-start', id }, ...deltas, { type: 'text-end', id })
  }
  parts.push({ type: 'finish', usage, finishReason, ...(providerMetadata && { providerMetadata }) })
  return parts
}

const sentences = (text: string): string[] => text.split(/(?<=[.!?]\s)/)

/** The cast is true because requests and answers are plain objects of JSON values. */
const toJson = (value: object): JSONObject => value as JSONObject
