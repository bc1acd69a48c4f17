import type { Finding } from '../../channels/schema.ts'
import * as channels from '../../channels/store.ts'
import type { AtOutside } from '../../kit/at.ts'
import { isObject } from '../../kit/json.ts'
import { OutboundError, type OutboundResponse } from '../../kit/outbound/request.ts'
import { printable, truncate } from '../../kit/text.ts'
import { parse, request } from './rest.ts'

/** This many numbers are read, because Twilio also finds numbers that contain the wanted one. */
const numbers_max = 50
const shown_length_max = 300

/** Returns what keeps calls to a number from this service. */
export async function checkNumber(
  at: AtOutside,
  { channel, inbound_url }: { channel: channels.StoredChannel; inbound_url: string },
): Promise<Finding[]> {
  if (channels.openAuthToken(at, channel) === undefined)
    return [
      {
        code: 'credentials_missing',
        message:
          'The auth token is missing, or was encrypted with another SECRETS_KEY. Save it again in the settings of the channel.',
      },
    ]
  const query = new URLSearchParams({ PhoneNumber: channel.address ?? '', PageSize: String(numbers_max) })
  try {
    const response = await request(at, channel, { method: 'GET', path: `IncomingPhoneNumbers.json?${query}` })
    return findingsIn(response, channel, inbound_url)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return [
      {
        code: 'carrier_not_reached',
        message: `Twilio could not be asked at ${channel.api_url}. ${error.message} Try again later.`,
      },
    ]
  }
}

function findingsIn(
  { status, body }: OutboundResponse,
  { address, account_sid, api_url }: channels.StoredChannel,
  inbound_url: string,
): Finding[] {
  if (status === 401 || status === 403)
    return [
      {
        code: 'credentials_refused',
        message:
          `Twilio doesn't accept the account SID or the auth token (${status}). Copy both from the Twilio Console, and save ` +
          'them in the settings of the channel.',
      },
    ]
  if (status >= 500 || status === 429)
    return [{ code: 'carrier_not_reached', message: `Twilio could not be asked (${status}). Try again later.` }]
  const { incoming_phone_numbers: numbers } = parse(body)
  if (status !== 200 || !Array.isArray(numbers))
    return [
      {
        code: 'carrier_unknown',
        message: `${api_url} doesn't answer as Twilio does (${status}). Check the account SID and the API URL in the settings of the channel.`,
      },
    ]
  const number = numbers.find((one): one is PhoneNumber => isObject(one) && one.phone_number === address)
  if (!number)
    return [
      {
        code: 'number_not_found',
        message:
          `The account ${account_sid} doesn't have the number ${address}. Buy it there, or save the account SID and the ` +
          'auth token of the account that has it.',
      },
    ]
  return [...capabilityFindings(number, address), ...routingFindings(number, inbound_url)]
}

/** The members of Twilio's description of a number that are read. */
interface PhoneNumber {
  phone_number?: unknown
  capabilities?: unknown
  trunk_sid?: unknown
  voice_application_sid?: unknown
  voice_url?: unknown
  voice_method?: unknown
}

const capabilityFindings = ({ capabilities }: PhoneNumber, address: string | null): Finding[] =>
  isObject(capabilities) && capabilities.voice === true
    ? []
    : [
        {
          code: 'number_without_voice',
          message: `Nobody can call ${address}: Twilio offers no voice for this number. Use one that has the capability Voice.`,
        },
      ]

/**
 * Returns what routes calls elsewhere. Twilio asks a trunk before an application, and an application before the
 * number's own URL.
 */
function routingFindings(number: PhoneNumber, inbound_url: string): Finding[] {
  const { trunk_sid, voice_application_sid, voice_url, voice_method } = number
  const to_do =
    'In the Twilio Console, open the number, and under "Voice Configuration" set "A call comes in" to Webhook, ' +
    `${inbound_url} and HTTP POST.`
  const finding = (code: string, what: string): Finding[] => [{ code, message: `${what} ${to_do}` }]
  if (trunk_sid) return finding('trunk_overrides', `Calls go to the SIP trunk ${shown(trunk_sid)}.`)
  if (voice_application_sid)
    return finding('application_overrides', `Calls go to the TwiML app ${shown(voice_application_sid)}.`)
  if (!voice_url) return finding('voice_url_missing', 'Calls go nowhere: the number has no URL for them.')
  if (voice_url !== inbound_url) return finding('voice_url_differs', `Calls go to another URL, ${shown(voice_url)}.`)
  if (voice_method !== 'POST') return finding('voice_method_differs', 'Twilio asks with another method than HTTP POST.')
  return []
}

const shown = (value: unknown): string => truncate(printable(String(value)), shown_length_max)
