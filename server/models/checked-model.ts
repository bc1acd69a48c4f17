import type { LanguageModelV4, LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { OutboundError } from '../kit/outbound/request.ts'
import { printable } from '../kit/text.ts'
import { ProviderError, parseJson, toProviderError } from './provider-error.ts'
import { endText, no_thinking, withoutThinking } from './thinking.ts'
import { clampUsage } from './usage.ts'

const first_half = /[\ud800-\udbff]$/

export interface UncheckedModel {
  /** Is asked for whole answers. */
  whole: LanguageModelV4
  /** Is asked for answers in pieces. */
  streamed: LanguageModelV4
  api_key: string
}

/**
 * A model whose words have no thinking and no control characters in them, and that reports no more tokens than there can be.
 * It fails with an OutboundError or a ProviderError where the SDK has its own.
 */
export function checkedModel({ whole, streamed, api_key }: UncheckedModel): LanguageModelV4 {
  const fail = async (error: unknown): Promise<never> => {
    throw await toOwnError(error, api_key)
  }
  return {
    specificationVersion: whole.specificationVersion,
    provider: whole.provider,
    modelId: whole.modelId,
    supportedUrls: whole.supportedUrls,
    async doGenerate(options) {
      const { content, usage, request, ...result } = await Promise.resolve(whole.doGenerate(options)).catch(fail)
      const received_bytes = content.reduce((sum, part) => sum + bytesOf(part), 0)
      return {
        ...result,
        content: withoutThoughts(content),
        usage: clampUsage(usage, { sent: request?.body, received_bytes }),
      }
    },
    async doStream(options) {
      const { stream, request } = await Promise.resolve(streamed.doStream(options)).catch(fail)
      return { stream: ReadableStream.from(checkParts(stream, { sent: request?.body, fail })) }
    },
  }
}

interface Asked {
  /** The body of the request. */
  sent: unknown
  fail: (error: unknown) => Promise<never>
}

async function* checkParts(
  parts: ReadableStream<LanguageModelV4StreamPart>,
  { sent, fail }: Asked,
): AsyncGenerator<LanguageModelV4StreamPart> {
  let thinking = no_thinking
  let received_bytes = 0
  /** The first half of a character, whose second half is in the next piece. */
  let half = ''
  try {
    for await (const part of parts) {
      received_bytes += bytesOf(part)
      if (part.type === 'text-delta' || part.type === 'text-end') {
        const is_end = part.type === 'text-end'
        const text = is_end ? '' : half + part.delta
        half = first_half.exec(text)?.[0] ?? ''
        const piece = printable(text.slice(0, text.length - half.length))
        const { state, words } = is_end ? endText(thinking) : withoutThinking(thinking, piece)
        thinking = state
        if (words !== '') yield { type: 'text-delta', id: part.id, delta: words }
        if (is_end) yield part
      } else if (part.type === 'finish') {
        if (part.finishReason.unified === 'interrupted') throw new Error('the answer has no end')
        yield { ...part, usage: clampUsage(part.usage, { sent, received_bytes }) }
      } else yield part
    }
  } catch (error) {
    await fail(error)
  }
}

function withoutThoughts(content: LanguageModelV4Content[]): LanguageModelV4Content[] {
  let thinking = no_thinking
  return content.map((part) => {
    if (part.type !== 'text') return part
    const begun = withoutThinking(thinking, printable(part.text))
    const ended = endText(begun.state)
    thinking = ended.state
    return { ...part, text: begun.words + ended.words }
  })
}

/** Of what the model has written: words, thoughts and arguments. */
function bytesOf(part: LanguageModelV4Content | LanguageModelV4StreamPart): number {
  if (part.type === 'text' || part.type === 'reasoning') return Buffer.byteLength(part.text)
  if (part.type === 'text-delta' || part.type === 'reasoning-delta') return Buffer.byteLength(part.delta)
  return part.type === 'tool-call' ? Buffer.byteLength(part.input) : 0
}

async function toOwnError(error: unknown, api_key: string): Promise<unknown> {
  const { APICallError } = await import('@ai-sdk/provider')
  if (!APICallError.isInstance(error)) return error
  const { cause, statusCode: status = 0, responseBody = '', responseHeaders } = error
  if (cause instanceof ProviderError) return cause
  if (cause instanceof OutboundError && status < 300) return Object.assign(cause, { status })
  return toProviderError({
    status,
    value: parseJson(responseBody),
    retry_after: responseHeaders?.['retry-after'],
    api_key,
  })
}
