import { heard_rate } from '../../kit/sound/rates.ts'
import { hearStream, type Listening } from '../../models/speech.ts'
import { openResampler } from '../resampler.ts'
import type { Segment } from './segmenter.ts'

/** A model that hears a stretch of speech while it is spoken. */
export interface LiveHearing {
  readonly listening: Listening
  /** The words so far. */
  readonly text: string
  /** Hears what is new in the segment. */
  feed: (segment: Segment) => void
  /** Resolves with the words of all that was fed. More may be fed later: a pause was not the end. */
  readWords: () => Promise<string>
  close: () => void
}

/** Each stream ends with a pause, because that is when a model says its last words. */
export function openLive(listening: Listening): LiveHearing {
  const stop = new AbortController()
  const streams: Stream[] = []
  let current: Stream | undefined
  let fed = 0

  function begin(): Stream {
    const stream = openStream(listening, stop.signal)
    streams.push(stream)
    return stream
  }

  return {
    listening,
    get text() {
      return joinTexts(streams.map(({ text }) => text))
    },
    feed({ windows }) {
      const more = windows.slice(fed)
      fed = windows.length
      if (more.length === 0 || stop.signal.aborted) return
      current ??= begin()
      for (const { samples } of more) current.hear(samples)
    },
    async readWords() {
      current?.end()
      current = undefined
      return joinTexts(await Promise.all(streams.map(({ words }) => words)))
    },
    close: () => stop.abort(),
  }
}

/** Has a model that hears streams only hear the whole sound. */
export function hearWhole(listening: Listening, samples: Int16Array, signal: AbortSignal): Promise<string> {
  const stream = openStream(listening, signal)
  stream.hear(samples)
  stream.end()
  return stream.words
}

interface Stream {
  readonly text: string
  readonly words: Promise<string>
  hear: (samples: Int16Array) => void
  end: () => void
}

/** Opens a stream to the model. Sound that is not sent yet is kept: a stretch of speech has at most 30 seconds. */
function openStream(listening: Listening, abortSignal: AbortSignal): Stream {
  const resampler = openResampler(heard_rate, listening.streaming?.rate ?? heard_rate)
  let text = ''
  let sound: ReadableStreamDefaultController<Uint8Array> | undefined
  const audio = new ReadableStream<Uint8Array>({
    start(controller) {
      sound = controller
    },
    cancel() {
      sound = undefined
    },
  })
  const onWords = (so_far: string) => {
    text = so_far
  }
  const words = hearStream(listening, { audio, abortSignal, onWords })
  // Readers of the words get the rejection.
  words.catch(() => {})
  const add = (samples: Int16Array) => {
    if (samples.length > 0) sound?.enqueue(new Uint8Array(samples.slice().buffer))
  }
  return {
    get text() {
      return text
    },
    words,
    hear: (samples) => add(resampler.push(samples)),
    end() {
      add(resampler.flush())
      sound?.close()
      sound = undefined
    },
  }
}

const joinTexts = (texts: string[]): string => texts.filter((text) => text !== '').join(' ')
