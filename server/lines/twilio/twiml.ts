/** This file writes the XML that tells Twilio what to do with a call. */

/** What Twilio has done before it asks what is next, or before it opens a stream. */
export type After = 'digits' | 'transfer'

/** The addresses of a channel's calls. */
export const inboundCallUrl = (address: string, channel_id: string): string => `${address}/phone/${channel_id}`

/**
 * The query of Twilio's questions about a call. `before`: Twilio has done this before it opened the last stream.
 * `answered`: someone takes the call over, which is a report and not a question.
 */
export interface CallQuery {
  after?: After | 'answered' | undefined
  before?: After | undefined
}

export function callUrl(address: string, { channel_id, call_id, after, before }: OnChannel & CallQuery): string {
  const query = new URLSearchParams({ ...(after && { after }), ...(before && { before }) }).toString()
  return `${inboundCallUrl(address, channel_id)}/calls/${call_id}${query === '' ? '' : `?${query}`}`
}

type OnChannel = { channel_id: string; call_id: string }

/** Returns the URL for reports on the status of a call. `machineUrl` is for reports on who has answered it. */
export const statusUrl = (address: string, call: OnChannel): string => `${callUrl(address, call)}/status`
export const machineUrl = (address: string, call: OnChannel): string => `${callUrl(address, call)}/machine`

export const streamUrl = (address: string): string => `${address.replace(/^http/, 'ws')}/phone`

/** A number that is called for a transfer rings this long. */
export const dial_seconds = 30

/** Talks over a stream. Twilio asks again when the stream has ended. */
export function connectTo(stream: {
  url: string
  token: string
  after?: After | undefined
  next_url: string
  /** Whether nobody took the last stream: another process may have room soon. */
  waits: boolean
}): string {
  const { url, token, after, next_url, waits } = stream
  const parameters = { token, ...(after && { after }) }
  return respond(
    waits ? element('Pause', { length: '1' }) : '',
    element(
      'Connect',
      {},
      element(
        'Stream',
        { url },
        ...Object.entries(parameters).map(([name, value]) => element('Parameter', { name, value })),
      ),
    ),
    redirect(next_url),
  )
}

/** Presses digits, each after half a second: menus don't understand faster ones. */
export const pressDigits = (digits: string, next_url: string): string =>
  respond(element('Play', { digits: digits.replaceAll(/./g, 'w$&') }), redirect(next_url))

/**
 * Lets the caller talk to this number. Twilio reports the answer, and asks what is next when the call to the number has
 * ended.
 */
export const dial = (to: string, { next_url, answered_url }: { next_url: string; answered_url: string }): string =>
  respond(
    element(
      'Dial',
      { action: next_url, timeout: String(dial_seconds), answerOnBridge: 'true' },
      element('Number', { statusCallback: answered_url, statusCallbackEvent: 'answered' }, escapeXml(to)),
    ),
  )

export const hangUp = (): string => respond(element('Hangup'))

/** Rejects a call that is not answered. */
export const reject = (reason?: 'busy'): string => respond(element('Reject', reason && { reason }))

export const nothing = (): string => respond()

const respond = (...children: string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>${element('Response', {}, ...children)}`

const redirect = (url: string): string => element('Redirect', { method: 'POST' }, escapeXml(url))

/** Writes an XML element. The children are XML already. */
function element(name: string, attributes: Record<string, string> = {}, ...children: string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`)
  const inner = children.join('')
  return inner === '' ? `<${name}${written.join('')}/>` : `<${name}${written.join('')}>${inner}</${name}>`
}

const escapeXml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
