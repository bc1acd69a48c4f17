import { setTimeout as sleep } from 'node:timers/promises'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { assertNotTooDeep } from '../kit/http/body/read-json.ts'
import { newId } from '../kit/id.ts'
import { OutboundError, ResponseTooLong } from '../kit/outbound/request.ts'
import { isBusy } from '../kit/postgres/errors.ts'
import { printable, printableJson, truncate } from '../kit/text.ts'
import { ProviderError } from '../models/provider-error.ts'
import { end_of_thinking } from '../models/thinking.ts'
import type { ModelFinishReason } from '../talk/input.ts'
import type { ToolCall, Usage } from '../talk/state.ts'

const retry_after_ms = 500
const arguments_length_max = 32_000
/**
 * At most this many calls of an answer are read, because an agent may call fewer. The rest of the answer is not read.
 */
const read_calls_max = 32

/** The parts of an answer, which a model sends one after the other. The last one is `asked` or `ask_failed`. */
export type Answer =
  | { type: 'piece'; text: string }
  | { type: 'tool_call'; call: Omit<ToolCall, 'after'> }
  | { type: 'asked'; usage: Usage; finish_reason: ModelFinishReason; metadata: FinishPart['providerMetadata'] }
  | { type: 'ask_failed'; error: unknown }

type FinishPart = Extract<LanguageModelV4StreamPart, { type: 'finish' }>

interface AskOptions {
  /**
   * Whether the words come all at once at the end, without what turned out to be thinking. Until then there are empty
   * pieces.
   */
  is_whole?: boolean
  /** The request is not repeated if the provider asks for a longer wait than this. */
  retry_wait_max_ms: number
}

/** Asks the model, and once more when it failed before it said anything. Never throws. Says nothing more after an abort. */
export async function* ask(
  open: () => Promise<LanguageModelV4>,
  options: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
  { retry_wait_max_ms, is_whole = false }: AskOptions,
): AsyncGenerator<Answer> {
  const { abortSignal } = options
  for (let attempt = 1; !abortSignal.aborted; attempt += 1) {
    let has_begun = false
    try {
      const answers = askOnce(await open(), options)
      for await (const answer of is_whole ? holdBack(answers) : answers) {
        if (abortSignal.aborted) return
        has_begun = true
        if (answer.type !== 'were_thoughts') yield answer
      }
      return
    } catch (error) {
      if (abortSignal.aborted) return
      const wait_ms = waitBeforeRetry(error)
      if (has_begun || attempt > 1 || wait_ms > retry_wait_max_ms) return yield { type: 'ask_failed', error }
      await sleep(wait_ms, undefined, { signal: abortSignal }).catch(() => {})
    }
  }
}

/** Says that all pieces before were thinking. */
type WereThoughts = { type: 'were_thoughts' }

async function* askOnce(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
): AsyncGenerator<Answer | WereThoughts> {
  const { stream } = await model.doStream(options)
  const calls = new Set<string>()
  for await (const part of stream) {
    if (part.type === 'tool-input-start') calls.add(part.id)
    if (part.type === 'tool-call') calls.add(part.toolCallId)
    if (calls.size > read_calls_max) throw new Error('the answer calls too many tools')
    if (part.type === 'text-delta' && part.delta !== '') yield { type: 'piece', text: printable(part.delta) }
    else if (part.type === 'custom' && part.kind === end_of_thinking) yield { type: 'were_thoughts' }
    else if (part.type === 'tool-call') yield { type: 'tool_call', call: toCall(part) }
    else if (part.type === 'error') throw part.error
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

/** Holds back all words until the end of the answer. When it breaks, the words before that are said all the same. */
async function* holdBack(answers: AsyncGenerator<Answer | WereThoughts>): AsyncGenerator<Answer> {
  let held: Answer[] = []
  let skips_blanks = false
  try {
    for await (const answer of answers) {
      yield { type: 'piece', text: '' }
      if (answer.type === 'were_thoughts') {
        held = held.filter(({ type }) => type !== 'piece')
        skips_blanks = true
      } else if (answer.type === 'piece' && skips_blanks) {
        const text = answer.text.trimStart()
        held.push({ type: 'piece', text })
        skips_blanks = text === ''
      } else held.push(answer)
    }
  } catch (error) {
    yield* held
    throw error
  }
  yield* held
}

/** Asks a model that has its whole answer at once, without a network. */
export async function* askAtOnce(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
): AsyncGenerator<Answer> {
  try {
    const { content, usage, finishReason, providerMetadata: metadata } = await model.doGenerate(options)
    for (const part of content) {
      if (part.type === 'text') yield { type: 'piece', text: printable(part.text) }
      else if (part.type === 'tool-call') yield { type: 'tool_call', call: toCall(part) }
    }
    yield { type: 'asked', usage: toUsage(usage), finish_reason: toFinishReason(finishReason), metadata }
  } catch (error) {
    if (!options.abortSignal.aborted) yield { type: 'ask_failed', error }
  }
}

/**
 * Reads a call. Arguments that are not JSON, or nested too deeply, stay text, which no tool accepts: the model is told.
 */
function toCall({ toolName, input }: { toolName: string; input: string }): Omit<ToolCall, 'after'> {
  const call = { run: newId(), name: truncate(printable(toolName), 64) }
  if (input.length > arguments_length_max) return { ...call, arguments: 'too long' }
  const text = printable(input)
  try {
    const parsed: unknown = JSON.parse(text === '' ? '{}' : text)
    assertNotTooDeep(parsed)
    return { ...call, arguments: printableJson(parsed) }
  } catch {
    return { ...call, arguments: text }
  }
}

export const toUsage = ({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage => ({
  input_tokens: inputTokens.total ?? 0,
  output_tokens: outputTokens.total ?? 0,
})

/**
 * Reads why an answer ended. One that calls tools, or ends for a reason that is not known, is as complete as any other.
 */
function toFinishReason({ unified }: FinishPart['finishReason']): ModelFinishReason {
  if (unified === 'length') return 'length'
  return unified === 'content-filter' ? 'content_filter' : 'stop'
}

/**
 * Returns the wait before the request is repeated. It is infinity, unless the server or the connection failed, too many
 * requests were sent, or this service was overloaded.
 */
function waitBeforeRetry(error: unknown): number {
  if (error instanceof OutboundError)
    return error instanceof ResponseTooLong ? Number.POSITIVE_INFINITY : retry_after_ms
  if (!(error instanceof ProviderError)) return isBusy(error) ? retry_after_ms : Number.POSITIVE_INFINITY
  if (error.status === 429) return error.retry_after_ms ?? retry_after_ms
  return error.status >= 500 ? retry_after_ms : Number.POSITIVE_INFINITY
}
