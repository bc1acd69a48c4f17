import { queryOptions } from '@tanstack/react-query'
import type { Consent, Kind, Suppression } from '../../../server/consent/schema.ts'
import type { Api } from '../kit/api.ts'
import { pagesQuery } from '../kit/pages.ts'
import { formatPhoneNumber } from '../kit/phone-number.ts'
import { ParleyError } from '../kit/request.ts'

export const kind_names: Record<Kind, string> = { all: 'SMS and calls', sms: 'SMS', voice: 'Calls' }
export const kinds = Object.keys(kind_names) as Kind[]

/** Says how a consent was given or revoked. */
export const source_phrases: Record<Consent['source'], string> = {
  sms_keyword: 'by SMS',
  voice_request: 'in a call',
  api: 'over the API',
  import: 'by an import',
  dashboard: 'in the dashboard',
}

const kind_phrases: Record<Kind, string> = { all: 'SMS and calls', sms: 'SMS', voice: 'calls' }

/** "Opted out of SMS and calls". */
export const describeConsent = ({ kind, status }: Pick<Consent, 'kind' | 'status'>): string =>
  `${status === 'revoked' ? 'Opted out of' : 'Agreed to'} ${kind_phrases[kind]}`

/**
 * Returns the entry that decides whether the contact is called or written to: the latest of the kind, or of all kinds.
 */
export const latestOf = (kind: 'sms' | 'voice', newest_first: Consent[]): Consent | undefined =>
  newest_first.find((entry) => entry.kind === kind || entry.kind === 'all')

/** Returns the suppressed number. The suppression of a person who was erased has none any more. */
export const suppressedNumber = ({ phone_number }: Pick<Suppression, 'phone_number'>): string =>
  phone_number === null ? 'Erased person' : formatPhoneNumber(phone_number)

const page_size = 100

export const consentsKey = (api: Api) => [api.workspace, 'consents']

export const consentsQuery = (api: Api, contact_id: string) =>
  pagesQuery<Consent>(api, [...consentsKey(api), contact_id], `/contacts/${contact_id}/consents`, {
    limit: page_size,
  })

export const suppressionsKey = (api: Api) => [api.workspace, 'suppressions']

/** Reads the suppressions of a number, which has at most one of each kind. */
export const suppressionsOfQuery = (api: Api, phone_number: string) =>
  queryOptions({
    queryKey: [...suppressionsKey(api), 'of', phone_number],
    queryFn: ({ signal }) => api.list<Suppression>('/suppressions', { phone_number }, signal),
  })

const rules: Record<string, string> = {
  opted_out:
    'This contact has opted out and can’t be called or written to. They can text START, or you can record their consent on their page.',
  suppressed: 'This number is suppressed and can’t be called or written to. An owner can remove the suppression.',
  country_not_allowed:
    'This workspace doesn’t call or write to the country of this number. An owner can add it in the settings of the workspace.',
}

/** Says what to do when a message is refused because of consent. Other errors stay as they are. */
export function explainRefusal(error: unknown): unknown {
  if (!(error instanceof ParleyError)) return error
  const message = rules[String(error.details.rule)]
  return message === undefined ? error : new ParleyError({ ...error, message })
}
