import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { toUsage } from '../../drivers/ask.ts'
import { printable } from '../../kit/text.ts'
import { openModel } from '../../models/language-model.ts'
import { describeModelError } from '../../models/model-error.ts'
import { AbortedError, PlayError, type Scene } from './scene.ts'

/** A model that plays a person or judges must answer within this time. */
const timeout_ms = 30_000

/**
 * Asks the model of the agent, or that of the workspace's default provider if the agent has none. `what` says what
 * needs the model: without one this is a PlayError.
 */
export async function askModel(
  { at, configuration, signal, spend }: Scene,
  what: string,
  prompt: LanguageModelV4Prompt,
): Promise<string> {
  try {
    const model = await openModel(at, { ...configuration.model, temperature: null })
    const { content, usage } = await model.doGenerate({
      prompt,
      abortSignal: AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)]),
    })
    spend(toUsage(usage))
    return printable(content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')).trim()
  } catch (error) {
    if (signal.aborted) throw new AbortedError('the play was aborted')
    const is_late = error instanceof Error && error.name === 'TimeoutError'
    const why = is_late
      ? `The model has not answered within ${timeout_ms / 1_000} seconds.`
      : describeModelError(error).message
    throw new PlayError(`${what} needs a model. ${why}`)
  }
}
