import { setTimeout as sleep } from 'node:timers/promises'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { assertNotTooDeep } from '../kit/http/body/read-json.ts'
import { newId } from '../kit/id.ts'
import { OutboundError } from '../kit/outbound/request.ts'
import { storable } from '../kit/text.ts'
import type { ModelFinishReason } from './input.ts'
import type { ToolCall, Usage } from './state.ts'

const retry_after_ms = 500
const arguments_length_max = 32_000
const tokens_max = 10_000_000
/** More than an agent may call. The rest of the answer is not read. */
const calls_max = 32

/** What comes from a model, in order. The last one is `asked` or `ask_failed`. */
export type Answer =
  | { type: 'piece'; text: string }
  | { type: 'tool_call'; call: Omit<ToolCall, 'after'> }
  | { type: 'asked'; usage: Usage; finish_reason: ModelFinishReason; metadata: FinishPart['providerMetadata'] }
  | { type: 'ask_failed'; error: unknown }

type FinishPart = Extract<LanguageModelV4StreamPart, { type: 'finish' }>

/** Asks the model, and once more when it failed before it said anything. Never throws. Says nothing more after an abort. */
export async function* ask(
  open: () => Promise<LanguageModelV4>,
  options: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
): AsyncGenerator<Answer> {
  const { abortSignal } = options
  for (let attempt = 1; !abortSignal.aborted; attempt += 1) {
    let has_begun = false
    try {
      for await (const answer of askOnce(await open(), options)) {
        if (abortSignal.aborted) return
        has_begun = true
        yield answer
      }
      return
    } catch (error) {
      if (abortSignal.aborted) return
      if (has_begun || attempt > 1 || !(await isTransient(error))) return yield { type: 'ask_failed', error }
      await sleep(retry_after_ms, undefined, { signal: abortSignal }).catch(() => {})
    }
  }
}

async function* askOnce(model: LanguageModelV4, options: LanguageModelV4CallOptions): AsyncGenerator<Answer> {
  const { stream } = await model.doStream(options)
  let calls = 0
  for await (const part of stream) {
    if (part.type === 'text-delta' && part.delta !== '') yield { type: 'piece', text: storable(part.delta) }
    else if (part.type === 'tool-call') {
      calls += 1
      if (calls > calls_max) throw new Error('the answer calls too many tools')
      yield { type: 'tool_call', call: toCall(part) }
    } else if (part.type === 'error') throw part.error
    else if (part.type === 'finish')
      return yield {
        type: 'asked',
        usage: toUsage(part.usage),
        finish_reason: toFinishReason(part.finishReason),
        metadata: part.providerMetadata,
      }
  }
  throw new Error('the answer has no end')
}

/** Asks a model that has its whole answer at once, without a network. */
export async function* askAtOnce(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
): AsyncGenerator<Answer> {
  try {
    const { content, usage, finishReason, providerMetadata: metadata } = await model.doGenerate(options)
    for (const part of content) {
      if (part.type === 'text') yield { type: 'piece', text: storable(part.text) }
      else if (part.type === 'tool-call') yield { type: 'tool_call', call: toCall(part) }
    }
    yield { type: 'asked', usage: toUsage(usage), finish_reason: toFinishReason(finishReason), metadata }
  } catch (error) {
    if (!options.abortSignal.aborted) yield { type: 'ask_failed', error }
  }
}

/** Arguments that are not JSON, or nested too deeply, stay text, which no tool accepts: the model is told. */
function toCall({ toolName, input }: { toolName: string; input: string }): Omit<ToolCall, 'after'> {
  const call = { run: newId(), name: storable(toolName.slice(0, 64)) }
  const text = storable(input)
  if (text.length > arguments_length_max) return { ...call, arguments: 'too long' }
  // The database can't store these characters.
  if (/\\u(0000|d[89a-f])/i.test(text)) return { ...call, arguments: text }
  try {
    const parsed: unknown = JSON.parse(text === '' ? '{}' : text)
    assertNotTooDeep(parsed)
    return { ...call, arguments: parsed }
  } catch {
    return { ...call, arguments: text }
  }
}

export const toUsage = ({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage => ({
  input_tokens: toCount(inputTokens.total),
  output_tokens: toCount(outputTokens.total),
})

/** An answer that calls tools, or ends for a reason that is not known, is as complete as any other. */
function toFinishReason({ unified }: FinishPart['finishReason']): ModelFinishReason {
  if (unified === 'length') return 'length'
  return unified === 'content-filter' ? 'content_filter' : 'stop'
}

/** Servers may report anything. */
const toCount = (tokens = 0): number =>
  Number.isFinite(tokens) ? Math.min(tokens_max, Math.max(0, Math.trunc(tokens))) : 0

/** The server or the connection failed, or too many requests were sent. */
async function isTransient(error: unknown): Promise<boolean> {
  if (error instanceof OutboundError) return true
  const { APICallError } = await import('@ai-sdk/provider')
  if (!APICallError.isInstance(error)) return false
  const { statusCode: status } = error
  return status === undefined || status === 429 || status >= 500
}
