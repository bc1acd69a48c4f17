import { OutboundError } from '../kit/outbound/request.ts'
import { isBusy } from '../kit/postgres/errors.ts'
import { truncate } from '../kit/text.ts'
import { ModelError } from './language-model.ts'
import { ProviderError } from './provider-error.ts'

const sentences: Record<number, string> = {
  400: 'The provider rejected the request',
  401: 'The provider rejected the API key',
  403: 'The provider rejected the API key',
  404: 'The provider knows no such model, or there is no API at the base URL',
  429: 'The provider is limiting requests, or the account has no credit left',
}
/** Advice by status, where the provider says nothing about what to do. */
const advices: Record<number, string> = { 400: 'check the default model' }
/** The sentences of errors in which the provider has no part. */
const overloaded = 'The service was overloaded.'
const unreadable = 'The response is not what the API defines.'
const message_length_max = 500

export interface DescribedError {
  status: number | null
  /** A sentence of which nothing comes from the provider. */
  sentence: string
  /** One word: the provider's, or the name of the error. */
  kind: string
  /** The sentence, and what the provider says. */
  message: string
}

/** Says why a model could not be asked, for the people of the workspace. */
export function describeModelError(error: unknown): DescribedError {
  const kind = error instanceof Error ? error.constructor.name : typeof error
  if (error instanceof ModelError) return described({ kind, status: null, sentence: error.message })
  if (error instanceof OutboundError) return described({ kind, status: error.status, sentence: error.message })
  if (isBusy(error)) return described({ kind, status: null, sentence: overloaded })
  // The SDK has no common class for an answer that is not what the API defines.
  if (!(error instanceof ProviderError)) return described({ kind, status: 200, sentence: unreadable })
  const { status, said, refused_setting } = error
  if (status < 300 && said === null) return described({ kind, status, sentence: unreadable })
  const reported = status < 300 ? 'The provider reported an error' : `The provider answered with the status ${status}`
  const sentence = refused_setting ? `The model refused ${refused_setting}` : (sentences[status] ?? reported)
  const advice = refused_setting ? undefined : advices[status]
  return described({
    kind: error.code ?? kind,
    status,
    sentence: advice ? `${sentence}: ${advice}.` : `${sentence}.`,
    message: said && `${sentence}: ${said}`,
  })
}

const described = ({
  message,
  ...error
}: Omit<DescribedError, 'message'> & { message?: string | null }): DescribedError => ({
  ...error,
  message: truncate(message ?? error.sentence, message_length_max),
})
