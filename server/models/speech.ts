import type {
  SpeechModelV4,
  Experimental_StreamingSpeechModelV4 as StreamingSpeechModelV4,
  TranscriptionModelV4,
} from '@ai-sdk/provider'
import type { At, AtOutside } from '../kit/at.ts'
import type { OutboundError } from '../kit/outbound/request.ts'
import type { Fault } from '../kit/problem.ts'
import { heard_rate } from '../kit/sound/rates.ts'
import { isUsable, readSamples, readWav, type Sound, writeWav } from '../kit/sound/wav.ts'
import * as workspaces from '../workspaces/store.ts'
import { ModelError } from './language-model.ts'
import type { Speech } from './speech-schema.ts'
import { modelFor, openService } from './speech-service.ts'
import { readSound, readWords, toTranscript } from './speech-streams.ts'
import { directionOf, vendors } from './speech-vendors.ts'
import * as providers from './store.ts'

export interface Listening {
  /** A model that hears WAV, PCM16 mono, in the language. */
  model: TranscriptionModelV4
  language: string | undefined
  /**
   * Set for a model with `doStream`, which wants PCM16 mono of this rate. `is_only`: it has no `doGenerate` that works.
   */
  streaming?: { rate: number; is_only: boolean }
}

export interface Speaking {
  /** A model that makes WAV, PCM16 mono. In streams it makes PCM16 mono without a header. */
  model: SpeechModelV4 & Partial<Pick<StreamingSpeechModelV4, 'doStream'>>
  voice: string | undefined
  speed: number | undefined
  language: string | undefined
}

const heard_ms_max = 30_000

/**
 * Returns the models that an agent's `speech` names. Null members are offline speech. Fails with a ModelError if a
 * provider is gone, or can't be asked. Asking a model fails as asking a language model does. Nothing is asked twice.
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

/**
 * Returns what is wrong with the providers and models that `speech` names. The paths begin with `listen` or `speak`.
 */
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
  const listening = await openListening(at, account, { model: null, language: 'en' })
  const rate = listening.streaming?.rate ?? heard_rate
  const silence = new Int16Array(rate)
  if (listening.streaming?.is_only)
    await hearStream(listening, { audio: ReadableStream.from([new Uint8Array(silence.buffer)]), abortSignal })
  else await listening.model.doGenerate({ audio: writeWav(silence, rate), mediaType: 'audio/wav', abortSignal })
}

/** Resolves with all words when the sound has ended. `onWords` gets the words so far. Fails as the model does. */
export async function hearStream(
  { model, streaming }: Listening,
  {
    audio,
    abortSignal,
    onWords = () => {},
  }: { audio: ReadableStream<Uint8Array>; abortSignal: AbortSignal; onWords?: (text: string) => void },
): Promise<string> {
  if (!model.doStream || !streaming) throw new Error('the model hears no streams')
  const inputAudioFormat = { type: 'audio/pcm', rate: streaming.rate }
  const { stream } = await model.doStream({ audio, inputAudioFormat, abortSignal })
  for await (const part of stream) {
    if (part.type === 'transcript-partial') onWords(part.text)
    if (part.type === 'finish') return part.text
  }
  throw new Error('the stream has no end')
}

async function openListening(
  at: AtOutside,
  account: providers.Account,
  { model, language }: { model: string | null; language: string | null },
): Promise<Listening> {
  const service = openService(at, account, 'listen', model)
  const { name, vendor } = service
  const hearing = (await service.connect()).transcription(name)
  const providerOptions = vendor.hearingOptions(language)
  const { streaming } = vendor
  const doStream: NonNullable<TranscriptionModelV4['doStream']> = async ({ audio, inputAudioFormat, abortSignal }) => {
    let failure: OutboundError | undefined
    let is_all_heard = false
    const onFailure = (error: OutboundError) => {
      failure ??= error
    }
    const counted = audio.pipeThrough(
      new TransformStream<Uint8Array | string, Uint8Array | string>({
        flush() {
          is_all_heard = true
        },
      }),
    )
    const connected = (await service.connect({ onFailure })).transcription(name)
    const { stream } = await service.ask(async () => {
      if (!connected.doStream) throw new ModelError(`The model "${name}" hears no streams.`)
      const options = { audio: counted, inputAudioFormat, providerOptions, includeRawChunks: true }
      return connected.doStream({ ...options, ...(abortSignal && { abortSignal }) })
    })
    const words = readWords(stream, {
      isAllHeard: () => is_all_heard,
      isSilence: (message) => streaming?.isSilence(message) ?? false,
      toError: (error, message) => (abortSignal?.aborted ? error : service.toError(failure ?? error, message)),
    })
    return { stream: ReadableStream.from(words) }
  }
  return {
    language: language ?? undefined,
    ...(streaming?.models.test(name) && { streaming: { rate: streaming.rate, is_only: streaming.only.test(name) } }),
    model: {
      specificationVersion: hearing.specificationVersion,
      provider: hearing.provider,
      modelId: hearing.modelId,
      async doGenerate({ audio, mediaType, abortSignal }) {
        const wav = typeof audio === 'string' ? Buffer.from(audio, 'base64') : audio
        if (millisecondsOf(readWav(wav)) > heard_ms_max)
          throw new ModelError(`More than ${heard_ms_max / 1_000} seconds of sound can't be heard at once.`)
        const options = { audio: wav, mediaType, providerOptions, ...(abortSignal && { abortSignal }) }
        const result = await service.ask(() => hearing.doGenerate(options))
        const { text, segments, durationInSeconds, warnings, response } = result
        return {
          text: toTranscript(text),
          segments,
          language: result.language,
          durationInSeconds,
          warnings,
          response: { timestamp: response.timestamp, modelId: response.modelId },
        }
      },
      ...(streaming?.models.test(name) && { doStream }),
    },
  }
}

async function openSpeaking(
  at: AtOutside,
  account: providers.Account,
  { model, voice, speed }: { model: string | null; voice: string | null; speed: number | null },
): Promise<Speaking> {
  const { kind } = account
  // The voices of Deepgram are models: aura-2-thalia-en.
  const is_voice_model = kind === 'deepgram' && voice !== null && directionOf(kind, voice) === 'speak'
  const service = openService(at, account, 'speak', is_voice_model ? voice : model)
  const { name, vendor } = service
  const speaking = (await service.connect()).speech(name)
  const toOptions = ({ text, voice, speed, language, abortSignal }: SpokenOptions) => ({
    text,
    ...vendor.speakingOptions({ name, voice, language }),
    ...(speed !== undefined && { speed: clamp(speed, vendor.speeds) }),
    ...(abortSignal && { abortSignal }),
  })
  return {
    voice: is_voice_model ? undefined : (voice ?? undefined),
    speed: speed ?? undefined,
    language: undefined,
    model: {
      specificationVersion: speaking.specificationVersion,
      provider: speaking.provider,
      modelId: speaking.modelId,
      async doGenerate(options) {
        const { audio, warnings, response } = await service.ask(() => speaking.doGenerate(toOptions(options)))
        const bytes = typeof audio === 'string' ? Buffer.from(audio, 'base64') : audio
        const type = response.headers?.['content-type']
        assertSound(type, vendor.raw_rate)
        const sound: Sound =
          vendor.raw_rate === null
            ? readWav(bytes, vendor.wav_rate ?? rateIn(type))
            : { sample_rate: vendor.raw_rate, samples: readSamples(bytes) }
        if (sound.samples.length === 0) throw new Error('there is no sound')
        return {
          // The WAV file is written here, because services that stream write no length into theirs.
          audio: writeWav(sound.samples, sound.sample_rate),
          warnings,
          response: { timestamp: response.timestamp, modelId: response.modelId },
        }
      },
      async doStream({ text, voice, speed, language, abortSignal }) {
        const parts = await Array.fromAsync(text)
        let answer: Response | undefined
        const onSound = (response: Response) => {
          answer = response
        }
        const connected = (await service.connect({ onSound })).speech(name)
        const whole = parts.map((part) => part.text).join('')
        await service.ask(() => connected.doGenerate(toOptions({ text: whole, voice, speed, language, abortSignal })))
        if (!answer?.body) throw new Error('there is no sound')
        const type = answer.headers.get('content-type') ?? undefined
        assertSound(type, vendor.raw_rate)
        const { raw_rate, wav_rate } = vendor
        const known_rate = wav_rate ?? rateIn(type)
        const sound = readSound(answer.body, { raw_rate, known_rate, toError: service.toError })
        return { stream: ReadableStream.from(sound) }
      },
    },
  }
}

interface SpokenOptions {
  text: string
  voice?: string | undefined
  speed?: number | undefined
  language?: string | undefined
  abortSignal?: AbortSignal | undefined
}

/** Throws if a text came instead of samples, which nothing in samples would tell. */
function assertSound(type: string | undefined, raw_rate: number | null): void {
  if (raw_rate !== null && type !== undefined && /^(text\/|application\/json)/.test(type))
    throw new Error('the answer is no sound')
}

/** Returns the rate in a type such as `audio/wav; rate=24000`, if it is one that sound can have. */
function rateIn(type: string | undefined): number | undefined {
  const rate = Number(/; ?rate="?(\d{4,6})\b/i.exec(type ?? '')?.[1])
  return isUsable(rate) ? rate : undefined
}

const millisecondsOf = ({ samples, sample_rate }: Sound): number => (1_000 * samples.length) / sample_rate

const clamp = (value: number, { min, max }: { min: number; max: number }): number => Math.min(max, Math.max(min, value))
