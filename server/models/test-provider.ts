import type { AtOutside } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { TestResult } from '../kit/field.ts'
import { connect, ModelError } from './language-model.ts'
import { describeModelError } from './model-error.ts'
import { isLanguageKind } from './schema.ts'
import { trySpeech } from './speech.ts'
import * as providers from './store.ts'

const timeout_ms = 15_000

/** Asks the provider's default model for a word. A provider for speech makes or hears a second of sound. */
export async function testProvider(at: AtOutside, id: string): Promise<TestResult> {
  const began_ticks = clock.ticks()
  const timed = (result: Omit<TestResult, 'duration_ms'>): TestResult => ({
    ...result,
    duration_ms: Math.round(clock.ticks() - began_ticks),
  })
  const signal = AbortSignal.timeout(timeout_ms)
  try {
    const account = await providers.findAccount(at, { id })
    if (!account) throw new ModelError('The provider was deleted.')
    if (isLanguageKind(account.kind)) await ask(at, account, signal)
    else await trySpeech(at, account, signal)
    return timed({ is_ok: true, status: 200, error: null })
  } catch (error) {
    const { status, sentence } = signal.aborted
      ? { status: null, sentence: `There was no response within ${timeout_ms / 1000} seconds.` }
      : describeModelError(error)
    return timed({ is_ok: false, status, error: sentence })
  }
}

async function ask(at: AtOutside, account: providers.Account, abortSignal: AbortSignal): Promise<void> {
  const model = await connect(at, account, account.default_model)
  await model.doGenerate({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Say OK.' }] }], abortSignal })
}
