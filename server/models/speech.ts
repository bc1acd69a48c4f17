import type { SpeechModelV4, TranscriptionModelV4 } from '@ai-sdk/provider'
import type { At, AtOutside } from '../kit/at.ts'
import { fetchThrough } from '../kit/outbound/fetch.ts'
import type { Fault } from '../kit/problem.ts'
import { readSamples, readWav, type Sound, writeWav } from '../kit/sound/wav.ts'
import { printable, truncate } from '../kit/text.ts'
import { product } from '../product.ts'
import * as workspaces from '../workspaces/store.ts'
import { toOwnError } from './checked-model.ts'
import { ModelError, openKey } from './language-model.ts'
import type { Speech } from './speech-schema.ts'
import { type Direction, directionOf, vendorOf, vendors } from './speech-vendors.ts'
import * as providers from './store.ts'

export interface Listening {
  /** It hears WAV, PCM16 mono, in the language. */
  model: TranscriptionModelV4
  language: string | undefined
}

export interface Speaking {
  /** It makes WAV, PCM16 mono. */
  model: SpeechModelV4
  voice: string | undefined
  speed: number | undefined
  language: string | undefined
}

const heard_ms_max = 30_000
const spoken_bytes_max = 10 * 1024 * 1024
const answer_bytes_max = 256 * 1024
const transcript_length_max = 4_000
const time_limits = { head_timeout_ms: 10_000, timeout_ms: 10_000 }

/**
 * The models that an agent's `speech` names; null members are offline speech. Fails with a ModelError if a provider is gone, or
 * can't be asked. Asking a model fails as asking a language model does. Nothing is asked twice.
 */
export async function findSpeech(
  at: AtOutside,
  { listen, speak }: Speech,
): Promise<{ listen: Listening | null; speak: Speaking | null }> {
  const account = async (provider: string) => {
    const found = await providers.findAccount(at, { name: provider })
    if (!found) throw new ModelError(`There is no provider "${provider}".`)
    return found
  }
  if ((listen || speak) && !(await workspaces.allowsNetwork(at)))
    throw new ModelError('A test workspace asks no models until `allows_network` is set.')
  return {
    listen: listen && (await openListening(at, await account(listen.provider), listen)),
    speak: speak && (await openSpeaking(at, await account(speak.provider), speak)),
  }
}

/** What is wrong with the providers and models that `speech` names. The paths begin with `listen` or `speak`. */
export async function speechFaults(at: At, speech: Speech): Promise<Omit<Fault, 'code'>[]> {
  const faults: Omit<Fault, 'code'>[] = []
  for (const direction of ['listen', 'speak'] as const) {
    const choice = speech[direction]
    if (!choice) continue
    const { provider, model } = choice
    const account = await providers.findAccount(at, { name: provider })
    if (!account)
      faults.push({ path: `${direction}.provider`, message: `is "${provider}", which is not the name of a provider.` })
    else if (!vendors[account.kind])
      faults.push({ path: `${direction}.provider`, message: `is "${provider}", which can't ${direction}.` })
    else {
      const name = modelFor(account, direction, model)
      if (!providers.mayUse(account, name))
        faults.push({
          path: `${direction}.model`,
          message: `is "${name}", which the operator does not allow for ${provider}.`,
        })
    }
  }
  return faults
}

/** Makes a second of sound, or hears one if that is what the default model does. Fails as the models do. */
export async function trySpeech(at: AtOutside, account: providers.Account, abortSignal: AbortSignal): Promise<void> {
  const { kind, default_model } = account
  const direction = default_model === null ? 'speak' : directionOf(kind, default_model)
  if (direction === 'speak') {
    const { model } = await openSpeaking(at, account, { model: null, voice: null, speed: null })
    await model.doGenerate({ text: 'One second.', language: 'en', outputFormat: 'wav', abortSignal })
    return
  }
  const { model } = await openListening(at, account, { model: null, language: 'en' })
  const silence = writeWav(new Int16Array(16_000), 16_000)
  await model.doGenerate({ audio: silence, mediaType: 'audio/wav', abortSignal })
}

export async function openListening(
  at: AtOutside,
  account: providers.Account,
  { model, language }: { model: string | null; language: string | null },
): Promise<Listening> {
  const { name, vendor, connected, api_key } = await connect(at, account, 'listen', model)
  const hearing = connected.transcription(name)
  return {
    language: language ?? undefined,
    model: {
      specificationVersion: hearing.specificationVersion,
      provider: hearing.provider,
      modelId: hearing.modelId,
      async doGenerate({ audio, mediaType, abortSignal }) {
        const wav = typeof audio === 'string' ? Buffer.from(audio, 'base64') : audio
        if (millisecondsOf(readWav(wav)) > heard_ms_max)
          throw new ModelError(`More than ${heard_ms_max / 1_000} seconds of sound can't be heard at once.`)
        const providerOptions = vendor.hearingOptions(language)
        const options = { audio: wav, mediaType, providerOptions, ...(abortSignal && { abortSignal }) }
        const result = await ask(() => hearing.doGenerate(options), { name, api_key })
        const { text, segments, durationInSeconds, warnings, response } = result
        return {
          text: truncate(printable(text), transcript_length_max).trim(),
          segments,
          language: result.language,
          durationInSeconds,
          warnings,
          response: { timestamp: response.timestamp, modelId: response.modelId },
        }
      },
    },
  }
}

export async function openSpeaking(
  at: AtOutside,
  account: providers.Account,
  { model, voice, speed }: { model: string | null; voice: string | null; speed: number | null },
): Promise<Speaking> {
  const { kind } = account
  // The voices of Deepgram are models: aura-2-thalia-en.
  const is_voice_model = kind === 'deepgram' && voice !== null && directionOf(kind, voice) === 'speak'
  const { name, vendor, connected, api_key } = await connect(at, account, 'speak', is_voice_model ? voice : model)
  const speaking = connected.speech(name)
  return {
    voice: is_voice_model ? undefined : (voice ?? undefined),
    speed: speed ?? undefined,
    language: undefined,
    model: {
      specificationVersion: speaking.specificationVersion,
      provider: speaking.provider,
      modelId: speaking.modelId,
      async doGenerate({ text, voice, speed, language, abortSignal }) {
        const { audio, warnings, response } = await ask(
          () =>
            speaking.doGenerate({
              text,
              ...vendor.speakingOptions({ name, voice, language }),
              ...(speed !== undefined && { speed: clamp(speed, vendor.speeds) }),
              ...(abortSignal && { abortSignal }),
            }),
          { name, api_key },
        )
        const bytes = typeof audio === 'string' ? Buffer.from(audio, 'base64') : audio
        const type = response.headers?.['content-type']
        const sound = vendor.raw_rate === null ? readWav(bytes) : readRaw(bytes, { type, sample_rate: vendor.raw_rate })
        if (sound.samples.length === 0) throw new Error('there is no sound')
        return {
          // Services that stream write no length into their files.
          audio: writeWav(sound.samples, sound.sample_rate),
          warnings,
          response: { timestamp: response.timestamp, modelId: response.modelId },
        }
      },
    },
  }
}

/** Nothing in samples says that they are some. */
function readRaw(bytes: Uint8Array, { type, sample_rate }: { type: string | undefined; sample_rate: number }): Sound {
  if (type !== undefined && /^(text\/|application\/json)/.test(type)) throw new Error('the answer is no sound')
  return { sample_rate, samples: readSamples(bytes) }
}

const millisecondsOf = ({ samples, sample_rate }: Sound): number => (1_000 * samples.length) / sample_rate

async function ask<T>(request: () => PromiseLike<T>, { name, api_key }: { name: string; api_key: string }): Promise<T> {
  try {
    return await request()
  } catch (error) {
    const { UnsupportedFunctionalityError } = await import('@ai-sdk/provider')
    if (UnsupportedFunctionalityError.isInstance(error)) throw new ModelError(`The model "${name}" hears streams only.`)
    throw await toOwnError(error, api_key)
  }
}

/** The default model of an OpenAI-compatible provider answers, and that of another does one of both. */
function modelFor({ kind, default_model }: providers.Account, direction: Direction, wanted: string | null): string {
  const fits = kind !== 'openai_compatible' && default_model !== null && directionOf(kind, default_model) === direction
  return wanted ?? (fits ? default_model : vendorOf(kind).models[direction])
}

async function connect(at: AtOutside, account: providers.Account, direction: Direction, wanted: string | null) {
  const { base_url, environment } = account
  const vendor = vendorOf(account.kind)
  const name = modelFor(account, direction, wanted)
  if (!providers.mayUse(account, name)) throw new ModelError(`The operator doesn't allow the model "${name}".`)
  const is_trusted = environment !== undefined
  const api_key = is_trusted ? (account.api_key ?? '') : openKey(at, account.api_key)
  const guarded = fetchThrough(at.tools.outbound, {
    ...time_limits,
    origin: new URL(base_url).origin,
    is_trusted,
    whole_bytes_max: answer_bytes_max,
    ...(direction === 'listen'
      ? { bytes_max: answer_bytes_max }
      : { bytes_max: spoken_bytes_max, readStream: (body) => body }),
  })
  const connected = await vendor.connect({
    baseURL: base_url.replace(/\/+$/, ''),
    apiKey: api_key,
    headers: { 'user-agent': product.name },
    fetch: api_key === '' ? withoutKey(guarded) : guarded,
  })
  return { name, vendor, connected, api_key }
}

/** A server without keys gets no empty one. */
const withoutKey =
  (guarded: typeof fetch): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers)
    for (const name of ['authorization', 'xi-api-key']) headers.delete(name)
    return guarded(input, { ...init, headers })
  }

const clamp = (value: number, { min, max }: { min: number; max: number }): number => Math.min(max, Math.max(min, value))
