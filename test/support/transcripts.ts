import { type Cue, collectCues } from '../../server/calls/read/subtitles.ts'
import { type LazyTranscript, type ToTranscribe, toContent, transcribe } from '../../server/calls/read/transcript.ts'
import type { Format, Transcript } from '../../server/calls/read/transcript-schema.ts'

/** A transcript with all its turns. */
export function wholeTranscript(spoken: ToTranscribe): Transcript {
  const { turns, ...others } = transcribe(spoken)
  return { ...others, turns: [...turns] }
}

export const contentOf = (transcript: LazyTranscript, format: Format): string =>
  [...toContent(transcript, format).pieces].join('')

export function cuesOf({ turns }: LazyTranscript): Cue[] {
  const steps = collectCues(turns)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
