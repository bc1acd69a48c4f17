import { OutboundError } from '../kit/outbound/request.ts'
import { ModelError } from './language-model.ts'

const messages: Record<number, string> = {
  400: 'The provider rejected the request: check the default model.',
  401: 'The provider rejected the API key.',
  403: 'The provider rejected the API key.',
  404: 'The provider knows no such model, or there is no API at the base URL.',
  429: 'The provider is limiting requests, or the account has no credit left.',
}

const unreadable = 'The response is not what the API defines.'

/** Why a model could not be asked, for the people of the workspace. Nothing of it comes from the provider. */
export async function describeModelError(error: unknown): Promise<{ status: number | null; message: string }> {
  if (error instanceof ModelError || error instanceof OutboundError) return { status: null, message: error.message }
  const { APICallError } = await import('@ai-sdk/provider')
  if (APICallError.isInstance(error)) {
    const { cause, statusCode: status = null } = error
    return { status, message: cause instanceof OutboundError ? cause.message : messageFor(status ?? 0) }
  }
  // The SDK has no common class for an answer that is not what the API defines.
  return { status: 200, message: unreadable }
}

const messageFor = (status: number): string =>
  messages[status] ?? (status < 300 ? unreadable : `The provider answered with the status ${status}.`)
