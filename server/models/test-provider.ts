import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { TestResult } from '../kit/field.ts'
import { OutboundError } from '../kit/outbound/request.ts'
import { connect, ModelError } from './language-model.ts'
import * as providers from './store.ts'

const timeout_ms = 15_000
/** Some models think before the first word, and reject smaller limits. */
const output_tokens_max = 16

const messages: Record<number, string> = {
  400: 'The provider rejected the request: check the default model.',
  401: 'The provider rejected the API key.',
  403: 'The provider rejected the API key.',
  404: 'The provider knows no such model, or there is no API at the base URL.',
  429: 'The provider is limiting requests, or the account has no credit left.',
}

/** Asks the provider's default model for a word. */
export async function testProvider(at: At, id: string): Promise<TestResult> {
  const began_ticks = clock.ticks()
  const result = (is_ok: boolean, status: number | null, error: string | null): TestResult => {
    return { is_ok, status, error, duration_ms: Math.round(clock.ticks() - began_ticks) }
  }
  const signal = AbortSignal.timeout(timeout_ms)
  try {
    const account = await providers.findAccount(at, { id })
    if (!account) throw new ModelError('The provider was deleted.')
    const model = await connect(at, account, account.default_model)
    await model.doGenerate({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Say OK.' }] }],
      maxOutputTokens: output_tokens_max,
      abortSignal: signal,
    })
    return result(true, 200, null)
  } catch (error) {
    if (signal.aborted) return result(false, null, `There was no response within ${timeout_ms / 1000} seconds.`)
    if (error instanceof ModelError || error instanceof OutboundError) return result(false, null, error.message)
    const { APICallError } = await import('@ai-sdk/provider')
    if (APICallError.isInstance(error)) {
      const { cause, statusCode: status } = error
      return result(false, status ?? null, cause instanceof OutboundError ? cause.message : messageFor(status))
    }
    // The SDK has no common class for an answer that is not what the API defines.
    if (error instanceof Error && error.name.startsWith('AI_')) return result(false, 200, unreadable)
    throw error
  }
}

const unreadable = 'The response is not what the API defines.'

const messageFor = (status = 0): string =>
  messages[status] ?? (status < 300 ? unreadable : `The provider answered with the status ${status}.`)
