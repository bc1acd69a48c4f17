import type { AtOutside } from '../kit/at.ts'
import { type Fault, invalid } from '../kit/problem.ts'
import type { ChannelChange, Kind, NewChannel, ProviderName } from './schema.ts'

/** What the operator may do on the command line: name a URL without TLS or in a private network. */
export interface Trust {
  is_api_url_trusted?: boolean
}

interface Provision {
  kinds: Kind[]
  required: (keyof NewChannel)[]
  allowed: (keyof NewChannel)[]
}

/** Which kinds a provider offers, and which fields its channels need and may have. */
const provisions: Record<ProviderName, Provision> = {
  twilio: {
    kinds: ['sms', 'voice'],
    required: ['address', 'agent_id', 'account_sid', 'auth_token'],
    allowed: ['api_url'],
  },
  web: { kinds: ['web_chat', 'voice'], required: ['agent_id'], allowed: ['origins'] },
  simulator: { kinds: ['sms', 'voice'], required: ['address'], allowed: ['agent_id'] },
}
const fields_of_some = ['address', 'agent_id', 'account_sid', 'auth_token', 'api_url', 'origins'] as const

/** Checks `api_url`. Resolves its host name, so it runs before the transaction. */
export async function checkUrl({ tools }: AtOutside, { api_url, is_api_url_trusted = false }: ChannelChange & Trust) {
  if (api_url === undefined) return
  const url = URL.parse(api_url)
  const fault = (message: string) => invalid([{ path: 'api_url', code: 'format', message: `api_url ${message}` }])
  if (!url || !(is_api_url_trusted ? /^https?:$/ : /^https:$/).test(url.protocol))
    throw fault('must be a URL that begins with https://.')
  if (url.username || url.password || url.search || url.hash)
    throw fault('must not have a user name, a password, a query or a fragment.')
  const refusal = is_api_url_trusted ? undefined : await tools.outbound.refusal(api_url)
  if (refusal) throw fault(`${refusal} On the command line, the operator can name any address.`)
}

/** Checks which fields a new channel has. */
export function assertProvision(input: NewChannel): void {
  const { kind, provider } = input
  const { kinds, required } = provisions[provider]
  const missing = required.filter((field) => input[field] == null)
  const faults = [
    ...(kinds.includes(kind) ? [] : [providerFault(provider, kinds)]),
    ...missing.map((path) => ({ path, code: 'required', message: `${path} is required for ${provider}.` })),
    ...fieldFaults(provider, input),
    ...kindFaults(kind, input),
  ]
  if (faults.length > 0) throw invalid(faults)
}

/** Checks which fields of a channel are changed. */
export function assertChange({ provider, kind }: Pick<NewChannel, 'provider' | 'kind'>, change: ChannelChange): void {
  const faults = [...fieldFaults(provider, change), ...kindFaults(kind, change)]
  if (change.agent_id === null && provisions[provider].required.includes('agent_id'))
    faults.push({ path: 'agent_id', code: 'required', message: `agent_id is required for ${provider}.` })
  if (faults.length > 0) throw invalid(faults)
}

const message_limits = ['messages_per_minute_max', 'messages_per_day_max'] as const

/**
 * Returns what is wrong for the kind: a microphone is added to a web chat only, and a voice channel sends no messages.
 */
function kindFaults(kind: Kind, input: ChannelChange): Fault[] {
  const unexpected = (path: string, channels: string): Fault => ({
    path,
    code: 'unexpected',
    message: `${path} must not be sent for ${channels}.`,
  })
  return [
    ...(input.has_voice && kind !== 'web_chat' ? [unexpected('has_voice', 'channels other than web chats')] : []),
    ...message_limits
      .filter((path) => kind === 'voice' && input[path] !== undefined)
      .map((path) => unexpected(path, 'voice channels: they send no messages')),
  ]
}

function providerFault(provider: ProviderName, kinds: Kind[]): Fault {
  return { path: 'kind', code: 'enum', message: `kind must be ${kinds.join(' or ')} for the provider ${provider}.` }
}

function fieldFaults(provider: ProviderName, input: Partial<NewChannel>): Fault[] {
  const { required, allowed } = provisions[provider]
  return fields_of_some
    .filter((path) => input[path] != null && !required.includes(path) && !allowed.includes(path))
    .map((path) => ({ path, code: 'unexpected', message: `${path} must not be sent for ${provider}.` }))
}

/** Returns origins as browsers send them, each only once. */
export function toOrigins(texts: string[]): string[] {
  const urls = texts.map((text) => URL.parse(text))
  const faults = urls.flatMap((url, index) => (isOrigin(url) ? [] : [originFault(`origins.${index}`, url)]))
  if (faults.length > 0) throw invalid(faults)
  return [...new Set(urls.flatMap((url) => url?.origin ?? []))]
}

const isHttp = (url: URL | null): url is URL => /^https?:$/.test(url?.protocol ?? '')

function isOrigin(url: URL | null): boolean {
  // The host becomes part of a policy, in which other characters have a meaning.
  if (!isHttp(url) || !/^([a-z0-9.-]+|\[[0-9a-f:]+\])$/.test(url.hostname)) return false
  return url.pathname === '/' && !(url.username || url.password || url.search || url.hash)
}

function originFault(path: string, url: URL | null): Fault {
  const message = `${path} must be an origin such as https://example.com, without a path.`
  return { path, code: 'format', message, ...(isHttp(url) && { suggestion: url.origin }) }
}
