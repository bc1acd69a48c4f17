import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import { isObject, membersOf } from '../kit/json.ts'
import { parseJson } from './provider-error.ts'
import type { LanguageKind } from './schema.ts'

const output_tokens_max = 200_000
/** Stands for a count that is no number. It is no whole number, also when others are added to it. */
const not_counted = 0.5

interface Counts {
  /** Counts that the SDK needs, or that a report should have. */
  required: string[]
  optional: string[]
}

const caches = ['cache_creation_input_tokens', 'cache_read_input_tokens']
const counts = {
  openai: { required: ['prompt_tokens', 'completion_tokens'], optional: [] },
  anthropic: { required: ['input_tokens', 'output_tokens'], optional: caches },
  anthropic_start: { required: ['input_tokens'], optional: caches },
  anthropic_delta: { required: ['output_tokens'], optional: ['input_tokens', ...caches] },
} satisfies Record<string, Counts>

/** Quotes within texts are escaped, so these match names and values of members only. */
const openai_report = /"usage"\s*:/
const anthropic_report = /"type"\s*:\s*"message(_start|_delta)?"/

/**
 * Returns an answer, or an event of one, whose report of tokens has counts only, because the SDK fails with anything
 * else. A count that is no number becomes one that `clampUsage` replaces by the bytes.
 */
export function withCounts(json: string, kind: LanguageKind): string {
  if (!(kind === 'anthropic' ? anthropic_report : openai_report).test(json)) return json
  const answer = parseJson(json)
  if (!isObject(answer)) return json
  if (kind === 'anthropic') return JSON.stringify(withAnthropicCounts(answer))
  // The report may be missing: a server may send null until the last event.
  return answer.usage == null ? json : JSON.stringify({ ...answer, usage: toCounts(answer.usage, counts.openai) })
}

function withAnthropicCounts(answer: Record<string, unknown>): object {
  const { type, message, usage } = answer
  if (type === 'message') return { ...answer, usage: toCounts(usage, counts.anthropic) }
  if (type === 'message_delta') return { ...answer, usage: toCounts(usage, counts.anthropic_delta) }
  if (type !== 'message_start' || !isObject(message)) return answer
  return { ...answer, message: { ...message, usage: toCounts(message.usage, counts.anthropic_start) } }
}

function toCounts(usage: unknown, { required, optional }: Counts): object {
  const reported = membersOf(usage)
  const names = [...required, ...optional.filter((name) => reported[name] != null)]
  return Object.fromEntries(names.map((name) => [name, toCount(reported[name])]))
}

const toCount = (count: unknown): number => (typeof count === 'number' && Number.isFinite(count) ? count : not_counted)

interface MeasuredAnswer {
  /** The body of the request, as JSON or before it was written as such. */
  sent: unknown
  /** How many bytes the model has written. */
  received_bytes: number
}

/**
 * Corrects a report of tokens, which may say anything. A model can't have read more tokens than bytes, nor written more
 * than were allowed.
 */
export function clampUsage(
  usage: LanguageModelV4Usage,
  { sent, received_bytes }: MeasuredAnswer,
): LanguageModelV4Usage {
  const { inputTokens, outputTokens } = usage
  const is_json = typeof sent === 'string'
  const sent_bytes = Buffer.byteLength(is_json ? sent : (JSON.stringify(sent) ?? ''))
  const { max_tokens, max_completion_tokens = max_tokens } = membersOf(is_json ? parseJson(sent) : sent)
  const written_max = typeof max_completion_tokens === 'number' ? max_completion_tokens : output_tokens_max
  return {
    ...usage,
    inputTokens: { ...inputTokens, total: clamp(inputTokens.total, sent_bytes, sent_bytes) },
    outputTokens: { ...outputTokens, total: clamp(outputTokens.total, received_bytes, written_max) },
  }
}

/**
 * Corrects one count. The bytes stand for a count that is no number, or that no answer can have. A count that is
 * missing stays missing.
 */
function clamp(reported: number | undefined, bytes: number, max: number): number | undefined {
  if (reported === undefined) return undefined
  return Math.min(Number.isSafeInteger(reported) && reported >= 0 ? reported : bytes, max)
}
