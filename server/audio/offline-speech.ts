import type { SpeechModelV4, TranscriptionModelV4 } from '@ai-sdk/provider'
import * as clock from '../kit/clock.ts'
import { openSlots, type Slots } from '../kit/limits/slots.ts'
import type { Log } from '../kit/log.ts'
import { heard_rate } from '../kit/sound/rates.ts'
import { readWav, writeWav } from '../kit/sound/wav.ts'
import type { Listening, Speaking } from '../models/speech.ts'
import { openEnergyDetector } from './hearing/energy.ts'
import { type Hearing, openHearing } from './offline/hearing.ts'
import { default_source, readHash, readInstalled } from './offline/installed.ts'
import { openVoice, type Voice } from './offline/voice.ts'
import { openResampler } from './resampler.ts'
import type { VoiceDetector } from './speech.ts'

/** Hears and speaks without a provider. */
export interface OfflineSpeech {
  /** Whether offline speech is installed. This is cheap, and sees an install without a restart. */
  isInstalled: () => boolean
  /** Returns what recognises the speech of one call: all calls share a slot. Throws if offline speech is not installed. */
  listening: () => Listening
  /** Returns the voice of one call. This works also when offline speech is not installed. */
  speaking: (voice: string | null) => Speaking
  /** Opens Silero if offline speech is installed, or else a detector that goes by loudness. */
  openDetector: () => VoiceDetector
  /** Begins to load what a call needs, so that its first words come sooner. Never throws. */
  prepare: () => void
  /** May be called twice. */
  close: () => Promise<void>
}

const provider = 'offline'
const language = 'en'
const default_voice = 'slt'
/** A call has one phrase at a time, and those that it has discarded. */
const waiting_per_call_max = 4
const waiting_max = 100
const wait_max_ms = 20 * clock.second_ms
const speed_min = 0.5
const speed_max = 2
/** Longer sound is no phrase, and the memory that the recogniser needs grows with it. */
const phrase_max_ms = 60 * clock.second_ms

export function openOfflineSpeech({ folder, log }: { folder: string; log: Log }): OfflineSpeech {
  const hash = readHash(default_source)
  const findInstalled = () => readInstalled(folder, hash)
  const hearing = openHearing({ findFolder: () => findInstalled()?.folder ?? folder, log })
  const voice = openVoice({ log })
  const limits = { running_max: 1, waiting_max, wait_max_ms }
  const phrases: Queue = { slots: openSlots(limits), open: 0 }
  const sentences: Queue = { slots: openSlots(limits), open: 0 }
  let last_call = 0
  let last_detector = 0

  const isInstalled = () => findInstalled() !== undefined
  const newQueue = (queue: Queue) => {
    last_call += 1
    return openCallQueue(queue, String(last_call))
  }

  return {
    isInstalled,
    listening() {
      if (!isInstalled()) throw new Error('offline speech is not installed')
      return { model: transcriptionModel(hearing, newQueue(phrases)), language }
    },
    speaking: (name) => ({
      model: speechModel(voice, newQueue(sentences)),
      voice: name ?? default_voice,
      speed: undefined,
      language,
    }),
    openDetector() {
      if (!isInstalled()) return openEnergyDetector()
      last_detector += 1
      const detector = last_detector
      return { hear: (samples) => hearing.hear(detector, samples), close: () => hearing.closeDetector(detector) }
    },
    prepare() {
      // The next request reports why the start failed.
      const ignore = () => {}
      if (isInstalled()) hearing.start().catch(ignore)
      Promise.try(voice.start).catch(ignore)
    },
    close: async () => void (await Promise.all([hearing.close(), voice.close()])),
  }
}

interface Queue {
  slots: Slots
  /** How many requests of all calls wait or run. */
  open: number
}

/** Work of a call. `is_hurried`: others wait. */
type Work<T> = (signal: AbortSignal, is_hurried: boolean) => Promise<T>
type CallQueue = <T>(signal: AbortSignal | undefined, work: Work<T>) => Promise<T>

/** Opens the queue of one call, whose requests run in order. All calls share a slot. */
function openCallQueue(queue: Queue, call: string): CallQueue {
  let waiting = 0
  return async (given, work) => {
    if (waiting >= waiting_per_call_max) throw new Error('this call waits for too much already')
    const signal = given ?? new AbortController().signal
    waiting += 1
    queue.open += 1
    const run = queue.slots.run(call, signal, () => work(signal, queue.open > 1))
    return run.finally(() => {
      waiting -= 1
      queue.open -= 1
    })
  }
}

function transcriptionModel(hearing: Hearing, inSlot: CallQueue): TranscriptionModelV4 {
  const modelId = 'moonshine-tiny'
  return {
    specificationVersion: 'v4',
    provider,
    modelId,
    async doGenerate({ audio, abortSignal }) {
      const file = typeof audio === 'string' ? Buffer.from(audio, 'base64') : audio
      const samples = readPhrase(file)
      const text = await inSlot(abortSignal, (signal, is_hurried) => hearing.recognise({ samples, is_hurried }, signal))
      return {
        text,
        segments: [],
        language,
        durationInSeconds: samples.length / heard_rate,
        warnings: [],
        response: { timestamp: clock.wallDate(), modelId },
      }
    },
  }
}

/** Returns the samples of a WAV file at the rate that models hear, from -1 to 1. */
function readPhrase(file: Uint8Array): Float32Array {
  const { samples, sample_rate } = readWav(file)
  if (samples.length / sample_rate > phrase_max_ms / 1_000) throw new Error('the phrase is too long')
  const resampler = openResampler(sample_rate, heard_rate)
  const resampled = [resampler.push(samples), resampler.flush()]
  const phrase = new Float32Array(resampled.reduce((sum, part) => sum + part.length, 0))
  let position = 0
  for (const part of resampled) for (const sample of part) phrase[position++] = sample / 32_768
  return phrase
}

function speechModel(voice: Voice, inSlot: CallQueue): SpeechModelV4 {
  const modelId = 'flite'
  return {
    specificationVersion: 'v4',
    provider,
    modelId,
    async doGenerate({ text, voice: name = default_voice, speed = 1, outputFormat = 'wav', abortSignal }) {
      if (outputFormat !== 'wav') throw new Error(`offline speech makes wav, not ${outputFormat}`)
      const stretch_percent = 100 / Math.min(speed_max, Math.max(speed_min, speed))
      const spoken = await inSlot(abortSignal, () => voice.speak({ text, voice: name, stretch_percent }))
      abortSignal?.throwIfAborted()
      return {
        audio: writeWav(spoken.samples, spoken.sample_rate),
        warnings: [],
        response: { timestamp: clock.wallDate(), modelId },
        providerMetadata: { offline: { words: spoken.words.map((word) => ({ ...word })) } },
      }
    },
  }
}
