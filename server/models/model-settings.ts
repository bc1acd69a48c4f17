import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { type Static, Type } from 'typebox'
import { multiline, text, untrimmed } from '../kit/field.ts'
import type { ProviderError } from './provider-error.ts'
import type { LanguageKind } from './schema.ts'

/** How many tokens a model may think at each effort. */
const thinking_tokens = { minimal: 1_024, low: 4_096, medium: 8_192, high: 16_384 }
const efforts = Object.keys(thinking_tokens) as (keyof typeof thinking_tokens)[]

export const model_settings = {
  temperature: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    minimum: 0,
    maximum: 2,
    description: 'How much answers vary. A `temperature` of `model` or `fallback_model` comes first.',
    examples: [0.3],
  }),
  max_tokens: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 1,
    maximum: 16_000,
    description: 'The longest answer of the model, in tokens, without what it thinks.',
    examples: [500],
  }),
  top_p: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    minimum: 0,
    maximum: 1,
    description: 'The model chooses from the most probable words, up to this sum of their probabilities.',
    examples: [null],
  }),
  reasoning_effort: Type.Unsafe<keyof typeof thinking_tokens | null>({
    type: ['string', 'null'],
    enum: [...efforts, null],
    description: 'How much the model thinks before it answers.',
    examples: [null],
  }),
  stop: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    maxItems: 4,
    items: text({ maxLength: 100, ...multiline, [untrimmed]: true }),
    description: 'The answer ends before one of these texts.',
    examples: [null],
  }),
}
const ModelSettings = Type.Object(model_settings)
export type ModelSettings = Static<typeof ModelSettings>

export const no_model_settings: ModelSettings = {
  temperature: null,
  max_tokens: null,
  top_p: null,
  reasoning_effort: null,
  stop: null,
}

export const hasSettings = (settings: ModelSettings): boolean =>
  Object.values(settings).some((setting) => setting !== null && !(Array.isArray(setting) && setting.length === 0))

/** Returns which setting models of this kind can't have together with others, and a sentence that says so, or undefined. */
export function settingConflict(kind: LanguageKind, { temperature, top_p, reasoning_effort }: ModelSettings) {
  if (kind !== 'anthropic') return undefined
  if (reasoning_effort !== null && (temperature !== null || top_p !== null)) {
    const other = temperature === null ? 'top_p' : 'temperature'
    return conflict('reasoning_effort', other)
  }
  return temperature !== null && top_p !== null ? conflict('top_p', 'temperature') : undefined
}

const conflict = (setting: keyof ModelSettings, other: keyof ModelSettings) => ({
  setting,
  message: `${setting} can't be used together with ${other}: models of Anthropic refuse this.`,
})

interface KindSettings {
  kind: LanguageKind
  settings: ModelSettings
}

/** Makes a model that is asked with these settings. */
export function withSettings(model: LanguageModelV4, { kind, settings }: KindSettings): LanguageModelV4 {
  const { modelId } = model
  const settle = (options: LanguageModelV4CallOptions): LanguageModelV4CallOptions => ({
    ...commonOptions(settings),
    ...(kind === 'anthropic'
      ? anthropicOptions(modelId, settings, options)
      : limitWithThoughts(settings, { thinks_anyway: thinking_gpt.test(modelId) })),
    ...options,
  })
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(settle(options)),
    doStream: (options) => model.doStream(settle(options)),
  }
}

const commonOptions = ({ temperature, top_p, stop }: ModelSettings): Partial<LanguageModelV4CallOptions> => ({
  ...(temperature !== null && { temperature }),
  ...(top_p !== null && { topP: top_p }),
  ...(stop !== null && stop.length > 0 && { stopSequences: stop }),
})

/**
 * These models also think when nobody asks them to, with a medium effort. A gateway puts the vendor before the name.
 */
const thinking_gpt = /(^|\/)(o\d|gpt-[5-9])(?!.*chat)/
/** These models think as long as they want. They take an effort, but no budget. */
const adaptive_claude = /claude-(fable-5|(opus|sonnet|haiku)-5-5)/

/** Returns the limit to send, which includes what the model thinks. */
function limitWithThoughts(
  { max_tokens, reasoning_effort: effort }: ModelSettings,
  { thinks_anyway }: { thinks_anyway: boolean },
): Partial<LanguageModelV4CallOptions> {
  const thinking = effort === null ? (thinks_anyway ? thinking_tokens.medium : 0) : thinking_tokens[effort]
  return {
    ...(effort !== null && { reasoning: effort }),
    ...(max_tokens !== null && { maxOutputTokens: max_tokens + thinking }),
  }
}

/**
 * Returns the options for Anthropic. The SDK adds the budget to the limit. With a budget the API wants the thoughts
 * back that came before the last calls of tools, and nobody keeps them: so the request that follows tools has none.
 */
function anthropicOptions(
  name: string,
  settings: ModelSettings,
  { prompt }: LanguageModelV4CallOptions,
): Partial<LanguageModelV4CallOptions> {
  if (adaptive_claude.test(name)) return limitWithThoughts(settings, { thinks_anyway: true })
  const { max_tokens, reasoning_effort: effort } = settings
  const limit = max_tokens !== null && { maxOutputTokens: max_tokens }
  if (effort === null || followsTools(prompt)) return { ...limit }
  const thinking = { type: 'enabled', budgetTokens: thinking_tokens[effort] }
  return { ...limit, reasoning: effort, providerOptions: { anthropic: { thinking } } }
}

function followsTools(prompt: LanguageModelV4Prompt): boolean {
  const last = prompt.findLast(({ role }) => role === 'assistant')
  return last?.role === 'assistant' && last.content.some(({ type }) => type === 'tool-call')
}

/**
 * Returns what renames the limit for a server. OpenAI's newer models refuse `max_tokens`; many servers like it know no
 * other name.
 */
export const limitRenamerFor = (base_url: string) =>
  /^(api\.openai\.com|.+\.openai\.azure\.com)$/.test(new URL(base_url).hostname)
    ? ({ max_tokens, ...body }: Record<string, unknown>) => ({ ...body, max_completion_tokens: max_tokens })
    : (body: Record<string, unknown>) => body

/** The names of settings at providers. In sentences `stop` is also a word, so it counts only in quotes there. */
const names_at_providers: Record<keyof ModelSettings, RegExp> = {
  temperature: /\btemperature\b/,
  max_tokens: /\bmax_(completion_|output_)?tokens\b/,
  top_p: /\btop_p\b/,
  reasoning_effort: /\breasoning[._]effort\b|\bthinking\b|\bbudget_tokens\b|\beffort\b/,
  stop: /^stop$|['"`]stop['"`]|\bstop_sequences\b/,
}

/** Returns which setting of the request a provider refuses: the one that its error names, and of several the first. */
export function findRefused({ status, said, param }: ProviderError, options: LanguageModelV4CallOptions) {
  if (status !== 400 && status !== 422) return null
  const sent: Record<keyof ModelSettings, unknown> = {
    temperature: options.temperature,
    max_tokens: options.maxOutputTokens,
    top_p: options.topP,
    reasoning_effort: options.reasoning,
    stop: options.stopSequences,
  }
  const firstIn = (text: string | null): string | undefined =>
    Object.entries(names_at_providers)
      .filter(([name]) => sent[name as keyof ModelSettings] !== undefined)
      .map(([name, pattern]) => ({ name, index: text?.search(pattern) ?? -1 }))
      .filter(({ index }) => index !== -1)
      .sort((one, other) => one.index - other.index)[0]?.name
  return firstIn(param) ?? firstIn(said) ?? null
}
