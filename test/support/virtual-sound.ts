import type {
  SpeechModelV4,
  Experimental_SpeechModelV4StreamPart as SpeechPart,
  TranscriptionModelV4,
  Experimental_TranscriptionModelV4StreamPart as WordsPart,
} from '@ai-sdk/provider'
import { type AudioLine, type AudioLineOptions, openAudioLine } from '../../server/audio/line.ts'
import type { Recorder } from '../../server/audio/recorder.ts'
import { levelOf } from '../../server/audio/samples.ts'
import type { CallSpeech, VoiceDetector } from '../../server/audio/speech.ts'
import type { Timers } from '../../server/audio/timers.ts'
import type { Wire } from '../../server/audio/wire.ts'
import { openLog } from '../../server/kit/log.ts'
import { readSamples, readWav, writeWav } from '../../server/kit/sound/wav.ts'
import type { Listening, Speaking } from '../../server/models/speech.ts'

/** Calls in virtual time: the wire, the voice and the recogniser are exact, so that what was played can be compared with what was said. */

export interface VirtualTime {
  now: () => number
  timers: Timers
  /** Runs everything that is due until then. */
  advance: (ms: number) => Promise<void>
  readonly waiting: number
  /** The process does nothing for this long. */
  stall: (ms: number) => void
}

const began_at = 1_000_000

export function openVirtualTime(): VirtualTime {
  let time = began_at
  let last = 0
  const waiting = new Map<number, { at: number; run: () => void }>()
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  const nextDue = (until: number) => {
    let due: [number, { at: number; run: () => void }] | undefined
    for (const one of waiting) if (one[1].at <= until && (!due || one[1].at < due[1].at)) due = one
    return due
  }
  return {
    now: () => time,
    get waiting() {
      return waiting.size
    },
    timers: {
      after(wait_ms, run) {
        last += 1
        const id = last
        waiting.set(id, { at: time + Math.max(0, wait_ms), run })
        return () => waiting.delete(id)
      },
    },
    stall: (ms) => {
      time += ms
    },
    async advance(ms) {
      const until = time + ms
      await settle()
      for (let due = nextDue(until); due; due = nextDue(until)) {
        waiting.delete(due[0])
        time = Math.max(time, due[1].at)
        due[1].run()
        await settle()
      }
      time = until
    },
  }
}

export interface FakeWire extends Wire {
  /** Every sample that was played. */
  played: number[]
  /** What was played in each 20 ms, by the time. */
  log: { at: number; frame: Int16Array }[]
  sent_ms: number
  clears: number
  ended: string | undefined
  words: { role: string; text: string; is_final: boolean }[]
  /** How much may be in the buffer at most, so far. */
  buffered_max_ms: number
  stop: () => void
  is_deaf: boolean
}

interface FakeWireOptions {
  sample_rate?: 8_000 | 16_000
  /** Reports of what was played come this often, and this late. */
  report_ms?: number
  delay_ms?: () => number
  /** Whether reports say how often the sound was cleared. Telephones don't. */
  counts_clears?: boolean
}

/** Plays in steps of 20 ms. What is sent, and what is reported, takes time and keeps its order, as on a socket. */
export function openFakeWire({ now, timers }: VirtualTime, options: FakeWireOptions = {}): FakeWire {
  const { sample_rate = 16_000, report_ms = 100, delay_ms = () => 0, counts_clears = true } = options
  const step = sample_rate / 50
  let buffer: number[] = []
  let is_stopped = false
  let reported_at = now()
  /** How often the other side has cleared its buffer. */
  let cleared = 0
  const down = openPipe({ now, timers }, delay_ms)
  const up = openPipe({ now, timers }, delay_ms)
  const wire: FakeWire = {
    sample_rate,
    played: [],
    log: [],
    sent_ms: 0,
    clears: 0,
    ended: undefined,
    words: [],
    buffered_max_ms: 0,
    is_deaf: false,
    onFrame: () => {},
    onPlayed: () => {},
    onDigit: () => {},
    onEnd: () => {},
    send(frame) {
      wire.sent_ms += (frame.length * 1_000) / sample_rate
      down(() => {
        buffer.push(...frame)
        wire.buffered_max_ms = Math.max(wire.buffered_max_ms, (buffer.length * 1_000) / sample_rate)
      })
    },
    clear() {
      wire.clears += 1
      down(() => {
        buffer = []
        cleared += 1
        report()
      })
    },
    showWords: (words) => void wire.words.push(words),
    end(reason) {
      wire.ended = reason
      is_stopped = true
    },
    stop() {
      is_stopped = true
    },
  }
  function report(): void {
    reported_at = now()
    // Browsers report whole milliseconds.
    const played_ms = Math.floor((wire.played.length * 1_000) / sample_rate)
    const clears = counts_clears ? cleared : undefined
    up(() => wire.onPlayed(played_ms, clears))
  }
  function play(): void {
    if (is_stopped) return
    timers.after(20, play)
    if (wire.is_deaf) return
    const frame = buffer.splice(0, step)
    if (frame.length > 0) wire.log.push({ at: now(), frame: Int16Array.from(frame) })
    for (const sample of frame) wire.played.push(sample)
    if (now() - reported_at >= report_ms || (frame.length > 0 && buffer.length === 0)) report()
  }
  timers.after(20, play)
  return wire
}

/** Runs things later, in order. */
function openPipe({ now, timers }: Pick<VirtualTime, 'now' | 'timers'>, delay_ms: () => number) {
  let last = 0
  return (run: () => void): void => {
    const at = Math.max(last, now() + delay_ms())
    last = at
    if (at === now()) run()
    else timers.after(at - now(), run)
  }
}

/** Each word that a voice speaks has a loudness of its own, so that the samples say which word they are. */
export interface FakeVoice {
  speaking: Speaking
  /** The same voice, whose sound comes in pieces. */
  streamed: Speaking
  /** One piece of 100 ms comes after this time. */
  piece_wait_ms: number
  /** The voice breaks off after this many pieces. */
  pieces_max: number
  /** The words, by their loudness. */
  words: Map<number, string>
  texts: string[]
  ms_per_character: number
  delay_ms: () => number
  fails: () => boolean
}

const quiet_first = 1_000

/** Voices of one call need a `quietest` each. */
export function openFakeVoice({ timers }: VirtualTime, rate = 16_000, quietest = quiet_first): FakeVoice {
  let last = quietest
  const fake: FakeVoice = {
    words: new Map(),
    texts: [],
    ms_per_character: 50,
    delay_ms: () => 30,
    fails: () => false,
    piece_wait_ms: 20,
    pieces_max: Number.POSITIVE_INFINITY,
    speaking: { model: voiceModel(), voice: 'slt', speed: undefined, language: 'en' },
    streamed: { model: { ...voiceModel(), doStream }, voice: 'slt', speed: undefined, language: 'en' },
  }
  async function* speakPieces(text: string, abortSignal: AbortSignal | undefined): AsyncGenerator<SpeechPart> {
    const { audio } = await fake.speaking.model.doGenerate({ text, ...(abortSignal && { abortSignal }) })
    const { samples } = readWav(typeof audio === 'string' ? Buffer.from(audio, 'base64') : audio)
    const piece = rate / 10
    for (let sent = 0; sent * piece < samples.length; sent += 1) {
      if (sent === fake.pieces_max) throw new Error('the voice broke off')
      await wait(timers, fake.piece_wait_ms, abortSignal)
      const part = samples.slice(sent * piece, (sent + 1) * piece)
      yield { type: 'audio', audio: new Uint8Array(part.buffer), audioFormat: { type: 'audio/pcm', rate } }
    }
    yield { type: 'finish' }
  }
  async function doStream({ text, abortSignal }: Parameters<NonNullable<Speaking['model']['doStream']>>[0]) {
    const whole = (await Array.fromAsync(text)).map((part) => part.text).join('')
    return { stream: ReadableStream.from(speakPieces(whole, abortSignal)) }
  }
  function voiceModel(): SpeechModelV4 {
    return {
      specificationVersion: 'v4',
      provider: 'fake-voice',
      modelId: 'one',
      async doGenerate({ text, abortSignal }) {
        fake.texts.push(text)
        await wait(timers, fake.delay_ms(), abortSignal)
        if (fake.fails()) throw new Error('the voice is hoarse')
        const samples: number[] = []
        const words = text.split(/\s+/).map((word) => {
          last += 1
          fake.words.set(last, word)
          const start_ms = (samples.length * 1_000) / rate
          const spoken = Math.round((word.length * fake.ms_per_character * rate) / 1_000)
          // The voice can't say emoji.
          const value = /^\w/.test(word) ? last : 0
          for (let index = 0; index < spoken; index += 1) samples.push(value)
          const end_ms = (samples.length * 1_000) / rate
          // A short pause follows.
          for (let index = 0; index < rate / 50; index += 1) samples.push(0)
          return { text: word, start_ms, end_ms }
        })
        return {
          audio: writeWav(Int16Array.from(samples), rate),
          warnings: [],
          response: { timestamp: new Date(0), modelId: 'one' },
          providerMetadata: { offline: { words } },
        }
      },
    }
  }
  return fake
}

/** Returns the words that the samples have, whole ones only. */
export function wordsPlayed({ words, ms_per_character }: FakeVoice, played: number[], rate = 16_000): string[] {
  const heard: string[] = []
  for (let start = 0; start < played.length; ) {
    const value = played[start] ?? 0
    let end = start
    while (end < played.length && played[end] === value) end += 1
    const word = words.get(value)
    if (word !== undefined && end - start >= Math.round((word.length * ms_per_character * rate) / 1_000))
      heard.push(word)
    start = end
  }
  return heard
}

/** Sounds of the contact: each word has a loudness of its own too. */
export interface FakeContact {
  listening: Listening
  /** Hears while the contact speaks, and nothing else. */
  streamed: Listening
  /** How many streams were opened, and how many of them are open. */
  streams: { opened: number; open: number }
  /** Whether it says words before the sound ends. */
  has_partials: boolean
  /** Whether it fails while it hears. */
  breaks: () => boolean
  /** How many recognitions ran at the same time, at most. */
  running_max: number
  asked: number
  delay_ms: () => number
  fails: () => boolean
  /** The samples of a word. */
  speak: (word: string, ms: number) => Int16Array
}

const loud_first = 8_000

export function openFakeContact({ timers }: VirtualTime, rate = 16_000): FakeContact {
  const words = new Map<number, string>()
  let last = loud_first
  let running = 0
  const fake: FakeContact = {
    running_max: 0,
    asked: 0,
    delay_ms: () => 100,
    fails: () => false,
    streams: { opened: 0, open: 0 },
    has_partials: true,
    breaks: () => false,
    listening: { model: listenerModel(), language: 'en' },
    streamed: {
      language: 'en',
      streaming: { rate: 16_000, is_only: true },
      model: {
        ...listenerModel(),
        doGenerate: () => Promise.reject(new Error('it hears streams only')),
        doStream: async ({ audio, abortSignal }) => ({ stream: ReadableStream.from(hearPieces(audio, abortSignal)) }),
      },
    },
    speak(word, ms) {
      last += 1
      words.set(last, word)
      return new Int16Array((ms * rate) / 1_000).fill(last)
    },
  }
  const wordsOf = (values: Set<number>) => [...values].flatMap((value) => words.get(value) ?? []).join(' ')
  async function* hearPieces(
    audio: ReadableStream<Uint8Array | string>,
    abortSignal: AbortSignal | undefined,
  ): AsyncGenerator<WordsPart> {
    fake.streams.opened += 1
    fake.streams.open += 1
    try {
      const heard = new Set<number>()
      const reader = audio.getReader()
      abortSignal?.addEventListener('abort', () => void reader.cancel())
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        const piece = read.value
        for (const sample of readSamples(typeof piece === 'string' ? Buffer.from(piece, 'base64') : piece))
          heard.add(sample)
        if (fake.breaks()) throw new Error('the ear is deaf')
        if (fake.has_partials) yield { type: 'transcript-partial', text: wordsOf(heard) }
      }
      await wait(timers, fake.delay_ms(), abortSignal)
      yield { type: 'finish', text: wordsOf(heard), segments: [] }
    } finally {
      fake.streams.open -= 1
    }
  }
  function listenerModel(): TranscriptionModelV4 {
    return {
      specificationVersion: 'v4',
      provider: 'fake-ear',
      modelId: 'one',
      async doGenerate({ audio, abortSignal }) {
        running += 1
        fake.asked += 1
        fake.running_max = Math.max(fake.running_max, running)
        try {
          await wait(timers, fake.delay_ms(), abortSignal)
        } finally {
          running -= 1
        }
        if (fake.fails()) throw new Error('the ear is deaf')
        const { samples } = readWav(typeof audio === 'string' ? Buffer.from(audio, 'base64') : audio)
        return {
          text: wordsOf(new Set(samples)),
          segments: [],
          language: 'en',
          durationInSeconds: samples.length / 16_000,
          warnings: [],
          response: { timestamp: new Date(0), modelId: 'one' },
        }
      },
    }
  }
  return fake
}

/** Rejects when it is aborted, as requests do. */
async function wait({ after }: Timers, ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const cancel = after(ms, resolve)
  signal?.addEventListener('abort', () => {
    cancel()
    reject(new Error('aborted'))
  })
  await promise
}

export interface VirtualCall {
  time: VirtualTime
  wire: FakeWire
  voice: FakeVoice
  contact: FakeContact
  line: AudioLine
  /** Time passes, and the contact says this meanwhile, or nothing. */
  hear: (samples: Int16Array | number) => Promise<void>
}

interface VirtualCallOptions {
  wire_options?: FakeWireOptions
  fallback?: CallSpeech['fallback']
  detector?: VoiceDetector
  /** Whether words and sound come in pieces. */
  is_streamed?: boolean
  openRecorder?: (began_ms: number) => Recorder
}

/** The microphone is open all the time: silence has frames too. */
export function openVirtualCall(options: Partial<AudioLineOptions> & VirtualCallOptions = {}): VirtualCall {
  const { wire_options, fallback, detector, is_streamed = false, openRecorder, ...line_options } = options
  const time = openVirtualTime()
  const recorder = openRecorder?.(time.now())
  const wire = openFakeWire(time, wire_options)
  const voice = openFakeVoice(time, wire.sample_rate)
  const contact = openFakeContact(time, wire.sample_rate)
  const line = openAudioLine({
    wire,
    now: time.now,
    timers: time.timers,
    log: openLog('silent'),
    speech: {
      listen: is_streamed ? contact.streamed : contact.listening,
      speak: is_streamed ? voice.streamed : voice.speaking,
      fallback,
      openDetector: () =>
        detector ?? { hear: async (samples) => (levelOf(samples) > 0.05 ? 0.95 : 0.02), close: () => {} },
    },
    ...(recorder && { recorder }),
    ...line_options,
  })
  const step = wire.sample_rate / 50
  const opened_at = time.now()
  return {
    time,
    wire,
    voice,
    contact,
    line,
    async hear(sound) {
      const samples = typeof sound === 'number' ? new Int16Array((sound * wire.sample_rate) / 1_000) : sound
      for (let at = 0; at < samples.length; at += step) {
        await time.advance(20)
        wire.onFrame(samples.slice(at, at + step), time.now() - opened_at - 20)
      }
    },
  }
}
