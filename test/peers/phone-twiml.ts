import { DOMParser, type Element } from '@xmldom/xmldom'

/** What a call does next. */
export type Verb =
  | { type: 'stream'; url: string; parameters: Record<string, string> }
  | { type: 'redirect'; url: string }
  | { type: 'hang_up' }
  | { type: 'reject'; reason: 'rejected' | 'busy' }
  | { type: 'press'; digits: string }
  | {
      type: 'dial'
      to: string
      action: string | undefined
      timeout_ms: number
      answer_on_bridge: boolean
      /** Where it is reported that the number has answered. */
      answered_url: string | undefined
    }
  | { type: 'pause'; ms: number }
  | { type: 'say'; text: string }

/** Of a Parameter: its name and its value together. */
const parameter_max = 500
const phone_number = /^\+[1-9]\d{6,14}$/

/**
 * Reads a document in TwiML. Twilio ignores some of what it doesn't know; here every verb, attribute and value that is not known is an
 * error. Relative URLs are relative to `base_url`.
 */
export function readTwiml(text: string, base_url: string | undefined): Verb[] {
  const parser = new DOMParser({
    onError: (level, message) => {
      throw new Error(`${level}: ${message}`)
    },
  })
  const { documentElement: response } = parser.parseFromString(text, 'text/xml')
  if (response?.nodeName !== 'Response') throw new Error(`the document is a ${response?.nodeName}, not a Response`)
  readAttributes(response, {})
  const verbs = childrenOf(response).map((element) => readVerb(element, base_url))
  const later = verbs.slice(1).find(({ type }) => type === 'reject')
  if (later) throw new Error('Reject must be the first verb')
  return verbs
}

function readVerb(element: Element, base_url: string | undefined): Verb {
  const toUrl = (text: string, protocols = ['http:', 'https:']): string => {
    const url = new URL(text, base_url)
    if (!protocols.includes(url.protocol)) throw new Error(`${element.nodeName} has the URL ${text}`)
    return url.href
  }
  const whole = (text: string, min: number, max: number): number => {
    const value = /^\d+$/.test(text) ? Number(text) : -1
    if (value < min || value > max) throw new Error(`${element.nodeName} has the number "${text}"`)
    return value
  }
  switch (element.nodeName) {
    case 'Connect': {
      readAttributes(element, {})
      const [stream, ...others] = childrenOf(element)
      if (stream?.nodeName !== 'Stream' || others.length > 0) throw new Error('Connect must have one Stream')
      const { url = '', track } = readAttributes(stream, { url: true, name: false, track: false })
      if (track !== undefined && track !== 'inbound_track') throw new Error(`Connect can't have the track ${track}`)
      const found = new URL(url, base_url)
      // Twilio knows wss only. Tests have no certificate.
      const is_local = found.protocol === 'ws:' && /^(127\.0\.0\.1|localhost)$/.test(found.hostname)
      if (found.protocol !== 'wss:' && !is_local) throw new Error(`Stream has the URL ${url}`)
      return { type: 'stream', url: found.href, parameters: readParameters(stream) }
    }
    case 'Redirect':
      readMethod(readAttributes(element, { method: false }))
      return { type: 'redirect', url: toUrl(textOf(element)) }
    case 'Hangup':
      readAttributes(element, {})
      return isEmpty(element, { type: 'hang_up' })
    case 'Reject': {
      const { reason = 'rejected' } = readAttributes(element, { reason: false })
      if (reason !== 'rejected' && reason !== 'busy') throw new Error(`Reject has the reason ${reason}`)
      return isEmpty(element, { type: 'reject', reason })
    }
    case 'Play': {
      const { digits = '' } = readAttributes(element, { digits: true })
      if (!/^[0-9A-D#*wW]+$/.test(digits)) throw new Error(`Play has the digits "${digits}"`)
      return isEmpty(element, { type: 'press', digits })
    }
    case 'Dial': {
      const known = { action: false, method: false, timeout: false, answerOnBridge: false, callerId: false }
      const attributes = readAttributes(element, known)
      readMethod(attributes)
      const { action, timeout = '30', answerOnBridge = 'false' } = attributes
      if (!/^(true|false)$/.test(answerOnBridge)) throw new Error(`answerOnBridge is ${answerOnBridge}`)
      const { to, answered_url } = readNumber(element)
      if (!phone_number.test(to)) throw new Error(`Dial has the number "${to}"`)
      return {
        type: 'dial',
        to,
        action: action === undefined ? undefined : toUrl(action),
        timeout_ms: 1_000 * whole(timeout, 5, 600),
        answer_on_bridge: answerOnBridge === 'true',
        answered_url: answered_url && toUrl(answered_url),
      }
    }
    case 'Pause': {
      const { length = '1' } = readAttributes(element, { length: false })
      return isEmpty(element, { type: 'pause', ms: 1_000 * whole(length, 0, 3_600) })
    }
    case 'Say':
      readAttributes(element, { voice: false, language: false })
      return { type: 'say', text: textOf(element) }
    default:
      throw new Error(`${element.nodeName} is not known`)
  }
}

/** A number as text, or as a Number that reports its answer. */
function readNumber(dial: Element): { to: string; answered_url: string | undefined } {
  const [number, ...others] = Array.from(dial.childNodes).filter(({ nodeType }) => nodeType === 1)
  if (!number) return { to: textOf(dial), answered_url: undefined }
  // The type 1 is an element's.
  const element = number as Element
  if (element.nodeName !== 'Number' || others.length > 0) throw new Error('Dial must have one Number')
  const known = { statusCallback: false, statusCallbackEvent: false, statusCallbackMethod: false }
  const { statusCallback, statusCallbackEvent, statusCallbackMethod } = readAttributes(element, known)
  readMethod({ method: statusCallbackMethod })
  if (statusCallback && statusCallbackEvent !== 'answered')
    throw new Error(`the events "${statusCallbackEvent}" are not known here`)
  return { to: textOf(element), answered_url: statusCallback }
}

function readParameters(stream: Element): Record<string, string> {
  const parameters: Record<string, string> = {}
  for (const element of childrenOf(stream)) {
    if (element.nodeName !== 'Parameter') throw new Error(`${element.nodeName} is not known in Stream`)
    const { name = '', value = '' } = readAttributes(element, { name: true, value: true })
    if (Object.hasOwn(parameters, name)) throw new Error(`Stream has two parameters ${name}`)
    if (name === '' || name.length + value.length > parameter_max) throw new Error(`the parameter ${name} is too long`)
    parameters[name] = value
    isEmpty(element, undefined)
  }
  return parameters
}

/** Attributes by name. The value of a known one says whether it is required. */
function readAttributes<T extends Record<string, boolean>>(
  element: Element,
  known: T,
): { [name in keyof T]?: string | undefined } {
  const attributes = Array.from(element.attributes)
  const unknown = attributes.find(({ name }) => !Object.hasOwn(known, name))
  if (unknown) throw new Error(`${element.nodeName} has the attribute ${unknown.name}, which is not known`)
  const found = Object.fromEntries(attributes.map(({ name, value }) => [name, value]))
  for (const [name, is_required] of Object.entries(known))
    if (is_required && !found[name]) throw new Error(`${element.nodeName} has no ${name}`)
  // All names are of `known`, as was checked.
  return found as { [name in keyof T]?: string }
}

/** The peer asks by POST only. */
function readMethod({ method = 'POST' }: { method?: string | undefined }): void {
  if (method !== 'POST') throw new Error(`the method ${method} is not known here`)
}

function childrenOf(element: Element): Element[] {
  const nodes = Array.from(element.childNodes)
  const text = nodes.find((node) => [3, 4].includes(node.nodeType) && node.nodeValue?.trim())
  if (text) throw new Error(`${element.nodeName} has the text "${text.nodeValue?.trim()}"`)
  // The type 1 is an element's.
  return nodes.filter((node): node is Element => node.nodeType === 1)
}

function textOf(element: Element): string {
  if (Array.from(element.childNodes).some(({ nodeType }) => nodeType === 1))
    throw new Error(`${element.nodeName} must have text only`)
  const text = element.textContent?.trim()
  if (!text) throw new Error(`${element.nodeName} has no text`)
  return text
}

function isEmpty<T>(element: Element, value: T): T {
  if (childrenOf(element).length > 0) throw new Error(`${element.nodeName} must be empty`)
  return value
}
