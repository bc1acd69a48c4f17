import type { AtOutside } from '../kit/at.ts'
import { membersOf } from '../kit/json.ts'
import { fetchThrough } from '../kit/outbound/fetch.ts'
import { OutboundError } from '../kit/outbound/request.ts'
import type { SocketClass } from '../kit/outbound/socket.ts'
import { product } from '../product.ts'
import { toOwnError } from './checked-model.ts'
import { ModelError, openKey } from './language-model.ts'
import { toProviderError } from './provider-error.ts'
import { type Direction, directionOf, vendorOf } from './speech-vendors.ts'
import * as providers from './store.ts'

const spoken_bytes_max = 10 * 1024 * 1024
const answer_bytes_max = 256 * 1024
const time_limits = { head_timeout_ms: 10_000, timeout_ms: 10_000 }
/** A whole sound may take this long, because it may come as slowly as it is played. */
const sound_timeout_ms = 60_000
/** The limits of a socket for one stretch of speech, which is heard while it is spoken. */
const socket_limits = {
  open_timeout_ms: 10_000,
  timeout_ms: 60_000,
  message_bytes_max: 64 * 1024,
  bytes_max: 2 * 1024 * 1024,
  // The packages stop sending when 1 MB is unsent.
  unsent_bytes_max: 2 * 1024 * 1024,
}

interface Taps {
  /** Gets the error when a socket has failed. */
  onFailure?: (error: OutboundError) => void
  /** Gets the response whose body is sound, as soon as it begins. The package, which reads whole answers only, gets an empty one. */
  onSound?: (response: Response) => void
}

/** A provider that hears or speaks with one model. */
export function openService(at: AtOutside, account: providers.Account, direction: Direction, wanted: string | null) {
  const { base_url, environment } = account
  const { outbound } = at.tools
  const vendor = vendorOf(account.kind)
  const name = modelFor(account, direction, wanted)
  if (!providers.mayUse(account, name)) throw new ModelError(`The operator doesn't allow the model "${name}".`)
  const is_trusted = environment !== undefined
  const api_key = is_trusted ? (account.api_key ?? '') : openKey(at, account.api_key)
  const limits = { origin: new URL(base_url).origin, is_trusted }
  const spoken = { bytes_max: spoken_bytes_max, readStream: (body: ReadableStream<Uint8Array>) => body }

  function fetchFor({ onSound }: Taps): typeof fetch {
    const guarded = fetchThrough(outbound, {
      ...limits,
      ...time_limits,
      whole_bytes_max: answer_bytes_max,
      ...(direction === 'listen' ? { bytes_max: answer_bytes_max } : spoken),
      ...(onSound && { timeout_ms: sound_timeout_ms }),
    })
    if (!onSound) return guarded
    return async (input, init) => {
      const url = String(input)
      const response = await guarded(vendor.toStreamUrl?.(url) ?? url, init)
      if (!response.ok) return response
      onSound(response)
      return new Response(new Uint8Array(1))
    }
  }

  async function toError(error: unknown, message?: unknown): Promise<unknown> {
    const { UnsupportedFunctionalityError } = await import('@ai-sdk/provider')
    if (UnsupportedFunctionalityError.isInstance(error))
      return new ModelError(`The model "${name}" hears streams only.`)
    if (error instanceof OutboundError && error.status !== null && error.status >= 300)
      return toProviderError({ status: error.status, value: undefined, api_key })
    const { error: said, message_type } = membersOf(message)
    if (said !== undefined && !(error instanceof OutboundError))
      return toProviderError({ status: 200, value: { type: message_type, ...membersOf(message) }, api_key })
    return toOwnError(error, api_key)
  }

  return {
    name,
    vendor,
    connect: (taps: Taps = {}) => {
      const webSocket = outbound.socketClass({ ...limits, ...socket_limits, onFailure: taps.onFailure })
      return vendor.connect({
        baseURL: base_url.replace(/\/+$/, ''),
        apiKey: api_key,
        headers: { 'user-agent': product.name },
        ...(api_key === ''
          ? { fetch: withoutKey(fetchFor(taps)), webSocket: socketsWithoutKey(webSocket) }
          : { fetch: fetchFor(taps), webSocket }),
      })
    },
    toError,
    async ask<T>(request: () => PromiseLike<T>): Promise<T> {
      try {
        return await request()
      } catch (error) {
        throw await toError(error)
      }
    },
  }
}

/**
 * Returns the model for hearing or speaking. The default model of an OpenAI-compatible provider answers with words, and
 * that of another one hears or speaks.
 */
export function modelFor(
  { kind, default_model }: providers.Account,
  direction: Direction,
  wanted: string | null,
): string {
  const fits = kind !== 'openai_compatible' && default_model !== null && directionOf(kind, default_model) === direction
  return wanted ?? (fits ? default_model : vendorOf(kind).models[direction])
}

const key_headers = ['authorization', 'xi-api-key']

/** Removes an empty key from requests, for servers without keys. */
const withoutKey =
  (guarded: typeof fetch): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers)
    for (const name of key_headers) headers.delete(name)
    return guarded(input, { ...init, headers })
  }

const socketsWithoutKey = (Guarded: SocketClass): SocketClass =>
  class extends Guarded {
    constructor(...[url, protocols, { headers = {} } = {}]: ConstructorParameters<SocketClass>) {
      const kept = Object.entries(headers).filter(([name]) => !key_headers.includes(name.toLowerCase()))
      super(url, protocols, { headers: Object.fromEntries(kept) })
    }
  }
