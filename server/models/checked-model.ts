import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import * as clock from '../kit/clock.ts'
import type { Metric, Metrics } from '../kit/metrics.ts'
import { OutboundError } from '../kit/outbound/request.ts'
import { printable } from '../kit/text.ts'
import { type Attributes, currentSpan } from '../kit/traces/span.ts'
import { findRefused } from './model-settings.ts'
import { ProviderError, parseJson, toProviderError } from './provider-error.ts'
import { end_of_thinking, endText, no_thinking, type ReadPiece, withoutThinking } from './thinking.ts'
import { clampUsage } from './usage.ts'

const first_half = /[\ud800-\udbff]$/

const buckets = [0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.5, 2, 3, 5, 10, 20, 30, 60, 120]

export const model_first_piece: Metric = {
  name: 'model_first_piece_seconds',
  help: 'How long language models take until the first piece of an answer, by the kind of provider.',
  type: 'histogram',
  labels: ['provider'],
  buckets,
}
export const model_duration: Metric = {
  name: 'model_duration_seconds',
  help: 'How long requests to language models take: succeeded, failed, or canceled because nobody needs the answer.',
  type: 'histogram',
  labels: ['provider', 'result'],
  buckets,
}

export interface UncheckedModel {
  /** The model that is asked for whole answers. */
  whole: LanguageModelV4
  /** The model that is asked for answers in pieces. */
  streamed: LanguageModelV4
  api_key: string
  /** The kind of the model's provider, for metrics. */
  kind: string
  metrics: Metrics
}

/**
 * Makes a model whose words have no thinking and no control characters in them, and that reports no more tokens than there can
 * be. It fails with an OutboundError or a ProviderError where the SDK has its own. Words that a stream has said already may turn
 * out to be thinking: then the part `end_of_thinking` follows.
 */
export function checkedModel({ whole, streamed, api_key, kind, metrics }: UncheckedModel): LanguageModelV4 {
  const failWith =
    (options: LanguageModelV4CallOptions) =>
    async (error: unknown): Promise<never> => {
      const own = await toOwnError(error, api_key)
      if (own instanceof ProviderError) own.refused_setting = findRefused(own, options)
      throw own
    }
  const begin = ({ abortSignal: signal, temperature, maxOutputTokens }: LanguageModelV4CallOptions): RequestTiming => {
    const began_ticks = clock.ticks()
    const span = currentSpan()?.child({
      name: `chat ${whole.modelId}`,
      kind: 'client',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': kind,
        'gen_ai.request.model': whole.modelId,
        'gen_ai.request.temperature': temperature,
        'gen_ai.request.max_tokens': maxOutputTokens,
      },
    })
    let has_begun = false
    let has_ended = false
    return {
      notePiece() {
        if (!has_begun) metrics.observe(model_first_piece, clock.ticks() - began_ticks, kind)
        has_begun = true
      },
      end(result, answer) {
        const ended = result === 'failed' && signal?.aborted ? 'canceled' : result
        if (!has_ended) metrics.observe(model_duration, clock.ticks() - began_ticks, kind, ended)
        has_ended = true
        span?.end({ attributes: answer && answerAttributes(answer), error: ended === 'failed' ? ended : undefined })
      },
    }
  }
  return {
    specificationVersion: whole.specificationVersion,
    provider: whole.provider,
    modelId: whole.modelId,
    supportedUrls: whole.supportedUrls,
    async doGenerate(options) {
      const measured = begin(options)
      const fail = failWith(options)
      const { content, usage, request, ...result } = await Promise.resolve(whole.doGenerate(options)).catch(
        (error: unknown) => {
          measured.end('failed')
          return fail(error)
        },
      )
      const received_bytes = content.reduce((sum, part) => sum + bytesOf(part), 0)
      const clamped = clampUsage(usage, { sent: request?.body, received_bytes })
      measured.end('succeeded', { usage: clamped, finishReason: result.finishReason })
      return { ...result, content: withoutThoughts(content), usage: clamped }
    },
    async doStream(options) {
      const measured = begin(options)
      const fail = failWith(options)
      const { stream, request } = await Promise.resolve(streamed.doStream(options)).catch((error: unknown) => {
        measured.end('failed')
        return fail(error)
      })
      return { stream: ReadableStream.from(checkParts(stream, { sent: request?.body, fail, measured })) }
    },
  }
}

/** Measures how long one request takes. */
interface RequestTiming {
  notePiece: () => void
  /** Ends the measurement. Only the first call counts. */
  end: (result: 'succeeded' | 'failed' | 'canceled', answer?: AnswerEnd) => void
}

/** What a model says of its answer. */
type AnswerEnd = Pick<LanguageModelV4GenerateResult, 'usage' | 'finishReason'>

const answerAttributes = ({ usage, finishReason }: AnswerEnd): Attributes => ({
  'gen_ai.usage.input_tokens': usage.inputTokens.total,
  'gen_ai.usage.output_tokens': usage.outputTokens.total,
  'gen_ai.response.finish_reasons': [finishReason.unified],
})

interface SentRequest {
  /** The body of the request. */
  sent: unknown
  fail: (error: unknown) => Promise<never>
  measured: RequestTiming
}

async function* checkParts(
  parts: ReadableStream<LanguageModelV4StreamPart>,
  { sent, fail, measured }: SentRequest,
): AsyncGenerator<LanguageModelV4StreamPart> {
  let thinking = no_thinking
  let received_bytes = 0
  /** The first half of a character, whose second half is in the next piece. */
  let half = ''
  try {
    for await (const part of parts) {
      received_bytes += bytesOf(part)
      if (isPiece(part)) measured.notePiece()
      if (part.type === 'text-delta') {
        const text = half + part.delta
        half = first_half.exec(text)?.[0] ?? ''
        const taken = withoutThinking(thinking, printable(text.slice(0, text.length - half.length)))
        thinking = taken.state
        yield* toParts(part.id, taken)
      } else if (part.type === 'text-end') {
        const taken = endText(thinking)
        half = ''
        thinking = taken.state
        yield* toParts(part.id, taken)
        yield part
      } else if (part.type === 'finish') {
        if (part.finishReason.unified === 'interrupted') throw new Error('the answer has no end')
        const usage = clampUsage(part.usage, { sent, received_bytes })
        measured.end('succeeded', { usage, finishReason: part.finishReason })
        yield { ...part, usage }
      } else {
        if (part.type === 'error') measured.end('failed')
        yield part
      }
    }
    measured.end('failed')
  } catch (error) {
    measured.end('failed')
    await fail(error)
  } finally {
    // The caller reads no more, and not because of an error.
    measured.end('canceled')
  }
}

const isPiece = ({ type }: LanguageModelV4StreamPart): boolean =>
  type === 'text-delta' || type === 'tool-input-start' || type === 'tool-call'

function* toParts(id: string, { words, ends_thinking }: ReadPiece): Generator<LanguageModelV4StreamPart> {
  if (ends_thinking) yield { type: 'custom', kind: end_of_thinking }
  if (words !== '') yield { type: 'text-delta', id, delta: words }
}

function withoutThoughts(content: LanguageModelV4Content[]): LanguageModelV4Content[] {
  let thinking = no_thinking
  let kept: LanguageModelV4Content[] = []
  for (const part of content) {
    if (part.type !== 'text') {
      kept.push(part)
      continue
    }
    const begun = withoutThinking(thinking, printable(part.text))
    const ended = endText(begun.state)
    thinking = ended.state
    const words = ended.ends_thinking ? '' : begun.words + ended.words
    const ends_thinking = begun.ends_thinking || ended.ends_thinking
    if (ends_thinking) kept = kept.filter(({ type }) => type !== 'text')
    kept.push({ ...part, text: ends_thinking ? words.trimStart() : words })
  }
  return kept
}

/** Counts what the model has written: words, thoughts and arguments. */
function bytesOf(part: LanguageModelV4Content | LanguageModelV4StreamPart): number {
  if (part.type === 'text' || part.type === 'reasoning') return Buffer.byteLength(part.text)
  if (part.type === 'text-delta' || part.type === 'reasoning-delta') return Buffer.byteLength(part.delta)
  return part.type === 'tool-call' ? Buffer.byteLength(part.input) : 0
}

/** Returns an OutboundError or a ProviderError where the SDK has its own. */
export async function toOwnError(error: unknown, api_key: string): Promise<unknown> {
  const { APICallError } = await import('@ai-sdk/provider')
  if (!APICallError.isInstance(error)) return error
  const { cause, statusCode = null, responseBody = '', responseHeaders } = error
  const status = statusCode ?? 0
  if (cause instanceof ProviderError) return cause
  if (cause instanceof OutboundError && status < 300) return Object.assign(cause, { status: statusCode })
  return toProviderError({
    status,
    value: parseJson(responseBody),
    retry_after: responseHeaders?.['retry-after'],
    api_key,
  })
}
