import type { OpenAIProviderSettings } from '@ai-sdk/openai'
import type { SpeechModelV4, TranscriptionModelV4 } from '@ai-sdk/provider'
import { membersOf } from '../kit/json.ts'
import type { SocketClass } from '../kit/outbound/socket.ts'
import { base_urls } from './environment.ts'
import { ModelError } from './language-model.ts'
import type { ProviderKind } from './schema.ts'

export type Direction = 'listen' | 'speak'

/** The part of the packages that is used here. */
interface VendorModels {
  transcription: (name: string) => TranscriptionModelV4
  speech: (name: string) => SpeechModelV4
}

interface Settings {
  baseURL: string
  apiKey: string
  headers: Record<string, string>
  fetch: typeof fetch
  webSocket: SocketClass
}

/** How a vendor hears speech while someone speaks. */
interface VendorStreams {
  /** The rate of the samples that the vendor wants. */
  rate: number
  /** The models that hear streams. `only` are those that hear nothing else. */
  models: RegExp
  only: RegExp
  /** Whether the vendor complains that there were no words. */
  isSilence: (message: unknown) => boolean
}

export interface Vendor {
  /** The models that are used where none is named. */
  models: Record<Direction, string>
  speeds: { min: number; max: number }
  /** The rate of samples without a header. Null: sound comes as a WAV file. */
  raw_rate: number | null
  /** The rate that is asked for in a WAV file. Null: each server has its own. */
  wav_rate: number | null
  streaming: VendorStreams | undefined
  /** Turns the URL for a whole sound into the one where sound comes while it is made, if that is another one. */
  toStreamUrl?: (url: string) => string
  hearingOptions: (language: string | null) => Record<string, Record<string, string | boolean>>
  speakingOptions: (options: { name: string; voice: string | undefined; language: string | undefined }) => {
    voice?: string
    language?: string
    outputFormat: string
  }
  /** Imports the package when it is needed, because that takes a while. */
  connect: (settings: Settings) => Promise<VendorModels>
}

/** Returns the language of a tag without its region: `en` for `en-US`. */
const primary = (language: string): string => language.split('-', 1)[0]?.toLowerCase() ?? language

export const vendors: Partial<Record<ProviderKind, Vendor>> = {
  openai_compatible: {
    // Most servers with this API know these names.
    models: { listen: 'whisper-1', speak: 'tts-1' },
    speeds: { min: 0.25, max: 4 },
    raw_rate: null,
    wav_rate: null,
    streaming: {
      rate: 24_000,
      models: /^gpt-(transcribe|live-transcribe|realtime-whisper)(-|$)/,
      only: /^gpt-(live-transcribe|realtime-whisper)(-|$)/,
      isSilence: () => false,
    },
    hearingOptions: (language) => ({ openai: language === null ? {} : { language: primary(language) } }),
    speakingOptions: ({ voice }) => ({ outputFormat: 'wav', ...(voice !== undefined && { voice }) }),
    async connect(settings) {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI({ ...settings, webSocket: toConstructor(settings.webSocket) })
    },
  },
  elevenlabs: {
    models: { listen: 'scribe_v2', speak: 'eleven_flash_v2_5' },
    speeds: { min: 0.7, max: 1.2 },
    raw_rate: 16_000,
    wav_rate: null,
    streaming: {
      rate: 16_000,
      models: /^scribe_v2_realtime$/,
      only: /^scribe_v2_realtime$/,
      isSilence: (message) => membersOf(message).message_type === 'insufficient_audio_activity',
    },
    toStreamUrl: (url) => url.replace(/(\/text-to-speech\/[^/?]+)(?=\?|$)/, '$1/stream'),
    hearingOptions: (language) => ({
      elevenlabs: {
        // With this tag the vendor would write (laughter) between the words.
        tagAudioEvents: false,
        timestampsGranularity: 'none',
        ...(language !== null && { languageCode: primary(language) }),
      },
    }),
    speakingOptions: ({ name, voice, language }) => ({
      outputFormat: 'pcm_16000',
      ...(voice !== undefined && { voice }),
      // The vendor's other models reject a language.
      ...(language !== undefined && /(flash|turbo)_v2_5$/.test(name) && { language: primary(language) }),
    }),
    async connect(settings) {
      const { createElevenLabs } = await import('@ai-sdk/elevenlabs')
      return createElevenLabs({ ...settings, ...moveTo(settings, base_urls.elevenlabs) })
    },
  },
  deepgram: {
    models: { listen: 'nova-3', speak: 'aura-2' },
    speeds: { min: 0.7, max: 1.5 },
    raw_rate: null,
    wav_rate: 24_000,
    streaming: undefined,
    hearingOptions: (language) => ({
      deepgram: { smartFormat: true, punctuate: true, ...(language !== null && { language }) },
    }),
    speakingOptions: ({ name, voice, language }) => ({
      outputFormat: 'wav_24000',
      // A family of voices has to be told which voice.
      ...(/^aura(-\d+)?$/.test(name) && { voice: voice ?? 'thalia', language: primary(language ?? 'en') }),
    }),
    async connect(settings) {
      const { createDeepgram } = await import('@ai-sdk/deepgram')
      return createDeepgram({ ...settings, ...moveTo(settings, base_urls.deepgram) })
    },
  },
}

export function vendorOf(kind: ProviderKind): Vendor {
  const vendor = vendors[kind]
  if (!vendor) throw new ModelError('The provider can neither hear nor speak.')
  return vendor
}

/** Returns what a model of a service for speech does, by its name. */
export const directionOf = (kind: ProviderKind, name: string): Direction => {
  const is_hearing = kind === 'elevenlabs' ? name.startsWith('scribe') : !name.startsWith('aura')
  return is_hearing ? 'listen' : 'speak'
}

/** Moves the requests of packages to the provider's URL, because they know only that of their vendor. */
function moveTo({ baseURL, fetch, webSocket }: Settings, vendor_url: string) {
  const move = (url: string) => {
    if (!url.startsWith(`${vendor_url}/`)) throw new Error('the package has another URL than expected')
    return baseURL + url.slice(vendor_url.length)
  }
  class Moved extends webSocket {
    constructor(...[url, ...rest]: ConstructorParameters<SocketClass>) {
      super(move(String(url).replace(/^ws/, 'http')).replace(/^http/, 'ws'), ...rest)
    }
  }
  const fetchMoved: typeof fetch = (input, init) => fetch(move(String(input)), init)
  return { fetch: fetchMoved, webSocket: toConstructor(Moved) }
}

/**
 * The cast is true because the packages use what all WebSockets have in common. Their types for its events are wider
 * than those of `ws`.
 */
const toConstructor = (webSocket: SocketClass) =>
  webSocket as unknown as NonNullable<OpenAIProviderSettings['webSocket']>
